//! Lambda on one machine: runs the functions' binaries, gives them invocations by the Runtime API, and takes
//! invocations over HTTP as Lambda and API Gateway do.
//!
//! Instances start when an invocation finds none idle, up to a limit, and each serves one invocation at a
//! time. An invocation ends by the function's answer, its error, its timeout or the end of its instance;
//! in no case does a caller wait for ever.

pub mod config;
pub mod queue;
pub mod http_event;
pub mod instances;
pub mod server;
pub mod reload;
