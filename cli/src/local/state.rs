//! `.local/state.json`: what was started, on which port. The one truth for `up`, `down`, `dev` and `status`.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::files;
use super::process::Started;
use crate::checkout::Checkout;

/// One part of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The database server.
    Postgres,
    /// Bucket, queue and secrets.
    Emulator,
    /// The three functions, under the emulator of Lambda.
    Functions,
    /// From the queue to the ingest function.
    Bridge,
}

impl Part {
    /// Every part, in the order of starting. Stopping goes backward.
    pub const ALL: [Self; 4] = [Self::Postgres, Self::Emulator, Self::Functions, Self::Bridge];

    /// Its name, also of its log file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Emulator => "emulator",
            Self::Functions => "functions",
            Self::Bridge => "bridge",
        }
    }
}

/// A part as it was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The process.
    pub process: Started,
    /// What it was started with; a difference means that it must be started anew.
    #[serde(default)]
    pub fingerprint: String,
}

/// What is written down.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Parts that were started and not stopped since.
    #[serde(default)]
    pub running: BTreeMap<Part, Running>,
    /// Ports, kept from one start to the next so that addresses stay.
    #[serde(default)]
    pub ports: BTreeMap<Part, u16>,
}

impl State {
    /// What the last command wrote; nothing when there was none or the file is broken.
    #[must_use]
    pub fn read(checkout: &Checkout) -> Self {
        let text = std::fs::read_to_string(checkout.local("state.json")).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Writes it down.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, checkout: &Checkout) -> Result<()> {
        files::write(&checkout.local("state.json"), &serde_json::to_string_pretty(self)?)
    }

    /// The part if its process still runs.
    #[must_use]
    pub fn alive(&self, part: Part) -> Option<&Running> {
        self.running.get(&part).filter(|running| running.process.is_alive())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkout() -> Checkout {
        Checkout::at(&std::env::temp_dir().join(format!("vouch-state-{}", uuid::Uuid::new_v4())))
    }

    #[test]
    fn what_was_written_is_read_back() {
        let checkout = checkout();
        let mut state = State::default();
        let process = Started { pid: 7, started: "123".into() };
        state.running.insert(Part::Bridge, Running { process, fingerprint: "x".into() });
        state.ports.insert(Part::Postgres, 5433);
        state.write(&checkout).unwrap();
        assert_eq!(State::read(&checkout), state);
        std::fs::remove_dir_all(checkout.root()).unwrap();
    }

    #[test]
    fn an_absent_or_broken_file_is_an_empty_state() {
        let checkout = checkout();
        assert_eq!(State::read(&checkout), State::default());
        files::write(&checkout.local("state.json"), "{half").unwrap();
        assert_eq!(State::read(&checkout), State::default());
        std::fs::remove_dir_all(checkout.root()).unwrap();
    }

    #[test]
    fn a_part_whose_process_ended_is_not_alive() {
        let mut state = State::default();
        let process = Started { pid: std::process::id(), started: "before this one".into() };
        state.running.insert(Part::Emulator, Running { process, fingerprint: String::new() });
        assert!(state.alive(Part::Emulator).is_none());
    }
}
