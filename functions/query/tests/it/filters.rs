//! Filters narrow, and never cost hits that match.

use serde_json::{Value, json};
use time::macros::datetime;

use crate::world::{Caller, Document, MARCH, World};

async fn found(world: &World, filters: Value) -> Vec<String> {
    let body = json!({"query": "report", "filters": filters, "top_k": 50});
    let (status, found) = Caller::of("acme", &[]).post(&world.service(), "/v1/search", &body).await;
    assert_eq!(status, 200, "{found}");
    let mut found: Vec<String> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["excerpt"].as_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

#[tokio::test]
async fn each_filter_narrows_by_what_it_says() {
    let january = datetime!(2026-01-01 00:00 UTC);
    let documents = [
        Document::new("acme", "q/a.md", &["report a, first"])
            .version("v0")
            .state("superseded")
            .valid(january, Some(MARCH)),
        Document::new("acme", "q/a.md", &["report a, second"]),
        Document::new("acme", "q/b.md", &["report b"]).valid(january, None),
        Document::new("acme", "r/c.md", &["report c"]).valid(datetime!(2026-04-01 00:00 UTC), None),
    ];
    let world = World::of(&["acme"], &documents).await;
    assert_eq!(found(&world, json!({})).await, ["report a, second", "report b", "report c"]);
    assert_eq!(
        found(&world, json!({"source_prefix": "s3://vouch-documents/acme/q/"})).await,
        ["report a, second", "report b"]
    );
    assert_eq!(
        found(&world, json!({"since": "2026-03-01T09:00:00Z"})).await,
        ["report a, second", "report c"]
    );
    assert_eq!(found(&world, json!({"until": "2026-03-01T09:00:00Z"})).await, ["report b"]);
    assert_eq!(
        found(&world, json!({"since": "2026-02-01T00:00:00Z", "until": "2026-03-15T00:00:00Z"})).await,
        ["report a, second"]
    );
    assert_eq!(
        found(&world, json!({"as_of": "2026-02-01T00:00:00Z"})).await,
        ["report a, first", "report b"]
    );
    assert_eq!(found(&world, json!({"as_of": "2025-12-31T00:00:00Z"})).await, Vec::<String>::new());
    assert_eq!(found(&world, json!({"document_ids": [documents[2].id()]})).await, ["report b"]);
    assert_eq!(found(&world, json!({"document_ids": [documents[0].id()]})).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_prefix_filter_knows_no_wildcards() {
    let world = World::of(
        &["acme"],
        &[Document::new("acme", "a_1.md", &["report x"]), Document::new("acme", "ab1.md", &["report y"])],
    )
    .await;
    assert_eq!(found(&world, json!({"source_prefix": "s3://vouch-documents/acme/a_"})).await, ["report x"]);
    assert_eq!(
        found(&world, json!({"source_prefix": "s3://vouch-documents/acme/%"})).await,
        Vec::<String>::new()
    );
}
