//! What the database answered, by what the caller does next.

use tokio_postgres::error::SqlState;

use crate::aws::SecretError;

/// Why the database did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// It cannot be reached, is starting, stopping or out of connections: try again later.
    #[error("the database is not available")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Every connection of this process is in use: try again later.
    #[error("every database connection of this process is in use")]
    Busy,
    /// Another transaction was in the way: run the whole transaction again.
    #[error("another transaction was in the way")]
    Conflict(#[source] tokio_postgres::Error),
    /// It took longer than it may.
    #[error("the statement took longer than it may")]
    Timeout(#[source] tokio_postgres::Error),
    /// The role may not do that, or is not safe to run as.
    #[error("{0}")]
    Denied(String),
    /// The configuration or the stored state is not as it must be.
    #[error("{0}")]
    Invalid(String),
    /// The credentials could not be had.
    #[error("the database's credentials are not available")]
    Secret(#[from] SecretError),
    /// A constraint or the statement itself: a fault in this program.
    #[error("the database refused a statement")]
    Unexpected(#[source] tokio_postgres::Error),
}

impl DbError {
    /// Whether the same call may succeed later without any change.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Busy | Self::Conflict(_) | Self::Timeout(_) => true,
            Self::Secret(error) => matches!(error, SecretError::Unavailable { .. }),
            Self::Denied(_) | Self::Invalid(_) | Self::Unexpected(_) => false,
        }
    }

    /// The constraint that a statement broke.
    #[must_use]
    pub fn constraint(&self) -> Option<&str> {
        match self {
            Self::Unexpected(error) => error.as_db_error()?.constraint(),
            _ => None,
        }
    }
}

impl From<tokio_postgres::Error> for DbError {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(state) = error.code() else {
            // Without a SQLSTATE it is the connection that failed, or this program that misread a row.
            return if error.is_closed() || is_io(&error) {
                Self::Unavailable(Box::new(error))
            } else {
                Self::Unexpected(error)
            };
        };
        match *state {
            SqlState::T_R_SERIALIZATION_FAILURE
            | SqlState::T_R_DEADLOCK_DETECTED
            | SqlState::LOCK_NOT_AVAILABLE => Self::Conflict(error),
            SqlState::QUERY_CANCELED => Self::Timeout(error),
            SqlState::INSUFFICIENT_PRIVILEGE
            | SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => Self::Denied(message(&error)),
            SqlState::UNDEFINED_TABLE | SqlState::UNDEFINED_FUNCTION | SqlState::INVALID_SCHEMA_NAME => {
                Self::Invalid(format!("the database is not migrated: {}", message(&error)))
            }
            SqlState::TOO_MANY_CONNECTIONS
            | SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::INVALID_CATALOG_NAME
            | SqlState::DISK_FULL
            | SqlState::OUT_OF_MEMORY
            | SqlState::READ_ONLY_SQL_TRANSACTION => Self::Unavailable(Box::new(error)),
            // Class 08: connection exceptions.
            ref other if other.code().starts_with("08") => Self::Unavailable(Box::new(error)),
            _ => Self::Unexpected(error),
        }
    }
}

fn is_io(error: &tokio_postgres::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if cause.is::<std::io::Error>() || cause.is::<native_tls::Error>() {
            return true;
        }
        source = cause.source();
    }
    false
}

fn message(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(|| error.to_string(), |e| e.message().to_owned())
}
