//! What the emulator of Lambda is told to run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its program.
    pub binary: PathBuf,
    /// Variables of its own; the rest comes from the emulator's environment.
    pub environment: BTreeMap<String, String>,
    /// How long an invocation may take, as in the deployed stack.
    pub timeout_seconds: u64,
    /// Instances at once.
    pub concurrency: usize,
}

impl Function {
    /// How long an invocation may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds)
    }
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Config {
    /// Where it listens, on 127.0.0.1.
    pub port: u16,
    /// The checkout to compile anew when its code changes; none for a stack without reload.
    pub reload: Option<PathBuf>,
    /// Functions by name.
    pub functions: BTreeMap<String, Function>,
}
