//! Chunks with their vectors, as the database takes them.

use std::ops::Range;

use vouch_shared::auth::AuthContext;
use vouch_shared::db::Database;
use vouch_shared::embedder::Embedder;
use vouch_shared::ids::ChunkId;
use vouch_shared::lexical;

use crate::passage::Passage;
use crate::prepare::Prepared;
use crate::publish::{Lexemes, Row, Version};
use crate::vectors::{self, VectorError};

/// Rows, and what they cost.
#[derive(Debug)]
pub struct Rows {
    /// The rows, in reading order.
    pub rows: Vec<Row>,
    /// How many of their vectors were computed; the others the tenant had.
    pub embedded: usize,
}

/// The ids of a version's chunks.
#[must_use]
pub fn ids(version: &Version, chunks: usize) -> Vec<ChunkId> {
    let chunker = u32::try_from(version.chunker_version).unwrap_or(0);
    (0..chunks)
        .map(|ordinal| ChunkId::derive(version.id, chunker, u32::try_from(ordinal).unwrap_or(u32::MAX)))
        .collect()
}

/// Makes rows of a version's chunks, batch by batch.
pub struct RowMaker<'a> {
    /// The database, as the role that writes.
    pub db: &'a Database,
    /// The writer of the version's tenant.
    pub auth: &'a AuthContext,
    /// The embedding model.
    pub embedder: &'a Embedder,
    /// The version's text and chunks.
    pub prepared: &'a Prepared,
    /// The chunks' ids.
    pub ids: &'a [ChunkId],
    /// What the chunks made so far add to the statistics.
    pub lexemes: Lexemes,
}

impl RowMaker<'_> {
    /// The rows of the chunks at these positions.
    ///
    /// # Errors
    /// [`VectorError`].
    pub async fn rows(&mut self, positions: Range<usize>) -> Result<Rows, VectorError> {
        let text = self.prepared.extracted.text.as_str();
        let chunks = &self.prepared.chunks[positions.clone()];
        let (embedder, max_tokens) = (self.embedder, self.embedder.max_tokens());
        let count = |text: &str| embedder.count_tokens(text);
        let passages: Vec<Passage> =
            chunks.iter().map(|chunk| Passage::of(chunk, text, max_tokens, &count)).collect();
        let vectors = vectors::of(self.db, self.auth, embedder, &passages).await?;
        let mut rows = Vec::with_capacity(chunks.len());
        for (((at, chunk), passage), embedding) in positions.zip(chunks).zip(&passages).zip(vectors.vectors) {
            let content = &text[chunk.range.clone()];
            let headings = chunk.heading_path.join(" ");
            let lexical =
                lexical::chunk_vector(&lexical::chunk_fields(&self.prepared.title, &headings, content));
            self.lexemes.add(&lexical);
            rows.push(Row {
                id: self.ids[at],
                ordinal: i32::try_from(at).unwrap_or(i32::MAX),
                content: content.to_owned(),
                token_count: i32::try_from(chunk.tokens).unwrap_or(i32::MAX),
                heading_path: chunk.heading_path.clone(),
                page: chunk.page.and_then(|page| i32::try_from(page).ok()),
                byte_start: i64::try_from(chunk.range.start).unwrap_or(i64::MAX),
                byte_end: i64::try_from(chunk.range.end).unwrap_or(i64::MAX),
                lexical: lexical.to_sql(),
                input_sha: passage.sha,
                embedding,
            });
        }
        Ok(Rows { rows, embedded: vectors.embedded })
    }
}
