//! Documents that cannot be read, and faults that are not theirs.

use std::sync::Arc;

use aws_sdk_s3::config::Builder;
use ingest::batch;
use ingest::object::Objects;
use ingest::pipeline::Pipeline;
use ingest::report::Outcome;
use serde_json::json;

use crate::world::{World, body, s3};

#[tokio::test]
async fn a_document_that_cannot_be_read_says_why() {
    let world = World::new().await;
    for (key, bytes, code, words) in [
        ("acme/a.pdf", b"%PDF-1.7 ...".to_vec(), "unsupported", "PDF"),
        ("acme/empty.txt", Vec::new(), "empty", "0 bytes"),
        ("acme/latin.txt", b"Gr\xFC\xDFe".to_vec(), "encoding", "UTF-8"),
        ("acme/large.txt", vec![b'a'; 100_001], "too_large", "100001 bytes, the limit is 100000"),
    ] {
        let event = world.put(key, bytes).await;
        let (outcome, _) = world.converge(&event).await;
        assert!(matches!(&outcome, Outcome::Failed(r) if r.code == code), "{key}: {outcome:?}");
        let states = world.states(key).await;
        assert!(states.len() == 1 && states[0].0 == "failed" && states[0].1.contains(words), "{states:?}");
        assert_eq!(world.converge(&event).await.0, Outcome::Unchanged, "it is not tried again");
    }
}

#[tokio::test]
async fn an_unreadable_upload_takes_the_old_version_down() {
    let world = World::new().await;
    let good = world.put("acme/a.md", "readable").await;
    world.converge(&good).await;
    let bad = world.put("acme/a.md", b"\x89PNG....".to_vec()).await;
    world.converge(&bad).await;
    assert_eq!(world.visible("acme/a.md").await, Vec::<String>::new());
    assert_eq!(world.number("SELECT count(*) FROM vouch.document_chunks").await, 0);
    assert_eq!(
        world.states("acme/a.md").await.iter().map(|s| s.0.as_str()).collect::<Vec<_>>(),
        ["failed", "superseded"]
    );
    world.check_statistics().await;
    let repaired = world.put("acme/a.md", "readable again").await;
    world.converge(&repaired).await;
    world.check().await;
}

#[tokio::test]
async fn one_unreadable_document_holds_up_no_other() {
    let world = World::new().await;
    let bad = world.put("acme/bad.bin", b"\x7FELF".to_vec()).await;
    let good = world.put("acme/good.md", "good").await;
    assert_eq!(world.deliver(&[body(&bad), body(&good)]).await, Vec::<String>::new());
    assert_eq!(world.visible("acme/good.md").await, ["good"]);
}

/// The same world, with a bucket that nobody answers for.
async fn cut_off(world: &World) -> Arc<Pipeline> {
    let config = s3().await.config().to_builder().endpoint_url("http://127.0.0.1:9");
    let config: Builder = config.retry_config(aws_sdk_s3::config::retry::RetryConfig::disabled());
    let objects = Objects::new(aws_sdk_s3::Client::from_conf(config.build()));
    Arc::new(Pipeline { objects, ..Pipeline::clone(&world.pipeline) })
}

#[tokio::test]
async fn a_message_whose_bucket_does_not_answer_comes_again_and_the_others_do_not() {
    let world = World::new().await;
    let event = world.put("acme/a.md", "later").await;
    let pipeline = cut_off(&world).await;
    let payload = json!({"Records": [
        {"messageId": "good", "eventSource": "aws:sqs", "body": json!({"Event": "s3:TestEvent"}).to_string()},
        {"messageId": "bad", "eventSource": "aws:sqs", "body": body(&event)},
        {"messageId": "same object", "eventSource": "aws:sqs", "body": body(&event)},
    ]});
    let answer = batch::handle(&pipeline, &payload).await.unwrap();
    assert_eq!(
        answer,
        json!({"batchItemFailures": [{"itemIdentifier": "bad"}, {"itemIdentifier": "same object"}]})
    );
    assert_eq!(
        world.number("SELECT count(*) FROM vouch.documents").await,
        0,
        "nothing is concluded from silence"
    );

    let direct = batch::handle(&pipeline, &json!({"Records": [event]})).await;
    assert!(direct.is_err(), "S3 itself only retries when the function fails");
    assert!(batch::handle(&world.pipeline, &json!({"Records": [event]})).await.is_ok());
    assert_eq!(world.visible("acme/a.md").await, ["later"]);
}

#[tokio::test]
async fn a_bucket_that_does_not_exist_deletes_nothing() {
    let world = World::new().await;
    let event = world.put("acme/a.md", "stays").await;
    world.converge(&event).await;
    let pipeline = Pipeline { bucket: "no-such-bucket".into(), ..Pipeline::clone(&world.pipeline) };
    let mut elsewhere = event.clone();
    elsewhere["s3"]["bucket"]["name"] = json!("no-such-bucket");
    let payload = json!({"Records": [elsewhere]});
    assert!(batch::handle(&Arc::new(pipeline), &payload).await.is_err());
    assert_eq!(world.visible("acme/a.md").await, ["stays"]);
}
