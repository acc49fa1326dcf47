//! A change of who may read a document whose content stays.

use tokio_postgres::types::Type;
use vouch_shared::db::{Param, Session, Sql};
use vouch_shared::ids::DocumentId;

use super::{PublishError, spaces};

/// Gives the version that stands, its chunks and its vectors other scopes. The object must have been claimed in this
/// transaction.
///
/// # Errors
/// [`PublishError::Overtaken`] when the version does not stand any more.
pub async fn rescope(session: &Session, document: DocumentId, scopes: &[String]) -> Result<(), PublishError> {
    let id = document.as_uuid();
    let params: [Param<'_>; 2] = [(&id, Type::UUID), (&scopes, Type::TEXT_ARRAY)];
    if session.query_opt(&Sql::fixed(include_str!("rescope_document.sql")), &params).await?.is_none() {
        return Err(PublishError::Overtaken);
    }
    session.execute(&Sql::fixed(include_str!("rescope_chunks.sql")), &params).await?;
    for space in spaces(session).await? {
        session.execute(&Sql::in_space(include_str!("rescope_embeddings.sql"), &space), &params).await?;
    }
    Ok(())
}
