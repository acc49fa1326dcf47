//! What the program does when it is called; each returns its text and whether it succeeded.

use clap::Args;
use vouch_shared::tuning::Tuning;

pub mod beir;
pub mod outside;
pub mod run;
pub mod squad;

/// What a command has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// For standard output.
    pub text: String,
    /// Whether the program is to succeed.
    pub good: bool,
}

/// Numbers to measure in place of the shipped ones.
#[derive(Debug, Clone, Default, Args)]
pub struct Numbers {
    /// Length that a chunk grows to, in tokens, in place of the shipped one
    #[arg(long, value_name = "TOKENS")]
    pub chunk_tokens: Option<usize>,
}

impl Numbers {
    /// The tuning to measure. What differs from the shipped one lives as long as the program, which measures once.
    #[must_use]
    pub fn tuning(&self) -> &'static Tuning {
        let shipped = Tuning::shipped();
        let Some(target_tokens) = self.chunk_tokens else { return shipped };
        let mut tuning = shipped.clone();
        tuning.chunk.target_tokens = target_tokens;
        Box::leak(Box::new(tuning))
    }
}
