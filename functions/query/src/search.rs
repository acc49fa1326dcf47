//! `POST /v1/search`: what was found, in the API's words.

use serde::Serialize;
use time::OffsetDateTime;
use vouch_shared::ids::{ChunkId, DocumentId};

use crate::fusion::Place;
use crate::neighbours::Chunk;
use crate::retrieve::{Hit, SearchResult};
use crate::timings::Timings;

/// The response.
#[derive(Debug, Serialize)]
pub struct SearchResponse<'a> {
    request_id: &'a str,
    hits: Vec<HitBody>,
    timings_ms: TimingsBody,
    usage: UsageBody<'a>,
}

#[derive(Debug, Serialize)]
struct HitBody {
    rank: usize,
    score: f64,
    arms: ArmsBody,
    document_id: DocumentId,
    title: String,
    source_uri: String,
    source_version: String,
    #[serde(with = "time::serde::rfc3339::option")]
    valid_from: Option<OffsetDateTime>,
    #[serde(flatten)]
    chunk: ChunkBody,
    neighbours: Vec<ChunkBody>,
}

#[derive(Debug, Serialize)]
struct ArmsBody {
    dense: Option<PlaceBody>,
    lexical: Option<PlaceBody>,
}

#[derive(Debug, Serialize)]
struct PlaceBody {
    rank: usize,
    score: f64,
}

#[derive(Debug, Serialize)]
struct ChunkBody {
    chunk_id: ChunkId,
    ordinal: u32,
    page: Option<u32>,
    heading: Option<String>,
    excerpt: String,
}

#[derive(Debug, Serialize)]
struct TimingsBody {
    #[serde(flatten)]
    stages: Timings,
    total: f64,
}

/// What a search cost.
#[derive(Debug, Serialize)]
pub struct UsageBody<'a> {
    /// The embedding space searched.
    pub space: &'a str,
    /// Tokens that were embedded.
    pub embedding_tokens: usize,
    /// Chunks that the dense arm offered to fusion.
    pub dense_candidates: usize,
    /// Chunks that the lexical arm offered to fusion.
    pub lexical_candidates: usize,
}

impl<'a> UsageBody<'a> {
    /// Of one search.
    #[must_use]
    pub fn of(result: &SearchResult, space: &'a str) -> Self {
        Self {
            space,
            embedding_tokens: result.embedding_tokens,
            dense_candidates: result.dense_candidates,
            lexical_candidates: result.lexical_candidates,
        }
    }
}

/// The response for a result.
#[must_use]
pub fn respond<'a>(
    request_id: &'a str,
    result: SearchResult,
    space: &'a str,
    total: f64,
) -> SearchResponse<'a> {
    SearchResponse {
        request_id,
        usage: UsageBody::of(&result, space),
        timings_ms: TimingsBody { stages: result.timings, total },
        hits: result.hits.into_iter().map(hit_body).collect(),
    }
}

fn hit_body(hit: Hit) -> HitBody {
    let place = |place: Option<Place>| place.map(|Place { rank, score }| PlaceBody { rank, score });
    HitBody {
        rank: hit.rank,
        score: hit.score,
        arms: ArmsBody { dense: place(hit.dense), lexical: place(hit.lexical) },
        document_id: hit.chunk.document_id,
        title: hit.chunk.title.clone(),
        source_uri: hit.chunk.source_uri.clone(),
        source_version: hit.chunk.source_version.clone(),
        valid_from: hit.chunk.valid_from,
        chunk: chunk_body(hit.chunk),
        neighbours: hit.neighbours.into_iter().map(chunk_body).collect(),
    }
}

fn chunk_body(chunk: Chunk) -> ChunkBody {
    ChunkBody {
        chunk_id: chunk.chunk_id,
        ordinal: chunk.ordinal,
        page: chunk.page,
        heading: chunk.heading(),
        excerpt: chunk.content,
    }
}
