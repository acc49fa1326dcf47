//! The ingest function: reads its settings, connects, and hands every invocation to [`ingest::batch`].

use std::process::ExitCode;
use std::sync::Arc;

use ingest::batch;
use ingest::start;
use lambda_runtime::{Diagnostic, LambdaEvent, service_fn};
use serde_json::Value;
use vouch_shared::telemetry;

#[tokio::main]
async fn main() -> ExitCode {
    telemetry::init();
    start::log_panics_without_their_message();
    let pipeline = match start::pipeline().await {
        Ok(pipeline) => Arc::new(pipeline),
        Err(error) => {
            tracing::error!("the ingest function cannot start: {}", telemetry::chain(&error));
            return ExitCode::FAILURE;
        }
    };
    let served = lambda_runtime::run(service_fn(|event: LambdaEvent<Value>| {
        let pipeline = Arc::clone(&pipeline);
        async move {
            batch::handle(&pipeline, &event.payload).await.map_err(|error| Diagnostic {
                error_type: "not_converged".into(),
                error_message: error.to_string(),
            })
        }
    }));
    match served.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("the runtime ended: {error}");
            ExitCode::FAILURE
        }
    }
}
