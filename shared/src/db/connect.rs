//! Opening connections: credentials, TLS with full verification, and a second look at a rotated secret.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use postgres_native_tls::MakeTlsConnector;
use secrecy::ExposeSecret;
use tokio::sync::Mutex;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config};

use super::{DbError, usable};
use crate::aws::{DatabaseCredentials, SecretError, Secrets, Stage};

/// Longest wait for one TCP connection to the database.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Where the role's credentials come from.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// Secrets Manager, read when first needed and again when the server refuses them.
    Secret {
        /// Id or ARN of the secret.
        id: String,
        /// The reader.
        secrets: Arc<Secrets>,
    },
    /// Known already; for tests and tools of the local stack.
    Fixed(DatabaseCredentials),
}

/// Reads the file of certificate authorities.
///
/// # Errors
/// [`DbError::Invalid`] when it cannot be read.
pub fn read_ca(path: &Path) -> Result<Vec<u8>, DbError> {
    std::fs::read(path).map_err(|error| {
        DbError::Invalid(format!("the database's CA file {} cannot be read: {error}", path.display()))
    })
}

/// Makes connections for the pool.
pub struct Connector {
    credentials: Credentials,
    tls: MakeTlsConnector,
    /// The secret as last read: it is not fetched again for each connection.
    known: Mutex<Option<DatabaseCredentials>>,
}

impl Connector {
    pub(super) fn new(credentials: Credentials, ca_pem: &[u8]) -> Result<Self, DbError> {
        let invalid = |error: native_tls::Error| {
            DbError::Invalid(format!("the database's CA file is not usable: {error}"))
        };
        let authorities = native_tls::Certificate::stack_from_pem(ca_pem).map_err(invalid)?;
        if authorities.is_empty() {
            return Err(DbError::Invalid("the database's CA file holds no certificate".into()));
        }
        let mut builder = native_tls::TlsConnector::builder();
        // Only the configured authorities count: a certificate of a public one for the same name would not do.
        builder.disable_built_in_roots(true).min_protocol_version(Some(native_tls::Protocol::Tlsv12));
        for authority in authorities {
            builder.add_root_certificate(authority);
        }
        let tls = MakeTlsConnector::new(builder.build().map_err(invalid)?);
        Ok(Self { credentials, tls, known: Mutex::new(None) })
    }

    async fn read(&self, stage: Stage) -> Result<DatabaseCredentials, SecretError> {
        match &self.credentials {
            Credentials::Secret { id, secrets } => secrets.database(id, stage).await,
            Credentials::Fixed(credentials) => Ok(credentials.clone()),
        }
    }

    async fn open(&self, credentials: &DatabaseCredentials) -> Result<Client, tokio_postgres::Error> {
        let mut config = Config::new();
        config
            .host(&credentials.host)
            .port(credentials.port)
            .dbname(&credentials.dbname)
            .user(&credentials.username)
            .password(credentials.password.expose_secret())
            .application_name("vouch")
            .ssl_mode(SslMode::Require)
            .connect_timeout(CONNECT_TIMEOUT)
            .keepalives_idle(Duration::from_secs(60));
        let (client, connection) = config.connect(self.tls.clone()).await?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                // The next user of the connection gets an error of its own; this says what ended it.
                tracing::warn!(error = %error, "database connection ended");
            }
        });
        Ok(client)
    }
}

impl Manager for Connector {
    type Type = Client;
    type Error = DbError;

    async fn create(&self) -> Result<Client, DbError> {
        let known = self.known.lock().await.clone();
        let was_known = known.is_some();
        let first = match known {
            Some(credentials) => credentials,
            None => self.read(Stage::Current).await?,
        };
        let refused = match self.open(&first).await {
            Ok(client) => {
                *self.known.lock().await = Some(first);
                return Ok(client);
            }
            Err(error) if is_refusal(&error) => error,
            Err(error) => return Err(error.into()),
        };
        // The password was changed under us. A rotation in progress has set the pending version already.
        let stages: &[Stage] = if was_known { &[Stage::Current, Stage::Pending] } else { &[Stage::Pending] };
        for stage in stages {
            let Ok(credentials) = self.read(*stage).await else { continue };
            match self.open(&credentials).await {
                Ok(client) => {
                    tracing::info!(stage = ?stage, "database credentials were rotated");
                    *self.known.lock().await = Some(credentials);
                    return Ok(client);
                }
                Err(error) if is_refusal(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(refused.into())
    }

    async fn recycle(&self, client: &mut Client, _: &Metrics) -> RecycleResult<DbError> {
        if usable(client) { Ok(()) } else { Err(RecycleError::message("the connection is closed")) }
    }
}

fn is_refusal(error: &tokio_postgres::Error) -> bool {
    matches!(error.code(), Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION))
}
