//! Wires the query function together and runs it.

use std::error::Error;
use std::sync::Arc;

use lambda_http::{Request, service_fn};
use query::answer::Floor;
use query::answer::extractive::Extractive;
use query::authenticate::Authenticator;
use query::health;
use query::http::lambda;
use query::pipeline::Service;
use query::retrieve::Retriever;
use query::similarity::EmbedderSimilarity;
use vouch_shared::aws::{Secrets, sdk_config};
use vouch_shared::config::{AnswererConfig, QueryConfig};
use vouch_shared::db::{Database, Role};
use vouch_shared::embedder::Embedder;
use vouch_shared::telemetry;
use vouch_shared::tuning::Tuning;

/// One request at a time runs in an instance; a second connection is for its health check.
const MAX_CONNECTIONS: usize = 2;

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    let service = Arc::new(start().await.inspect_err(|error| {
        tracing::error!(error = telemetry::chain(error.as_ref()), "query function cannot start");
    })?);
    lambda_http::run(service_fn(move |event: Request| {
        let service = Arc::clone(&service);
        async move { Ok::<_, lambda_http::Error>(lambda::write(service.handle(lambda::read(event)).await)?) }
    }))
    .await
}

async fn start() -> Result<Service, Box<dyn Error + Send + Sync>> {
    let config = QueryConfig::from_env()?;
    let tuning = Tuning::shipped();
    let secrets = Secrets::new(&sdk_config().await);
    let embedder = Embedder::from_config(&config.embedder, &secrets).await?;
    let db = Database::new(&config.database, secrets, MAX_CONNECTIONS)?;
    health::when_awake(&db).await?;
    db.refuse_unsafe_role(Role::Query).await?;
    health::check_space(&db, embedder.space()).await?;
    let AnswererConfig::Extractive = config.answerer;
    Ok(Service {
        space: embedder.space().clone(),
        authenticator: Authenticator::new(config.jwt.as_ref(), config.claims)?,
        retriever: Retriever::new(db.clone(), embedder.clone(), &tuning.retrieval),
        answerer: Box::new(Extractive::new(EmbedderSimilarity::new(embedder))),
        floor: Floor::from(&tuning.evidence),
        default_top_k: tuning.retrieval.top_k,
        limits: config.limits,
        db,
    })
}
