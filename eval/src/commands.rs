//! What the program does when it is called; each returns its text and whether it succeeded.

pub mod beir;
pub mod outside;
pub mod run;

/// What a command has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// For standard output.
    pub text: String,
    /// Whether the program is to succeed.
    pub good: bool,
}
