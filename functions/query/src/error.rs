//! What can go wrong with a request, grouped by what the caller does next. `http::problem` turns each into
//! a status; only the texts named `detail` are ever shown to the caller.

use std::error::Error as StdError;

use vouch_shared::db::DbError;
use vouch_shared::embedder::EmbedError;

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The body is not what its syntax promises; the caller mends the program that wrote it.
    #[error("the request is malformed: {detail}")]
    Malformed {
        /// For the caller.
        detail: String,
    },
    /// The body is too large; the caller sends less.
    #[error("the body is larger than {limit_bytes} bytes")]
    TooLarge {
        /// Largest body accepted.
        limit_bytes: usize,
    },
    /// One field has a value that is not accepted; the caller sends another.
    #[error("the field {field} is not valid: {detail}")]
    Invalid {
        /// Path of the field, such as `filters.since`.
        field: String,
        /// For the caller.
        detail: String,
    },
    /// Nobody vouches for the caller, who gets a token first.
    #[error("the caller is not authenticated")]
    Unauthenticated(#[source] Box<dyn StdError + Send + Sync>),
    /// There is no such thing, or none that this caller may see.
    #[error("there is no such {what}")]
    NotFound {
        /// `document`, `chunk` or `path`.
        what: &'static str,
    },
    /// The path exists, the method does not.
    #[error("the method is not allowed here")]
    MethodNotAllowed {
        /// Value of the header `Allow`.
        allow: &'static str,
    },
    /// Something that we need is away; the caller comes back soon.
    #[error("a service that this one needs is away")]
    Unavailable {
        /// When to come back.
        retry_after_seconds: u64,
        /// For the log.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// A fault of ours.
    #[error("the request failed")]
    Internal(#[source] Box<dyn StdError + Send + Sync>),
}

impl Error {
    /// A field's value is refused.
    #[must_use]
    pub fn invalid(field: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Invalid { field: field.into(), detail: detail.into() }
    }

    /// A fault of ours.
    #[must_use]
    pub fn internal(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Internal(source.into())
    }
}

/// When to come back after the database was away, in seconds: a failover or a resume takes longer than a
/// full pool.
const DATABASE_RETRY_AFTER_SECONDS: u64 = 5;

impl From<DbError> for Error {
    fn from(error: DbError) -> Self {
        let retry_after_seconds =
            if matches!(error, DbError::Busy) { 1 } else { DATABASE_RETRY_AFTER_SECONDS };
        if error.is_transient() {
            Self::Unavailable { retry_after_seconds, source: error.into() }
        } else {
            Self::Internal(error.into())
        }
    }
}

/// When to come back to a model that did not say when, in seconds.
const MODEL_RETRY_AFTER_SECONDS: u64 = 10;

impl From<EmbedError> for Error {
    fn from(error: EmbedError) -> Self {
        match &error {
            EmbedError::Unavailable { retry_after, .. } => Self::Unavailable {
                retry_after_seconds: retry_after
                    .map_or(MODEL_RETRY_AFTER_SECONDS, |wait| wait.as_secs().max(1)),
                source: error.into(),
            },
            EmbedError::Rejected { .. } | EmbedError::Misconfigured { .. } => Self::Internal(error.into()),
        }
    }
}
