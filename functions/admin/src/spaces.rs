//! The first embedding space: without one nothing can be stored or asked.

use tokio_postgres::types::Type;
use vouch_shared::auth::OperatorContext;
use vouch_shared::db::{Database, Sql};
use vouch_shared::embedding::Space;

use crate::error::AdminError;

const CREATE: Sql = Sql::fixed(include_str!("spaces/create.sql"));

/// The active space. When there is none, the configured model's is made and becomes it. An active space of
/// another model stays as it is: changing the model is a deliberate operation.
///
/// # Errors
/// [`AdminError::Database`].
pub async fn ensure_active(database: &Database, configured: &Space) -> Result<Space, AdminError> {
    if let Some(active) = database.active_space().await? {
        if active != *configured {
            tracing::warn!(active = %active.id, configured = %configured.id, "the configured embedder is not the active space's: functions will refuse to start");
        }
        return Ok(active);
    }
    let session = database.begin_as_operator(&OperatorContext::for_admin_function()).await?;
    let dimension = i32::try_from(configured.dimension)
        .map_err(|_| AdminError::State("the embedder's dimension is not one the database can hold".into()))?;
    session
        .query(
            &CREATE,
            &[
                (&configured.id.as_str(), Type::TEXT),
                (&configured.model, Type::TEXT),
                (&dimension, Type::INT4),
                (&configured.element_type.as_str(), Type::TEXT),
            ],
        )
        .await?;
    session.commit().await?;
    Ok(configured.clone())
}
