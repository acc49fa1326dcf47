//! The answerer that ships: sentences, list items and table rows of the passages, word for word. No model.
//!
//! It works in two steps, so that the caller decides whether and how sentences are embedded:
//! [`candidates`] shortlists units by the question's words and the passage's rank, and [`select`] picks one to
//! three of them, with the similarity of each to the question if that is known. [`Extractive`] joins the steps
//! behind the [`Answerer`] interface.

mod question;
mod segment;
mod score;
mod select;

use async_trait::async_trait;

use super::draft::{AnswerError, Answerer, Draft};
use super::passage::Passage;

pub use score::{Candidate, candidates};
pub use select::select;

/// Sentences that are compared with the question by their embedding. One takes a small model about 6 ms.
pub const MAX_CANDIDATES: usize = 8;

/// Whether a sentence begins with a word that points back to the one before it.
fn points_back(sentence: &str) -> bool {
    const POINTERS: [&str; 24] = [
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "they",
        "their",
        "he",
        "she",
        "such",
        "otherwise",
        "however",
        "therefore",
        "then",
        "so",
        "also",
        "both",
        "instead",
        "but",
        "and",
        "or",
        "there",
        "thus",
    ];
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    POINTERS.contains(&first.as_str())
}

/// Says how near sentences are to a question; the seam to the embedder.
#[async_trait]
pub trait Similarity: Send + Sync {
    /// The cosine of `question` and each of `sentences`, in their order.
    ///
    /// # Errors
    /// When the embedder could not be asked.
    async fn cosines(
        &self,
        question: &str,
        sentences: &[String],
    ) -> Result<Vec<f32>, Box<dyn std::error::Error + Send + Sync>>;
}

/// Answers with sentences of the passages.
pub struct Extractive<S> {
    similarity: Option<S>,
}

impl<S: Similarity> Extractive<S> {
    /// An answerer that ranks sentences by words and by meaning.
    pub fn new(similarity: S) -> Self {
        Self { similarity: Some(similarity) }
    }

    /// An answerer that ranks sentences by words alone.
    #[must_use]
    pub fn by_words() -> Self {
        Self { similarity: None }
    }
}

#[async_trait]
impl<S: Similarity> Answerer for Extractive<S> {
    async fn answer(&self, question: &str, passages: &[Passage]) -> Result<Draft, AnswerError> {
        let candidates = candidates(question, passages);
        let similarities = match &self.similarity {
            Some(similarity) if !candidates.is_empty() => {
                let sentences: Vec<String> =
                    candidates.iter().map(|candidate| candidate.meaning.clone()).collect();
                Some(similarity.cosines(question, &sentences).await.map_err(AnswerError::Unavailable)?)
            }
            Some(_) | None => None,
        };
        Ok(select(question, passages, &candidates, similarities.as_deref()))
    }
}
