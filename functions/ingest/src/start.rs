//! What is made once, before the first invocation, and what is refused then.

use vouch_shared::aws::{self, Secrets};
use vouch_shared::config::{ConfigError, IngestConfig};
use vouch_shared::db::{Database, DbError, Role};
use vouch_shared::embedder::{EmbedError, Embedder};
use vouch_shared::tuning::Tuning;

use crate::object::Objects;
use crate::pipeline::Pipeline;

/// Connections of one function instance: two objects at a time, each with at most one transaction open, and one spare.
const MAX_CONNECTIONS: usize = 3;

/// Why the function cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The environment.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database, or the role.
    #[error(transparent)]
    Database(#[from] DbError),
    /// The embedding model.
    #[error(transparent)]
    Embedder(#[from] EmbedError),
    /// There is no embedding space yet.
    #[error("the database has no embedding space: run the admin function's migrate first")]
    NoSpace,
}

/// Everything that work on an object needs.
///
/// # Errors
/// [`StartError`].
pub async fn pipeline() -> Result<Pipeline, StartError> {
    let config = IngestConfig::from_env()?;
    let sdk = aws::sdk_config().await;
    let db = Database::new(&config.database, Secrets::new(&sdk), MAX_CONNECTIONS)?;
    let secrets = Secrets::new(&sdk);
    let (safe, embedder) =
        tokio::join!(db.refuse_unsafe_role(Role::Ingest), Embedder::from_config(&config.embedder, &secrets));
    safe?;
    let embedder = embedder?;
    let active = db.active_space().await?.ok_or(StartError::NoSpace)?;
    if active.id != embedder.space().id {
        tracing::warn!(
            active = %active.id, written = %embedder.space().id,
            "vectors are written to a space that queries do not use yet"
        );
    }
    // Servers that stand in for S3 know buckets by path only.
    let s3 = aws_sdk_s3::config::Builder::from(&sdk).force_path_style(sdk.endpoint_url().is_some());
    Ok(Pipeline {
        db,
        embedder,
        objects: Objects::new(aws_sdk_s3::Client::from_conf(s3.build())),
        bucket: config.bucket,
        max_object_bytes: config.max_object_bytes,
        tuning: Tuning::shipped(),
    })
}

/// A panic's message can quote the text that a parser stumbled over, so only its place is logged.
pub fn log_panics_without_their_message() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(metric = "ingest.panics", count = 1, place, "panic");
    }));
}
