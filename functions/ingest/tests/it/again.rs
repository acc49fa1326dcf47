//! The same content uploaded again: what stands stays as it is, with its ids.

use ingest::report::Outcome;
use serde_json::Value;

use crate::world::{World, paragraphs};

/// Ids of all chunks, whether live or not.
async fn chunk_ids(world: &World) -> Vec<String> {
    world.texts("SELECT chunk_id::text FROM vouch.document_chunks WHERE live ORDER BY 1").await
}

fn version(record: &Value) -> &str {
    record["s3"]["object"]["versionId"].as_str().unwrap()
}

#[tokio::test]
async fn unchanged_content_under_a_new_version_stays_as_it_is() {
    let world = World::new().await;
    let first = world.put("acme/a.md", paragraphs("same", 5)).await;
    let (_, paid) = world.converge(&first).await;
    assert_eq!(paid.embedded, paid.chunks);
    let ids = chunk_ids(&world).await;
    let again = world.put("acme/a.md", paragraphs("same", 5)).await;
    let (outcome, report) = world.converge(&again).await;
    assert_eq!((outcome, report.embedded, report.chunks), (Outcome::Unchanged, 0, 0));
    assert_eq!(chunk_ids(&world).await, ids, "citations open as before");
    let named = world.texts("SELECT source_version FROM vouch.documents").await;
    assert_eq!(named, [version(&first)], "the version in which the content was first seen");
    assert_eq!(world.converge(&first).await.0.reason_code(), Some("stale"), "the ledger went on");
    let copy = world.put("acme/copy/a.md", paragraphs("same", 5)).await;
    assert_eq!(world.converge(&copy).await.1.embedded, 0, "a copy of the same name");
    world.check().await;
}

#[tokio::test]
async fn unchanged_content_with_other_scopes_changes_scopes_only() {
    let world = World::new().await;
    let event = world.put("acme/a.md", paragraphs("same", 3)).await;
    world.converge(&event).await;
    let ids = chunk_ids(&world).await;
    let again = world.put_scoped("acme/a.md", paragraphs("same", 3), Some("hr")).await;
    assert_eq!(world.converge(&again).await.0, Outcome::Rescoped);
    assert_eq!(chunk_ids(&world).await, ids);
    assert!(world.visible("acme/a.md").await.is_empty());
    assert_eq!(world.visible_to("acme/a.md", &["hr"]).await.len(), 3);
}

#[tokio::test]
async fn the_version_first_seen_can_be_removed_for_good_while_an_equal_one_is_current() {
    let world = World::new().await;
    let first = world.put("acme/a.md", paragraphs("same", 3)).await;
    let second = world.put("acme/a.md", paragraphs("same", 3)).await;
    world.converge(&first).await;
    world.converge(&second).await;
    let ids = chunk_ids(&world).await;
    let removed = world.delete_version("acme/a.md", version(&first)).await;
    assert_eq!(world.converge(&removed).await.0, Outcome::Unchanged);
    assert_eq!(chunk_ids(&world).await, ids);
    world.check().await;
    let removed = world.delete_version("acme/a.md", version(&second)).await;
    assert_eq!(world.converge(&removed).await.0, Outcome::Retired);
    world.check().await;
}

#[tokio::test]
async fn an_equal_upload_after_a_deletion_answers_again() {
    let world = World::new().await;
    for _ in 0..2 {
        let put = world.put("acme/a.md", paragraphs("same", 3)).await;
        assert_eq!(world.converge(&put).await.0, Outcome::Published);
        assert_eq!(world.visible("acme/a.md").await.len(), 3);
        let deleted = world.delete("acme/a.md").await;
        assert_eq!(world.converge(&deleted).await.0, Outcome::Retired);
        assert!(world.visible("acme/a.md").await.is_empty());
        world.check().await;
    }
    let put = world.put("acme/a.md", paragraphs("same", 3)).await;
    world.converge(&put).await;
    world.check().await;
}

#[tokio::test]
async fn the_same_bytes_read_as_another_format_are_another_version() {
    for versions in [true, false] {
        let world = if versions { World::new().await } else { World::without_versions().await };
        let body = "<p>one &amp; two</p>";
        let plain = world.put_typed("acme/a", body, "text/plain").await;
        world.converge(&plain).await;
        assert_eq!(world.visible("acme/a").await, [body]);
        let html = world.put_typed("acme/a", body, "text/html").await;
        assert_eq!(world.converge(&html).await.0, Outcome::Published);
        assert_eq!(world.visible("acme/a").await, ["one & two"]);
        let stored = world.texts("SELECT content_type FROM vouch.documents WHERE state = 'active'").await;
        assert_eq!(stored, ["text/html"]);
        world.check_statistics().await;
    }
}

#[tokio::test]
async fn what_another_worker_had_begun_goes_when_the_bucket_turns_out_unchanged() {
    let world = World::new().await;
    let kept = world.put("acme/a.md", paragraphs("kept", 3)).await;
    world.converge(&kept).await;
    // A worker was killed after it had written the chunks of this one.
    let lost = world.put("acme/a.md", paragraphs("lost", 40)).await;
    let mut report = ingest::report::Report::default();
    for polls in 1..400 {
        let done = crate::bucket::killed_after(polls, world.try_converge(&lost, &mut report)).await;
        if world.number("SELECT count(*) FROM vouch.document_chunks WHERE NOT live").await > 0 {
            break;
        }
        assert!(done.is_none(), "it was done before it was killed");
    }
    world.delete_version("acme/a.md", version(&lost)).await;
    let back = world.put("acme/a.md", paragraphs("kept", 3)).await;
    assert_eq!(world.converge(&back).await.0, Outcome::Unchanged);
    world.check().await;
}
