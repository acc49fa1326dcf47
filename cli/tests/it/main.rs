//! Tests against the emulator and the whole stack. They need `vouch local test`, as `make test` calls it.

#![allow(missing_docs)]

mod bridge;
mod end_to_end;
