//! An error that names its cure, and how a chain of errors is told to a person.

use std::fmt::{self, Display, Write};

/// What failed, and what its reader can do about it.
#[derive(Debug)]
pub struct Advice {
    what: String,
    cure: String,
}

impl Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Advice {}

/// An error of its own, with a cure.
pub fn error(what: impl Into<String>, cure: impl Into<String>) -> anyhow::Error {
    anyhow::Error::new(Advice { what: what.into(), cure: cure.into() })
}

/// Adds what was being done, and the cure, to an error from below.
pub trait Advise<T> {
    /// `what` is the step that failed; `cure` is an imperative sentence.
    ///
    /// # Errors
    /// The error itself, with both as its context.
    fn advise(self, what: impl Into<String>, cure: impl Into<String>) -> anyhow::Result<T>;
}

impl<T, E: Into<anyhow::Error>> Advise<T> for Result<T, E> {
    fn advise(self, what: impl Into<String>, cure: impl Into<String>) -> anyhow::Result<T> {
        self.map_err(|error| error.into().context(Advice { what: what.into(), cure: cure.into() }))
    }
}

/// The error with its causes, each once, and the cure that stands nearest to the top.
#[must_use]
pub fn describe(error: &anyhow::Error) -> String {
    let mut text = format!("error: {error}");
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            let _ = write!(text, "\n  because: {cause}");
        }
    }
    if let Some(advice) = error.downcast_ref::<Advice>() {
        let _ = write!(text, "\n  cure: {}", advice.cure);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_cause_and_its_cure() {
        let failed: Result<(), _> = Err(std::io::Error::other("disk full"));
        let error = failed.advise("the key was not written", "free some space").unwrap_err().context("up");
        assert_eq!(
            describe(&error),
            "error: up\n  because: the key was not written\n  because: disk full\n  cure: free some space"
        );
    }
}
