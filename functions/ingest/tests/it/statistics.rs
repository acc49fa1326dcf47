//! Lexeme statistics, of one tenant and of none other.

use std::sync::Arc;

use crate::world::{World, paragraphs};

#[tokio::test]
async fn statistics_equal_a_recount_while_many_documents_come_and_go() {
    let world = Arc::new(World::new().await);
    for round in 0..3 {
        let mut tasks = Vec::new();
        for doc in 0..8 {
            let key = format!("acme/{doc}.md");
            let event = if (doc + round) % 4 == 3 {
                world.delete(&key).await
            } else {
                world.put(&key, paragraphs(&format!("t{}", doc * round % 3), 1 + doc % 3)).await
            };
            let world = Arc::clone(&world);
            tasks.push(tokio::spawn(async move { world.converge(&event).await }));
        }
        for task in tasks {
            task.await.unwrap();
        }
        world.check().await;
    }
}

#[tokio::test]
async fn a_published_documents_words_are_counted_without_waiting_for_another_upload() {
    let world = World::new().await;
    let event = world.put("acme/a.md", "a solitary wombat").await;
    world.converge(&event).await;
    assert_eq!(world.number("SELECT sum(chunk_total)::bigint FROM vouch.tenant_statistics").await, 1);
    assert!(world.number("SELECT count(*) FROM vouch.lexeme_statistics").await >= 2);
}
