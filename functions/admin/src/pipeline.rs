//! From a request to its answer.

use serde_json::Value;
use vouch_shared::aws::Secrets;
use vouch_shared::config::AdminConfig;
use vouch_shared::db::Database;
use vouch_shared::embedding::Space;

use crate::error::AdminError;
use crate::operation::Operation;
use crate::{health, migrate, tenants};

/// What every operation needs.
#[derive(Debug)]
pub struct Admin {
    /// Settings.
    pub config: AdminConfig,
    /// The database, as owner.
    pub database: Database,
    /// The reader of secrets.
    pub secrets: Secrets,
    /// The space of the configured embedder.
    pub space: Space,
}

impl Admin {
    /// Does one operation.
    ///
    /// # Errors
    /// [`AdminError`].
    pub async fn run(&self, request: Value) -> Result<Value, AdminError> {
        match Operation::parse(request)? {
            Operation::Migrate => {
                migrate::migrate(&self.database, &self.secrets, &self.config, &self.space).await
            }
            Operation::TenantCreate { tenant, default_scope } => {
                tenants::create(&self.database, &tenant, default_scope).await
            }
            Operation::Tenants => tenants::list(&self.database).await,
            Operation::Stats { tenant } => tenants::stats(&self.database, &tenant).await,
            Operation::Health => health::health(&self.database, &self.space).await,
        }
    }
}
