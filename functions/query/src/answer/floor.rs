//! The evidence floor: whether the passages are near enough to the question for an answer to be tried at all.
//!
//! It weighs two things that mean the same from question to question: the cosine of the question and the best
//! passage, and the part of the question's words that the passages hold. A fusion score is neither: it ranks
//! passages against each other and is as high for the best of a bad lot. A paraphrase shares no word with its
//! source and lies near it; a near miss shares many words and lacks the one that matters. Hence a rule on both,
//! in which rare words weigh more, and an identifier that no passage names weighs most.

use std::collections::HashSet;

use super::outcome::Reason;
use super::passage::Passage;
use super::terms::{self, Rarity};

/// What the passages have to offer for a question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// Passages found.
    pub passages: usize,
    /// Cosine of the question and the nearest passage, −1 to 1; 0 where none is known.
    pub best_cosine: f32,
    /// Largest part of the question's words, weighted by rarity, that one passage with its headings holds, 0 to 1.
    pub coverage: f32,
    /// The same for all passages together.
    pub joint_coverage: f32,
    /// Whether the question names a thing (an identifier, a number) that no passage names.
    pub lacks_identifier: bool,
}

/// Where the floor lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Below this cosine, words alone must carry the evidence.
    pub min_cosine: f32,
    /// Part of the question's words that must be held at `min_cosine`.
    pub min_coverage: f32,
}

impl Evidence {
    /// Measures `passages` against `question`.
    ///
    /// `rarity` gives a term's inverse document frequency in the caller's corpus, where known; else terms weigh alike.
    #[must_use]
    pub fn measure(question: &str, passages: &[Passage], rarity: impl Fn(&str) -> Option<f32>) -> Self {
        let asked = terms::asked(question);
        let held: Vec<HashSet<String>> =
            passages.iter().map(|p| terms::forms(&format!("{}\n{}", p.context(), p.content))).collect();
        let among = Rarity::among(held.iter());
        let weight = |term: &str| rarity(term).unwrap_or(1.0).max(0.0);
        let all: f32 = asked.iter().map(|term| weight(&term.text)).sum();
        let share = |is_held: &dyn Fn(&str) -> bool| {
            let held: f32 = asked.iter().filter(|term| is_held(&term.text)).map(|term| weight(&term.text)).sum();
            if all > 0.0 { held / all } else { 0.0 }
        };
        Self {
            passages: passages.len(),
            best_cosine: passages.iter().filter_map(|passage| passage.cosine).reduce(f32::max).unwrap_or(0.0),
            coverage: held.iter().map(|forms| share(&|term| forms.contains(term))).fold(0.0, f32::max),
            joint_coverage: share(&|term| among.is_known(term)),
            lacks_identifier: asked.iter().any(|term| term.exact && !among.is_known(&term.text)),
        }
    }
}

impl Floor {
    /// `Ok` if an answer may be tried; else why not.
    ///
    /// # Errors
    /// [`Reason::NoEvidence`] without passages, [`Reason::WeakEvidence`] below the floor.
    pub fn admit(&self, evidence: &Evidence) -> Result<(), Reason> {
        if evidence.passages == 0 {
            return Err(Reason::NoEvidence);
        }
        if evidence.lacks_identifier {
            return Err(Reason::WeakEvidence);
        }
        Ok(())
    }
}
