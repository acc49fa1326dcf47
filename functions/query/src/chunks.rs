//! `GET /v1/chunks/{id}`: the text that a citation points to.

use serde::Serialize;
use time::OffsetDateTime;
use tokio_postgres::types::Type;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, Param, Sql};
use vouch_shared::ids::{ChunkId, DocumentId};

use crate::error::Error;
use crate::neighbours::Chunk;
use crate::reconnect;

static ONE: Sql = Sql::fixed(include_str!("chunks/one.sql"));

/// One chunk.
#[derive(Debug, Serialize)]
pub struct ChunkResponse<'a> {
    request_id: &'a str,
    chunk: ChunkBody,
}

#[derive(Debug, Serialize)]
struct ChunkBody {
    chunk_id: ChunkId,
    document_id: DocumentId,
    ordinal: u32,
    title: String,
    source_uri: String,
    source_version: String,
    page: Option<u32>,
    heading: Option<String>,
    content: String,
    token_count: u32,
    byte_start: i64,
    byte_end: i64,
    #[serde(with = "time::serde::rfc3339::option")]
    valid_from: Option<OffsetDateTime>,
}

/// Reads a chunk of a live version, or of the one that was active at `as_of`.
///
/// # Errors
/// [`Error::NotFound`] when there is none that the caller may see, or when the database is away.
pub async fn one<'a>(
    db: &Database,
    auth: &AuthContext,
    id: &str,
    as_of: Option<OffsetDateTime>,
    request_id: &'a str,
) -> Result<ChunkResponse<'a>, Error> {
    let missing = Error::NotFound { what: "chunk" };
    let Ok(id) = id.parse::<ChunkId>() else { return Err(missing) };
    let (tenant, scopes, id) = (auth.tenant().as_str(), auth.scopes().to_vec(), id.as_uuid());
    let params: [Param<'_>; 4] =
        [(&tenant, Type::TEXT), (&scopes, Type::TEXT_ARRAY), (&id, Type::UUID), (&as_of, Type::TIMESTAMPTZ)];
    let rows = reconnect::reading(|| db.read(auth, as_of, &ONE, &params)).await?;
    let row = rows.first().ok_or(missing)?;
    let (byte_start, byte_end) = (
        row.try_get("byte_start").map_err(Error::internal)?,
        row.try_get("byte_end").map_err(Error::internal)?,
    );
    let chunk = Chunk::from_row(row)?;
    Ok(ChunkResponse {
        request_id,
        chunk: ChunkBody {
            chunk_id: chunk.chunk_id,
            document_id: chunk.document_id,
            ordinal: chunk.ordinal,
            heading: chunk.heading(),
            title: chunk.title,
            source_uri: chunk.source_uri,
            source_version: chunk.source_version,
            page: chunk.page,
            content: chunk.content,
            token_count: chunk.token_count,
            byte_start,
            byte_end,
            valid_from: chunk.valid_from,
        },
    })
}
