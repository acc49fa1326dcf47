//! The moment at which a version comes to stand.

use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::db::{Param, Session, Sql};
use vouch_shared::ids::SpaceId;

use super::{Lexemes, PublishError, Version, spaces, statistics};

/// Lets every other version of the object go and the given one stand, whose `chunk_count` chunks are staged. The
/// object must have been claimed in this transaction.
///
/// # Errors
/// [`PublishError::Overtaken`] when the version is not whole, because somebody retired it meanwhile.
pub async fn activate(
    session: &Session,
    version: &Version,
    space: &SpaceId,
    chunk_count: usize,
    lexemes: &Lexemes,
) -> Result<(), PublishError> {
    supersede_others(session, version).await?;
    statistics::count(session, version.id, lexemes).await?;

    let id = version.id.as_uuid();
    let count = i32::try_from(chunk_count).unwrap_or(i32::MAX);
    let document: [Param<'_>; 6] = [
        (&id, Type::UUID),
        (&version.scopes, Type::TEXT_ARRAY),
        (&count, Type::INT4),
        (&version.chunker_version, Type::INT4),
        (&version.title, Type::TEXT),
        (&version.content_type, Type::TEXT),
    ];
    let activated = session.query_opt(&Sql::fixed(include_str!("activate_document.sql")), &document).await?;
    let chunks =
        session.execute(&Sql::fixed(include_str!("activate_chunks.sql")), &[(&id, Type::UUID)]).await?;
    let mut embedded = 0;
    for other in spaces(session).await? {
        let sql = Sql::in_space(include_str!("activate_embeddings.sql"), &other);
        let vectors: i64 = session.query_one(&sql, &[(&id, Type::UUID)]).await?.try_get(0)?;
        if other == *space {
            embedded = vectors;
        }
    }
    let is_whole = chunks == chunk_count as u64 && usize::try_from(embedded) == Ok(chunk_count);
    if activated.is_some() && is_whole { Ok(()) } else { Err(PublishError::Overtaken) }
}

/// Lets every other version of the object go, with its text as soon as the tenant does not want to keep it. The object
/// must have been claimed in this transaction.
///
/// # Errors
/// [`PublishError`].
pub async fn supersede_others(session: &Session, version: &Version) -> Result<(), PublishError> {
    let params: [Param<'_>; 2] = [(&version.source_uri, Type::TEXT), (&version.id.as_uuid(), Type::UUID)];
    let rows = session.query(&Sql::fixed(include_str!("supersede.sql")), &params).await?;
    let superseded = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<Uuid>, _>>()?;
    let uri: [Param<'_>; 1] = [(&version.source_uri, Type::TEXT)];
    session.execute(&Sql::fixed(include_str!("drop_superseded.sql")), &uri).await?;
    if superseded.is_empty() {
        return Ok(());
    }
    let ids: [Param<'_>; 1] = [(&superseded, Type::UUID_ARRAY)];
    session.execute(&Sql::fixed(include_str!("expire_chunks.sql")), &ids).await?;
    for space in spaces(session).await? {
        session.execute(&Sql::in_space(include_str!("expire_embeddings.sql"), &space), &ids).await?;
    }
    statistics::uncount(session, &superseded).await?;
    Ok(())
}
