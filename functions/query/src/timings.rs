//! How long each stage took, in milliseconds.

use std::time::{Duration, Instant};

use serde::Serialize;

/// Stages of a request that ran, in order. A stage that did not run is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Timings {
    /// Embedding the query.
    pub embed: f64,
    /// Finding candidates, with opening the transaction.
    pub retrieve: f64,
    /// Merging the ranked lists.
    pub fuse: f64,
    /// Reading the hits' text and their neighbours.
    pub neighbours: f64,
}

/// Measures one stage after the other.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    started: Instant,
    lap: Instant,
}

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        let now = Instant::now();
        Self { started: now, lap: now }
    }

    /// Milliseconds since the start or the last lap.
    pub fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let lap = now.duration_since(self.lap);
        self.lap = now;
        milliseconds(lap)
    }

    /// Milliseconds since the start.
    #[must_use]
    pub fn total(&self) -> f64 {
        milliseconds(self.started.elapsed())
    }
}

/// With a resolution of a hundredth.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 100_000.0).round() / 100.0
}
