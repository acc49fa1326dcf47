//! What a question asks for, as far as its words show.

use std::collections::HashSet;

use vouch_shared::lexical;

use crate::answer::check::number_word;

/// A question, read.
#[derive(Debug, Clone, Default)]
pub(super) struct Question {
    /// Its distinct content words, and whether each is an identifier or a number.
    pub(super) terms: Vec<(String, bool)>,
    /// It asks for a number, a size, or a time.
    pub(super) wants_figure: bool,
    /// It asks for all of something.
    pub(super) wants_list: bool,
    /// It asks how something is done.
    pub(super) wants_steps: bool,
}

impl Question {
    pub(super) fn read(question: &str) -> Self {
        const FIGURES: [&str; 16] = [
            "how many",
            "how much",
            "how long",
            "how often",
            "how soon",
            "how large",
            "how big",
            "how far",
            "when ",
            "maximum",
            "minimum",
            "limit",
            "size of",
            "default",
            "max ",
            "number of",
        ];
        const LISTS: [&str; 18] = [
            "list ",
            "what are",
            "which are",
            "what kinds",
            "which kinds",
            "what types",
            "which types",
            "types of",
            "kinds of",
            "values of",
            "all the",
            "name the",
            "options",
            "states",
            "what can",
            "what do i need",
            "steps",
            "in which ways",
        ];
        // What a question does, not what it is about; stems.
        const ASKING: [&str; 9] =
            ["list", "name", "show", "tell", "give", "explain", "mean", "describ", "know"];
        let mut seen = HashSet::new();
        let mut terms: Vec<(String, bool)> = lexical::content_terms(question)
            .into_iter()
            .filter(|term| seen.insert(term.text.clone()))
            .map(|term| (term.text, term.exact))
            .collect();
        if terms.iter().any(|(term, _)| !ASKING.contains(&term.as_str())) {
            terms.retain(|(term, _)| !ASKING.contains(&term.as_str()));
        }
        let lower = question.to_lowercase();
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        let wants_steps = has(&[
            "how do i",
            "how do we",
            "how do you",
            "how to ",
            "how can i",
            "how can we",
            "what do i do",
            "steps",
        ]);
        Self {
            terms,
            wants_steps,
            wants_figure: has(&FIGURES),
            wants_list: has(&LISTS) || asks_which_of_many(&lower),
        }
    }
}

/// Whether only a number can answer it.
pub(super) fn wants_number(question: &str) -> bool {
    const NUMBERS: [&str; 10] = [
        "how many",
        "how much",
        "how tall",
        "how old",
        "how large",
        "how big",
        "how far",
        "number of",
        "maximum size",
        "maximum length",
    ];
    let lower = question.to_lowercase();
    NUMBERS.iter().any(|phrase| lower.contains(phrase))
}

/// Whether a text has a number in figures or in words; `one` is mostly none.
pub(super) fn has_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
        || text
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| number_word(&word.to_lowercase()).is_some_and(|number| number != 1))
}

/// `which filters can I send`: a question word and, right after it, a plural.
fn asks_which_of_many(question: &str) -> bool {
    let mut words = question.split_whitespace();
    let is_asking = words.by_ref().any(|word| matches!(word, "which" | "what"));
    let is_plural = |word: &str| {
        word.len() > 3
            && word.ends_with('s')
            && !word.ends_with("ss")
            && !word.ends_with("us")
            && word != "does"
    };
    is_asking
        && words
            .take(2)
            .take_while(|word| !matches!(*word, "is" | "are" | "does" | "do" | "can"))
            .any(is_plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_for_one_thing_and_for_many_are_told_apart() {
        for many in [
            "List the states of a document",
            "which filters can I send?",
            "Which file types can be read?",
            "What are k1 and b?",
        ] {
            assert!(Question::read(many).wants_list, "{many}");
        }
        for one in [
            "Who sets the limit?",
            "What does weak_evidence mean?",
            "which http code do I get",
            "What is the default address?",
        ] {
            assert!(!Question::read(one).wants_list, "{one}");
        }
        assert!(Question::read("How many retries are made?").wants_figure);
        assert!(Question::read("How do I put a message back?").wants_steps);
    }

    #[test]
    fn what_only_a_number_can_answer_is_told_from_what_may_be_said_in_words() {
        assert!(wants_number("How many tries do they get?"));
        assert!(wants_number("What is the maximum number of tenants?"));
        assert!(!wants_number("How soon do removed files disappear?"));
        assert!(!wants_number("What is the default?"));
    }

    #[test]
    fn one_is_no_number_and_others_are_in_figures_or_words() {
        assert!(has_number("It is tried 5 times"));
        assert!(has_number("It is tried Five times"));
        assert!(!has_number("One deployment serves many."));
    }
}
