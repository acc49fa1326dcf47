//! Passages to vectors, paying only for those that the tenant does not have yet.

use std::collections::HashMap;

use tokio_postgres::types::Type;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, DbError, Sql};
use vouch_shared::embedder::{EmbedError, Embedder};

use crate::passage::{InputSha, Passage};

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// Those stored could not be looked up.
    #[error("stored vectors could not be looked up")]
    Database(#[from] DbError),
    /// The model gave none.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The model gave another number of vectors than texts.
    #[error("the embedder gave {given} vectors for {asked} texts")]
    Count {
        /// Texts sent.
        asked: usize,
        /// Vectors received.
        given: usize,
    },
}

/// Vectors in pgvector's text form, in the order of the passages.
#[derive(Debug, Default)]
pub struct Vectors {
    /// One for each passage.
    pub vectors: Vec<String>,
    /// How many of them were computed for this; the others the tenant had, or occur twice.
    pub embedded: usize,
}

/// The vectors of some passages.
///
/// # Errors
/// [`VectorError`].
pub async fn of(
    db: &Database,
    auth: &AuthContext,
    embedder: &Embedder,
    passages: &[Passage],
) -> Result<Vectors, VectorError> {
    let mut known = known(db, auth, embedder, passages).await?;
    let mut shas: Vec<InputSha> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for passage in passages {
        if !known.contains_key(&passage.sha) && !shas.contains(&passage.sha) {
            shas.push(passage.sha);
            texts.push(passage.input.clone());
        }
    }
    if !texts.is_empty() {
        let embeddings = embedder.embed_passages(&texts).await?;
        if embeddings.len() != texts.len() {
            return Err(VectorError::Count { asked: texts.len(), given: embeddings.len() });
        }
        known.extend(shas.into_iter().zip(embeddings.iter().map(|e| e.to_sql())));
    }
    // Every passage was known or has just been embedded.
    let vectors = passages.iter().filter_map(|p| known.get(&p.sha).cloned()).collect();
    Ok(Vectors { vectors, embedded: texts.len() })
}

async fn known(
    db: &Database,
    auth: &AuthContext,
    embedder: &Embedder,
    passages: &[Passage],
) -> Result<HashMap<InputSha, String>, DbError> {
    let shas: Vec<&[u8]> = passages.iter().map(|passage| passage.sha.as_slice()).collect();
    let sql = Sql::in_space(include_str!("vectors/known.sql"), &embedder.space().id);
    let rows = db.read(auth, None, &sql, &[(&shas, Type::BYTEA_ARRAY)]).await?;
    let mut known = HashMap::with_capacity(rows.len());
    for row in rows {
        let sha: &[u8] = row.try_get(0)?;
        if let Ok(sha) = InputSha::try_from(sha) {
            known.insert(sha, row.try_get(1)?);
        }
    }
    Ok(known)
}
