//! Random histories of a small bucket: however its events are doubled, late and in the wrong order, and wherever work on
//! them is killed, the database ends equal to the bucket.
//!
//! `VOUCH_SEQUENCES` is how many histories (1000), `VOUCH_FIRST_SEQUENCE` the first one's number (0).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ingest::event::BucketEvent;
use ingest::object::Objects;
use ingest::pipeline::Pipeline;
use ingest::publish;
use ingest::report::Report;
use tokio_postgres::types::Type;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, Sql};
use vouch_shared::embedder::Embedder;
use vouch_shared::ids::TenantId;
use vouch_shared::test_db::TestDb;
use vouch_shared::tuning::Tuning;

use crate::bucket::{Bucket, Content, killed_after};
use crate::dice::Dice;
use crate::world::paragraphs;

const BUCKET: &str = "documents";

/// Histories that are played at a time.
const LANES: u64 = 4;

/// Changes of the bucket in one history.
const CHANGES: usize = 12;

/// Deliveries after which the events that are left must have led to the end.
const MAX_DRAIN: usize = 400;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect(name))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_any_history_of_the_bucket_the_database_equals_it() {
    let (first, count) = (setting("VOUCH_FIRST_SEQUENCE", 0), setting("VOUCH_SEQUENCES", 1000));
    let started = Instant::now();
    let db = TestDb::with_space(Embedder::hashing().space()).await;
    let root = db.superuser().await;
    let add = "INSERT INTO vouch.tenants (tenant_id) SELECT 't' || n FROM generate_series($1::bigint, $2::bigint) n";
    let (from, to) = (i64::try_from(first).unwrap(), i64::try_from(first + count).unwrap() - 1);
    root.execute(add, &[&from, &to]).await.expect("tenants");

    let next = Arc::new(AtomicU64::new(first));
    let mut lanes = tokio::task::JoinSet::new();
    for _ in 0..LANES {
        let (db, next) = (db.ingest(), Arc::clone(&next));
        lanes.spawn(async move {
            let mut played = Played::default();
            loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                if number >= first + count {
                    return played;
                }
                History::new(&db, number).play(&mut played).await;
            }
        });
    }
    let mut played = Played::default();
    while let Some(lane) = lanes.join_next().await {
        let lane = lane.expect("a history failed");
        played.deliveries += lane.deliveries;
        played.kills += lane.kills;
    }
    let orphans = "SELECT (SELECT count(*) FROM vouch.document_lexemes) - (SELECT count(*) FROM vouch.documents WHERE state = 'active')";
    let orphans: i64 = root.query_one(orphans, &[]).await.expect("orphans").get(0);
    assert_eq!(orphans, 0, "rows of lexemes of versions that do not stand");
    assert!(count < 100 || played.kills > count / 2, "hardly any work was killed");
    println!(
        "{count} sequences: {} deliveries, {} of them killed, in {:.1} s",
        played.deliveries,
        played.kills,
        started.elapsed().as_secs_f64()
    );
}

#[derive(Default)]
struct Played {
    deliveries: u64,
    kills: u64,
}

struct History {
    number: u64,
    auth: AuthContext,
    dice: Dice,
    bucket: Arc<Bucket>,
    pipeline: Pipeline,
    waiting: Vec<BucketEvent>,
}

impl History {
    fn new(db: &Database, number: u64) -> Self {
        let mut dice = Dice::new(number);
        let bucket = Arc::new(Bucket::new(BUCKET, dice.below(4) > 0));
        let pipeline = Pipeline {
            db: db.clone(),
            embedder: Embedder::hashing(),
            objects: Objects::of(Arc::clone(&bucket) as Arc<dyn ingest::object::Store>),
            bucket: BUCKET.to_owned(),
            max_object_bytes: 100_000,
            tuning: Tuning::shipped(),
        };
        let tenant = TenantId::parse(&format!("t{number}")).expect("tenant");
        Self { number, auth: AuthContext::for_writer(tenant), dice, bucket, pipeline, waiting: Vec::new() }
    }

    async fn play(mut self, played: &mut Played) {
        for _ in 0..CHANGES {
            if let Some(event) = self.change() {
                if self.dice.below(4) == 0 {
                    self.waiting.push(event.clone());
                }
                self.waiting.push(event);
            }
            if self.dice.below(3) > 0 {
                self.deliver(true, played).await;
            }
        }
        let mut left = MAX_DRAIN;
        while !self.waiting.is_empty() {
            assert!(left > 0, "sequence {}: its events never come to an end", self.number);
            left -= 1;
            self.deliver(false, played).await;
        }
        self.check().await;
    }

    /// Something happens to the bucket.
    fn change(&mut self) -> Option<BucketEvent> {
        let dice = &mut self.dice;
        let names = ["a.md", "b c+d (1).txt", "x/\u{e9}"];
        let key = format!("{}/{}", self.auth.tenant(), names[dice.below(names.len())]);
        let scopes = [None, Some("everyone"), Some("hr board"), Some("")][dice.below(4)];
        match dice.below(12) {
            0 | 1 => Some(self.bucket.delete(&key)),
            2 => self.bucket.delete_version(&key, dice.below(8)),
            3 => self.bucket.undelete(&key),
            4 => self.bucket.restore(&key, dice.below(8)),
            5 => self.bucket.tag(&key, scopes),
            n => {
                let body = match dice.below(8) {
                    0 => String::new(),
                    1 => "%PDF-1.7 of a kind that is not read".to_owned(),
                    m => paragraphs(&format!("topic{}", m % 3), [1, 2, 5, 40][n % 4]),
                };
                let content_type = ["text/plain", "text/markdown", ""][dice.below(3)];
                Some(self.bucket.put(&key, Content { body, content_type, scopes }))
            }
        }
    }

    /// One or two events in any order, at the same time, are worked on; who is killed is asked again.
    async fn deliver(&mut self, may_be_killed: bool, played: &mut Played) {
        let mut taken = Vec::new();
        for _ in 0..=self.dice.below(2) {
            if !self.waiting.is_empty() {
                let event = self.waiting.swap_remove(self.dice.below(self.waiting.len()));
                let is_killed = may_be_killed && self.dice.below(3) == 0;
                let polls = if is_killed { 1 + self.dice.below(60) } else { usize::MAX };
                taken.push((event, polls));
            }
        }
        let mut tasks = tokio::task::JoinSet::new();
        for (event, polls) in taken {
            let pipeline = self.pipeline.clone();
            tasks.spawn(async move {
                let done = killed_after(polls, pipeline.converge(&event, &mut Report::default())).await;
                (event, done)
            });
        }
        // Meanwhile the bucket goes on.
        if may_be_killed
            && self.dice.below(4) == 0
            && let Some(event) = self.change()
        {
            self.waiting.push(event);
        }
        while let Some(joined) = tasks.join_next().await {
            let (event, done) = joined.expect("a worker panicked");
            played.deliveries += 1;
            match done {
                Some(Ok(_)) => {}
                // Overtaken again and again: the queue delivers it once more.
                Some(Err(ingest::pipeline::Fault::Overtaken)) => self.waiting.push(event),
                Some(Err(fault)) => panic!("sequence {}: {fault}", self.number),
                None => {
                    played.kills += 1;
                    self.waiting.push(event);
                }
            }
        }
    }

    /// The database, as the role that writes sees it, equals the bucket.
    async fn check(&self) {
        let db = &self.pipeline.db;
        let number = self.number;
        assert!(publish::fold(db, &self.auth).await.expect("fold"), "sequence {number}");
        let uri = |key: &String| format!("s3://{BUCKET}/{key}");
        let mut expected = BTreeMap::new();
        for (key, content) in self.bucket.contents() {
            let is_read = !content.body.is_empty() && !content.body.starts_with("%PDF");
            let mut scopes: Vec<String> = content.scopes.map_or_else(
                || vec!["everyone".into()],
                |s| s.split_whitespace().map(str::to_owned).collect(),
            );
            scopes.sort();
            let (state, text) = if is_read { ("active", content.body) } else { ("failed", String::new()) };
            expected.insert(uri(&key), (state.to_owned(), scopes, text));
        }
        let sql = Sql::fixed(include_str!("stands.sql"));
        let mut actual = BTreeMap::new();
        for row in db.read(&self.auth, None, &sql, &[]).await.expect("stands") {
            let (uri, state, mut scopes, text): (String, String, Vec<String>, String) =
                (row.get(0), row.get(1), row.get(2), row.get(3));
            scopes.sort();
            assert!(actual.insert(uri, (state, scopes, text)).is_none(), "sequence {number}: two stand");
        }
        assert_eq!(actual, expected, "sequence {number}: the database does not equal the bucket");
        for (what, sql) in [
            ("orphans", Sql::fixed(include_str!("orphans.sql"))),
            ("statistics that are not those of a recount", Sql::fixed(include_str!("recount.sql"))),
        ] {
            let rows =
                db.read(&self.auth, None, &sql, &[] as &[(&(dyn tokio_postgres::types::ToSql + Sync), Type)]);
            let wrong: i64 = rows.await.expect(what)[0].get(0);
            assert_eq!(wrong, 0, "sequence {number}: {what}");
        }
    }
}
