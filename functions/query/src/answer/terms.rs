//! Content words as the lexical index sees them: the seam to the shared analyser.

use std::collections::{HashMap, HashSet};

use vouch_shared::lexical;

/// The content words of `text`, normalised, in order and with repetitions.
pub(super) fn content(text: &str) -> Vec<String> {
    lexical::content_terms(text).into_iter().map(|term| term.text).collect()
}

/// Every form by which `text` is found: its words, and the wholes and parts of its identifiers.
pub(super) fn forms(text: &str) -> HashSet<String> {
    lexical::query_terms(text).into_iter().map(|term| term.text).collect()
}

/// The distinct content words of a question, in order.
pub(super) fn asked(question: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    content(question).into_iter().filter(|term| seen.insert(term.clone())).collect()
}

/// The words that an identifier is made of, without the whole.
pub(super) fn parts(name: &str) -> Vec<String> {
    let wholes = content(name);
    lexical::query_terms(name)
        .into_iter()
        .map(|term| term.text)
        .filter(|form| !wholes.contains(form))
        .collect()
}

/// How rare each form is among `texts`, as the inverse frequency that BM25 uses; above 0, and highest for what none has.
#[derive(Debug, Clone, Default)]
pub(super) struct Rarity {
    counts: HashMap<String, usize>,
    texts: usize,
}

impl Rarity {
    pub(super) fn among<'a>(texts: impl Iterator<Item = &'a HashSet<String>>) -> Self {
        let mut rarity = Self::default();
        for text in texts {
            rarity.texts += 1;
            for form in text {
                *rarity.counts.entry(form.clone()).or_default() += 1;
            }
        }
        rarity
    }

    pub(super) fn of(&self, form: &str) -> f32 {
        let with = self.counts.get(form).copied().unwrap_or_default() as f32;
        let without = self.texts as f32 - with;
        (1.0 + (without + 0.5) / (with + 0.5)).ln()
    }

    pub(super) fn is_known(&self, form: &str) -> bool {
        self.counts.contains_key(form)
    }
}
