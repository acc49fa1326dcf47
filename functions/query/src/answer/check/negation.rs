//! Negation: a statement and the sentence that supports it are both negative or neither.

use std::collections::HashSet;

use unicode_segmentation::UnicodeSegmentation;

use super::fold::{Folded, Hyphens};
use super::words::{HARMLESS_NEGATIONS, REFUSAL_OPENINGS, is_negation};
use crate::answer::terms;

/// Whether the statement (folded) denies exactly if the sentence nearest to it in the quotes (folded) does.
pub(super) fn agrees(statement: &str, quotes: &[String]) -> bool {
    let said: HashSet<String> = terms::content(statement).into_iter().collect();
    let nearness =
        |sentence: &str| terms::content(sentence).iter().filter(|term| said.contains(*term)).count();
    let is_negative = is_negative(statement);
    // Of equally near sentences, one that agrees is enough: the statement may rest on either.
    quotes
        .iter()
        .flat_map(|quote| quote.unicode_sentences())
        .map(|sentence| (nearness(sentence), self::is_negative(sentence) == is_negative))
        .max()
        .is_some_and(|(_, agrees)| agrees)
}

/// Whether a statement says that it has no answer.
pub(super) fn is_refusal(statement: &str) -> bool {
    let text = Folded::new(statement, Hyphens::Keep).text().to_lowercase();
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    REFUSAL_OPENINGS.iter().any(|opening| text.starts_with(opening))
}

fn is_negative(text: &str) -> bool {
    let mut text = text.to_lowercase();
    for phrase in HARMLESS_NEGATIONS {
        text = text.replace(phrase, " ");
    }
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(is_negation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_agrees_with_the_sentence_it_rests_on() {
        let cases = [
            ("You can use a function as a target.", "You cannot use a function as a target.", false),
            ("You cannot use a function.", "You can use a function.", false),
            ("A function isn't a target.", "A function is not a target.", true),
            ("At most ten are kept.", "No more than ten are kept.", true),
            ("Deleted chunks never come back.", "Chunks come back after a restart.", false),
            ("Rows are kept.", "Rows are kept. Columns are not kept.", true),
            ("Columns are kept.", "Rows are kept. Columns are not kept.", false),
            ("It works with keys.", "It works not only with keys but also with files.", true),
        ];
        for (statement, quote, expected) in cases {
            assert_eq!(agrees(statement, &[quote.to_owned()]), expected, "{statement} / {quote}");
        }
    }

    #[test]
    fn a_refusal_is_known_by_how_it_begins() {
        assert!(is_refusal("I don\u{2019}t know."));
        assert!(is_refusal("\u{201c}I do not know\u{201d}, since the passages are silent."));
        assert!(!is_refusal("The answer is \"I don't know.\" if nothing is left."));
    }
}
