//! The deploy step: schema, passwords, first space. Running it again changes nothing.

use serde_json::{Value, json};
use vouch_shared::aws::{Secrets, Stage};
use vouch_shared::config::AdminConfig;
use vouch_shared::db::Database;
use vouch_shared::embedding::Space;
use vouch_shared::migrations;

use crate::error::AdminError;
use crate::{roles, spaces};

/// Migrates, and tells what was done.
///
/// # Errors
/// [`AdminError`]; what was done before the error stays done, and a second run goes on from there.
pub async fn migrate(
    database: &Database,
    secrets: &Secrets,
    config: &AdminConfig,
    configured: &Space,
) -> Result<Value, AdminError> {
    let applied = migrations::apply(database).await?;
    for (role, secret) in
        [("vouch_ingest", &config.ingest_secret_id), ("vouch_query", &config.query_secret_id)]
    {
        let credentials = secrets.database(secret, Stage::Current).await?;
        roles::set_password(database, role, &credentials).await?;
    }
    let space = spaces::ensure_active(database, configured).await?;
    Ok(json!({
        "applied": applied,
        "version": migrations::ALL.len(),
        "space": {"id": space.id, "model": space.model, "dimension": space.dimension},
    }))
}
