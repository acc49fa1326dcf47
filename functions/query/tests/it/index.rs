//! The HNSW index against the exact scan: used where it should be, near enough, and never short of hits.

use query::http::request::{Filters, Mode, SearchRequest};
use query::retrieve::Retriever;
use vouch_shared::auth::AuthContext;
use vouch_shared::ids::TenantId;

use crate::world::{Document, World};

const WORDS: [&str; 40] = [
    "anchor", "basket", "candle", "dragon", "engine", "forest", "garden", "hammer", "island", "jacket",
    "kettle", "ladder", "magnet", "needle", "orange", "pencil", "quartz", "ribbon", "saddle", "temple",
    "umbrella", "valley", "window", "yellow", "zebra", "bridge", "copper", "desert", "feather", "granite",
    "harbor", "insect", "jungle", "kitchen", "lantern", "marble", "nickel", "oyster", "pepper", "rocket",
];

/// 1,500 chunks in one tenant: every 25th document is under `rare/`, every 10th for the board alone.
async fn large_library() -> World {
    let documents: Vec<Document> = (0..150_usize)
        .map(|n| {
            let chunks: Vec<String> = (0..10_usize)
                .map(|c| {
                    (0..8)
                        .map(|w| WORDS[(n * 7 + c * 11 + w * (n % 5 + 3)) % 40])
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect();
            let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
            let folder = if n % 25 == 0 { "rare" } else { "common" };
            let scope = if n % 10 == 0 { "board" } else { "everyone" };
            Document::new("acme", &format!("{folder}/d{n}.md"), &chunks).scopes(&[scope])
        })
        .collect();
    let small = Document::new("globex", "a.md", &["anchor basket", "candle dragon"]);
    let world = World::of(&["acme", "globex"], &documents).await;
    world.store(&[small]).await;
    world
}

fn by_index(world: &World) -> Retriever {
    world.retriever(|tuning| {
        tuning.exact_scan_limit = 0;
        tuning.candidates_per_arm = 20;
    })
}

fn exact(world: &World) -> Retriever {
    world.retriever(|tuning| tuning.candidates_per_arm = 20)
}

/// The cosines of the ten nearest, best first.
async fn dense(retriever: &Retriever, auth: &AuthContext, query: &str, filters: Filters) -> Vec<f64> {
    let request = SearchRequest { query: query.into(), filters, top_k: 10, mode: Mode::Dense };
    retriever.search(auth, &request).await.unwrap().hits.iter().map(|hit| hit.dense.unwrap().score).collect()
}

fn principal(tenant: &str, scopes: &[&str]) -> AuthContext {
    AuthContext::for_test(TenantId::parse(tenant).unwrap(), scopes)
}

async fn index_scans(world: &World) -> i64 {
    let row = world
        .root
        .query_one(
            "SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_indexes WHERE indexrelname LIKE 'embeddings\\_%\\_hnsw'",
            &[],
        )
        .await
        .unwrap();
    row.get(0)
}

#[tokio::test]
async fn the_index_finds_nearly_what_the_exact_scan_finds() {
    let world = large_library().await;
    let (exact, by_index) = (exact(&world), by_index(&world));
    for scopes in [&["everyone", "board"][..], &["everyone"], &["board"]] {
        let auth = principal("acme", scopes);
        let (mut wanted, mut got) = (0_usize, 0_u32);
        for pair in WORDS.windows(2) {
            let query = pair.join(" ");
            let truth = dense(&exact, &auth, &query, Filters::default()).await;
            let found = dense(&by_index, &auth, &query, Filters::default()).await;
            assert_eq!(found.len(), 10, "{query}");
            wanted += truth.len();
            // Many chunks lie equally near here, and either choice among equals is right: cosines are compared.
            got += found.iter().map(|cosine| u32::from(*cosine >= truth[9] - 1e-6)).sum::<u32>();
        }
        let recall = f64::from(got) / wanted as f64;
        assert!(recall >= 0.95, "recall@10 {recall} for {scopes:?}");
    }
}

#[tokio::test]
async fn a_filter_never_leaves_fewer_hits_than_match() {
    let world = large_library().await;
    // The scan of the index gives up after a few rows, as it does after 20,000 of a large table.
    let hasty = world.retriever(|tuning| {
        tuning.exact_scan_limit = 0;
        tuning.candidates_per_arm = 20;
        tuning.ef_search = 10;
        tuning.max_scan_tuples = 10;
    });
    let rare =
        Filters { source_prefix: Some("s3://vouch-documents/acme/rare/".into()), ..Filters::default() };
    for query in ["anchor basket", "zebra rocket", "pepper"] {
        let found = dense(&hasty, &principal("acme", &["everyone", "board"]), query, rare.clone()).await;
        assert_eq!(found.len(), 10, "60 chunks match: {query}");
        assert_eq!(dense(&hasty, &principal("acme", &["board"]), query, Filters::default()).await.len(), 10);
        assert_eq!(
            dense(&hasty, &principal("globex", &["everyone"]), query, Filters::default()).await.len(),
            2
        );
    }
}

#[tokio::test]
async fn a_large_view_uses_the_index_and_a_small_one_does_not() {
    let world = large_library().await;
    let auth = principal("acme", &["everyone", "board"]);
    let between = world.retriever(|tuning| {
        tuning.exact_scan_limit = 500;
        tuning.candidates_per_arm = 20;
    });
    let scans_of = async |retriever: &Retriever, auth: &AuthContext, filters: Filters| {
        let before = flushed(&world).await;
        dense(retriever, auth, "anchor basket", filters).await;
        flushed(&world).await - before
    };
    assert_eq!(scans_of(&between, &auth, Filters::default()).await, 1, "1,500 chunks");
    assert_eq!(
        scans_of(&between, &principal("acme", &["board"]), Filters::default()).await,
        0,
        "150 chunks by scope"
    );
    let rare =
        Filters { source_prefix: Some("s3://vouch-documents/acme/rare/".into()), ..Filters::default() };
    assert_eq!(scans_of(&between, &auth, rare).await, 0, "60 chunks by prefix");
    assert_eq!(
        scans_of(&between, &principal("globex", &["everyone"]), Filters::default()).await,
        0,
        "a small tenant"
    );
    assert_eq!(scans_of(&exact(&world), &auth, Filters::default()).await, 0, "below the shipped limit");
}

/// Index scans so far, once no backend of the reading role holds counts back.
async fn flushed(world: &World) -> i64 {
    world
        .root
        .batch_execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'vouch_query' AND datname = current_database();
             SELECT pg_stat_clear_snapshot()",
        )
        .await
        .unwrap();
    index_scans(world).await
}
