//! Logging: one JSON object a line, with the field names that the handbook lists.
//!
//! No line holds document text, a question, an answer, a token or a secret; what is logged about them are ids,
//! counts and durations.

use tracing_subscriber::EnvFilter;

/// Starts logging for this process, to standard output, where Lambda collects it. `VOUCH_LOG` holds the filter
/// (such as `info` or `query=debug`); `info` without it, or when it is malformed.
pub fn init() {
    let filter = EnvFilter::try_from_env("VOUCH_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let started = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .with_env_filter(filter)
        .try_init();
    if started.is_err() {
        tracing::debug!("logging had been started before");
    }
}

/// An error and its causes on one line, for the one place that handles it.
#[must_use]
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
