//! Finds candidates in the database, by embedding and by BM25, as one statement under row-level security.
//!
//! Whether the dense arm reads every visible chunk or uses the HNSW index is decided inside the statement,
//! which knows how many chunks the caller sees. An index scan that ends with too few rows is followed by the exact
//! scan, so a filter never costs hits.

use std::collections::BTreeMap;

use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{DbError, Param, Session, Sql};
use vouch_shared::embedding::{Embedding, Space};
use vouch_shared::lexical::QueryTerm;
use vouch_shared::tuning::RetrievalTuning;

use crate::fusion::{Arm, Candidate, Ranking};
use crate::http::request::Filters;

static RARITY: Sql = Sql::fixed(include_str!("candidates/rarity.sql"));
static SETTINGS: Sql = Sql::fixed(include_str!("candidates/settings.sql"));

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The query's embedding; none leaves the dense arm out.
    pub embedding: Option<&'a Embedding>,
    /// The query's terms; none leaves the lexical arm out.
    pub terms: &'a [QueryTerm],
    /// Lexemes whose rarity is wanted.
    pub rarity_of: &'a [u32],
    /// What each hit must match, in websearch syntax.
    pub clauses: &'a [String],
    /// What narrows the search.
    pub filters: &'a Filters,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Each arm's candidates.
    pub rankings: [Ranking; 2],
    /// Inverse document frequency of each lexeme asked for, among the tenant's live chunks.
    pub rarity: BTreeMap<u32, f32>,
}

/// The search over one embedding space.
#[derive(Clone, Debug)]
pub struct CandidateSearch {
    both_arms: Sql,
    tuning: RetrievalTuning,
}

impl CandidateSearch {
    /// Over the vectors of `space`.
    #[must_use]
    pub fn new(space: &Space, tuning: &RetrievalTuning) -> Self {
        let both_arms = Sql::in_space(include_str!("candidates/both_arms.sql"), &space.id);
        Self { both_arms, tuning: tuning.clone() }
    }

    /// Searches. The session must be bound to `auth`, and to the filters' `as_of`.
    ///
    /// # Errors
    /// [`DbError`] of the statement.
    pub async fn find(
        &self,
        auth: &AuthContext,
        session: &Session,
        wanted: Wanted<'_>,
    ) -> Result<Found, DbError> {
        let tenant = auth.tenant().as_str();
        let scopes = auth.scopes().to_vec();
        let embedding = wanted.embedding.map(Embedding::to_sql);
        // Lexeme ids are below 1,000,000,000, so they fit.
        let lexemes: Vec<i32> = wanted.terms.iter().map(|term| term.lexeme.cast_signed()).collect();
        let weights: Vec<f32> = wanted.terms.iter().map(|term| term.weight).collect();
        let depth = i64::try_from(self.tuning.candidates_per_arm).unwrap_or(i64::MAX);
        let clauses = (!wanted.clauses.is_empty()).then_some(wanted.clauses);
        let documents: Option<Vec<Uuid>> =
            wanted.filters.document_ids.as_ref().map(|ids| ids.iter().map(|id| id.as_uuid()).collect());
        let (ef_search, max_scan_tuples) =
            (self.tuning.ef_search.to_string(), self.tuning.max_scan_tuples.to_string());
        let params: [Param<'_>; 13] = [
            (&tenant, Type::TEXT),
            (&scopes, Type::TEXT_ARRAY),
            (&embedding, Type::TEXT),
            (&lexemes, Type::INT4_ARRAY),
            (&weights, Type::FLOAT4_ARRAY),
            (&depth, Type::INT8),
            (&wanted.filters.source_prefix, Type::TEXT),
            (&wanted.filters.since, Type::TIMESTAMPTZ),
            (&wanted.filters.until, Type::TIMESTAMPTZ),
            (&wanted.filters.as_of, Type::TIMESTAMPTZ),
            (&documents, Type::UUID_ARRAY),
            (&clauses, Type::TEXT_ARRAY),
            (&self.tuning.exact_scan_limit, Type::INT8),
        ];
        let settings: [Param<'_>; 2] = [(&ef_search, Type::TEXT), (&max_scan_tuples, Type::TEXT)];
        let rarity_of: Vec<i32> = wanted.rarity_of.iter().map(|lexeme| lexeme.cast_signed()).collect();
        let rarity_params: [Param<'_>; 2] = [(&tenant, Type::TEXT), (&rarity_of, Type::INT4_ARRAY)];
        // Sent together: one round trip.
        let (set, rows, rarities) = tokio::join!(
            biased;
            session.query(&SETTINGS, &settings),
            session.query(&self.both_arms, &params),
            session.query(&RARITY, &rarity_params),
        );
        set?;
        let mut dense =
            Ranking { arm: Arm::Dense, weight: f64::from(self.tuning.dense_weight), candidates: Vec::new() };
        let mut lexical = Ranking {
            arm: Arm::Lexical,
            weight: f64::from(1.0 - self.tuning.dense_weight),
            candidates: Vec::new(),
        };
        for row in rows? {
            let arm: &str = row.try_get("arm")?;
            let chunk: Uuid = row.try_get("chunk_id")?;
            let candidate = Candidate { chunk: chunk.into(), score: row.try_get("score")? };
            if arm == "dense" { dense.candidates.push(candidate) } else { lexical.candidates.push(candidate) }
        }
        let mut rarity = BTreeMap::new();
        for row in rarities? {
            let lexeme: i32 = row.try_get("lexeme")?;
            rarity.insert(lexeme.cast_unsigned(), row.try_get("rarity")?);
        }
        Ok(Found { rankings: [dense, lexical], rarity })
    }
}
