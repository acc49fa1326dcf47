//! Text to vectors, by whichever model the settings name. The writer and the reader use the same one.

mod api_limits;
#[cfg(feature = "test-db")]
mod hashing;
mod local;
mod model_settings;
mod openai;
mod retry;

use std::sync::Arc;
use std::time::Duration;

use crate::aws::{SecretError, Secrets};
use crate::config::EmbedderConfig;
use crate::embedding::{Embedding, EmbeddingError, Space};
use crate::ids::{IdError, SpaceId};
pub use local::LocalModel;
pub use openai::OpenAi;

/// Why there is no embedding, by what the caller does next.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// Try again, not before `retry_after` if it is known.
    #[error("the embedding model is unavailable: {reason}")]
    Unavailable {
        /// What was seen; holds no text that was to be embedded.
        reason: String,
        /// The server's own word on when to come back.
        retry_after: Option<Duration>,
    },
    /// This text will not be embedded however often one tries.
    #[error("the text cannot be embedded: {reason}")]
    Rejected {
        /// What is wrong with it, without quoting it.
        reason: String,
    },
    /// Nothing will be embedded until somebody changes a setting.
    #[error("the embedder is not set up rightly: {reason}")]
    Misconfigured {
        /// Which setting, and what was seen.
        reason: String,
    },
}

impl EmbedError {
    fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable { reason: reason.into(), retry_after: None }
    }

    fn rejected(reason: impl Into<String>) -> Self {
        Self::Rejected { reason: reason.into() }
    }

    fn misconfigured(reason: impl Into<String>) -> Self {
        Self::Misconfigured { reason: reason.into() }
    }
}

impl From<EmbeddingError> for EmbedError {
    fn from(error: EmbeddingError) -> Self {
        match error {
            EmbeddingError::Dimension { .. } => Self::misconfigured(error.to_string()),
            EmbeddingError::NotFinite | EmbeddingError::Zero => Self::rejected(error.to_string()),
        }
    }
}

impl From<IdError> for EmbedError {
    fn from(error: IdError) -> Self {
        Self::misconfigured(error.to_string())
    }
}

impl From<SecretError> for EmbedError {
    fn from(error: SecretError) -> Self {
        match error {
            SecretError::Unavailable { .. } => Self::unavailable(error.to_string()),
            SecretError::Malformed { .. } => Self::misconfigured(error.to_string()),
        }
    }
}

/// The configured model. Cheap to clone; clones share the model.
#[derive(Clone)]
pub enum Embedder {
    /// A BERT-type model in this process.
    Local(Arc<LocalModel>),
    /// A server that speaks OpenAI's embeddings API.
    OpenAi(Arc<OpenAi>),
    /// Hashed words, for tests that do not measure quality.
    #[cfg(feature = "test-db")]
    Hashing(Arc<Space>),
}

impl Embedder {
    /// The embedder of the settings: loads the model, or reads the API's key.
    ///
    /// # Errors
    /// [`EmbedError::Misconfigured`] when the model cannot be loaded or a setting is wrong;
    /// [`EmbedError::Unavailable`] when the key's secret cannot be had.
    pub async fn from_config(config: &EmbedderConfig, secrets: &Secrets) -> Result<Self, EmbedError> {
        match config {
            EmbedderConfig::Local { model_dir } => {
                let dir = model_dir.clone();
                let model = in_background(move || LocalModel::load(&dir)).await?;
                Ok(Self::Local(Arc::new(model)))
            }
            EmbedderConfig::OpenAi { url, model, dimension, secret_id } => {
                let key = match secret_id {
                    Some(id) => Some(secrets.api_key(id).await?),
                    None => None,
                };
                Ok(Self::OpenAi(Arc::new(OpenAi::new(url, model, *dimension, key)?)))
            }
        }
    }

    /// Hashed words in 64 dimensions: the same text has the same vector, texts that share words are near each other.
    #[cfg(feature = "test-db")]
    #[must_use]
    pub fn hashing() -> Self {
        Self::Hashing(Arc::new(hashing::space()))
    }

    /// The space of its vectors.
    #[must_use]
    pub fn space(&self) -> &Space {
        match self {
            Self::Local(model) => model.space(),
            Self::OpenAi(api) => api.space(),
            #[cfg(feature = "test-db")]
            Self::Hashing(space) => space,
        }
    }

    /// Length of a text in the model's tokens, without the marks that the model puts around it. For an API it is an
    /// estimate that errs on the long side.
    #[must_use]
    pub fn count_tokens(&self, text: &str) -> usize {
        match self {
            Self::Local(model) => model.count_tokens(text),
            Self::OpenAi(_) => api_limits::estimated_tokens(text),
            #[cfg(feature = "test-db")]
            Self::Hashing(_) => api_limits::estimated_tokens(text),
        }
    }

    /// Tokens of a passage that the model reads; what is longer loses its end.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        match self {
            Self::Local(model) => model.max_passage_tokens(),
            Self::OpenAi(_) => api_limits::MAX_INPUT_TOKENS,
            #[cfg(feature = "test-db")]
            Self::Hashing(_) => api_limits::MAX_INPUT_TOKENS,
        }
    }

    /// The vector of a question.
    ///
    /// # Errors
    /// [`EmbedError`]; a text of nothing but space is rejected.
    pub async fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        refuse_empty(text)?;
        match self {
            Self::Local(model) => {
                let (model, text) = (Arc::clone(model), text.to_owned());
                in_background(move || model.embed_query(&text)).await
            }
            Self::OpenAi(api) => api.embed_query(text).await,
            #[cfg(feature = "test-db")]
            Self::Hashing(space) => hashing::embed(text, space),
        }
    }

    /// The vectors of passages, in their order.
    ///
    /// # Errors
    /// [`EmbedError`]; one text of nothing but space rejects all, before any is sent or computed.
    pub async fn embed_passages(&self, texts: &[String]) -> Result<Vec<Embedding>, EmbedError> {
        texts.iter().try_for_each(|text| refuse_empty(text))?;
        match self {
            Self::Local(model) => {
                let (model, texts) = (Arc::clone(model), texts.to_vec());
                in_background(move || model.embed_passages(&texts)).await
            }
            Self::OpenAi(api) => api.embed_passages(texts).await,
            #[cfg(feature = "test-db")]
            Self::Hashing(space) => texts.iter().map(|text| hashing::embed(text, space)).collect(),
        }
    }
}

fn refuse_empty(text: &str) -> Result<(), EmbedError> {
    if text.trim().is_empty() { Err(EmbedError::rejected("it is empty")) } else { Ok(()) }
}

/// Inference and loading take milliseconds to seconds of processor time: too long for a thread that serves sockets.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EmbedError> + Send + 'static,
) -> Result<T, EmbedError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(EmbedError::unavailable(format!("the inference thread ended early: {error}"))),
    }
}

/// The id of a space from a model's name and its dimension: `minilm_l6_v2_int8_384`. A long name keeps its end, where versions stand.
fn space_id(model: &str, dimension: usize) -> Result<SpaceId, EmbedError> {
    const MAX_CHARS: usize = 41;
    let mut slug = String::new();
    for c in model.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    let suffix = format!("_{dimension}");
    let slug = slug.trim_end_matches('_');
    let slug = &slug[slug.len().saturating_sub(MAX_CHARS - suffix.len() - 2)..];
    let slug = slug.trim_start_matches('_');
    let starts_with_letter = slug.starts_with(|c: char| c.is_ascii_lowercase());
    let prefix = if starts_with_letter { "" } else { "m_" };
    Ok(SpaceId::parse(&format!("{prefix}{slug}{suffix}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_name_becomes_the_id_of_its_space() {
        let id = |model| space_id(model, 384).unwrap().to_string();
        assert_eq!(id("minilm_l6_v2_int8"), "minilm_l6_v2_int8_384");
        assert_eq!(id("text-embedding-3-small"), "text_embedding_3_small_384");
        assert_eq!(id("BAAI/bge-small-en-v1.5"), "baai_bge_small_en_v1_5_384");
        assert_eq!(id("3-model"), "m_3_model_384");
        assert_eq!(id("--"), "m__384");
        assert!(id(&"long-name-".repeat(20)).ends_with("long_name_384"));
    }

    #[test]
    fn different_dimensions_of_one_model_are_different_spaces() {
        assert_ne!(space_id("m", 256).unwrap(), space_id("m", 1024).unwrap());
    }

    #[cfg(feature = "test-db")]
    #[tokio::test]
    async fn hashed_texts_that_share_words_are_nearer_than_others() {
        let embedder = Embedder::hashing();
        let a = embedder.embed_query("restore the backup").await.unwrap();
        let b = embedder.embed_query("backups are restored nightly").await.unwrap();
        let c = embedder.embed_query("tenants have scopes").await.unwrap();
        assert!(a.cosine(&b) > a.cosine(&c));
        assert!(matches!(embedder.embed_query(" \n").await, Err(EmbedError::Rejected { .. })));
    }
}
