//! What leaves the answer: an [`Answer`] whose statements were all checked, or a refusal.
//!
//! The types carry two promises. A refusal holds a [`Reason`] and nothing else, so it cannot carry a
//! citation. An [`Answer`] has private fields and is made in `compose` from checked statements only.
//!
//! Offsets of quotes count Unicode code points (scalar values) of the excerpt: what Python's `str`
//! and JavaScript's `Array.from(text)` index by. They are neither UTF-8 bytes nor UTF-16 units.

use serde::Serialize;
use vouch_shared::ids::{ChunkId, DocumentId};

/// The whole text of every refusal.
pub const REFUSAL_TEXT: &str = "I don't know.";

/// What the service says to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Statements, each with at least one citation that was checked.
    Answered(Answer),
    /// [`REFUSAL_TEXT`], for this reason.
    Refused {
        /// Why.
        reason: Reason,
    },
}

impl Outcome {
    /// The text for the reader: with `[n]` marks, or exactly [`REFUSAL_TEXT`].
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Answered(answer) => answer.text(),
            Self::Refused { .. } => REFUSAL_TEXT,
        }
    }

    /// The statements; none in a refusal.
    #[must_use]
    pub fn statements(&self) -> &[Statement] {
        match self {
            Self::Answered(answer) => answer.statements(),
            Self::Refused { .. } => &[],
        }
    }

    /// The citations; none in a refusal.
    #[must_use]
    pub fn citations(&self) -> &[Citation] {
        match self {
            Self::Answered(answer) => answer.citations(),
            Self::Refused { .. } => &[],
        }
    }

    /// Why the question was refused; `None` where it was answered.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Answered(_) => None,
            Self::Refused { reason } => Some(*reason),
        }
    }
}

/// Why a question was refused. The names are part of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Retrieval found nothing that this caller may read.
    NoEvidence,
    /// Passages were found, and they are too far from the question.
    WeakEvidence,
    /// An answer was proposed, or asked for, and no passage supports one.
    UnsupportedBySources,
    /// The answer model could not be asked.
    ModelUnavailable,
}

impl Reason {
    /// The reason as the API and the metrics spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoEvidence => "no_evidence",
            Self::WeakEvidence => "weak_evidence",
            Self::UnsupportedBySources => "unsupported_by_sources",
            Self::ModelUnavailable => "model_unavailable",
        }
    }
}

/// An answer: never without a statement, and no statement without a citation.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub(super) text: String,
    pub(super) statements: Vec<Statement>,
    pub(super) citations: Vec<Citation>,
}

impl Answer {
    /// The statements as one text, each followed by its `[n]` marks.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The statements, at least one.
    #[must_use]
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The citations, numbered from 1 without gaps in the order of first use.
    #[must_use]
    pub fn citations(&self) -> &[Citation] {
        &self.citations
    }
}

/// One statement of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// Plain text: no links, images or marks from documents are live in it.
    pub text: String,
    /// [`Citation::n`] of each citation that supports it, at least one.
    pub citations: Vec<u32>,
}

/// Where a statement's support stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// The number used by marks, from 1.
    pub n: u32,
    /// The document's title.
    pub title: String,
    /// Where the document came from.
    pub source_uri: String,
    /// Which version of it.
    pub source_version: String,
    /// The document.
    pub document_id: DocumentId,
    /// The chunk.
    pub chunk_id: ChunkId,
    /// The chunk's place in its document, from 0.
    pub ordinal: u32,
    /// Page, from 1, where the format has pages.
    pub page: Option<u32>,
    /// Headings above the chunk, outermost first, joined by ` > `.
    pub heading: Option<String>,
    /// The chunk's text, unchanged.
    pub excerpt: String,
    /// The words in the excerpt that support the statement.
    pub quote: Quote,
}

/// A span of an excerpt: `excerpt[start..end] == text`, counted in Unicode code points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Quote {
    /// The words as they stand in the excerpt.
    pub text: String,
    /// First code point, from 0.
    pub start: u32,
    /// One past the last code point.
    pub end: u32,
}
