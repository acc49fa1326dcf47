//! Which sentences the shipped answerer picks, and how they read.

use super::super::extractive::{candidates, select};
use super::*;

fn said(question: &str, passages: &[Passage]) -> String {
    let draft = select(question, passages, &candidates(question, passages), None);
    let outcome = settle(&draft, passages);
    assert_keeps_the_contract(&outcome, passages);
    outcome.text().to_owned()
}

#[test]
fn the_sentence_that_holds_the_words_of_the_question_is_the_answer() {
    let passages = passages(&[
        "Vouch stores text in Postgres. A message is delivered five times before it moves to the dead-letter queue. Logs are in JSON.",
        "Uploads go to a bucket. The bucket sends an event for each of them.",
    ]);
    let expected = "A message is delivered five times before it moves to the dead-letter queue. [1]";
    assert_eq!(
        said("How many times is a message delivered before the dead-letter queue?", &passages),
        expected
    );
}

#[test]
fn the_row_that_names_the_thing_is_the_answer_whole() {
    let rows = "Limit: Length of a question | Value: 2,000 characters | Above it: 422\n\
                Limit: top_k | Value: 1 to 50 | Above it: 422\n\
                Limit: Size of a request body | Value: 64 KiB | Above it: 413";
    let passages = [passage(1, "Limits", &["Limits", "Requests"], rows)];
    assert_eq!(
        said("What is the limit of top_k?", &passages),
        "Limit: top_k | Value: 1 to 50 | Above it: 422 [1]"
    );
}

#[test]
fn a_list_comes_with_the_sentence_that_introduces_it() {
    let passages = passages(&[
        "Text is cut. Three formats can be read:\n\n- plain text\n- Markdown\n- HTML\n\nOthers are marked failed.",
    ]);
    assert_eq!(
        said("Which formats can be read?", &passages),
        "Three formats can be read:\n- plain text\n- Markdown\n- HTML [1]"
    );
}

#[test]
fn a_sentence_that_points_back_brings_along_what_it_points_to() {
    let passages = passages(&[
        "The owner role runs the migrations. It never serves requests from callers. Backups are nightly.",
    ]);
    assert_eq!(
        said("Does anything serve requests from callers?", &passages),
        "The owner role runs the migrations. It never serves requests from callers. [1]"
    );
}

#[test]
fn a_sentence_that_the_chunk_cut_off_is_not_the_answer_if_a_whole_one_will_do() {
    let mut passages =
        passages(&["and the queue is emptied by the bridge. The bridge empties the queue every second."]);
    passages[0].ordinal = 3;
    assert_eq!(said("Who empties the queue?", &passages), "The bridge empties the queue every second. [1]");
}

#[test]
fn similarity_decides_where_no_word_is_shared() {
    let passages = passages(&[
        "Deleted objects vanish from answers at once. The moon is far away.",
        "Cats sleep all day long.",
    ]);
    let question = "How soon do removed files disappear from replies?";
    let found = candidates(question, &passages);
    let similar: Vec<f32> =
        found.iter().map(|c| if c.meaning.contains("Deleted") { 0.6 } else { 0.1 }).collect();
    let outcome = settle(&select(question, &passages, &found, Some(&similar)), &passages);
    assert_eq!(outcome.text(), "Deleted objects vanish from answers at once. [1]");
}

#[test]
fn what_two_passages_both_say_is_said_once() {
    let passages = passages(&[
        "The limit is ten objects per batch.",
        "The limit is ten objects per batch. More text follows here.",
    ]);
    assert_eq!(said("What is the limit per batch?", &passages), "The limit is ten objects per batch. [1]");
}

#[test]
fn no_passages_make_a_refusal() {
    assert_eq!(said("Anything?", &[]), REFUSAL_TEXT);
}

#[test]
fn a_question_for_all_of_something_gets_the_whole_table() {
    let rows = "mode: hybrid | What is searched: Both arms\nmode: dense | What is searched: Meaning only\nmode: lexical | What is searched: Words only";
    let passages =
        [passage(1, "Search", &["Search", "Modes"], &format!("Modes\n\n{rows}\n\nA mode is optional."))];
    assert_eq!(said("Which modes of search are there?", &passages), format!("{rows} [1]"));
}

#[test]
fn a_question_how_gets_all_the_steps_in_order() {
    let content = "Delete a document\n\n1. Delete the object from the bucket.\n\naws s3 rm s3://b/acme/a.md\n\n2. Wait for the event.\n3. Ask again to see it gone.";
    let passages = [passage(1, "Runbooks", &["Delete a document"], content)];
    assert_eq!(
        said("How do I delete a document?", &passages),
        "1. Delete the object from the bucket. aws s3 rm `s3://b/acme/a.md`\n2. Wait for the event.\n3. Ask again to see it gone. [1]"
    );
}

#[test]
fn a_caption_is_no_answer_if_a_sentence_will_do() {
    let passages = passages(&["Formats that are read\n\nThe service reads Markdown and HTML formats."]);
    assert_eq!(
        said("What formats does it read?", &passages),
        "The service reads Markdown and HTML formats. [1]"
    );
}

#[test]
fn passages_about_something_else_make_a_refusal() {
    let passages = passages(&["Cats sleep all day long.", "The moon is far away from us."]);
    let question = "Who won the football cup?";
    let found = candidates(question, &passages);
    assert!(select(question, &passages, &found, Some(&vec![0.1; found.len()])).refused);
}

#[test]
fn an_item_that_announces_items_brings_its_own_and_no_others() {
    let content = "- Keep backups.\n- To shorten the failover time, do the following:\n  - Allocate enough capacity.\n  - Use small transactions.\n- Sleep well.";
    assert_eq!(
        said("How is the failover time shortened?", &passages(&[content])),
        "To shorten the failover time, do the following:\n- Allocate enough capacity.\n- Use small transactions. [1]"
    );
}

#[test]
fn a_sentence_that_sends_the_reader_away_is_not_the_answer_if_another_will_do() {
    let passages = passages(&[
        "For more information about failover time, see the guide. The failover time is two minutes at most.",
    ]);
    assert_eq!(
        said("What is the failover time?", &passages),
        "The failover time is two minutes at most. [1]"
    );
}

#[test]
fn a_question_for_a_number_is_not_answered_by_a_sentence_without_one() {
    let passages = passages(&["A tenant is an organisation. One deployment serves many tenants."]);
    assert_eq!(said("How many tenants can one deployment serve?", &passages), REFUSAL_TEXT);
}
