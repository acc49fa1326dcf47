//! The row of a version.

use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::db::{DbError, Param, Session, Sql};
use vouch_shared::ids::DocumentId;

/// One version of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Derived from tenant, source_uri and source_version.
    pub id: DocumentId,
    /// `s3://bucket/key`.
    pub source_uri: String,
    /// The versionId, else the hexadecimal SHA-256 of the bytes.
    pub source_version: String,
    /// SHA-256 of the bytes; `None` where they were not read.
    pub content_sha: Option<[u8; 32]>,
    /// The document's title, else its file's name.
    pub title: String,
    /// Media type that the text was extracted as.
    pub content_type: String,
    /// Size of the source in bytes.
    pub size_bytes: i64,
    /// Who may read it.
    pub scopes: Vec<String>,
    /// As [`crate::chunk::Settings::version`].
    pub chunker_version: i32,
}

/// What of a version the database takes in another form.
pub(super) struct Columns {
    id: Uuid,
    content_sha: Option<Vec<u8>>,
}

impl Columns {
    pub(super) fn of(version: &Version) -> Self {
        Self { id: version.id.as_uuid(), content_sha: version.content_sha.map(|sha| sha.to_vec()) }
    }

    /// The parameters $1 to $9 of every statement that writes such a row.
    pub(super) fn params<'a>(&'a self, version: &'a Version) -> [Param<'a>; 9] {
        [
            (&self.id, Type::UUID),
            (&version.source_uri, Type::TEXT),
            (&version.source_version, Type::TEXT),
            (&self.content_sha, Type::BYTEA),
            (&version.title, Type::TEXT),
            (&version.content_type, Type::TEXT),
            (&version.size_bytes, Type::INT8),
            (&version.scopes, Type::TEXT_ARRAY),
            (&version.chunker_version, Type::INT4),
        ]
    }

    /// Makes the row if there is none.
    pub(super) async fn insert(&self, session: &Session, version: &Version) -> Result<(), DbError> {
        session.execute(&Sql::fixed(include_str!("insert_version.sql")), &self.params(version)).await?;
        Ok(())
    }
}
