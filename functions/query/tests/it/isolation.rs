//! No principal gets a row that is not its own: every way of reading is compared with what a plain loop over
//! the stored documents says is visible.

use std::collections::BTreeSet;
use std::sync::Arc;

use http::Method;
use query::http::request::{Filters, Mode, SearchRequest};
use query::retrieve::Retriever;
use time::OffsetDateTime;
use time::macros::datetime;
use uuid::Uuid;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::Sql;
use vouch_shared::ids::{ChunkId, DocumentId, TenantId};

use crate::world::{Caller, Document, World};

const TENANTS: [&str; 3] = ["acme", "acme-2", "globex"];
const SCOPES: [&str; 4] = ["everyone", "hr", "board", "board-2"];

/// Instants between and around which versions are valid.
const DAYS: [OffsetDateTime; 5] = [
    datetime!(2026-01-01 00:00 UTC),
    datetime!(2026-02-01 00:00 UTC),
    datetime!(2026-03-01 00:00 UTC),
    datetime!(2026-04-01 00:00 UTC),
    datetime!(2026-05-01 00:00 UTC),
];

/// A small generator with a seed, so that a failure can be run again.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // Steele, Lea and Flood's SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % n as u64).unwrap()
    }

    fn some_of<'a>(&mut self, all: &[&'a str]) -> Vec<&'a str> {
        all.iter().copied().filter(|_| self.below(3) == 0).collect()
    }
}

fn random_documents(random: &mut Random, count: usize) -> Vec<Document> {
    (0..count)
        .map(|n| {
            let path = format!("{}/d{n}.md", ["x", "y", "x/y"][random.below(3)]);
            let chunks: Vec<String> =
                (0..=random.below(3)).map(|c| format!("common word number {n} {c}")).collect();
            let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
            let document =
                Document::new(TENANTS[random.below(3)], &path, &chunks).scopes(&random.some_of(&SCOPES));
            let from = random.below(4);
            let to = from + 1 + random.below(4 - from);
            match random.below(6) {
                0 => document.state("ingesting"),
                1 => document.valid(DAYS[from], Some(DAYS[to])).state("superseded"),
                2 => document.valid(DAYS[from], Some(DAYS[to])).state("deleted"),
                _ => document.valid(DAYS[from], None),
            }
        })
        .collect()
}

/// What the rules say, without a database.
fn is_visible(document: &Document, auth: &AuthContext, filters: &Filters) -> bool {
    let Some(from) = document.valid_from else { return false };
    let scoped = document.scopes.iter().any(|scope| auth.scopes().contains(scope));
    let timely = match filters.as_of {
        None => document.valid_to.is_none(),
        Some(as_of) => from <= as_of && document.valid_to.is_none_or(|to| to > as_of),
    };
    document.tenant == auth.tenant().as_str()
        && scoped
        && timely
        && filters.source_prefix.as_ref().is_none_or(|prefix| document.source_uri.starts_with(prefix))
        && filters.since.is_none_or(|since| from >= since)
        && filters.until.is_none_or(|until| from < until)
        && filters.document_ids.as_ref().is_none_or(|ids| ids.contains(&document.id()))
}

fn random_filters(random: &mut Random, documents: &[Document], tenant: &str) -> Filters {
    let mut filters = Filters::default();
    let day = |random: &mut Random| DAYS[random.below(DAYS.len())];
    match random.below(6) {
        0 => filters.source_prefix = Some(format!("s3://vouch-documents/{tenant}/x")),
        1 => filters.since = Some(day(random)),
        2 => filters.until = Some(day(random)),
        3 => filters.as_of = Some(day(random)),
        4 => {
            filters.document_ids = Some(
                (0..40).map(|_| documents[random.below(documents.len())].id()).collect::<Vec<DocumentId>>(),
            )
        }
        _ => {}
    }
    filters
}

async fn found(
    retriever: &Retriever,
    auth: &AuthContext,
    filters: &Filters,
    mode: Mode,
) -> BTreeSet<ChunkId> {
    let request =
        SearchRequest { query: "common word".into(), filters: filters.clone(), top_k: 10_000, mode };
    let result = retriever.search(auth, &request).await.unwrap();
    let hits = result.hits.iter().map(|hit| hit.chunk.chunk_id);
    let around = result.hits.iter().flat_map(|hit| &hit.neighbours).map(|chunk| chunk.chunk_id);
    hits.chain(around).collect()
}

#[tokio::test]
async fn every_search_gives_exactly_what_the_principal_may_see() {
    let mut random = Random(1);
    let documents = random_documents(&mut random, 160);
    let world = World::of(&TENANTS, &documents).await;
    // Long enough lists that nothing visible is cut off; once read exactly, once by the index.
    let exact = world.retriever(|tuning| tuning.candidates_per_arm = 1_000);
    let by_index = world.retriever(|tuning| {
        tuning.candidates_per_arm = 1_000;
        tuning.exact_scan_limit = 0;
    });
    let mut compared = 0;
    for round in 0..60 {
        let tenant = TENANTS[random.below(3)];
        let auth = AuthContext::for_test(TenantId::parse(tenant).unwrap(), &random.some_of(&SCOPES));
        let filters = random_filters(&mut random, &documents, tenant);
        let expected: BTreeSet<ChunkId> = documents
            .iter()
            .filter(|document| is_visible(document, &auth, &filters))
            .flat_map(|document| (0..document.chunks.len()).map(|n| document.chunk_id(n)))
            .collect();
        compared += expected.len();
        for (retriever, mode) in [
            (&exact, Mode::Dense),
            (&exact, Mode::Lexical),
            (&exact, Mode::Hybrid),
            (&by_index, Mode::Dense),
            (&by_index, Mode::Hybrid),
        ] {
            let found = found(retriever, &auth, &filters, mode).await;
            assert_eq!(found, expected, "round {round}: {auth:?} {filters:?} {mode:?}");
        }
    }
    assert!(compared > 300, "the seed makes no test: {compared} chunks were visible in all");
}

/// The principal's visible chunks by a statement without any filter of its own.
async fn visible_by_policy(
    world: &World,
    auth: &AuthContext,
    as_of: Option<OffsetDateTime>,
) -> BTreeSet<ChunkId> {
    let tables = [
        Sql::fixed("SELECT chunk_id FROM vouch.document_chunks"),
        Sql::in_space("SELECT chunk_id FROM vouch.embeddings_of_space", &world.embedder.space().id),
    ];
    let mut seen = Vec::new();
    for sql in tables {
        let rows = world.db.query().read(auth, as_of, &sql, &[]).await.unwrap();
        seen.push(rows.iter().map(|row| row.get::<_, Uuid>(0).into()).collect::<BTreeSet<ChunkId>>());
    }
    assert_eq!(seen[0], seen[1], "chunks and embeddings");
    seen.remove(0)
}

/// Each of the two walls is tried alone: the policies under statements that filter nothing, and the statements'
/// own filters with the policies switched off.
#[tokio::test]
async fn policies_and_statements_each_hold_alone() {
    let mut random = Random(4);
    let documents = random_documents(&mut random, 80);
    let world = World::of(&TENANTS, &documents).await;
    let service = world.service();
    let retriever = world.retriever(|tuning| tuning.candidates_per_arm = 1_000);
    let cases: Vec<(AuthContext, Filters)> = (0..25)
        .map(|n| {
            let auth =
                AuthContext::for_test(TenantId::parse(TENANTS[n % 3]).unwrap(), &random.some_of(&SCOPES));
            (auth, Filters { as_of: (n % 4 == 0).then_some(DAYS[n % 5]), ..Filters::default() })
        })
        .collect();
    let expected = |auth: &AuthContext, filters: &Filters| -> BTreeSet<ChunkId> {
        let visible = documents.iter().filter(|document| is_visible(document, auth, filters));
        visible.flat_map(|document| (0..document.chunks.len()).map(|n| document.chunk_id(n))).collect()
    };
    for (auth, filters) in &cases {
        // Live chunks stay visible beside those of the instant asked for; which of them a search wants is its own matter.
        let now = if filters.as_of.is_some() { expected(auth, &Filters::default()) } else { BTreeSet::new() };
        let allowed: BTreeSet<ChunkId> = expected(auth, filters).union(&now).copied().collect();
        assert_eq!(visible_by_policy(&world, auth, filters.as_of).await, allowed, "{auth:?} {filters:?}");
    }
    let space = world.embedder.space().id.table();
    for table in ["vouch.documents", "vouch.document_chunks", &space] {
        world.root.batch_execute(&format!("ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")).await.unwrap();
    }
    for (auth, filters) in &cases {
        for mode in [Mode::Dense, Mode::Lexical, Mode::Hybrid] {
            assert_eq!(
                found(&retriever, auth, filters, mode).await,
                expected(auth, filters),
                "{auth:?} {filters:?} {mode:?}"
            );
        }
    }
    let caller = Caller::of("acme", &["hr"]);
    for document in &documents {
        let held = document.tenant == "acme"
            && document.scopes.iter().any(|scope| scope == "hr" || scope == "everyone");
        let live = held && document.valid_from.is_some() && document.valid_to.is_none();
        let (status, _) = caller.get(&service, &format!("/v1/documents/{}", document.id())).await;
        assert_eq!(status, if held { 200 } else { 404 }, "{document:?}");
        let (status, _) = caller.get(&service, &format!("/v1/chunks/{}", document.chunk_id(0))).await;
        assert_eq!(status, if live { 200 } else { 404 }, "{document:?}");
    }
}

#[tokio::test]
async fn every_read_by_id_gives_exactly_what_the_principal_may_see() {
    let mut random = Random(2);
    let documents = random_documents(&mut random, 40);
    let world = World::of(&TENANTS, &documents).await;
    let service = world.service();
    for _ in 0..6 {
        let (tenant, scopes) = (TENANTS[random.below(3)], random.some_of(&SCOPES));
        let caller = Caller::of(tenant, &scopes);
        // Claims add the scope that all principals hold.
        let held: Vec<&str> = scopes.iter().copied().chain(["everyone"]).collect();
        let auth = AuthContext::for_test(TenantId::parse(tenant).unwrap(), &held);
        for document in &documents {
            let known = document.tenant == tenant
                && document.scopes.iter().any(|scope| held.contains(&scope.as_str()));
            let (status, _) = caller.get(&service, &format!("/v1/documents/{}", document.id())).await;
            assert_eq!(status, if known { 200 } else { 404 }, "{auth:?} {document:?}");
            let readable = is_visible(document, &auth, &Filters::default());
            let (status, _) = caller.get(&service, &format!("/v1/chunks/{}", document.chunk_id(0))).await;
            assert_eq!(status, if readable { 200 } else { 404 }, "{auth:?} {document:?}");
        }
    }
}

#[tokio::test]
async fn neighbours_obey_the_same_rules_as_hits() {
    // Two versions, and a foreign document, with the same ordinals.
    let old = Document::new("acme", "a.md", &["alpha one", "beta two", "gamma three"])
        .version("v0")
        .valid(DAYS[0], Some(DAYS[1]))
        .state("superseded");
    let new = Document::new("acme", "a.md", &["alpha four", "beta five", "gamma six"]);
    let foreign = Document::new("globex", "a.md", &["alpha", "beta", "gamma"]);
    let world = World::of(&TENANTS, &[old, new, foreign]).await;
    let (_, body) = Caller::of("acme", &[])
        .post(
            &world.service(),
            "/v1/search",
            &serde_json::json!({"query": "beta", "mode": "lexical", "top_k": 5}),
        )
        .await;
    let hits = body["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0]["excerpt"], "beta five");
    let around: Vec<&str> =
        hits[0]["neighbours"].as_array().unwrap().iter().map(|n| n["excerpt"].as_str().unwrap()).collect();
    assert_eq!(around, ["alpha four", "gamma six"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn principals_that_ask_at_the_same_time_do_not_see_each_others_rows() {
    let mut random = Random(3);
    let documents = random_documents(&mut random, 60);
    let world = World::of(&TENANTS, &documents).await;
    let retriever = Arc::new(world.retriever(|tuning| tuning.candidates_per_arm = 1_000));
    let documents = Arc::new(documents);
    let principals: Vec<AuthContext> = TENANTS
        .iter()
        .flat_map(|tenant| {
            [&["everyone"][..], &["hr"], &["board"], &["board-2", "hr"]].map(|scopes| (*tenant, scopes))
        })
        .map(|(tenant, scopes)| AuthContext::for_test(TenantId::parse(tenant).unwrap(), scopes))
        .collect();
    // More askers than the pool has connections, so each connection serves many principals in turn.
    let askers: Vec<_> = (0..principals.len())
        .map(|first| {
            let (retriever, documents, principals) =
                (Arc::clone(&retriever), Arc::clone(&documents), principals.clone());
            tokio::spawn(async move {
                for turn in 0..10 {
                    let auth = &principals[(first + turn) % principals.len()];
                    let filters = Filters { as_of: (turn % 3 == 0).then_some(DAYS[2]), ..Filters::default() };
                    let expected: BTreeSet<ChunkId> = documents
                        .iter()
                        .filter(|document| is_visible(document, auth, &filters))
                        .flat_map(|document| (0..document.chunks.len()).map(|n| document.chunk_id(n)))
                        .collect();
                    assert_eq!(found(&retriever, auth, &filters, Mode::Hybrid).await, expected);
                }
            })
        })
        .collect();
    for asker in askers {
        asker.await.unwrap();
    }
}

#[tokio::test]
async fn a_second_search_knows_nothing_of_the_first() {
    let world = World::of(
        &["acme"],
        &[
            Document::new("acme", "a.md", &["apples and pears"]),
            Document::new("acme", "b.md", &["bolts and nuts"]),
        ],
    )
    .await;
    let (service, caller) = (world.service(), Caller::of("acme", &[]));
    let search = |query: &'static str| {
        let (service, caller) = (&service, &caller);
        async move {
            let body = serde_json::json!({"query": query, "mode": "lexical"});
            let (_, found) = caller.post(service, "/v1/search", &body).await;
            found["hits"]
                .as_array()
                .unwrap()
                .iter()
                .map(|hit| hit["title"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        }
    };
    assert_eq!(search("\"apples and pears\"").await, ["a.md"]);
    assert_eq!(search("bolts").await, ["b.md"]);
    assert_eq!(search("apples").await, ["a.md"]);
}

#[tokio::test]
async fn a_tenant_named_in_body_query_or_path_changes_nothing() {
    let world = World::of(&TENANTS, &[Document::new("globex", "a.md", &["common word"])]).await;
    let (service, caller) = (world.service(), Caller::of("acme", &[]));
    for body in [
        "{\"query\": \"common\", \"tenant\": \"globex\"}",
        "{\"query\": \"common\", \"filters\": {\"tenant\": \"globex\"}}",
    ] {
        assert_eq!(caller.send(&service, Method::POST, "/v1/search", body.as_bytes()).await.status, 422);
    }
    assert_eq!(caller.get(&service, "/v1/documents?tenant=globex").await.0, 422);
    let prefix =
        serde_json::json!({"query": "common", "filters": {"source_prefix": "s3://vouch-documents/globex/"}});
    let (status, body) = caller.post(&service, "/v1/search", &prefix).await;
    assert_eq!((status, body["hits"].as_array().unwrap().len()), (200, 0));
}
