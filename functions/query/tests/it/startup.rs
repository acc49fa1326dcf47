//! What keeps the function from starting, or from calling itself healthy.

use query::health::check_space;
use vouch_shared::db::Role;
use vouch_shared::telemetry::chain;

use crate::world::{Caller, World};

#[tokio::test]
async fn a_space_of_another_model_is_refused_by_both_names() {
    let world = World::new(&[]).await;
    let mut other = world.embedder.space().clone();
    other.model = "another-model".into();
    let refused = check_space(&world.db.query(), &other).await.unwrap_err().to_string();
    assert!(refused.contains("another-model") && refused.contains("(hashing, 64 dimensions"), "{refused}");
    let mut service = world.service();
    service.space = other;
    let (status, body) = Caller::nobody().get(&service, "/healthz").await;
    assert_eq!(status, 503);
    assert!(!body.to_string().contains("model is"), "{body}");
    assert!(!body.to_string().contains("hashing"), "{body}");
}

#[tokio::test]
async fn without_an_active_space_the_message_says_what_to_run() {
    let world = World::new(&[]).await;
    world.root.batch_execute("UPDATE vouch.embedding_spaces SET state = 'retired'").await.unwrap();
    let refused = chain(&check_space(&world.db.query(), world.embedder.space()).await.unwrap_err());
    assert!(refused.contains("migrate"), "{refused}");
}

#[tokio::test]
async fn only_the_role_that_reads_is_safe_to_run_as() {
    let world = World::new(&[]).await;
    assert!(world.db.query().refuse_unsafe_role(Role::Query).await.is_ok());
    for database in [world.db.owner(), world.db.ingest()] {
        assert!(database.refuse_unsafe_role(Role::Query).await.is_err());
    }
}
