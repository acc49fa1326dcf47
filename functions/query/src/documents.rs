//! `GET /v1/documents` and `GET /v1/documents/{id}`: what is stored, in any state, as far as the caller may see it.

pub mod cursor;

use serde::Serialize;
use time::OffsetDateTime;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, DbError, Param, Sql};
use vouch_shared::ids::DocumentId;

use crate::error::Error;
use crate::http::request::ListRequest;
use crate::reconnect;
use cursor::Cursor;

static LIST: Sql = Sql::fixed(include_str!("documents/list.sql"));
static ONE: Sql = Sql::fixed(include_str!("documents/one.sql"));

/// A document, in the API's words. Its scopes are left out: they name groups that the caller may not be in.
#[derive(Debug, Serialize)]
pub struct DocumentBody {
    document_id: DocumentId,
    title: String,
    source_uri: String,
    source_version: String,
    state: String,
    failure_reason: Option<String>,
    content_type: String,
    size_bytes: i64,
    language: String,
    chunk_count: i32,
    #[serde(with = "time::serde::rfc3339::option")]
    valid_from: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    valid_to: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
}

/// A page of documents.
#[derive(Debug, Serialize)]
pub struct ListResponse<'a> {
    request_id: &'a str,
    documents: Vec<DocumentBody>,
    /// Where the next page begins; null on the last one.
    next_cursor: Option<String>,
}

/// One document.
#[derive(Debug, Serialize)]
pub struct DocumentResponse<'a> {
    request_id: &'a str,
    document: DocumentBody,
}

/// Reads a page.
///
/// # Errors
/// [`Error::Invalid`] for a cursor that is not ours, or when the database is away.
pub async fn list<'a>(
    db: &Database,
    auth: &AuthContext,
    request: &ListRequest,
    request_id: &'a str,
) -> Result<ListResponse<'a>, Error> {
    let after = match &request.cursor {
        None => None,
        Some(text) => {
            Some(Cursor::parse(text).ok_or_else(|| Error::invalid("cursor", "is not a cursor of this API"))?)
        }
    };
    let tenant = auth.tenant().as_str();
    let scopes = auth.scopes().to_vec();
    let after_uri = after.as_ref().map(|cursor| cursor.source_uri.as_str());
    let after_id = after.as_ref().map(|cursor| cursor.document_id.as_uuid());
    // One more than asked for tells whether there is a next page.
    let rows_wanted = i64::try_from(request.limit).unwrap_or(i64::MAX).saturating_add(1);
    let params: [Param<'_>; 7] = [
        (&tenant, Type::TEXT),
        (&scopes, Type::TEXT_ARRAY),
        (&request.prefix, Type::TEXT),
        (&request.state, Type::TEXT),
        (&after_uri, Type::TEXT),
        (&after_id, Type::UUID),
        (&rows_wanted, Type::INT8),
    ];
    let rows = reconnect::reading(|| db.read(auth, None, &LIST, &params)).await?;
    let more = rows.len() > request.limit;
    let documents: Vec<DocumentBody> =
        rows.iter().take(request.limit).map(DocumentBody::from_row).collect::<Result<_, _>>()?;
    let next_cursor = documents.last().filter(|_| more).map(|last| {
        Cursor { source_uri: last.source_uri.clone(), document_id: last.document_id }.to_string()
    });
    Ok(ListResponse { request_id, documents, next_cursor })
}

/// Reads one document.
///
/// # Errors
/// [`Error::NotFound`] when there is none that the caller may see, or when the database is away.
pub async fn one<'a>(
    db: &Database,
    auth: &AuthContext,
    id: &str,
    request_id: &'a str,
) -> Result<DocumentResponse<'a>, Error> {
    // A text that is no id names no document.
    let missing = Error::NotFound { what: "document" };
    let Ok(id) = id.parse::<DocumentId>() else { return Err(missing) };
    let (tenant, scopes, id) = (auth.tenant().as_str(), auth.scopes().to_vec(), id.as_uuid());
    let params: [Param<'_>; 3] = [(&tenant, Type::TEXT), (&scopes, Type::TEXT_ARRAY), (&id, Type::UUID)];
    let rows = reconnect::reading(|| db.read(auth, None, &ONE, &params)).await?;
    let row = rows.first().ok_or(missing)?;
    Ok(DocumentResponse { request_id, document: DocumentBody::from_row(row)? })
}

impl DocumentBody {
    fn from_row(row: &Row) -> Result<Self, DbError> {
        let id: Uuid = row.try_get("document_id")?;
        Ok(Self {
            document_id: id.into(),
            title: row.try_get("title")?,
            source_uri: row.try_get("source_uri")?,
            source_version: row.try_get("source_version")?,
            state: row.try_get("state")?,
            failure_reason: row.try_get("failure_reason")?,
            content_type: row.try_get("content_type")?,
            size_bytes: row.try_get("size_bytes")?,
            language: row.try_get("language")?,
            chunk_count: row.try_get("chunk_count")?,
            valid_from: row.try_get("valid_from")?,
            valid_to: row.try_get("valid_to")?,
            created_at: row.try_get("created_at")?,
            updated_at: row.try_get("updated_at")?,
        })
    }
}
