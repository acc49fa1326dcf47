//! What an answerer proposes. Nothing in a draft is trusted: `check` decides what of it is supported.

use async_trait::async_trait;

use super::passage::Passage;

/// A proposed answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// Statements in the order in which they are to be read.
    pub statements: Vec<DraftStatement>,
    /// The answerer says that the passages do not answer the question. Statements beside it count for nothing.
    pub refused: bool,
}

impl Draft {
    /// The draft of an answerer that found nothing to say.
    #[must_use]
    pub fn refusal() -> Self {
        Self { statements: Vec::new(), refused: true }
    }
}

/// One proposed statement with what is said to support it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftStatement {
    /// The statement, as the reader would see it.
    pub text: String,
    /// Quotes said to support it.
    pub quotes: Vec<DraftQuote>,
}

/// A passage number and words said to stand in that passage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftQuote {
    /// [`Passage::number`] of the passage that is quoted.
    pub passage: u32,
    /// The words quoted.
    pub text: String,
}

/// Proposes an answer from passages: by selecting sentences, or by asking a model.
#[async_trait]
pub trait Answerer: Send + Sync {
    /// A draft for `question`, drawn from `passages` alone.
    ///
    /// # Errors
    /// When the answerer could not be asked; a question without an answer is a [`Draft::refusal`], not an error.
    async fn answer(&self, question: &str, passages: &[Passage]) -> Result<Draft, AnswerError>;
}

/// Why there is no draft, grouped by what the caller does next.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// Nobody answered in time, or the service said to come back later: fall back or refuse.
    #[error("the answer model is unavailable")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Something was answered that is not a draft: fall back or refuse, and count it.
    #[error("the answer model's reply could not be read")]
    Unreadable(#[source] Box<dyn std::error::Error + Send + Sync>),
}
