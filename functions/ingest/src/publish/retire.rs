//! Versions that go and are not followed by another.

use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::db::{Session, Sql};
use vouch_shared::ids::DocumentId;

use super::{PublishError, statistics};

/// Marks every version of the object deleted and drops its text; gives how many versions that were. The object must
/// have been claimed in this transaction.
///
/// # Errors
/// [`PublishError`].
pub async fn retire(session: &Session, source_uri: &str) -> Result<usize, PublishError> {
    let rows = session.query(&Sql::fixed(include_str!("retire.sql")), &[(&source_uri, Type::TEXT)]).await?;
    let retired = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<Uuid>, _>>()?;
    drop_text(session, &retired).await?;
    Ok(retired.len())
}

/// Gives up a version whose chunks were being written when it turned out that another stands.
///
/// # Errors
/// [`PublishError`].
pub async fn abandon(session: &Session, document: DocumentId) -> Result<(), PublishError> {
    let sql = Sql::fixed(include_str!("abandon.sql"));
    if session.query_opt(&sql, &[(&document.as_uuid(), Type::UUID)]).await?.is_some() {
        drop_text(session, &[document.as_uuid()]).await?;
    }
    Ok(())
}

async fn drop_text(session: &Session, documents: &[Uuid]) -> Result<(), PublishError> {
    if documents.is_empty() {
        return Ok(());
    }
    session.execute(&Sql::fixed(include_str!("drop_chunks.sql")), &[(&documents, Type::UUID_ARRAY)]).await?;
    statistics::uncount(session, documents).await?;
    Ok(())
}
