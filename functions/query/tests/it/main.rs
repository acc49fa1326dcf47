//! The query function against a real database: `cargo run -p vouch -- local test -- cargo test -p query`.

mod world;
mod api;
mod documents;
mod filters;
mod index;
mod isolation;
mod keywords;
mod outage;
mod startup;
