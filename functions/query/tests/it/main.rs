//! The query function against a real database: `cargo run -p vouch -- local test -- cargo test -p query`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on says where by panicking"
)]

mod world;
mod api;
mod documents;
mod filters;
mod index;
mod isolation;
mod keywords;
mod outage;
mod startup;
