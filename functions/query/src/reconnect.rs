//! One more attempt where a connection turned out to be dead. A function that was frozen between requests finds its
//! connections closed by the server or the proxy; nothing here writes, so reading again is safe.

use vouch_shared::db::DbError;

/// Runs a read, and once more when the first attempt lost its connection.
///
/// # Errors
/// [`DbError`] of the last attempt.
pub async fn reading<T, F>(attempt: impl Fn() -> F) -> Result<T, DbError>
where
    F: Future<Output = Result<T, DbError>>,
{
    match attempt().await {
        Err(DbError::Unavailable(error)) => {
            tracing::info!(error = %error, "database connection was lost, trying once more");
            attempt().await
        }
        outcome => outcome,
    }
}
