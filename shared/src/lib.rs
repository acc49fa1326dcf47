//! What the writer and the reader of Vouch must agree on.
//!
//! Modules stand in the order in which data flows; each uses only earlier ones.

pub mod ids;
pub mod auth;
pub mod config;
pub mod telemetry;
pub mod aws;
pub mod tuning;
pub mod lexical;
pub mod embedding;
pub mod embedder;
pub mod db;
pub mod migrations;
#[cfg(feature = "test-db")]
pub mod test_db;
