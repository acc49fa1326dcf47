//! `GET /healthz`: whether this function can answer. Says nothing of why not; the log does.

use std::time::{Duration, Instant};

use serde::Serialize;
use vouch_shared::db::{Database, DbError};
use vouch_shared::embedding::Space;
use vouch_shared::telemetry;

use crate::error::Error;
use crate::reconnect;

/// The response when all is well.
#[derive(Debug, Serialize)]
pub struct HealthResponse<'a> {
    status: &'static str,
    request_id: &'a str,
}

/// The embedder and the database speak of different vectors.
#[derive(Debug, thiserror::Error)]
pub enum SpaceMismatch {
    /// The database has another space active.
    #[error(
        "the active embedding space is {active} and this function embeds for {configured}: configure the embedder of {active}, or activate {configured}"
    )]
    Other {
        /// Space, model and dimension of the database.
        active: String,
        /// Space, model and dimension of the embedder.
        configured: String,
    },
    /// No space is active.
    #[error(
        "no embedding space is active, and this function embeds for {configured}: run the admin function's migrate"
    )]
    None {
        /// Space, model and dimension of the embedder.
        configured: String,
    },
}

/// Why health could not be confirmed.
#[derive(Debug, thiserror::Error)]
pub enum NotReady {
    /// The database cannot be asked.
    #[error("the database cannot be asked for its active embedding space")]
    Database(#[from] DbError),
    /// Query vectors would be compared with another model's.
    #[error(transparent)]
    Space(#[from] SpaceMismatch),
}

/// How long a start waits for a database that is waking up: Lambda gives a function ten seconds to start.
const PATIENCE: Duration = Duration::from_secs(8);

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(250);

/// Waits until the database answers, as long as it is only away.
///
/// # Errors
/// [`DbError`] when it is still away after eight seconds, or will not come by waiting.
pub async fn when_awake(db: &Database) -> Result<(), DbError> {
    let started = Instant::now();
    loop {
        match db.ping().await {
            Err(error) if error.is_transient() && started.elapsed() < PATIENCE => {
                tracing::info!(error = telemetry::chain(&error), "database is away, waiting for it");
                tokio::time::sleep(PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

/// Refuses to compare vectors of different models.
///
/// # Errors
/// [`SpaceMismatch`] that names both spaces, or [`DbError`].
pub async fn check_space(db: &Database, embedder: &Space) -> Result<(), NotReady> {
    let active = reconnect::reading(|| db.active_space()).await?;
    let configured = describe(embedder);
    match active {
        Some(active) if active == *embedder => Ok(()),
        Some(active) => Err(SpaceMismatch::Other { active: describe(&active), configured }.into()),
        None => Err(SpaceMismatch::None { configured }.into()),
    }
}

fn describe(space: &Space) -> String {
    format!("{} ({}, {} dimensions, {})", space.id, space.model, space.dimension, space.element_type.as_str())
}

/// Answers, or says that it cannot.
///
/// # Errors
/// [`Error::Unavailable`] when the database is away or has another space active.
pub async fn check<'a>(
    db: &Database,
    embedder: &Space,
    request_id: &'a str,
) -> Result<HealthResponse<'a>, Error> {
    match check_space(db, embedder).await {
        Ok(()) => Ok(HealthResponse { status: "ok", request_id }),
        Err(error) => Err(Error::Unavailable { retry_after_seconds: 5, source: error.into() }),
    }
}
