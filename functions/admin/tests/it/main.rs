//! The operator's operations on a real Postgres and a real secrets endpoint.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod migrate;
mod tenants;

use vouch_shared::embedder::Embedder;
use vouch_shared::test_db::TestDb;

pub(crate) async fn database() -> TestDb {
    TestDb::with_space(Embedder::hashing().space()).await
}
