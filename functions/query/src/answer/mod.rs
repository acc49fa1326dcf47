//! From passages to an answer that holds, or to a refusal.
//!
//! `floor` decides whether to try; an `Answerer` drafts (`extractive` needs no model); `check` keeps of the draft what
//! the passages support; `compose` numbers the citations. Everything here is pure: no IO, no clock, no environment.
//! An answerer that asks a model brings its own IO from outside.

pub mod passage;
pub mod draft;
pub mod outcome;
mod terms;
mod plain;
pub mod floor;
pub mod extractive;
pub mod check;
pub mod compose;

pub use check::{Checked, Fault, check};
pub use compose::compose;
pub use draft::{AnswerError, Answerer, Draft, DraftQuote, DraftStatement};
pub use floor::{Evidence, Floor};
pub use outcome::{Answer, Citation, Outcome, Quote, REFUSAL_TEXT, Reason, Statement};
pub use passage::Passage;

/// What becomes of a draft: the answer that its supported statements make, or a refusal.
#[must_use]
pub fn settle(draft: &Draft, passages: &[Passage]) -> Outcome {
    let checked = check(draft, passages);
    match compose(&checked.statements, passages) {
        Some(answer) => Outcome::Answered(answer),
        None => Outcome::Refused { reason: Reason::UnsupportedBySources },
    }
}

#[cfg(test)]
mod tests;
