//! The AWS SDK's configuration, and secrets.

use aws_config::{BehaviorVersion, SdkConfig};
use aws_sdk_secretsmanager::error::DisplayErrorContext;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The SDK's configuration from the environment, with the HTTP client that this build has.
pub async fn sdk_config() -> SdkConfig {
    let client =
        aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https();
    Box::pin(aws_config::defaults(BehaviorVersion::latest()).http_client(client).load()).await
}

/// Why a secret could not be had.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// Secrets Manager did not give it.
    #[error("secret {id} could not be read: {detail}")]
    Unavailable {
        /// Id or ARN asked for.
        id: String,
        /// The SDK's chain of causes; holds no part of the secret.
        detail: String,
    },
    /// Its text is not the JSON that is expected.
    #[error("secret {id} is not JSON with {expected}")]
    Malformed {
        /// Id or ARN asked for.
        id: String,
        /// The fields expected.
        expected: &'static str,
    },
}

/// Which of a secret's versions is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The version in use.
    Current,
    /// The version that a rotation in progress is about to put in use.
    Pending,
}

/// Reads secrets.
#[derive(Debug, Clone)]
pub struct Secrets {
    client: aws_sdk_secretsmanager::Client,
}

/// What a database secret holds, in the shape that RDS writes.
#[derive(Debug, Clone, Deserialize)]
pub struct DatabaseCredentials {
    /// Host name; the server's certificate must be for it.
    pub host: String,
    /// TCP port.
    #[serde(default = "default_port")]
    pub port: u16,
    /// Database.
    #[serde(default = "default_database")]
    pub dbname: String,
    /// Role.
    pub username: String,
    /// Its password.
    pub password: SecretString,
}

fn default_port() -> u16 {
    5432
}

fn default_database() -> String {
    "vouch".into()
}

#[derive(Deserialize)]
struct ApiKey {
    api_key: SecretString,
}

impl Secrets {
    /// A reader with the SDK's configuration.
    #[must_use]
    pub fn new(config: &SdkConfig) -> Self {
        Self { client: aws_sdk_secretsmanager::Client::new(config) }
    }

    /// The credentials of a database role.
    ///
    /// # Errors
    /// [`SecretError`] when the secret cannot be read or is not of RDS's shape.
    pub async fn database(&self, id: &str, stage: Stage) -> Result<DatabaseCredentials, SecretError> {
        self.json(id, stage, "host, port, dbname, username and password").await
    }

    /// The key of an HTTP API.
    ///
    /// # Errors
    /// [`SecretError`] when the secret cannot be read or has no `api_key`.
    pub async fn api_key(&self, id: &str) -> Result<SecretString, SecretError> {
        let secret: ApiKey = self.json(id, Stage::Current, "api_key").await?;
        Ok(secret.api_key)
    }

    async fn json<T: DeserializeOwned>(
        &self,
        id: &str,
        stage: Stage,
        expected: &'static str,
    ) -> Result<T, SecretError> {
        let mut request = self.client.get_secret_value().secret_id(id);
        if stage == Stage::Pending {
            request = request.version_stage("AWSPENDING");
        }
        // Boxed: the SDK's future is large and deep, and would be part of every caller's.
        let answer = Box::pin(request.send()).await.map_err(|error| SecretError::Unavailable {
            id: id.to_owned(),
            detail: DisplayErrorContext(&error).to_string(),
        })?;
        let text = SecretString::from(answer.secret_string.unwrap_or_default());
        // The parser's own message could quote the secret, so it is not passed on.
        serde_json::from_str(text.expose_secret())
            .map_err(|_| SecretError::Malformed { id: id.to_owned(), expected })
    }
}
