//! A version's rows, written while nobody sees them.

use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::db::{DbError, Param, Session, Sql};
use vouch_shared::ids::{ChunkId, DocumentId, SpaceId};

use super::version::Columns;
use super::{PublishError, Version};
use crate::passage::InputSha;

/// Between headings of a path while it travels; no text holds it, since control characters are removed.
const UNIT_SEPARATOR: &str = "\u{1f}";

/// A chunk with its vectors, as the database takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Derived from document, chunker's version and ordinal.
    pub id: ChunkId,
    /// Position in the document, from 0.
    pub ordinal: i32,
    /// The text.
    pub content: String,
    /// Its tokens.
    pub token_count: i32,
    /// Headings above it.
    pub heading_path: Vec<String>,
    /// The page that it starts on.
    pub page: Option<i32>,
    /// Its place in the extracted text, in bytes.
    pub byte_start: i64,
    /// The end of that place.
    pub byte_end: i64,
    /// The lexical vector as `sparsevec`.
    pub lexical: String,
    /// Hash of the text embedded.
    pub input_sha: InputSha,
    /// The embedding as `vector`.
    pub embedding: String,
}

/// Makes the version's row, in state `ingesting`; `false` when the version is active already.
///
/// # Errors
/// [`DbError`].
pub async fn begin(session: &Session, version: &Version) -> Result<bool, DbError> {
    let columns = Columns::of(version);
    columns.insert(session, version).await?;
    let sql = Sql::fixed(include_str!("begin_version.sql"));
    Ok(session.query_opt(&sql, &columns.params(version)).await?.is_some())
}

/// Removes chunks of the version that are none of these: another chunker cut them.
///
/// # Errors
/// [`DbError`].
pub async fn drop_other_cut(
    session: &Session,
    document: DocumentId,
    chunks: &[ChunkId],
) -> Result<(), DbError> {
    let ids: Vec<Uuid> = chunks.iter().map(|id| id.as_uuid()).collect();
    let params: [Param<'_>; 2] = [(&document.as_uuid(), Type::UUID), (&ids, Type::UUID_ARRAY)];
    session.execute(&Sql::fixed(include_str!("drop_other_cut.sql")), &params).await?;
    Ok(())
}

/// Writes some chunks and their vectors. Writing them again changes nothing.
///
/// # Errors
/// [`PublishError::Overtaken`] when the version was retired meanwhile.
pub async fn stage(
    session: &Session,
    document: DocumentId,
    space: &SpaceId,
    rows: &[Row],
) -> Result<(), PublishError> {
    fn column<'r, T>(rows: &'r [Row], get: impl Fn(&'r Row) -> T) -> Vec<T> {
        rows.iter().map(get).collect()
    }
    let document = document.as_uuid();
    let ids = column(rows, |r| r.id.as_uuid());
    let paths = column(rows, |r| r.heading_path.join(UNIT_SEPARATOR));
    let chunks: [Param<'_>; 10] = [
        (&document, Type::UUID),
        (&ids, Type::UUID_ARRAY),
        (&column(rows, |r| r.ordinal), Type::INT4_ARRAY),
        (&column(rows, |r| r.content.as_str()), Type::TEXT_ARRAY),
        (&column(rows, |r| r.token_count), Type::INT4_ARRAY),
        (&column(rows, |r| r.page), Type::INT4_ARRAY),
        (&column(rows, |r| r.byte_start), Type::INT8_ARRAY),
        (&column(rows, |r| r.byte_end), Type::INT8_ARRAY),
        (&column(rows, |r| r.lexical.as_str()), Type::TEXT_ARRAY),
        (&paths, Type::TEXT_ARRAY),
    ];
    let written = session.execute(&Sql::fixed(include_str!("stage_chunks.sql")), &chunks).await?;
    if written != rows.len() as u64 {
        return Err(PublishError::Overtaken);
    }
    let vectors: [Param<'_>; 4] = [
        (&document, Type::UUID),
        (&ids, Type::UUID_ARRAY),
        (&column(rows, |r| r.input_sha.as_slice()), Type::BYTEA_ARRAY),
        (&column(rows, |r| r.embedding.as_str()), Type::TEXT_ARRAY),
    ];
    session.execute(&Sql::in_space(include_str!("stage_embeddings.sql"), space), &vectors).await?;
    Ok(())
}
