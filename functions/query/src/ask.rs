//! `POST /v1/ask`: the stages from a question to an answer that was checked, and the answer in the API's words.

use std::collections::BTreeMap;

use serde::Serialize;
use vouch_shared::auth::AuthContext;
use vouch_shared::lexical;
use vouch_shared::telemetry;

use crate::answer::{Answerer, Citation, Evidence, Floor, Outcome, Passage, Reason, Statement, settle};
use crate::error::Error;
use crate::http::request::{AskRequest, Mode, SearchRequest};
use crate::retrieve::{Hit, Retriever};
use crate::search::UsageBody;
use crate::timings::{Stopwatch, Timings};

/// The response.
#[derive(Debug, Serialize)]
pub struct AskResponse<'a> {
    request_id: &'a str,
    answered: bool,
    answer: String,
    statements: Vec<Statement>,
    citations: Vec<Citation>,
    reason: Option<Reason>,
    timings_ms: TimingsBody,
    usage: AskUsageBody<'a>,
}

#[derive(Debug, Serialize)]
struct TimingsBody {
    #[serde(flatten)]
    retrieval: Timings,
    answer: f64,
    check: f64,
    total: f64,
}

#[derive(Debug, Serialize)]
struct AskUsageBody<'a> {
    #[serde(flatten)]
    retrieval: UsageBody<'a>,
    passages: usize,
}

/// Answers from what the caller may see, or refuses.
///
/// # Errors
/// [`Error`] when the embedder or the database is away. A question without an answer is no error.
pub async fn ask<'a>(
    retriever: &'a Retriever,
    answerer: &dyn Answerer,
    floor: Floor,
    auth: &AuthContext,
    request: AskRequest,
    request_id: &'a str,
) -> Result<AskResponse<'a>, Error> {
    let mut watch = Stopwatch::start();
    let AskRequest { question, filters, top_k } = request;
    let search = SearchRequest { query: question, filters, top_k, mode: Mode::Hybrid };
    let found = retriever.search(auth, &search).await?;
    let question = search.query;
    let retrieval = UsageBody::of(&found, retriever.space_id());
    let timings = found.timings;
    let passages = passages(found.hits);
    watch.lap();

    let admitted = floor.admit(&Evidence::measure(&question, &passages, |term| rarity(&found.rarity, term)));
    let draft = match admitted {
        Err(reason) => Err(reason),
        Ok(()) => answerer.answer(&question, &passages).await.map_err(|error| {
            tracing::warn!(request_id, error = telemetry::chain(&error), "answerer gave no draft");
            Reason::ModelUnavailable
        }),
    };
    let answer = watch.lap();
    let outcome = match draft {
        Ok(draft) => settle(&draft, &passages),
        Err(reason) => Outcome::Refused { reason },
    };
    let check = watch.lap();
    Ok(AskResponse {
        request_id,
        answered: outcome.reason().is_none(),
        answer: outcome.text().to_owned(),
        statements: outcome.statements().to_vec(),
        citations: outcome.citations().to_vec(),
        reason: outcome.reason(),
        timings_ms: TimingsBody { retrieval: timings, answer, check, total: watch.total() },
        usage: AskUsageBody { retrieval, passages: passages.len() },
    })
}

impl AskResponse<'_> {
    /// The refusal's code; none where the question was answered.
    #[must_use]
    pub fn reason(&self) -> Option<&'static str> {
        self.reason.map(Reason::as_str)
    }
}

fn rarity(rarities: &BTreeMap<u32, f32>, term: &str) -> Option<f32> {
    rarities.get(&lexical::lexeme_id(term)).copied()
}

/// The hits best first, each in the middle of its neighbours. All are numbered, so all can be cited; a neighbour
/// has its hit's rank, and no score of its own.
fn passages(hits: Vec<Hit>) -> Vec<Passage> {
    let mut passages = Vec::new();
    for hit in hits {
        // A count of hits is at most `top_k`, and scores are printed with less precision than an f32 has.
        #[allow(clippy::cast_possible_truncation, reason = "see above")]
        let (rank, cosine, bm25) =
            (hit.rank as u32, hit.dense.map(|p| p.score as f32), hit.lexical.map(|p| p.score as f32));
        let ordinal = hit.chunk.ordinal;
        let (before, after): (Vec<_>, Vec<_>) = hit.neighbours.into_iter().partition(|c| c.ordinal < ordinal);
        let before = before.into_iter().map(|chunk| (chunk, None, None));
        let after = after.into_iter().map(|chunk| (chunk, None, None));
        for (chunk, cosine, bm25) in before.chain([(hit.chunk, cosine, bm25)]).chain(after) {
            passages.push(Passage {
                number: passages.len() as u32 + 1,
                document_id: chunk.document_id,
                chunk_id: chunk.chunk_id,
                ordinal: chunk.ordinal,
                title: chunk.title,
                source_uri: chunk.source_uri,
                source_version: chunk.source_version,
                heading_path: chunk.heading_path,
                page: chunk.page,
                content: chunk.content,
                cosine,
                bm25,
                fused_rank: rank,
            });
        }
    }
    passages
}
