//! The ingest function against a real database and an emulated bucket: `vouch local test -- cargo test -p ingest`.

mod world;
mod keys;
mod order;
mod content;
mod scopes;
mod failures;
mod statistics;
mod crash;
