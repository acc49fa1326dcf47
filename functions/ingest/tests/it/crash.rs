//! The function killed in the middle.

use std::sync::Arc;
use std::time::Duration;

use ingest::report::Report;

use crate::world::{World, paragraphs};

#[tokio::test]
async fn killed_anywhere_it_loses_nothing_and_shows_no_half_of_a_document() {
    let world = Arc::new(World::new().await);
    let mut events = Vec::new();
    for after_ms in (0..120).step_by(8) {
        let text = paragraphs(&format!("k{after_ms}"), 70);
        let event = world.put("acme/a.md", text).await;
        let before = world.visible("acme/a.md").await;
        let task = {
            let (world, event) = (Arc::clone(&world), event.clone());
            tokio::spawn(async move { world.try_converge(&event, &mut Report::default()).await.map(|_| ()) })
        };
        tokio::time::sleep(Duration::from_millis(after_ms)).await;
        task.abort();
        let finished = task.await.is_ok();
        let visible = world.visible("acme/a.md").await;
        let whole = visible.len() >= 70
            && visible.iter().all(|chunk| {
                chunk.contains(&format!("k{after_ms}word")) || chunk.contains(&format!("k{after_ms}"))
            });
        assert!(visible == before || whole, "half a document after {after_ms} ms");
        events.push((event, finished));
    }
    let (last, _) = events.last().unwrap().clone();
    world.converge(&last).await;
    for (event, _) in &events {
        world.converge(event).await;
    }
    world.check().await;
    assert!(events.iter().any(|(_, finished)| !finished), "none was killed in the middle");
}
