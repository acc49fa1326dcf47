//! Measures whether the service finds the right documents and refuses what it cannot answer.
//!
//! A run uploads a corpus to a bucket, ingests it with the ingest function's own code, asks with the query function's, and
//! compares with labels. `metrics` and the comparison with a baseline are pure.

pub mod questions;
pub mod metrics;
pub mod corpus;
pub mod stand;
pub mod observe;
pub mod report;
pub mod baseline;
pub mod commands;
