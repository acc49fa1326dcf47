//! A version that cannot be read.

use tokio_postgres::types::Type;
use vouch_shared::db::{Param, Session, Sql};

use super::activate::supersede_others;
use super::{PublishError, Version, statistics};

/// Records why the version cannot be read. The bucket holds nothing else under that key any more, so the version
/// that answered before goes. The object must have been claimed in this transaction.
///
/// # Errors
/// [`PublishError`].
pub async fn fail(session: &Session, version: &Version, reason: &str) -> Result<(), PublishError> {
    supersede_others(session, version).await?;
    let id = version.id.as_uuid();
    let sha = version.content_sha.as_ref().map(<[u8; 32]>::as_slice);
    let params: [Param<'_>; 10] = [
        (&id, Type::UUID),
        (&version.source_uri, Type::TEXT),
        (&version.source_version, Type::TEXT),
        (&sha, Type::BYTEA),
        (&version.title, Type::TEXT),
        (&version.content_type, Type::TEXT),
        (&version.size_bytes, Type::INT8),
        (&version.scopes, Type::TEXT_ARRAY),
        (&version.chunker_version, Type::INT4),
        (&reason, Type::TEXT),
    ];
    session.execute(&Sql::fixed(include_str!("fail_document.sql")), &params).await?;
    let ids = [id];
    session.execute(&Sql::fixed(include_str!("drop_chunks.sql")), &[(&ids.as_slice(), Type::UUID_ARRAY)]).await?;
    statistics::uncount(session, &ids).await?;
    Ok(())
}
