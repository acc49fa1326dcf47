//! Lets the extractive answerer weigh sentences by the model that embedded the passages.

use std::error::Error as StdError;

use async_trait::async_trait;
use vouch_shared::embedder::Embedder;

use crate::answer::extractive::Similarity;

/// Cosines by the configured embedder.
#[derive(Clone)]
pub struct EmbedderSimilarity(Embedder);

impl EmbedderSimilarity {
    /// By this embedder.
    #[must_use]
    pub fn new(embedder: Embedder) -> Self {
        Self(embedder)
    }
}

#[async_trait]
impl Similarity for EmbedderSimilarity {
    async fn cosines(
        &self,
        question: &str,
        sentences: &[String],
    ) -> Result<Vec<f32>, Box<dyn StdError + Send + Sync>> {
        let (question, sentences) =
            tokio::try_join!(self.0.embed_query(question), self.0.embed_passages(sentences))?;
        Ok(sentences.iter().map(|sentence| question.cosine(sentence)).collect())
    }
}
