//! The local stack: what stands in for AWS on one machine, without Docker and without root's help.
//!
//! Each part has a file; `stack.rs` holds the order in which they start. What runs is written down in
//! `.local/state.json` with each process's start time, so that nothing but what was started is ever stopped.

pub mod files;
pub mod lock;
pub mod process;
pub mod state;
pub mod credentials;
pub mod certificates;
pub mod tools;
pub mod postgres;
pub mod emulator;
pub mod lambda;
pub mod functions;
pub mod sqs_event;
pub mod bridge;
pub mod stack;
pub mod watch;
pub mod test_run;
pub mod demo;
