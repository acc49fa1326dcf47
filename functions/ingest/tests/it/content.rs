//! What of a document is written, and what is paid for (FIELD: tails of shorter versions, NUL, empty chunks, UTF-8).

use ingest::report::Outcome;

use crate::world::{World, paragraphs};

#[tokio::test]
async fn a_shorter_version_leaves_no_chunks_behind() {
    let world = World::new().await;
    let long = world.put("acme/a.md", paragraphs("long", 90)).await;
    let (_, report) = world.converge(&long).await;
    assert!(report.chunks > 64, "more than two batches");
    let short = world.put("acme/a.md", paragraphs("short", 1)).await;
    world.converge(&short).await;
    assert_eq!(world.number("SELECT count(*) FROM vouch.document_chunks").await, 1);
    world.check().await;
}

#[tokio::test]
async fn an_edit_of_one_paragraph_embeds_few_chunks() {
    let world = World::new().await;
    let text = paragraphs("edit", 40);
    let first = world.put("acme/a.md", text.clone()).await;
    let (_, paid) = world.converge(&first).await;
    let edited = world.put("acme/a.md", text.replace("edit20word20", "another")).await;
    let (_, report) = world.converge(&edited).await;
    assert!(
        paid.chunks >= 40 && (1..=3).contains(&report.embedded),
        "{} of {}",
        report.embedded,
        paid.chunks
    );
    world.check().await;
}

#[tokio::test]
async fn a_nul_byte_poisons_nothing() {
    let world = World::new().await;
    let event = world.put("acme/a.txt", b"before\0after and\x01 more".to_vec()).await;
    assert_eq!(world.converge(&event).await.0, Outcome::Published);
    assert_eq!(world.visible("acme/a.txt").await, ["beforeafter and more"]);
}

#[tokio::test]
async fn a_whitespace_only_chunk_is_never_written() {
    let world = World::new().await;
    let event = world
        .put("acme/a.md", format!("one\n\n{}\n\n\u{200b}\n\n```\n\n```\n\ntwo", " \t".repeat(9_000)))
        .await;
    world.converge(&event).await;
    assert_eq!(world.number("SELECT count(*) FROM vouch.document_chunks WHERE content ~ '^\\s*$'").await, 0);
    let blank = world.put("acme/blank.md", " \n\n\u{feff}\n").await;
    assert!(matches!(world.converge(&blank).await.0, Outcome::Failed(r) if r.code == "empty"));
}

#[tokio::test]
async fn text_without_spaces_is_cut_inside_no_character() {
    let world = World::new().await;
    let text = "ẞ日本語👩‍🔬".repeat(1_500);
    let event = world.put("acme/a.txt", text.clone()).await;
    assert_eq!(world.converge(&event).await.0, Outcome::Published);
    let covered = world.number("SELECT max(byte_end) FROM vouch.document_chunks").await;
    assert_eq!(usize::try_from(covered).unwrap(), text.len());
    let wrong =
        "SELECT count(*) FROM vouch.document_chunks WHERE octet_length(content) <> byte_end - byte_start";
    assert_eq!(world.number(wrong).await, 0);
}

#[tokio::test]
async fn a_new_chunker_takes_the_place_of_the_old_one_all_at_once() {
    let world = World::new().await;
    let event = world.put("acme/a.md", paragraphs("cut", 50)).await;
    let (_, first) = world.converge(&event).await;
    // As if an earlier release had cut the document: other chunk ids under the same ordinals.
    world.execute("UPDATE vouch.documents SET chunker_version = 7", &[]).await;
    world.execute("ALTER TABLE vouch.embeddings_hashing_64 DROP CONSTRAINT embeddings_hashing_64_tenant_id_chunk_id_fkey", &[]).await;
    world.execute("UPDATE vouch.document_chunks SET chunk_id = md5(chunk_id::text)::uuid, content = 'old ' || content", &[]).await;
    world.execute("UPDATE vouch.embeddings_hashing_64 SET chunk_id = md5(chunk_id::text)::uuid", &[]).await;
    world.execute("ALTER TABLE vouch.embeddings_hashing_64 ADD CONSTRAINT embeddings_hashing_64_tenant_id_chunk_id_fkey
        FOREIGN KEY (tenant_id, chunk_id) REFERENCES vouch.document_chunks ON DELETE CASCADE", &[]).await;
    let (outcome, report) = world.converge(&event).await;
    assert_eq!((outcome, report.chunks, report.embedded), (Outcome::Published, first.chunks, 0));
    world.check().await;
}

#[tokio::test]
async fn vectors_that_a_space_lacks_are_added_to_the_version_that_stands() {
    let world = World::new().await;
    let event = world.put("acme/a.md", paragraphs("lack", 40)).await;
    world.converge(&event).await;
    world.execute("DELETE FROM vouch.embeddings_hashing_64 WHERE get_byte(input_sha, 0) < 128", &[]).await;
    let (outcome, report) = world.converge(&event).await;
    assert_eq!(outcome, Outcome::Published);
    assert!(report.embedded > 0 && report.embedded < report.chunks);
    world.check().await;
}

#[tokio::test]
async fn superseded_versions_are_kept_as_long_as_the_tenant_wants() {
    let world = World::new().await;
    world.execute("UPDATE vouch.tenants SET keep_superseded = '1 day'", &[]).await;
    for text in ["first", "second"] {
        let event = world.put("acme/a.md", text).await;
        world.converge(&event).await;
    }
    assert_eq!(world.visible("acme/a.md").await, ["second"]);
    let kept = "SELECT count(*) FROM vouch.document_chunks c JOIN vouch.embeddings_hashing_64 v USING (tenant_id, chunk_id)
        WHERE c.content = 'first' AND c.valid_to IS NOT NULL AND v.valid_to = c.valid_to";
    assert_eq!(world.number(kept).await, 1);
    world.check_statistics().await;
    world.execute("UPDATE vouch.documents SET valid_from = valid_from - interval '2 days', valid_to = valid_to - interval '2 days' WHERE state = 'superseded'", &[]).await;
    let event = world.put("acme/a.md", "third").await;
    world.converge(&event).await;
    assert_eq!(world.number("SELECT count(*) FROM vouch.document_chunks WHERE content = 'first'").await, 0);
    assert_eq!(world.number("SELECT count(*) FROM vouch.document_chunks WHERE content = 'second'").await, 1);
}
