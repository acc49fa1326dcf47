//! A version that cannot be read.

use tokio_postgres::types::Type;
use vouch_shared::db::{Session, Sql};

use super::activate::supersede_others;
use super::version::Columns;
use super::{PublishError, Version, statistics};

/// Records why the version cannot be read. The bucket holds nothing else under that key any more, so the version
/// that answered before goes. The object must have been claimed in this transaction.
///
/// # Errors
/// [`PublishError`].
pub async fn fail(session: &Session, version: &Version, reason: &str) -> Result<(), PublishError> {
    supersede_others(session, version).await?;
    let columns = Columns::of(version);
    columns.insert(session, version).await?;
    let mut params = columns.params(version).to_vec();
    params.push((&reason, Type::TEXT));
    session.execute(&Sql::fixed(include_str!("fail_document.sql")), &params).await?;
    let ids = [version.id.as_uuid()];
    session
        .execute(&Sql::fixed(include_str!("drop_chunks.sql")), &[(&ids.as_slice(), Type::UUID_ARRAY)])
        .await?;
    statistics::uncount(session, &ids).await?;
    Ok(())
}
