//! The evidence floor: whether the passages are near enough to the question for an answer to be tried at all.
//!
//! It weighs two things that mean the same from question to question: the cosine of the question and the best
//! passage, and the part of the question's words that the passages hold. A fusion score is neither: it ranks
//! passages against each other and is as high for the best of a bad lot. A paraphrase shares no word with its
//! source and lies near it; an exact name may lie far from a table that holds it. Hence a rule on both: what one
//! lacks the other can make up for.
//!
//! A near miss is close in both, and gives itself away by what it names: a product, a code, an acronym that none
//! of the passages knows. No closeness makes up for that.

use std::collections::HashSet;

use vouch_shared::tuning::EvidenceTuning;

use super::check::{Names, holds_name};
use super::outcome::Reason;
use super::passage::Passage;
use super::terms::{self, Rarity};

/// What the passages have to offer for a question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Evidence {
    /// Passages found, without those that only stand beside one.
    pub passages: usize,
    /// Cosine of the question and the nearest passage, −1 to 1; 0 where none is known.
    pub best_cosine: f32,
    /// Largest part of the question's words, weighted by rarity, that one passage with its headings holds, 0 to 1.
    pub coverage: f32,
    /// The same for all passages together.
    pub joint_coverage: f32,
    /// Names and identifiers in the question that no passage knows.
    pub unknown_names: usize,
}

/// Where the floor lies: on the line between `min_cosine` without any common word, and `min_coverage` without any closeness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// The cosine that is evidence alone.
    pub min_cosine: f32,
    /// The part of the question's words that is evidence alone.
    pub min_coverage: f32,
}

impl From<&EvidenceTuning> for Floor {
    fn from(tuning: &EvidenceTuning) -> Self {
        Self { min_cosine: tuning.min_cosine, min_coverage: tuning.min_coverage }
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
        let is_enough = self.strength(evidence) >= 1.0;
        if is_enough && evidence.unknown_names == 0 { Ok(()) } else { Err(Reason::WeakEvidence) }
    }

    /// How strong the evidence is; 1 lies on the floor.
    #[must_use]
    pub fn strength(&self, evidence: &Evidence) -> f32 {
        // A question in several parts is covered by several passages; words scattered over many prove less than in one.
        let coverage = (evidence.coverage + evidence.joint_coverage) / 2.0;
        evidence.best_cosine.max(0.0) / self.min_cosine + coverage / self.min_coverage
    }
}

impl Evidence {
    /// Measures `passages` against `question`.
    ///
    /// `rarity` gives a term's inverse document frequency in the caller's corpus, where known; else terms weigh alike.
    #[must_use]
    pub fn measure(question: &str, passages: &[Passage], rarity: impl Fn(&str) -> Option<f32>) -> Self {
        let texts: Vec<String> = passages.iter().map(|p| format!("{}\n{}", p.context(), p.content)).collect();
        let found = || {
            passages.iter().zip(&texts).filter(|(passage, _)| !passage.is_neighbour()).map(|(_, text)| text)
        };
        let held: Vec<HashSet<String>> = found().map(|text| terms::forms(text)).collect();
        let among = Rarity::among(held.iter());
        let asked = terms::asked(question);
        let weight = |term: &str| rarity(term).unwrap_or(1.0).max(0.0);
        let all: f32 = asked.iter().map(|term| weight(term)).sum();
        let share = |is_held: &dyn Fn(&str) -> bool| {
            let held: f32 = asked.iter().filter(|term| is_held(term)).map(|term| weight(term)).sum();
            if all > 0.0 { held / all } else { 0.0 }
        };
        Self {
            passages: found().count(),
            best_cosine: passages.iter().filter_map(|passage| passage.cosine).reduce(f32::max).unwrap_or(0.0),
            coverage: held.iter().map(|forms| share(&|term| forms.contains(term))).fold(0.0, f32::max),
            joint_coverage: share(&|term| among.is_known(term)),
            unknown_names: named(question)
                .iter()
                .filter(|name| !texts.iter().any(|text| knows(text, name)))
                .count(),
        }
    }
}

/// What a question names, that a passage about it would name too.
fn named(question: &str) -> Vec<String> {
    let Names { identifiers, proper } = Names::read(question);
    let is_of_meaning = |name: &String| name.chars().filter(|c| c.is_alphanumeric()).count() > 2;
    let mut named: Vec<String> = identifiers.into_iter().filter(is_of_meaning).collect();
    // In a question that capitalises every word, or that is in a language which capitalises nouns, a capital says nothing.
    if speaks_english(question) && !is_in_title_case(question) {
        named.extend(proper.into_iter().filter(|name| !is_calendar_word(name)));
    }
    if question.chars().any(char::is_lowercase) { named } else { Vec::new() }
}

/// Whether a text has the name, or all words that the name is made of (`GroundTruth`, `vouch.current_scopes`).
fn knows(text: &str, name: &str) -> bool {
    let parts = terms::parts(name);
    let forms = || terms::forms(text);
    holds_name(text, name)
        || (parts.len() > 1 && {
            let forms = forms();
            parts.iter().all(|part| forms.contains(part))
        })
}

fn speaks_english(question: &str) -> bool {
    const WORDS: [&str; 19] = [
        "the", "what", "how", "is", "are", "do", "does", "can", "which", "who", "why", "when", "where", "i",
        "my", "to", "of", "and", "for",
    ];
    question.split_whitespace().any(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

fn is_in_title_case(question: &str) -> bool {
    let mut words = 0;
    let mut capitals = 0;
    for word in question.split_whitespace().skip(1).filter(|word| word.chars().count() > 3) {
        words += 1;
        capitals += usize::from(word.starts_with(char::is_uppercase));
    }
    words > 2 && capitals * 3 >= words * 2
}

fn is_calendar_word(name: &str) -> bool {
    const WORDS: [&str; 21] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "christmas",
        "easter",
    ];
    WORDS.contains(&name.to_lowercase().as_str())
}
