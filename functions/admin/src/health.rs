//! What runs, in which version, and whether it fits together.

use serde_json::{Value, json};
use vouch_shared::auth::OperatorContext;
use vouch_shared::db::{Database, Sql};
use vouch_shared::embedding::Space;
use vouch_shared::migrations;

use crate::error::AdminError;

const VERSIONS: Sql = Sql::fixed(include_str!("health/versions.sql"));

/// The state of the database and its fit with this build.
///
/// # Errors
/// [`AdminError::Database`].
pub async fn health(database: &Database, configured: &Space) -> Result<Value, AdminError> {
    let session = database.begin_as_operator(&OperatorContext::for_admin_function()).await?;
    let rows = session.query(&VERSIONS, &[]).await?;
    session.commit().await?;
    let row = rows.first().ok_or_else(|| AdminError::State("the server told no version".into()))?;
    let (server, pgvector): (String, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
    let (schema, tenants): (i32, i64) = (row.try_get(2)?, row.try_get(3)?);
    let active = database.active_space().await?;
    let known = i32::try_from(migrations::ALL.len()).unwrap_or(i32::MAX);
    Ok(json!({
        "database": {"version": server, "pgvector": pgvector},
        "schema_version": schema,
        "schema_is_current": schema == known,
        "active_space": active.as_ref().map(|s| s.id.as_str()),
        "embedder_space": configured.id,
        "embedder_fits": active.as_ref() == Some(configured),
        "tenants": tenants,
    }))
}
