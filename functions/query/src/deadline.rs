//! Answers before Lambda ends the invocation: a caller gets a problem document, not the gateway's own error.

use std::time::{Duration, SystemTime};

use crate::error::Error;

/// What is kept back of an invocation's time for writing the response.
const RESERVE: Duration = Duration::from_millis(500);

/// When a caller whose request took too long may try again, in seconds.
const RETRY_AFTER_SECONDS: u64 = 5;

/// The invocation's time is used up.
#[derive(Debug, thiserror::Error)]
#[error("the invocation's time was used up")]
struct TimeIsUp;

/// The work's outcome, if it is there in time.
///
/// # Errors
/// The work's own, or [`Error::Unavailable`] when it was not.
pub async fn within<T>(
    deadline: Option<SystemTime>,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let Some(deadline) = deadline else { return work.await };
    let left = deadline.duration_since(SystemTime::now()).unwrap_or_default().saturating_sub(RESERVE);
    tokio::time::timeout(left, work).await.unwrap_or_else(|_| {
        Err(Error::Unavailable { retry_after_seconds: RETRY_AFTER_SECONDS, source: TimeIsUp.into() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_takes_too_long_is_given_up_in_time() {
        let soon = Some(SystemTime::now() + Duration::from_millis(520));
        let never = std::future::pending::<Result<(), Error>>();
        assert!(matches!(within(soon, never).await, Err(Error::Unavailable { .. })));
        assert!(within(soon, async { Ok(()) }).await.is_ok());
        assert!(within(None, async { Ok(()) }).await.is_ok());
    }
}
