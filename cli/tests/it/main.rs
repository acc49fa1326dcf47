//! Tests against the emulator and the whole stack. They need `vouch local test`, as `make test` calls it.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking, helpers of tests too
#![allow(missing_docs)] // the names of tests are sentences

mod acceptance;
mod bridge;
mod cargo_lambda_watch;
mod end_to_end;
mod lambda;
mod stack;
