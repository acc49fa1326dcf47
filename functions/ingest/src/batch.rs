//! One invocation: every record of it, each by itself, and what is to come again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use vouch_shared::auth::AuthContext;
use vouch_shared::telemetry::chain;

use crate::event::{self, BucketEvent, Delivery, Item};
use crate::pipeline::{Fault, Pipeline};
use crate::publish;
use crate::report::{Outcome, Report};

/// Objects worked on at a time: while one waits for the bucket or the database, another uses the processor.
const CONCURRENT_OBJECTS: usize = 2;

/// Objects of a delivery that S3 made straight to the function did not converge: it is to be delivered again.
#[derive(Debug, thiserror::Error)]
#[error("{failed} of {objects} objects did not converge")]
pub struct BatchError {
    /// Objects that did not.
    pub failed: usize,
    /// Objects in all.
    pub objects: usize,
}

/// Handles an invocation's payload. A queue gets the ids of the messages that are to come again, everyone else a count
/// of outcomes.
///
/// # Errors
/// [`BatchError`] when a delivery without a queue has to be made again.
pub async fn handle(pipeline: &Arc<Pipeline>, payload: &Value) -> Result<Value, BatchError> {
    match event::parse(payload) {
        Delivery::Queue(messages) => {
            let mut events = Vec::new();
            for message in &messages {
                events.extend(
                    message.items.iter().filter_map(accepted).map(|event| (message.id.as_str(), event)),
                );
            }
            let results = converge_all(pipeline, events).await;
            let mut failed: Vec<&str> =
                results.iter().filter(|r| r.outcome.is_none()).flat_map(|r| r.from.iter().copied()).collect();
            failed.sort_unstable();
            failed.dedup();
            let failures: Vec<_> = failed.into_iter().map(|id| json!({ "itemIdentifier": id })).collect();
            Ok(json!({ "batchItemFailures": failures }))
        }
        Delivery::Direct(items) => {
            let events: Vec<_> = items.iter().filter_map(accepted).map(|event| ("", event)).collect();
            let results = converge_all(pipeline, events).await;
            let failed = results.iter().filter(|r| r.outcome.is_none()).count();
            if failed > 0 {
                return Err(BatchError { failed, objects: results.len() });
            }
            let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
            for outcome in results.iter().filter_map(|r| r.outcome.as_ref()) {
                *outcomes.entry(outcome.code()).or_default() += 1;
            }
            Ok(json!({ "outcomes": outcomes }))
        }
    }
}

/// The event, if there is one; what is ignored leaves a line in the log.
fn accepted(item: &Item) -> Option<&BucketEvent> {
    match item {
        Item::Event(event) => Some(event),
        Item::Ignored(ignored) => {
            tracing::info!(
                metric = "ingest.ignored",
                count = 1,
                reason = ignored.code(),
                "ignored: {ignored}"
            );
            None
        }
    }
}

/// The events of one object, of which the newest stands for all: each leads to the bucket's state.
struct Group<'a> {
    newest: &'a BucketEvent,
    from: Vec<&'a str>,
}

/// What became of a group; no outcome means that its events are to come again.
struct Converged<'a> {
    outcome: Option<Outcome>,
    from: Vec<&'a str>,
}

async fn converge_all<'a>(
    pipeline: &Arc<Pipeline>,
    events: Vec<(&'a str, &'a BucketEvent)>,
) -> Vec<Converged<'a>> {
    let mut groups: BTreeMap<String, Group<'a>> = BTreeMap::new();
    for (from, event) in events {
        let group = groups.entry(event.source_uri()).or_insert(Group { newest: event, from: Vec::new() });
        if event.sequencer > group.newest.sequencer {
            group.newest = event;
        }
        group.from.push(from);
    }
    let slots = Arc::new(Semaphore::new(CONCURRENT_OBJECTS));
    let mut tasks = JoinSet::new();
    let mut results: Vec<Converged<'a>> = Vec::with_capacity(groups.len());
    for (at, group) in groups.into_values().enumerate() {
        let (pipeline, slots, event) = (Arc::clone(pipeline), Arc::clone(&slots), group.newest.clone());
        tasks.spawn(async move {
            let _slot = slots.acquire_owned().await;
            (at, converge(&pipeline, &event).await)
        });
        results.push(Converged { outcome: None, from: group.from });
    }
    // A task that panicked leaves no outcome, and its events come again.
    while let Some(joined) = tasks.join_next().await {
        if let Ok((at, outcome)) = joined {
            results[at].outcome = outcome;
        }
    }
    results
}

/// One object, with its line in the log.
async fn converge(pipeline: &Pipeline, event: &BucketEvent) -> Option<Outcome> {
    let mut report = Report { folded: true, ..Report::default() };
    let result = pipeline.converge(event, &mut report).await;
    if !report.folded {
        fold_later(pipeline, event).await;
    }
    let tenant = event.key.tenant().as_str();
    let source_uri = event.source_uri();
    match result {
        Ok(outcome) => {
            tracing::info!(
                metric = "ingest.objects",
                count = 1,
                tenant,
                source_uri,
                event = event.event_name,
                outcome = outcome.code(),
                reason = outcome.reason_code(),
                bytes = report.bytes,
                chunks = report.chunks,
                tokens = report.tokens,
                embedded = report.embedded,
                reused = report.chunks.saturating_sub(report.embedded),
                restarts = report.rounds,
                object_ms = report.ms.object,
                text_ms = report.ms.text,
                vectors_ms = report.ms.vectors,
                publish_ms = report.ms.publish,
                "object done"
            );
            Some(outcome)
        }
        Err(fault) => {
            tracing::error!(
                metric = "ingest.faults",
                count = 1,
                tenant,
                source_uri,
                event = event.event_name,
                error = chain(&fault),
                kind = kind(&fault),
                "object not done: it will be tried again"
            );
            None
        }
    }
}

/// The tenant's statistics were being folded by somebody else, who may have begun before this publication.
async fn fold_later(pipeline: &Pipeline, event: &BucketEvent) {
    let auth = AuthContext::for_writer(event.key.tenant().clone());
    if let Err(error) = publish::fold(&pipeline.db, &auth).await {
        tracing::warn!(error = chain(&error), "statistics were not folded; the next publication does it");
    }
}

fn kind(fault: &Fault) -> &'static str {
    match fault {
        Fault::Object(_) => "bucket",
        Fault::Database(_) => "database",
        Fault::Embed(_) => "embedder",
        Fault::Overtaken => "overtaken",
    }
}
