//! What retrieval hands to the answer: a passage this caller may read, with everything a citation needs.

use vouch_shared::ids::{ChunkId, DocumentId};

/// One retrieved chunk.
///
/// Its `content` is the chunk's text as stored. A citation's excerpt is that same text, so offsets
/// into the excerpt are offsets into the chunk.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Position in the list shown to the answerer, from 1.
    pub number: u32,
    /// The document that the chunk belongs to.
    pub document_id: DocumentId,
    /// The chunk itself.
    pub chunk_id: ChunkId,
    /// The chunk's place in its document, from 0.
    pub ordinal: u32,
    /// The document's title.
    pub title: String,
    /// Where the document came from.
    pub source_uri: String,
    /// Which version of it.
    pub source_version: String,
    /// Headings above the chunk, outermost first.
    pub heading_path: Vec<String>,
    /// Page, from 1, where the format has pages.
    pub page: Option<u32>,
    /// The chunk's text.
    pub content: String,
    /// Cosine of question and chunk, −1 to 1; absent when only the lexical arm found the chunk.
    pub cosine: Option<f32>,
    /// BM25 score, above 0; absent when only the dense arm found the chunk.
    pub bm25: Option<f32>,
    /// Rank after fusion, from 1.
    pub fused_rank: u32,
}

impl Passage {
    /// The headings as one line, outermost first; `None` where there are none.
    #[must_use]
    pub fn heading(&self) -> Option<String> {
        (!self.heading_path.is_empty()).then(|| self.heading_path.join(" > "))
    }

    /// Whether it was not found by either arm, and is only here because it stands beside a passage that was.
    #[must_use]
    pub fn is_neighbour(&self) -> bool {
        self.cosine.is_none() && self.bm25.is_none()
    }

    /// Title and headings: what the chunk is about, in words that its own text need not repeat.
    #[must_use]
    pub fn context(&self) -> String {
        let mut context = self.title.clone();
        for heading in &self.heading_path {
            context.push('\n');
            context.push_str(heading);
        }
        context
    }
}
