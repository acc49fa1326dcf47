//! From a query to ranked hits: embed, find, merge, read. The eval calls this as the functions do.

use std::collections::{BTreeMap, BTreeSet};

use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, DbError, Session};
use vouch_shared::embedder::{EmbedError, Embedder};
use vouch_shared::embedding::Embedding;
use vouch_shared::lexical;
use vouch_shared::tuning::{Fusion as FusionTuning, RetrievalTuning};

use crate::candidates::{CandidateSearch, Found, Wanted};
use crate::error::Error;
use crate::fusion::{Fused, Fusion, Place, fuse};
use crate::http::request::{Filters, Mode, SearchRequest};
use crate::keyword_filter;
use crate::neighbours::{self, Chunk, Surroundings};
use crate::reconnect;
use crate::timings::{Stopwatch, Timings};

/// A chunk found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Rank after fusion, from 1.
    pub rank: usize,
    /// Fused score; comparable within one result only.
    pub score: f64,
    /// Its place in the dense arm, with the cosine.
    pub dense: Option<Place>,
    /// Its place in the lexical arm, with BM25.
    pub lexical: Option<Place>,
    /// The chunk.
    pub chunk: Chunk,
    /// Chunks around it, in reading order.
    pub neighbours: Vec<Chunk>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Inverse document frequency of the query's lexemes among the tenant's live chunks.
    pub rarity: BTreeMap<u32, f32>,
    /// Tokens that were embedded.
    pub embedding_tokens: usize,
    /// Candidates of the dense arm.
    pub dense_candidates: usize,
    /// Candidates of the lexical arm.
    pub lexical_candidates: usize,
    /// How long it took.
    pub timings: Timings,
}

/// Searches one embedding space.
#[derive(Clone)]
pub struct Retriever {
    db: Database,
    embedder: Embedder,
    search: CandidateSearch,
    tuning: RetrievalTuning,
}

impl std::fmt::Debug for Retriever {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retriever").field("space", &self.space_id()).finish_non_exhaustive()
    }
}

impl Retriever {
    /// Over the embedder's space.
    #[must_use]
    pub fn new(db: Database, embedder: Embedder, tuning: &RetrievalTuning) -> Self {
        let search = CandidateSearch::new(embedder.space(), tuning);
        Self { db, embedder, search, tuning: tuning.clone() }
    }

    /// The name of the space searched.
    #[must_use]
    pub fn space_id(&self) -> &str {
        self.embedder.space().id.as_str()
    }

    /// The best chunks for a query that `auth` may see.
    ///
    /// # Errors
    /// [`Error`] when the embedder or the database is away.
    pub async fn search(&self, auth: &AuthContext, request: &SearchRequest) -> Result<SearchResult, Error> {
        let mut watch = Stopwatch::start();
        let keywords = keyword_filter::parse(&request.query);
        let (embedding, embedding_tokens) = self.embed(request.mode, &keywords.text).await?;
        let terms =
            if request.mode == Mode::Dense { Vec::new() } else { lexical::query_terms(&keywords.text) };
        let rarity_of = lexemes(&keywords.text);
        let embed = watch.lap();

        let wanted = Wanted {
            embedding: embedding.as_ref(),
            terms: &terms,
            rarity_of: &rarity_of,
            clauses: &keywords.clauses,
            filters: &request.filters,
        };
        let (session, found) = reconnect::reading(|| self.candidates(auth, wanted)).await?;
        let retrieve = watch.lap();

        let mut fused = fuse(self.fusion(), &found.rankings);
        fused.truncate(request.top_k);
        let fuse = watch.lap();

        let ids: Vec<_> = fused.iter().map(|hit| hit.chunk).collect();
        let read =
            neighbours::read(auth, &session, &ids, self.tuning.neighbours, request.filters.as_of).await?;
        let neighbours = watch.lap();

        let [dense, lexical] = &found.rankings;
        Ok(SearchResult {
            hits: hits(&fused, read),
            embedding_tokens,
            dense_candidates: dense.candidates.len(),
            lexical_candidates: lexical.candidates.len(),
            rarity: found.rarity,
            timings: Timings { embed, retrieve, fuse, neighbours },
        })
    }

    async fn embed(&self, mode: Mode, text: &str) -> Result<(Option<Embedding>, usize), Error> {
        // Punctuation alone asks for nothing, and a model would place it somewhere all the same.
        if mode == Mode::Lexical || !text.chars().any(char::is_alphanumeric) {
            return Ok((None, 0));
        }
        match self.embedder.embed_query(text).await {
            Ok(embedding) => Ok((Some(embedding), self.embedder.count_tokens(text))),
            // The model finds no direction in it. That is nobody's fault, and its words still count.
            Err(EmbedError::Rejected { reason }) => {
                tracing::info!(reason, "query has no embedding");
                Ok((None, 0))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn candidates(&self, auth: &AuthContext, wanted: Wanted<'_>) -> Result<(Session, Found), DbError> {
        let session = begin(&self.db, auth, wanted.filters).await?;
        let found = self.search.find(auth, &session, wanted).await?;
        Ok((session, found))
    }

    fn fusion(&self) -> Fusion {
        match self.tuning.fusion {
            FusionTuning::Rrf => Fusion::ReciprocalRank { k: f64::from(self.tuning.rrf_k) },
            FusionTuning::MinMax => Fusion::MinMax,
        }
    }
}

/// Ids of a text's terms in every form that a passage might hold them in.
fn lexemes(text: &str) -> Vec<u32> {
    let searched = lexical::query_terms(text).into_iter().map(|term| term.lexeme);
    let named = lexical::content_terms(text).into_iter().map(|term| lexical::lexeme_id(&term.text));
    searched.chain(named).collect::<BTreeSet<_>>().into_iter().collect()
}

async fn begin(db: &Database, auth: &AuthContext, filters: &Filters) -> Result<Session, DbError> {
    match filters.as_of {
        Some(as_of) => db.begin_as_of(auth, as_of).await,
        None => db.begin(auth).await,
    }
}

/// Joins the merged order with the text read for it. A hit that is no longer visible has no text and drops out.
fn hits(fused: &[Fused], read: Vec<Surroundings>) -> Vec<Hit> {
    let places = fused.iter().map(|fused| (fused.chunk, fused)).collect::<BTreeMap<_, _>>();
    read.into_iter()
        .filter_map(|around| Some((*places.get(&around.hit.chunk_id)?, around)))
        .enumerate()
        .map(|(index, (fused, around))| Hit {
            rank: index + 1,
            score: fused.score,
            dense: fused.dense,
            lexical: fused.lexical,
            chunk: around.hit,
            neighbours: around.neighbours,
        })
        .collect()
}
