//! Where the evidence floor lies.

use super::*;

const FLOOR: Floor = Floor { min_cosine: 0.38, min_coverage: 1.0 };

fn admitted(question: &str, cosine: f32, texts: &[&str]) -> Result<(), Reason> {
    let mut passages = passages(texts);
    for passage in &mut passages {
        passage.cosine = Some(cosine);
    }
    FLOOR.admit(&Evidence::measure(question, &passages, |_| None))
}

const QUEUES: &[&str] = &[
    "A message that failed five times moves to the dead-letter queue. Put it back with the command replay.",
    "The alarm on the age of the oldest message tells that nobody empties the queue.",
];

#[test]
fn without_passages_there_is_no_evidence() {
    assert_eq!(admitted("Where do failed messages go?", 0.9, &[]), Err(Reason::NoEvidence));
}

#[test]
fn common_words_make_up_for_distance_and_closeness_for_other_words() {
    assert_eq!(admitted("Which queue takes a message that failed five times?", 0.15, QUEUES), Ok(()));
    assert_eq!(admitted("Where does undeliverable mail end up?", 0.4, QUEUES), Ok(()));
    assert_eq!(admitted("Where does undeliverable mail end up?", 0.2, QUEUES), Err(Reason::WeakEvidence));
    assert_eq!(admitted("best way to cook red lentils", 0.13, QUEUES), Err(Reason::WeakEvidence));
}

#[test]
fn a_near_miss_names_what_no_passage_knows() {
    for question in [
        "How do I get a Slack message when the queue fails?",
        "Does the dead-letter queue work with RabbitMQ?",
        "What is VOUCH_QUEUE_COLOR for, and does the message move?",
        "Can SNS move a failed message to the queue?",
    ] {
        assert_eq!(admitted(question, 0.7, QUEUES), Err(Reason::WeakEvidence), "{question}");
    }
}

#[test]
fn capitals_that_name_nothing_are_no_names() {
    for question in [
        "When A Message Failed Five Times, Where Does It Move?",
        "WHERE DOES A FAILED MESSAGE MOVE",
        "Is the queue emptied on Monday or in March?",
        "Can an AI put a failed message back into the queue?",
        "Wohin wandert eine Nachricht, deren Zustellung misslang, in der queue?",
    ] {
        assert_eq!(admitted(question, 0.6, QUEUES), Ok(()), "{question}");
    }
}

#[test]
fn a_name_written_apart_is_the_same_name() {
    assert_eq!(
        admitted(
            "What is SageMaker GroundTruth for?",
            0.6,
            &["Ground Truth labels data for Sage Maker models."]
        ),
        Ok(())
    );
}

#[test]
fn a_passage_that_only_stands_beside_a_hit_is_no_evidence_by_itself() {
    let mut passages = passages(QUEUES);
    for passage in &mut passages {
        (passage.cosine, passage.bm25) = (None, None);
    }
    let evidence = Evidence::measure("Where do failed messages go?", &passages, |_| None);
    assert_eq!(FLOOR.admit(&evidence), Err(Reason::NoEvidence));
}

#[test]
fn a_rare_word_counts_for_more_than_a_common_one() {
    let passages = passages(QUEUES);
    let rare = |term: &str| Some(if term == "snapshot" { 6.0 } else { 1.0 });
    let evidence = Evidence::measure("message snapshot", &passages, rare);
    assert!(evidence.coverage < 0.2, "{evidence:?}");
}
