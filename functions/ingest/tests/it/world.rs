//! A tenant, a bucket and a pipeline of one test's own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use aws_sdk_s3::Client;
use aws_sdk_s3::types::{BucketVersioningStatus, VersioningConfiguration};
use ingest::batch;
use ingest::event::{Delivery, Item, parse};
use ingest::object::Objects;
use ingest::pipeline::{Fault, Pipeline};
use ingest::report::{Outcome, Report};
use serde_json::{Value, json};
use tokio_postgres::types::{ToSql, Type};
use vouch_shared::auth::AuthContext;
use vouch_shared::db::Sql;
use vouch_shared::embedder::Embedder;
use vouch_shared::ids::TenantId;
use vouch_shared::test_db::TestDb;

pub struct World {
    pub db: TestDb,
    pub s3: Client,
    pub bucket: String,
    pub pipeline: Arc<Pipeline>,
    root: tokio_postgres::Client,
    clock: AtomicU64,
}

pub async fn s3() -> Client {
    let endpoint = std::env::var("VOUCH_TEST_AWS_ENDPOINT").expect(
        "VOUCH_TEST_AWS_ENDPOINT is not set: run the tests by `vouch local test -- cargo test -p ingest`",
    );
    let sdk = vouch_shared::aws::sdk_config().await;
    let config =
        aws_sdk_s3::config::Builder::from(&sdk).endpoint_url(endpoint).force_path_style(true).build();
    Client::from_conf(config)
}

impl World {
    /// With tenant `acme` and a bucket that keeps versions.
    pub async fn new() -> Self {
        let world = Self::without_versions().await;
        let keep = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
        let request = world.s3.put_bucket_versioning().bucket(&world.bucket).versioning_configuration(keep);
        request.send().await.expect("versioning");
        world
    }

    /// With a bucket that keeps the last version only.
    pub async fn without_versions() -> Self {
        // VOUCH_LOG=info shows what the function logs.
        if std::env::var_os("VOUCH_LOG").is_some() {
            vouch_shared::telemetry::init();
        }
        let embedder = Embedder::hashing();
        let db = TestDb::with_space(embedder.space()).await;
        db.tenant("acme").await;
        let s3 = s3().await;
        let bucket = format!("t-{}", uuid::Uuid::new_v4());
        s3.create_bucket().bucket(&bucket).send().await.expect("bucket");
        let pipeline = Arc::new(Pipeline {
            db: db.ingest(),
            embedder,
            objects: Objects::new(s3.clone()),
            bucket: bucket.clone(),
            max_object_bytes: 100_000,
            tuning: vouch_shared::tuning::Tuning::shipped(),
        });
        let root = db.superuser().await;
        Self { db, s3, bucket, pipeline, root, clock: AtomicU64::new(0xF0) }
    }

    /// Uploads, and gives the event that S3 would send.
    pub async fn put(&self, key: &str, body: impl Into<Vec<u8>>) -> Value {
        self.put_scoped(key, body, None).await
    }

    pub async fn put_scoped(&self, key: &str, body: impl Into<Vec<u8>>, scopes: Option<&str>) -> Value {
        let body: Vec<u8> = body.into();
        let size = body.len();
        let mut request = self.s3.put_object().bucket(&self.bucket).key(key).body(body.into());
        if let Some(scopes) = scopes {
            request = request.metadata("access-scope", scopes);
        }
        let answer = request.send().await.expect("put");
        self.event("ObjectCreated:Put", key, answer.version_id(), size)
    }

    pub async fn put_typed(&self, key: &str, body: &str, content_type: &str) -> Value {
        let request = self.s3.put_object().bucket(&self.bucket).key(key).content_type(content_type);
        let answer = request.body(body.as_bytes().to_vec().into()).send().await.expect("put");
        self.event("ObjectCreated:Put", key, answer.version_id(), body.len())
    }

    pub async fn delete(&self, key: &str) -> Value {
        let answer = self.s3.delete_object().bucket(&self.bucket).key(key).send().await.expect("delete");
        self.event("ObjectRemoved:DeleteMarkerCreated", key, answer.version_id(), 0)
    }

    pub async fn delete_version(&self, key: &str, version: &str) -> Value {
        let request = self.s3.delete_object().bucket(&self.bucket).key(key).version_id(version);
        request.send().await.expect("delete");
        self.event("ObjectRemoved:Delete", key, Some(version), 0)
    }

    /// An event with a sequencer above all before. They grow past FF, so that their lengths differ.
    pub fn event(&self, name: &str, key: &str, version: Option<&str>, size: usize) -> Value {
        let sequencer = format!("{:X}", self.clock.fetch_add(1, Ordering::SeqCst));
        let encoded: String =
            percent_encoding::utf8_percent_encode(key, percent_encoding::NON_ALPHANUMERIC).to_string();
        json!({
            "eventSource": "aws:s3", "eventName": name, "eventTime": "2026-01-01T00:00:00.000Z",
            "s3": {"bucket": {"name": self.bucket},
                   "object": {"key": encoded.replace("%20", "+"), "size": size, "versionId": version, "sequencer": sequencer}}
        })
    }

    /// One event, straight to the pipeline.
    pub async fn converge(&self, record: &Value) -> (Outcome, Report) {
        let mut report = Report::default();
        let outcome = self.try_converge(record, &mut report).await.expect("no fault");
        (outcome, report)
    }

    pub async fn try_converge(&self, record: &Value, report: &mut Report) -> Result<Outcome, Fault> {
        let Delivery::Direct(items) = parse(&json!({ "Records": [record] })) else { panic!("a queue") };
        let [Item::Event(event)] = &items[..] else { panic!("no event: {items:?}") };
        self.pipeline.converge(event, report).await
    }

    /// Events as a queue delivers them, one a message; gives the ids of the messages that are to come again.
    pub async fn deliver(&self, bodies: &[String]) -> Vec<String> {
        let messages = bodies
            .iter()
            .enumerate()
            .map(|(n, body)| json!({"messageId": n.to_string(), "eventSource": "aws:sqs", "body": body}));
        let payload = json!({ "Records": messages.collect::<Vec<_>>() });
        let answer =
            batch::handle(&self.pipeline, &payload).await.expect("a queue's delivery never fails whole");
        let failures = answer["batchItemFailures"].as_array().expect("batchItemFailures");
        failures.iter().map(|f| f["itemIdentifier"].as_str().expect("id").to_owned()).collect()
    }

    pub fn uri(&self, key: &str) -> String {
        format!("s3://{}/{key}", self.bucket)
    }

    /// The text of the live chunks of a document, as a reader with the scope `everyone` sees them.
    pub async fn visible(&self, key: &str) -> Vec<String> {
        self.visible_to(key, &["everyone"]).await
    }

    pub async fn visible_to(&self, key: &str, scopes: &[&str]) -> Vec<String> {
        let auth = AuthContext::for_test(TenantId::parse("acme").expect("tenant"), scopes);
        let sql = Sql::fixed(
            "SELECT c.content FROM vouch.document_chunks c JOIN vouch.documents d USING (tenant_id, document_id)
             JOIN vouch.embeddings_hashing_64 v USING (tenant_id, chunk_id)
             WHERE d.source_uri = $1 AND c.live AND v.live AND d.state = 'active' ORDER BY c.ordinal",
        );
        let uri = self.uri(key);
        let rows = self.db.query().read(&auth, None, &sql, &[(&uri, Type::TEXT)]).await.expect("read");
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// One number, seen past row-level security.
    pub async fn number(&self, sql: &str) -> i64 {
        self.root.query_one(sql, &[]).await.unwrap_or_else(|e| panic!("{sql}: {e:?}")).get(0)
    }

    /// One column of text, seen past row-level security.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let rows = self.root.query(sql, &[]).await.unwrap_or_else(|e| panic!("{sql}: {e:?}"));
        rows.iter().map(|row| row.get(0)).collect()
    }

    pub async fn execute(&self, sql: &str, params: &[&(dyn ToSql + Sync)]) {
        self.root.execute(sql, params).await.unwrap_or_else(|e| panic!("{sql}: {e:?}"));
    }

    /// States of the versions of an object, in order of their names, with the reasons of failures.
    pub async fn states(&self, key: &str) -> Vec<(String, String)> {
        let sql = "SELECT state, coalesce(failure_reason, '') FROM vouch.documents WHERE source_uri = $1 ORDER BY state";
        let rows = self.root.query(sql, &[&self.uri(key)]).await.expect("states");
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    /// The database equals the bucket: what is visible is what is there, and nothing is left of what is not.
    pub async fn check(&self) {
        let mut in_bucket = BTreeMap::new();
        let listing = self.s3.list_objects_v2().bucket(&self.bucket).send().await.expect("list");
        for object in listing.contents() {
            let key = object.key().expect("key").to_owned();
            let body = self.s3.get_object().bucket(&self.bucket).key(&key).send().await.expect("get").body;
            in_bucket
                .insert(key, String::from_utf8(body.collect().await.expect("body").to_vec()).expect("text"));
        }
        let mut active = BTreeMap::new();
        for row in self
            .root
            .query("SELECT source_uri FROM vouch.documents WHERE state = 'active'", &[])
            .await
            .expect("active")
        {
            let uri: String = row.get(0);
            let key = uri.strip_prefix(&self.uri("")).expect("bucket").to_owned();
            let text = self.visible(&key).await.join("\n\n");
            active.insert(key, text);
        }
        assert_eq!(active, in_bucket, "the database does not equal the bucket");
        assert_eq!(
            self.number("SELECT count(*) FROM vouch.document_chunks WHERE NOT live").await,
            0,
            "dead chunks"
        );
        let vectors = self.number("SELECT count(*) FROM vouch.embeddings_hashing_64").await;
        assert_eq!(vectors, self.number("SELECT count(*) FROM vouch.document_chunks").await, "vectors");
        assert_eq!(self.number("SELECT count(*) FROM vouch.documents WHERE state = 'ingesting'").await, 0);
        self.check_statistics().await;
    }

    /// The statistics are what counting the live chunks gives.
    pub async fn check_statistics(&self) {
        let auth = AuthContext::for_writer(TenantId::parse("acme").expect("tenant"));
        assert!(ingest::publish::fold(&self.pipeline.db, &auth).await.expect("fold"));
        let wrong = self.number(include_str!("recount.sql")).await;
        assert_eq!(wrong, 0, "lexemes whose frequency is not that of a recount");
        let total =
            self.number("SELECT coalesce(sum(chunk_total), 0)::bigint FROM vouch.tenant_statistics").await;
        assert_eq!(
            total,
            self.number("SELECT count(*) FROM vouch.document_chunks WHERE live").await,
            "chunk total"
        );
        assert_eq!(self.number("SELECT count(*) FROM vouch.document_lexemes WHERE live <> counted").await, 0);
    }
}

/// An event as a message's body.
pub fn body(record: &Value) -> String {
    json!({ "Records": [record] }).to_string()
}

/// Text of so many paragraphs, each long enough to be a chunk of its own.
pub fn paragraphs(topic: &str, n: usize) -> String {
    let paragraph = |i: usize| (0..26).map(|w| format!("{topic}{i}word{w}")).collect::<Vec<_>>().join(" ");
    (0..n).map(paragraph).collect::<Vec<_>>().join("\n\n")
}
