//! Who may read what was uploaded.

use aws_sdk_s3::types::{Tag, Tagging};
use ingest::report::Outcome;

use crate::world::{World, paragraphs};

#[tokio::test]
async fn scopes_come_from_metadata_else_from_tags_else_from_the_tenant() {
    let world = World::new().await;
    let metadata = world.put_scoped("acme/m.md", "by metadata", Some("hr, board")).await;
    world.converge(&metadata).await;
    assert_eq!(world.visible("acme/m.md").await, Vec::<String>::new());
    assert_eq!(world.visible_to("acme/m.md", &["board"]).await, ["by metadata"]);

    let tagged = world.put("acme/t.md", "by tag").await;
    tag(&world, "acme/t.md", "hr").await;
    world.converge(&tagged).await;
    assert_eq!(world.visible("acme/t.md").await, Vec::<String>::new());
    assert_eq!(world.visible_to("acme/t.md", &["hr"]).await, ["by tag"]);

    let default = world.put("acme/d.md", "by default").await;
    world.converge(&default).await;
    assert_eq!(world.visible("acme/d.md").await, ["by default"]);

    let nobody = world.put_scoped("acme/n.md", "for nobody", Some(" ")).await;
    world.converge(&nobody).await;
    assert_eq!(world.visible_to("acme/n.md", &["everyone", "hr"]).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_change_of_tags_changes_scopes_and_embeds_nothing() {
    let world = World::new().await;
    let event = world.put("acme/a.md", paragraphs("tag", 3)).await;
    world.converge(&event).await;
    let before = world.visible("acme/a.md").await;
    tag(&world, "acme/a.md", "hr").await;
    let version = event["s3"]["object"]["versionId"].as_str();
    let mut tagging = world.event("ObjectTagging:Put", "acme/a.md", version, 0);
    tagging["s3"]["object"]["sequencer"] = serde_json::Value::Null;
    let (outcome, report) = world.converge(&tagging).await;
    assert_eq!((outcome, report.embedded), (Outcome::Rescoped, 0));
    assert_eq!(world.visible("acme/a.md").await, Vec::<String>::new());
    assert_eq!(world.visible_to("acme/a.md", &["hr"]).await, before);
}

async fn tag(world: &World, key: &str, scope: &str) {
    let tag = Tag::builder().key("access-scope").value(scope).build().unwrap();
    let tagging = Tagging::builder().tag_set(tag).build().unwrap();
    world.s3.put_object_tagging().bucket(&world.bucket).key(key).tagging(tagging).send().await.expect("tag");
}
