//! Keys and records that are no document's (FIELD: form-encoded keys, test events, folders).

use ingest::report::{Outcome, Skipped};
use serde_json::json;

use crate::world::{World, body};

#[tokio::test]
async fn keys_with_spaces_pluses_and_unicode_are_found() {
    let world = World::new().await;
    for key in [
        "acme/a b+c (1).txt",
        "acme/日本語/résumé.md",
        "acme/100%+2B.txt",
        "acme/x/y/ z .md",
        "acme/a&b=c;d.txt",
    ] {
        let event = world.put(key, "one short text").await;
        assert_eq!(world.converge(&event).await.0, Outcome::Published, "{key}");
        assert_eq!(world.visible(key).await, ["one short text"], "{key}");
    }
    world.check().await;
}

#[tokio::test]
async fn test_events_folders_and_foreign_keys_are_ignored_beside_a_document() {
    let world = World::new().await;
    let folder = world.put("acme/folder/", "").await;
    let no_tenant = world.put("readme.md", "no tenant").await;
    let stranger = world.put("nobody/readme.md", "no such tenant").await;
    let document = world.put("acme/a.md", "a document").await;
    let mut elsewhere = document.clone();
    elsewhere["s3"]["bucket"]["name"] = json!("another-bucket");
    let mut not_utf8 = document.clone();
    not_utf8["s3"]["object"]["key"] = json!("acme/%FF.md");
    let test = json!({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": world.bucket}).to_string();
    let sns = json!({"Type": "Notification", "Message": body(&document)}).to_string();
    let again = world
        .deliver(&[
            test,
            "not json".into(),
            "{}".into(),
            body(&folder),
            body(&no_tenant),
            body(&stranger),
            body(&elsewhere),
            body(&not_utf8),
            sns,
        ])
        .await;
    assert_eq!(again, Vec::<String>::new());
    assert_eq!(world.visible("acme/a.md").await, ["a document"]);
    assert_eq!(world.number("SELECT count(*) FROM vouch.documents").await, 1);
    assert_eq!(world.converge(&stranger).await.0, Outcome::Skipped(Skipped::UnknownTenant));
    assert_eq!(world.converge(&elsewhere).await.0, Outcome::Skipped(Skipped::OtherBucket));
}

#[tokio::test]
async fn a_folder_event_without_a_size_is_no_document_either() {
    let world = World::new().await;
    let mut folder = world.put("acme/folder/", "").await;
    folder["s3"]["object"]["size"] = json!(null);
    assert_eq!(world.converge(&folder).await.0, Outcome::Retired);
    assert_eq!(world.number("SELECT count(*) FROM vouch.documents").await, 0);
}
