//! Asks the questions and notes what came.

use std::time::Instant;

use anyhow::{Context, Result};
use query::http::request::{AskRequest, Filters, Mode, SearchRequest};
use serde_json::Value;

use crate::questions::Question;
use crate::stand::Stand;

/// Hits asked for, so that after joining the chunks of one document at least ten documents remain in most cases.
const CHUNKS: usize = 50;

/// What came of one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The question.
    pub question: Question,
    /// Ranks, from 1, of the right documents among the documents found.
    pub ranks: Vec<usize>,
    /// Milliseconds that the search took.
    pub search_ms: f64,
    /// What the service said; none where only the search was measured.
    pub answer: Option<Answer>,
}

/// What the service said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Milliseconds that it took.
    pub ms: f64,
    /// The refusal's code; none for an answer.
    pub refusal: Option<String>,
    /// Whether a citation is of a right document.
    pub cites_right: bool,
    /// The answer's text with the sources that it cites.
    pub text: String,
}

/// Searches for every question.
///
/// # Errors
/// When a search fails.
pub async fn search_all(stand: &Stand, questions: &[Question], mode: Mode) -> Result<Vec<Observation>> {
    let mut observations = Vec::with_capacity(questions.len());
    for question in questions {
        observations.push(search(stand, question, mode).await.with_context(|| question.id.clone())?);
    }
    Ok(observations)
}

/// Searches for every question and asks it.
///
/// # Errors
/// When a search or an answer fails.
pub async fn ask_all(stand: &Stand, questions: &[Question]) -> Result<Vec<Observation>> {
    let mut observations = search_all(stand, questions, Mode::Hybrid).await?;
    for observation in &mut observations {
        observation.answer =
            Some(ask(stand, &observation.question).await.with_context(|| observation.question.id.clone())?);
    }
    Ok(observations)
}

async fn search(stand: &Stand, question: &Question, mode: Mode) -> Result<Observation> {
    let request =
        SearchRequest { query: question.question.clone(), filters: Filters::default(), top_k: CHUNKS, mode };
    let started = Instant::now();
    let found = stand.retriever.search(&stand.auth, &request).await?;
    let search_ms = started.elapsed().as_secs_f64() * 1000.0;
    let paths: Vec<&str> = found.hits.iter().map(|hit| stand.path_of(&hit.chunk.source_uri)).collect();
    Ok(Observation {
        ranks: ranks(&paths, &question.sources),
        question: question.clone(),
        search_ms,
        answer: None,
    })
}

async fn ask(stand: &Stand, question: &Question) -> Result<Answer> {
    let request =
        AskRequest { question: question.question.clone(), filters: Filters::default(), top_k: stand.top_k };
    let started = Instant::now();
    let answer =
        query::ask::ask(&stand.retriever, &stand.answerer, stand.floor, &stand.auth, request, &question.id)
            .await?;
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    let refusal = answer.reason().map(str::to_owned);
    // Read as a caller reads it.
    let body = serde_json::to_value(&answer)?;
    let citations = body["citations"].as_array().map_or(&[] as &[Value], Vec::as_slice);
    let is_right = |uri: &str| question.sources.iter().any(|source| source == stand.path_of(uri));
    let cites_right = citations.iter().filter_map(|citation| citation["source_uri"].as_str()).any(is_right);
    let sources: Vec<&str> = citations
        .iter()
        .filter_map(|citation| citation["source_uri"].as_str())
        .map(|uri| stand.path_of(uri))
        .collect();
    let text = format!("{}\n({})", body["answer"].as_str().unwrap_or_default(), sources.join(", "));
    Ok(Answer { ms, refusal, cites_right, text })
}

/// Ranks of the right documents when each document stands where its best chunk does.
fn ranks(paths: &[&str], right: &[String]) -> Vec<usize> {
    let mut documents: Vec<&str> = Vec::new();
    for path in paths {
        if !documents.contains(path) {
            documents.push(path);
        }
    }
    let is_right = |path: &str| right.iter().any(|source| source == path);
    documents.iter().enumerate().filter(|(_, path)| is_right(path)).map(|(at, _)| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_stands_where_its_best_chunk_does() {
        let right = ["b".to_owned(), "d".to_owned()];
        assert_eq!(ranks(&["a", "a", "b", "c", "b", "d"], &right), [2, 4]);
        assert!(ranks(&["a"], &right).is_empty());
        assert!(ranks(&[], &right).is_empty());
    }
}
