//! Events twice, late and in the wrong order (FIELD: stale events, PUT and DELETE out of order, deleted documents).

use std::sync::Arc;

use ingest::report::{Outcome, Report, Skipped};
use serde_json::json;

use crate::dice::Dice;
use crate::world::{World, body, paragraphs};

#[tokio::test]
async fn an_event_that_comes_twice_changes_nothing() {
    let world = World::new().await;
    let event = world.put("acme/a.md", paragraphs("a", 3)).await;
    world.converge(&event).await;
    let before = world.number("SELECT sum(hashtext(d::text))::bigint FROM vouch.documents d").await;
    let (outcome, report) = world.converge(&event).await;
    assert_eq!((outcome, report.embedded, report.bytes), (Outcome::Unchanged, 0, 0));
    assert_eq!(world.number("SELECT sum(hashtext(d::text))::bigint FROM vouch.documents d").await, before);
    world.check().await;
}

#[tokio::test]
async fn a_stale_event_does_not_undo_a_newer_one() {
    let world = World::new().await;
    let first = world.put("acme/a.md", "first version").await;
    let second = world.put("acme/a.md", "second version").await;
    world.converge(&second).await;
    assert_eq!(world.converge(&first).await.0, Outcome::Skipped(Skipped::Stale));
    assert_eq!(world.visible("acme/a.md").await, ["second version"]);
    world.check().await;
}

#[tokio::test]
async fn a_deletion_that_overtakes_the_upload_wins() {
    let world = World::new().await;
    let put = world.put("acme/a.md", "short lived").await;
    let delete = world.delete("acme/a.md").await;
    assert_eq!(world.converge(&delete).await.0, Outcome::Retired);
    assert_eq!(world.converge(&put).await.0, Outcome::Skipped(Skipped::Stale));
    assert_eq!(world.visible("acme/a.md").await, Vec::<String>::new());
    world.check().await;
}

#[tokio::test]
async fn a_deleted_document_is_found_no_more_and_can_come_back() {
    let world = World::new().await;
    let put = world.put("acme/a.md", paragraphs("gone", 2)).await;
    world.converge(&put).await;
    let delete = world.delete("acme/a.md").await;
    assert_eq!(world.converge(&delete).await.0, Outcome::Retired);
    assert_eq!(world.visible("acme/a.md").await, Vec::<String>::new());
    assert_eq!(world.number("SELECT count(*) FROM vouch.document_chunks").await, 0);
    assert_eq!(world.states("acme/a.md").await, [("deleted".into(), String::new())]);
    world.check().await;
    let back = world.put("acme/a.md", "back again").await;
    world.converge(&back).await;
    world.check().await;
}

#[tokio::test]
async fn removing_an_old_version_leaves_the_current_one() {
    let world = World::new().await;
    let first = world.put("acme/a.md", "first").await;
    let second = world.put("acme/a.md", "second").await;
    world.converge(&first).await;
    world.converge(&second).await;
    let version = first["s3"]["object"]["versionId"].as_str().unwrap();
    let removed = world.delete_version("acme/a.md", version).await;
    assert_eq!(world.converge(&removed).await.0, Outcome::Unchanged);
    assert_eq!(world.visible("acme/a.md").await, ["second"]);
    world.check().await;
}

#[tokio::test]
async fn removing_the_current_version_brings_back_the_one_before() {
    let world = World::new().await;
    let first = world.put("acme/a.md", "first").await;
    world.converge(&first).await;
    let second = world.put("acme/a.md", "second").await;
    world.converge(&second).await;
    let version = second["s3"]["object"]["versionId"].as_str().unwrap();
    let removed = world.delete_version("acme/a.md", version).await;
    assert_eq!(world.converge(&removed).await.0, Outcome::Published);
    assert_eq!(world.visible("acme/a.md").await, ["first"]);
    world.check().await;
}

#[tokio::test]
async fn an_event_without_a_sequencer_leads_to_what_the_bucket_holds() {
    let world = World::new().await;
    let mut old = world.put("acme/a.md", "old").await;
    let new = world.put("acme/a.md", "new").await;
    world.converge(&new).await;
    old["s3"]["object"]["sequencer"] = json!(null);
    assert_eq!(world.converge(&old).await.0, Outcome::Unchanged);
    world.check().await;
}

#[tokio::test]
async fn a_bucket_without_versions_names_versions_by_their_content() {
    let world = World::without_versions().await;
    for (text, expected) in [
        ("one", Outcome::Published),
        ("two", Outcome::Published),
        ("one", Outcome::Published),
        ("one", Outcome::Unchanged),
    ] {
        let event = world.put("acme/a.md", text).await;
        assert_eq!(world.converge(&event).await.0, expected, "{text}");
        world.check().await;
    }
    assert_eq!(world.number("SELECT count(*) FROM vouch.documents").await, 2);
    let gone = world.delete("acme/a.md").await;
    world.converge(&gone).await;
    world.check().await;
}

#[tokio::test]
async fn two_workers_on_one_object_converge() {
    let world = Arc::new(World::new().await);
    for round in 0..6 {
        let first = world.put("acme/a.md", paragraphs(&format!("r{round}a"), 40)).await;
        let second = world.put("acme/a.md", paragraphs(&format!("r{round}b"), 3)).await;
        let events = [first.clone(), second.clone(), first, second];
        let tasks = events.map(|event| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.try_converge(&event, &mut Report::default()).await })
        });
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        world.check().await;
    }
}

#[tokio::test]
async fn after_any_shuffle_of_any_events_the_database_equals_the_bucket() {
    for seed in 0..6 {
        let world = Arc::new(World::new().await);
        let mut dice = Dice::new(seed);
        let mut events = Vec::new();
        let mut versions: Vec<(String, String)> = Vec::new();
        for step in 0..25 {
            let key = format!("acme/doc {}.md", dice.below(3));
            let event = match dice.below(6) {
                0 => world.delete(&key).await,
                1 if !versions.is_empty() => {
                    let (key, version) = versions.swap_remove(dice.below(versions.len()));
                    world.delete_version(&key, &version).await
                }
                n => {
                    let event = world.put(&key, paragraphs(&format!("s{step}"), n)).await;
                    let version = event["s3"]["object"]["versionId"].as_str().unwrap();
                    versions.push((key, version.to_owned()));
                    event
                }
            };
            events.push(body(&event));
            if dice.below(4) == 0 {
                events.push(body(&event));
            }
        }
        for at in (1..events.len()).rev() {
            events.swap(at, dice.below(at + 1));
        }
        // Two instances of the function take turns with batches of the queue.
        let batches: Vec<Vec<String>> = events.chunks(4).map(<[String]>::to_vec).collect();
        for pair in batches.chunks(2) {
            let tasks: Vec<_> = pair
                .iter()
                .cloned()
                .map(|batch| {
                    let world = Arc::clone(&world);
                    tokio::spawn(async move { world.deliver(&batch).await })
                })
                .collect();
            for task in tasks {
                assert_eq!(task.await.unwrap(), Vec::<String>::new());
            }
        }
        world.check().await;
    }
}
