//! A database with documents in it, put there directly, and a service over it.

use http::Method;
use query::answer::Floor;
use query::answer::extractive::Extractive;
use query::authenticate::Authenticator;
use query::http::{HttpRequest, HttpResponse};
use query::pipeline::Service;
use query::retrieve::Retriever;
use query::similarity::EmbedderSimilarity;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::datetime;
use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};
use uuid::Uuid;
use vouch_shared::auth::ClaimNames;
use vouch_shared::config::Limits;
use vouch_shared::db::Database;
use vouch_shared::embedder::Embedder;
use vouch_shared::ids::{ChunkId, DocumentId, TenantId};
use vouch_shared::lexical;
use vouch_shared::test_db::TestDb;
use vouch_shared::tuning::{RetrievalTuning, Tuning};

/// When documents become active unless a test says otherwise.
pub const MARCH: OffsetDateTime = datetime!(2026-03-01 09:00 UTC);

pub const LIMITS: Limits = Limits { max_question_chars: 2_000, max_top_k: 50, max_body_bytes: 65_536 };

/// A document version to store.
#[derive(Clone, Debug)]
pub struct Document {
    pub tenant: String,
    pub source_uri: String,
    pub version: String,
    pub title: String,
    pub state: &'static str,
    pub scopes: Vec<String>,
    pub valid_from: Option<OffsetDateTime>,
    pub valid_to: Option<OffsetDateTime>,
    pub chunks: Vec<String>,
}

impl Document {
    /// An active document that each principal of the tenant may see.
    pub fn new(tenant: &str, path: &str, chunks: &[&str]) -> Self {
        Self {
            tenant: tenant.to_owned(),
            source_uri: format!("s3://vouch-documents/{tenant}/{path}"),
            version: "v1".to_owned(),
            title: path.rsplit('/').next().unwrap_or(path).to_owned(),
            state: "active",
            scopes: vec!["everyone".to_owned()],
            valid_from: Some(MARCH),
            valid_to: None,
            chunks: chunks.iter().map(|c| (*c).to_owned()).collect(),
        }
    }

    pub fn scopes(mut self, scopes: &[&str]) -> Self {
        self.scopes = scopes.iter().map(|s| (*s).to_owned()).collect();
        self
    }

    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    pub fn valid(mut self, from: OffsetDateTime, to: Option<OffsetDateTime>) -> Self {
        (self.valid_from, self.valid_to) = (Some(from), to);
        self
    }

    pub fn state(mut self, state: &'static str) -> Self {
        self.state = state;
        if matches!(state, "ingesting" | "failed") {
            (self.valid_from, self.valid_to) = (None, None);
        }
        self
    }

    pub fn id(&self) -> DocumentId {
        DocumentId::derive(&TenantId::parse(&self.tenant).unwrap(), &self.source_uri, &self.version)
    }

    pub fn chunk_id(&self, ordinal: usize) -> ChunkId {
        ChunkId::derive(self.id(), 1, u32::try_from(ordinal).unwrap())
    }
}

/// A migrated database with tenants and documents, searched with the hashing embedder.
pub struct World {
    pub db: TestDb,
    pub root: Client,
    pub embedder: Embedder,
}

impl World {
    pub async fn new(tenants: &[&str]) -> Self {
        let embedder = Embedder::hashing();
        let db = TestDb::with_space(embedder.space()).await;
        for tenant in tenants {
            db.tenant(tenant).await;
        }
        let root = db.superuser().await;
        Self { db, root, embedder }
    }

    pub async fn of(tenants: &[&str], documents: &[Document]) -> Self {
        let world = Self::new(tenants).await;
        world.store(documents).await;
        world
    }

    /// Writes documents as an ingestion that is through would have left them.
    pub async fn store(&self, documents: &[Document]) {
        for document in documents {
            self.store_document(document).await;
            if !document.chunks.is_empty() {
                self.store_chunks(document).await;
            }
        }
        self.root.batch_execute("ANALYZE").await.unwrap();
    }

    async fn store_document(&self, document: &Document) {
        let reason = (document.state == "failed").then_some("the file is encrypted");
        let count = i32::try_from(document.chunks.len()).unwrap();
        self.run(
            "INSERT INTO vouch.documents (tenant_id, document_id, source_uri, source_version, title, content_type, size_bytes, state,
                 failure_reason, access_scope, valid_from, valid_to, chunk_count, chunker_version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5, 'text/markdown', 1000, $6, $7, $8, $9, $10, $11, 1, $12, $12)",
            &[
                (&document.tenant, Type::TEXT),
                (&document.id().as_uuid(), Type::UUID),
                (&document.source_uri, Type::TEXT),
                (&document.version, Type::TEXT),
                (&document.title, Type::TEXT),
                (&document.state, Type::TEXT),
                (&reason, Type::TEXT),
                (&document.scopes, Type::TEXT_ARRAY),
                (&document.valid_from, Type::TIMESTAMPTZ),
                (&document.valid_to, Type::TIMESTAMPTZ),
                (&count, Type::INT4),
                (&MARCH, Type::TIMESTAMPTZ),
            ],
        )
        .await;
    }

    async fn store_chunks(&self, document: &Document) {
        let ids: Vec<Uuid> = (0..document.chunks.len()).map(|n| document.chunk_id(n).as_uuid()).collect();
        let vectors: Vec<_> = document
            .chunks
            .iter()
            .map(|text| lexical::chunk_vector(&lexical::chunk_fields(&document.title, "", text)))
            .collect();
        let sparse: Vec<String> = vectors.iter().map(lexical::LexicalVector::to_sql).collect();
        let dense: Vec<String> = self
            .embedder
            .embed_passages(&document.chunks)
            .await
            .unwrap()
            .iter()
            .map(|e| e.to_sql())
            .collect();
        let params: Vec<(&(dyn ToSql + Sync), Type)> = vec![
            (&document.tenant, Type::TEXT),
            (&document.scopes, Type::TEXT_ARRAY),
            (&document.valid_from, Type::TIMESTAMPTZ),
            (&document.valid_to, Type::TIMESTAMPTZ),
            (&ids, Type::UUID_ARRAY),
            (&document.chunks, Type::TEXT_ARRAY),
            (&sparse, Type::TEXT_ARRAY),
        ];
        let id = document.id().as_uuid();
        let mut chunk_params = params.clone();
        chunk_params.push((&id, Type::UUID));
        self.run(
            "INSERT INTO vouch.document_chunks (tenant_id, document_id, chunk_id, ordinal, content, token_count, byte_start, byte_end,
                 lexical, access_scope, valid_from, valid_to)
             SELECT $1, $8, t.id, t.n - 1, t.content, 10, (t.n - 1) * 100, t.n * 100, t.lexical::sparsevec, $2, $3, $4
             FROM unnest($5, $6, $7) WITH ORDINALITY AS t (id, content, lexical, n)",
            &chunk_params,
        )
        .await;
        let insert = format!(
            "INSERT INTO {} (tenant_id, document_id, chunk_id, input_sha, embedding, access_scope, valid_from, valid_to)
             SELECT $1, $7, t.id, sha256(convert_to(t.id::text, 'UTF8')), t.embedding::vector, $2, $3, $4
             FROM unnest($5, $6) AS t (id, embedding)",
            self.embedder.space().id.table()
        );
        let mut embedding_params = params[..5].to_vec();
        embedding_params.extend([
            (&dense as &(dyn ToSql + Sync), Type::TEXT_ARRAY),
            (&id as &(dyn ToSql + Sync), Type::UUID),
        ]);
        self.run(&insert, &embedding_params).await;
        if document.state == "active" {
            self.count_lexemes(document, &vectors).await;
        }
    }

    async fn count_lexemes(&self, document: &Document, vectors: &[lexical::LexicalVector]) {
        let mut counts = std::collections::BTreeMap::<i32, i32>::new();
        for lexeme in vectors.iter().flat_map(lexical::LexicalVector::lexemes) {
            *counts.entry(i32::try_from(lexeme).unwrap()).or_default() += 1;
        }
        let (lexemes, numbers): (Vec<i32>, Vec<i32>) = counts.into_iter().unzip();
        let total = i32::try_from(vectors.len()).unwrap();
        self.run(
            "INSERT INTO vouch.document_lexemes (tenant_id, document_id, lexemes, chunk_counts, chunk_total, live)
             VALUES ($1, $2, $3, $4, $5, true)",
            &[
                (&document.tenant, Type::TEXT),
                (&document.id().as_uuid(), Type::UUID),
                (&lexemes, Type::INT4_ARRAY),
                (&numbers, Type::INT4_ARRAY),
                (&total, Type::INT4),
            ],
        )
        .await;
        self.run(
            "SELECT set_config('vouch.tenant', $1, false), vouch.fold_lexeme_statistics()",
            &[(&document.tenant, Type::TEXT)],
        )
        .await;
    }

    async fn run(&self, sql: &str, params: &[(&(dyn ToSql + Sync), Type)]) {
        if let Err(error) = self.root.execute_typed(sql, params).await {
            panic!("{sql}\n{}", vouch_shared::telemetry::chain(&error));
        }
    }

    /// A retriever as the role that reads, with the shipped tuning changed.
    pub fn retriever(&self, change: impl FnOnce(&mut RetrievalTuning)) -> Retriever {
        let mut tuning = Tuning::shipped().retrieval.clone();
        change(&mut tuning);
        Retriever::new(self.db.query(), self.embedder.clone(), &tuning)
    }

    pub fn service(&self) -> Service {
        self.service_over(self.db.query())
    }

    pub fn service_over(&self, db: Database) -> Service {
        let tuning = Tuning::shipped();
        Service {
            space: self.embedder.space().clone(),
            authenticator: Authenticator::new(None, ClaimNames::default()).unwrap(),
            retriever: Retriever::new(db.clone(), self.embedder.clone(), &tuning.retrieval),
            answerer: Box::new(Extractive::new(EmbedderSimilarity::new(self.embedder.clone()))),
            floor: Floor::from(&tuning.evidence),
            default_top_k: tuning.retrieval.top_k,
            limits: LIMITS,
            db,
        }
    }
}

/// Someone with verified claims.
#[derive(Clone, Debug)]
pub struct Caller {
    claims: Value,
}

impl Caller {
    pub fn of(tenant: &str, scopes: &[&str]) -> Self {
        Self { claims: json!({"tenant": tenant, "scopes": format!("[{}]", scopes.join(" "))}) }
    }

    pub fn nobody() -> Self {
        Self { claims: Value::Null }
    }

    pub async fn send(&self, service: &Service, method: Method, target: &str, body: &[u8]) -> HttpResponse {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parameters = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let request = HttpRequest {
            method,
            path: path.to_owned(),
            parameters,
            body: body.to_vec(),
            authorization: None,
            verified_claims: self.claims.as_object().cloned(),
            request_id: "request-1".to_owned(),
            deadline: None,
        };
        service.handle(request).await
    }

    pub async fn post(&self, service: &Service, path: &str, body: &Value) -> (u16, Value) {
        answer(&self.send(service, Method::POST, path, body.to_string().as_bytes()).await)
    }

    pub async fn get(&self, service: &Service, target: &str) -> (u16, Value) {
        answer(&self.send(service, Method::GET, target, b"").await)
    }
}

fn answer(response: &HttpResponse) -> (u16, Value) {
    (response.status.as_u16(), serde_json::from_str(&response.body).unwrap())
}
