//! What holds of any draft over any passages.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Text with what trips up folding and offsets: marks, ligatures, combining accents, soft hyphens, CJK, Markdown.
fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        6 => "[a-z]{1,9}",
        1 => "[0-9]{1,4}(\\.[0-9])?",
        1 => Just("e\u{301}t\u{e9}".to_owned()),
        1 => Just("\u{fb01}nal".to_owned()),
        1 => Just("soft\u{ad}ware".to_owned()),
        1 => Just("質問は二千文字".to_owned()),
        1 => Just("\u{1f680}".to_owned()),
        1 => Just("[3]".to_owned()),
        1 => Just("[x](https://y.z)".to_owned()),
        1 => Just("not".to_owned()),
        1 => Just("VOUCH_LOG".to_owned()),
        1 => Just("`code`".to_owned()),
        1 => Just("\u{201c}said\u{201d}".to_owned()),
    ];
    let gap = prop_oneof![8 => Just(" "), 1 => Just("\n"), 1 => Just("\n- "), 1 => Just(". "), 1 => Just("\u{a0}"), 1 => Just("\n\n")];
    vec((word, gap), 1..40).prop_map(|parts| parts.into_iter().map(|(word, gap)| word + gap).collect())
}

/// Words of the passages, or anything.
fn quote(texts: Vec<String>) -> impl Strategy<Value = (u32, String)> {
    let count = texts.len();
    let taken =
        (0..count, any::<prop::sample::Index>(), 1usize..60).prop_map(move |(index, from, length)| {
            let chars: Vec<char> = texts[index].chars().collect();
            let from = from.index(chars.len());
            chars[from..].iter().take(length).collect()
        });
    (0u32..9, prop_oneof![4 => taken, 1 => prose(), 1 => any::<String>()])
}

fn case() -> impl Strategy<Value = (Vec<Passage>, Draft)> {
    vec(prose(), 1..5).prop_flat_map(|texts| {
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let passages = super::passages(&borrowed);
        let statement =
            (vec(quote(texts.clone()), 0..3), prop_oneof![prose(), Just(String::new())], any::<bool>())
                .prop_map(|(quotes, text, is_verbatim)| DraftStatement {
                    text: quotes.first().filter(|_| is_verbatim).map_or(text, |(_, quote)| quote.clone()),
                    quotes: quotes.into_iter().map(|(passage, text)| DraftQuote { passage, text }).collect(),
                });
        (
            Just(passages),
            (vec(statement, 0..4), prop::bool::weighted(0.1))
                .prop_map(|(statements, refused)| Draft { statements, refused }),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_outcome_keeps_the_contract((passages, draft) in case()) {
        let outcome = settle(&draft, &passages);
        assert_keeps_the_contract(&outcome, &passages);
        if draft.refused {
            prop_assert_eq!(outcome.text(), REFUSAL_TEXT);
        }
    }

    #[test]
    fn every_statement_of_a_draft_is_kept_or_accounted_for((passages, draft) in case()) {
        let checked = check(&draft, &passages);
        let is_cleared = checked.dropped.iter().any(|(_, fault)| *fault == Fault::Refusal);
        prop_assert!(is_cleared || checked.statements.len() + checked.dropped.len() == draft.statements.len());
    }

    #[test]
    fn figures_of_an_answer_stand_in_its_sources((passages, draft) in case(), figure in 5000u32..9999) {
        let mut draft = draft;
        for statement in &mut draft.statements {
            statement.text = format!("{} {figure}", statement.text);
        }
        let outcome = settle(&draft, &passages);
        for statement in outcome.statements() {
            let is_shown = statement.citations.iter().any(|n| outcome.citations()[*n as usize - 1].excerpt.contains(&figure.to_string()));
            prop_assert!(is_shown, "{}", statement.text);
        }
    }

    #[test]
    fn the_shipped_answerer_always_keeps_the_contract(texts in vec(prose(), 0..6), question in prose(), similar in vec(-1f32..1.0, 8)) {
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        let passages = super::passages(&borrowed);
        let candidates = super::super::extractive::candidates(&question, &passages);
        let draft = super::super::extractive::select(&question, &passages, &candidates, Some(&similar));
        let checked = check(&draft, &passages);
        // Its quotes are verbatim; the one fault left to it is that a unit is too short to mean anything.
        prop_assert!(checked.dropped.iter().all(|(_, fault)| *fault == Fault::QuoteTooShort), "{:?} {:?}", checked.dropped, draft);
        assert_keeps_the_contract(&settle(&draft, &passages), &passages);
    }
}
