//! Where a run takes place: a fresh database and bucket, filled by the ingest function's own code, asked by the query function's.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use aws_sdk_s3::primitives::ByteStream;
use ingest::event::{BucketEvent, Kind, ObjectKey};
use ingest::object::Objects;
use ingest::pipeline::Pipeline;
use ingest::report::{Outcome, Report};
use query::answer::Floor;
use query::answer::extractive::Extractive;
use query::retrieve::Retriever;
use query::similarity::EmbedderSimilarity;
use tokio::task::JoinSet;
use uuid::Uuid;
use vouch_shared::auth::AuthContext;
use vouch_shared::aws::sdk_config;
use vouch_shared::embedder::{Embedder, LocalModel};
use vouch_shared::test_db::TestDb;
use vouch_shared::tuning::{RetrievalTuning, Tuning};

use crate::corpus::Corpus;

const TENANT: &str = "eval";

/// Documents worked on at a time: while one embeds, others read and write.
const DOCUMENTS_AT_A_TIME: usize = 3;

/// The limit that the ingest function has by default.
const MAX_OBJECT_BYTES: u64 = 50 * 1024 * 1024;

/// A filled database, ready to be asked.
pub struct Stand {
    /// Finds passages, with the numbers of `tuning`.
    pub retriever: Retriever,
    /// Drafts answers without a model.
    pub answerer: Extractive<EmbedderSimilarity>,
    /// What counts as evidence.
    pub floor: Floor,
    /// Hits that an answer draws on.
    pub top_k: usize,
    /// Who asks.
    pub auth: AuthContext,
    /// What ingesting took.
    pub ingested: Ingested,
    uri_prefix: String,
    embedder: Embedder,
    database: TestDb,
}

/// What ingesting a corpus took.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ingested {
    /// Documents published.
    pub documents: usize,
    /// Their chunks.
    pub chunks: usize,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

impl Stand {
    /// Makes a database and a bucket on the servers that `vouch local test` started, and ingests the corpus.
    ///
    /// # Errors
    /// When the environment is not that of `vouch local test`, or a document is not published.
    pub async fn fill(corpus: &Corpus, tuning: &'static Tuning) -> Result<Self> {
        let needs = "run it as `make eval`, or behind `vouch local test --`";
        let endpoint = std::env::var("VOUCH_TEST_AWS_ENDPOINT").context(needs)?;
        let model_dir = PathBuf::from(std::env::var("VOUCH_MODEL_DIR").context(needs)?);
        std::env::var("VOUCH_TEST_POSTGRES").context(needs)?;

        let embedder = Embedder::Local(Arc::new(LocalModel::load(&model_dir)?));
        let database = TestDb::with_space(embedder.space()).await;
        let writer = database.tenant(TENANT).await;
        let bucket = format!("eval-{}", Uuid::new_v4().simple());
        let client = bucket_client(&endpoint).await;
        client.create_bucket().bucket(&bucket).send().await.context("making the bucket")?;

        let pipeline = Pipeline {
            db: database.ingest(),
            embedder: embedder.clone(),
            objects: Objects::new(client.clone()),
            bucket: bucket.clone(),
            max_object_bytes: MAX_OBJECT_BYTES,
            tuning,
        };
        let ingested = ingest_all(&pipeline, &client, corpus).await?;
        while !ingest::publish::fold(&pipeline.db, &writer).await? {
            tokio::task::yield_now().await;
        }

        let reader = AuthContext::for_test(writer.tenant().clone(), &["everyone"]);
        Ok(Self {
            retriever: Retriever::new(database.query(), embedder.clone(), &tuning.retrieval),
            answerer: Extractive::new(EmbedderSimilarity::new(embedder.clone())),
            floor: Floor {
                min_cosine: tuning.evidence.min_cosine,
                min_coverage: tuning.evidence.min_coverage,
            },
            top_k: tuning.retrieval.top_k,
            auth: reader,
            ingested,
            uri_prefix: format!("s3://{bucket}/{TENANT}/"),
            embedder,
            database,
        })
    }

    /// A retriever over the same documents with other numbers.
    #[must_use]
    pub fn retriever_with(&self, tuning: &RetrievalTuning) -> Retriever {
        Retriever::new(self.database.query(), self.embedder.clone(), tuning)
    }

    /// The path in the corpus of a document's URI.
    #[must_use]
    pub fn path_of<'a>(&self, source_uri: &'a str) -> &'a str {
        source_uri.strip_prefix(&self.uri_prefix).unwrap_or(source_uri)
    }
}

async fn bucket_client(endpoint: &str) -> aws_sdk_s3::Client {
    let config = aws_sdk_s3::config::Builder::from(&sdk_config().await)
        .endpoint_url(endpoint)
        // One host serves every bucket.
        .force_path_style(true)
        .build();
    aws_sdk_s3::Client::from_conf(config)
}

async fn ingest_all(pipeline: &Pipeline, client: &aws_sdk_s3::Client, corpus: &Corpus) -> Result<Ingested> {
    let started = Instant::now();
    let mut ingested = Ingested::default();
    let mut running: JoinSet<Result<Report>> = JoinSet::new();
    for (path, bytes) in corpus.iter() {
        if running.len() >= DOCUMENTS_AT_A_TIME {
            ingested.add(running.join_next().await)?;
        }
        let (pipeline, client) = (pipeline.clone(), client.clone());
        let (path, bytes) = (path.to_owned(), bytes.to_vec());
        running.spawn(async move { ingest_one(&pipeline, &client, &path, bytes).await });
    }
    while let Some(done) = running.join_next().await {
        ingested.add(Some(done))?;
    }
    ingested.seconds = started.elapsed().as_secs_f64();
    Ok(ingested)
}

impl Ingested {
    fn add(&mut self, done: Option<Result<Result<Report>, tokio::task::JoinError>>) -> Result<()> {
        if let Some(report) = done {
            self.documents += 1;
            self.chunks += report??.chunks;
        }
        Ok(())
    }
}

async fn ingest_one(
    pipeline: &Pipeline,
    client: &aws_sdk_s3::Client,
    path: &str,
    bytes: Vec<u8>,
) -> Result<Report> {
    let key = format!("{TENANT}/{path}");
    let body = ByteStream::from(bytes);
    client
        .put_object()
        .bucket(&pipeline.bucket)
        .key(&key)
        .body(body)
        .send()
        .await
        .with_context(|| format!("uploading {path}"))?;
    let event = BucketEvent {
        bucket: pipeline.bucket.clone(),
        key: ObjectKey::from_decoded(&key)?,
        kind: Kind::Created,
        version_id: None,
        sequencer: None,
        event_name: "ObjectCreated:Put".into(),
        event_time: String::new(),
    };
    let mut report = Report::default();
    match pipeline.converge(&event, &mut report).await.with_context(|| format!("ingesting {path}"))? {
        Outcome::Published => Ok(report),
        other => bail!("{path} was not published: {other:?}"),
    }
}
