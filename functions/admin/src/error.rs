//! What can go wrong, by what the operator does next.

use lambda_runtime::Diagnostic;
use vouch_shared::aws::SecretError;
use vouch_shared::db::DbError;
use vouch_shared::telemetry::chain;

/// Why an operation was not done.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The request is not one of the operations, or one of its values is not valid.
    #[error("{0}")]
    Request(String),
    /// The tenant is not known.
    #[error("there is no tenant {0}")]
    NoTenant(String),
    /// The stored state does not allow it.
    #[error("{0}")]
    State(String),
    /// A secret could not be read.
    #[error("a secret could not be read")]
    Secret(#[from] SecretError),
    /// The database did not do what was asked.
    #[error("the database did not do what was asked")]
    Database(#[from] DbError),
}

impl From<tokio_postgres::Error> for AdminError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error.into())
    }
}

impl AdminError {
    fn kind(&self) -> &'static str {
        match self {
            Self::Request(_) => "invalid_request",
            Self::NoTenant(_) => "no_such_tenant",
            Self::State(_) => "not_possible_now",
            Self::Secret(_) => "secret_unavailable",
            Self::Database(error) if error.is_transient() => "database_unavailable",
            Self::Database(_) => "database_error",
        }
    }
}

impl From<AdminError> for Diagnostic {
    /// The operator is trusted with the causes, which hold no secret and no document's text.
    fn from(error: AdminError) -> Self {
        Self { error_type: error.kind().to_owned(), error_message: chain(&error) }
    }
}
