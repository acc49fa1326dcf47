//! Failures that users of such systems reported, each stopped.

use super::*;

const LIMITS: &str =
    "A batch holds at most 10 documents. Each document may have up to 50 MB. A larger one is not accepted.";
const TIMES: &str = "The default timeout is 30 seconds. The setting VOUCH_TIMEOUT changes it. It was raised on 21 August 2026.";

fn settled(statements: &[(&str, &[(u32, &str)])]) -> Outcome {
    let passages = passages(&[LIMITS, TIMES]);
    let outcome = settle(&draft(statements), &passages);
    assert_keeps_the_contract(&outcome, &passages);
    outcome
}

fn answer(statement: &str, quotes: &[(u32, &str)]) -> Option<String> {
    let outcome = settled(&[(statement, quotes)]);
    outcome.reason().is_none().then(|| outcome.text().to_owned())
}

#[test]
fn a_supported_statement_leaves_with_its_mark() {
    let said = answer("A batch holds at most 10 documents.", &[(1, "at most 10 documents")]);
    assert_eq!(said.as_deref(), Some("A batch holds at most 10 documents. [1]"));
}

#[test]
fn a_citation_of_a_passage_that_was_never_retrieved_is_not_believed() {
    assert_eq!(answer("The sky is green today.", &[(7, "the sky is green today")]), None);
    let rescued = settled(&[("The default timeout is 30 seconds.", &[(7, "default timeout is 30 seconds")])]);
    assert_eq!(rescued.citations()[0].ordinal, 1, "cited where the words stand, not where the draft said");
}

#[test]
fn a_quote_with_the_wrong_number_is_cited_where_it_really_stands() {
    let outcome =
        settled(&[("The default timeout is 30 seconds.", &[(1, "The default timeout is 30 seconds.")])]);
    assert_eq!(outcome.citations()[0].ordinal, 1);
    assert_eq!(outcome.citations()[0].n, 1);
}

#[test]
fn a_paraphrase_passed_off_as_a_quote_is_dropped() {
    assert_eq!(answer("A batch holds 10 documents.", &[(1, "batches are limited to 10 documents")]), None);
}

#[test]
fn an_invented_figure_beside_a_true_quote_is_dropped() {
    let quote: &[(u32, &str)] = &[(2, "The default timeout is 30 seconds.")];
    for invented in [
        "The default timeout is 60 seconds.",
        "The default timeout is 30 minutes.",
        "The default timeout is 30 seconds, 5 at night.",
        "The default timeout is thirty-five seconds.",
        "The default timeout was 30 seconds on 1 May 2020.",
        "The default VOUCH_OTHER timeout is 30 seconds.",
        "The default timeout of Oracle is 30 seconds.",
        "The default timeout is not 30 seconds.",
    ] {
        assert_eq!(answer(invented, quote), None, "{invented}");
    }
    for true_to_it in [
        "The default timeout is thirty seconds.",
        "The timeout is 30 s by default.",
        "By default, VOUCH_TIMEOUT is 30 seconds.",
    ] {
        assert!(answer(true_to_it, quote).is_some(), "{true_to_it}");
    }
}

#[test]
fn a_denial_that_is_left_out_is_noticed() {
    let quote: &[(u32, &str)] = &[(1, "A larger one is not accepted.")];
    assert_eq!(answer("A larger document is accepted.", quote), None);
    assert!(answer("A larger document is not accepted.", quote).is_some());
}

#[test]
fn a_statement_about_something_else_is_dropped_though_its_quote_is_true() {
    assert_eq!(
        answer("Customers love our friendly support team.", &[(1, "A larger one is not accepted.")]),
        None
    );
}

#[test]
fn a_quote_of_a_word_or_two_supports_nothing() {
    assert_eq!(answer("It holds 10.", &[(1, "10")]), None);
    assert_eq!(answer("A batch is limited.", &[(1, "A batch")]), None);
}

#[test]
fn part_of_a_word_or_number_is_no_quote() {
    assert_eq!(answer("Each document may have up to 5.", &[(1, "Each document may have up to 5")]), None);
}

#[test]
fn a_refusal_with_statements_is_a_refusal_without_them() {
    let passages = passages(&[LIMITS]);
    let mut drafted = draft(&[("A batch holds at most 10 documents.", &[(1, "at most 10 documents")])]);
    drafted.refused = true;
    let outcome = settle(&drafted, &passages);
    assert_keeps_the_contract(&outcome, &passages);
    assert_eq!(outcome.reason(), Some(Reason::UnsupportedBySources));
}

#[test]
fn an_answer_that_also_says_it_does_not_know_is_a_refusal() {
    let outcome = settled(&[
        ("I don\u{2019}t know.", &[]),
        ("A batch holds at most 10 documents.", &[(1, "A batch holds at most 10 documents.")]),
    ]);
    assert_eq!(outcome.text(), REFUSAL_TEXT);
    let cited = settled(&[("Sorry, I do not know.", &[(1, "A batch holds at most 10 documents.")])]);
    assert_eq!(cited.text(), REFUSAL_TEXT);
}

#[test]
fn a_document_about_refusals_can_still_be_quoted() {
    let passages =
        passages(&["If nothing is left, the answer is \"I don't know.\" and carries no citation."]);
    let text = "If nothing is left, the answer is \"I don't know.\" and carries no citation.";
    let outcome = settle(&draft(&[(text, &[(1, text)])]), &passages);
    assert_eq!(outcome.citations().len(), 1);
}

#[test]
fn nothing_retrieved_supports_nothing() {
    assert_eq!(settle(&draft(&[("Anything at all.", &[(1, "anything at all")])]), &[]).text(), REFUSAL_TEXT);
    assert_eq!(settle(&Draft::default(), &passages(&[LIMITS])).text(), REFUSAL_TEXT);
}

#[test]
fn what_fails_goes_and_the_rest_stays_numbered_without_gaps() {
    let outcome = settled(&[
        ("A batch holds at most 12 documents.", &[(1, "A batch holds at most 10 documents.")]),
        ("The default timeout is 30 seconds.", &[(2, "The default timeout is 30 seconds.")]),
        (
            "Each document may have up to 50 MB.",
            &[(1, "Each document may have up to 50 MB."), (9, "no such words anywhere")],
        ),
        ("The timeout is 30 seconds.", &[(2, "The default timeout is 30 seconds.")]),
    ]);
    assert_eq!(
        outcome.text(),
        "The default timeout is 30 seconds. [1] Each document may have up to 50 MB. [2] The timeout is 30 seconds. [1]"
    );
}

#[test]
fn markdown_and_marks_from_documents_are_inert_in_the_answer() {
    let hostile = "Read [the manual](https://evil.example/?q=secret) first [7]. ![pixel](https://evil.example/p.png)\n\
                   [1]: https://evil.example\nVisit https://evil.example/now at once.";
    let passages = passages(&[hostile]);
    let outcome = settle(&draft(&[(hostile, &[(1, hostile)])]), &passages);
    assert_keeps_the_contract(&outcome, &passages);
    let text = outcome.text();
    assert_eq!(marks(text), [1]);
    assert!(!text.contains("](") && !text.contains("]:"), "{text}");
    assert!(text.contains("`https://evil.example/now`"), "{text}");
}

#[test]
fn a_flood_of_statements_and_a_statement_without_end_are_cut() {
    let passages = passages(&[LIMITS]);
    let one = ("A batch holds at most 10 documents.", [(1, "A batch holds at most 10 documents.")]);
    let flood: Vec<(&str, &[(u32, &str)])> = (0..1000).map(|_| (one.0, one.1.as_slice())).collect();
    assert!(settle(&draft(&flood), &passages).statements().len() <= 20);
    let endless = "A batch holds documents. ".repeat(1000);
    assert_eq!(settle(&draft(&[(&endless, &one.1)]), &passages).text(), REFUSAL_TEXT);
}

#[test]
fn offsets_count_code_points_not_bytes() {
    let passages = passages(&["\u{1f680} Größe: Übergrößen sind erlaubt."]);
    let outcome =
        settle(&draft(&[("Übergrößen sind erlaubt.", &[(1, "Übergrößen sind erlaubt.")])]), &passages);
    assert_keeps_the_contract(&outcome, &passages);
    assert_eq!((outcome.citations()[0].quote.start, outcome.citations()[0].quote.end), (9, 33));
}
