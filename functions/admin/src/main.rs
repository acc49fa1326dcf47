//! The admin function's process: settings, connections, and the loop of the Lambda runtime.

// The futures of the AWS SDK and of the runtime nest deeper than the compiler looks by default.
#![recursion_limit = "256"]

use std::process::ExitCode;
use std::sync::Arc;

use admin::pipeline::Admin;
use lambda_runtime::{Diagnostic, LambdaEvent, service_fn};
use serde_json::Value;
use vouch_shared::aws::{Secrets, sdk_config};
use vouch_shared::config::AdminConfig;
use vouch_shared::db::Database;
use vouch_shared::embedder::Embedder;
use vouch_shared::telemetry;

#[tokio::main]
async fn main() -> ExitCode {
    telemetry::init();
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(error = %telemetry::chain(&*error), "the admin function cannot start");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), lambda_runtime::Error> {
    let config = AdminConfig::from_env()?;
    let secrets = Secrets::new(&sdk_config().await);
    let embedder = Embedder::from_config(&config.embedder, &secrets).await?;
    let database = Database::new(&config.database, secrets.clone(), 1)?;
    let admin = Arc::new(Admin { space: embedder.space().clone(), config, database, secrets });
    lambda_runtime::run(service_fn(move |event: LambdaEvent<Value>| {
        let admin = Arc::clone(&admin);
        async move {
            let request_id = event.context.request_id;
            admin.run(event.payload).await.map_err(|error| {
                tracing::error!(request_id, error = %telemetry::chain(&error), "operation failed");
                Diagnostic::from(error)
            })
        }
    }))
    .await
}
