//! The ingest function against a real database and an emulated bucket: `vouch local test -- cargo test -p ingest`.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

mod world;
mod dice;
mod bucket;
mod keys;
mod order;
mod content;
mod scopes;
mod failures;
mod statistics;
mod crash;
mod again;
mod sequences;
mod model;
