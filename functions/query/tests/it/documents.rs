//! Listing: order, pages, prefixes, and what others may not see.

use serde_json::Value;
use time::macros::datetime;

use crate::world::{Caller, Document, MARCH, World};

fn uris(page: &Value) -> Vec<String> {
    page["documents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["source_uri"].as_str().unwrap().to_owned())
        .collect()
}

async fn all_pages(caller: &Caller, world: &World, parameters: &str, limit: usize) -> Vec<String> {
    let service = world.service();
    let mut found = Vec::new();
    let mut target = format!("/v1/documents?limit={limit}{parameters}");
    loop {
        let (status, page) = caller.get(&service, &target).await;
        assert_eq!(status, 200, "{page}");
        found.extend(uris(&page));
        match page["next_cursor"].as_str() {
            None => return found,
            Some(cursor) => target = format!("/v1/documents?limit={limit}{parameters}&cursor={cursor}"),
        }
    }
}

#[tokio::test]
async fn pages_of_any_size_give_every_document_once_in_order() {
    let paths = ["b.md", "a.md", "B.md", "ä.md", "a/b.md", "a%b.md", "a_b.md", "aXb.md", "z z.md"];
    let mut documents: Vec<Document> =
        paths.iter().map(|path| Document::new("acme", path, &["text"])).collect();
    // Two versions of one source stand beside each other.
    documents.push(
        Document::new("acme", "b.md", &["text"])
            .version("v0")
            .state("superseded")
            .valid(datetime!(2026-01-01 00:00 UTC), Some(MARCH)),
    );
    let world = World::of(&["acme"], &documents).await;
    let mut expected: Vec<String> = documents.iter().map(|d| d.source_uri.clone()).collect();
    expected.sort();
    for limit in [1, 2, 3, 50] {
        assert_eq!(all_pages(&Caller::of("acme", &[]), &world, "", limit).await, expected, "{limit} a page");
    }
}

#[tokio::test]
async fn a_prefix_is_taken_as_it_stands() {
    let paths = ["a%b.md", "a_b.md", "aXb.md", "a\\b.md"];
    let documents: Vec<Document> = paths.iter().map(|path| Document::new("acme", path, &["text"])).collect();
    let world = World::of(&["acme"], &documents).await;
    let caller = Caller::of("acme", &[]);
    for path in paths {
        let prefix = format!("s3://vouch-documents/acme/{}", path.trim_end_matches("b.md"));
        let found = all_pages(&caller, &world, &format!("&prefix={prefix}"), 50).await;
        assert_eq!(found, [format!("s3://vouch-documents/acme/{path}")], "{path}");
    }
}

#[tokio::test]
async fn a_state_is_a_filter_and_a_failed_document_says_why() {
    let world = World::of(
        &["acme"],
        &[Document::new("acme", "good.md", &["text"]), Document::new("acme", "bad.pdf", &[]).state("failed")],
    )
    .await;
    let (_, page) = Caller::of("acme", &[]).get(&world.service(), "/v1/documents?state=failed").await;
    assert_eq!(uris(&page), ["s3://vouch-documents/acme/bad.pdf"]);
    assert_eq!(page["documents"][0]["failure_reason"], "the file is encrypted");
}

#[tokio::test]
async fn a_document_of_others_and_one_that_does_not_exist_answer_alike() {
    let secret = Document::new("acme", "secret.md", &["text"]).scopes(&["board"]);
    let foreign = Document::new("globex", "plain.md", &["text"]);
    let world = World::of(&["acme", "globex"], &[secret.clone(), foreign.clone()]).await;
    let (service, caller) = (world.service(), Caller::of("acme", &["hr"]));
    let missing = caller.get(&service, "/v1/documents/00000000-0000-4000-8000-000000000000").await;
    let missing_chunk = caller.get(&service, "/v1/chunks/00000000-0000-4000-8000-000000000000").await;
    assert_eq!((missing.0, missing_chunk.0), (404, 404));
    for document in [&secret, &foreign] {
        assert_eq!(caller.get(&service, &format!("/v1/documents/{}", document.id())).await, missing);
        assert_eq!(
            caller.get(&service, &format!("/v1/chunks/{}", document.chunk_id(0))).await,
            missing_chunk
        );
    }
}

#[tokio::test]
async fn a_chunk_of_a_superseded_version_is_found_at_its_time_only() {
    let old = Document::new("acme", "a.md", &["old text"])
        .version("v0")
        .state("superseded")
        .valid(datetime!(2026-01-01 00:00 UTC), Some(MARCH));
    let world = World::of(&["acme"], &[old.clone(), Document::new("acme", "a.md", &["new text"])]).await;
    let (service, caller) = (world.service(), Caller::of("acme", &[]));
    let path = format!("/v1/chunks/{}", old.chunk_id(0));
    assert_eq!(caller.get(&service, &path).await.0, 404);
    assert_eq!(caller.get(&service, &format!("{path}?as_of=2026-02-01T00:00:00Z")).await.0, 200);
    assert_eq!(caller.get(&service, &format!("{path}?as_of=2026-03-02T00:00:00Z")).await.0, 404);
    assert_eq!(caller.get(&service, &format!("{path}?as_of=yesterday")).await.0, 422);
}
