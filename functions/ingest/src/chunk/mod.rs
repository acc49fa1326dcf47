//! Text becomes chunks: passages that are embedded, found and cited one by one. Pure.
//!
//! Cuts are made at headings first, then between blocks, sentences, words, and only then inside a word; never inside
//! a character, nor inside what a reader sees as one character unless that alone is too long. Time is linear in the
//! text: each piece is counted once, and what is too long to fit by its bytes alone is not counted at all.

mod context;
mod sections;
mod pieces;
mod pack;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::ops::Range;

use sha2::{Digest, Sha256};
use vouch_shared::tuning::Tuning;

use crate::text::{EXTRACTOR_VERSION, Extracted};
use context::Context;

/// Counts the rules of this module: raise it when the same text would be cut in another way.
const RULES_VERSION: u32 = 1;

/// Tokens that a model adds to each text, such as `[CLS]` and `[SEP]`.
pub const SPECIAL_TOKENS: usize = 2;

/// The least that a chunk's own text may grow to, in tokens, whatever the settings and the headings leave.
const LEAST_BUDGET: usize = 32;

/// Counts the tokens of a text, special ones excluded.
pub type CountTokens<'a> = &'a dyn Fn(&str) -> usize;

/// How long chunks are; all in tokens of the embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Length that a chunk grows to, headings and special tokens included.
    pub target_tokens: usize,
    /// Part of a chunk that the next one repeats, in percent of the target.
    pub overlap_percent: usize,
    /// Room for title and heading path in front of a chunk.
    pub max_heading_tokens: usize,
}

impl Settings {
    /// The tuned lengths, or what a model reads that takes `max_tokens` of a text besides special ones, where that is less.
    #[must_use]
    pub fn for_model(tuning: &Tuning, max_tokens: usize) -> Self {
        let target_tokens = tuning.chunk.target_tokens.min(max_tokens.saturating_add(SPECIAL_TOKENS));
        Self {
            target_tokens,
            overlap_percent: tuning.chunk.overlap_percent,
            max_heading_tokens: tuning.chunk.max_heading_tokens.min(target_tokens / 4),
        }
    }

    /// The version of everything that decides which rows a text becomes: the rules of extraction and chunking, these
    /// settings and the lexical weights. It is part of a chunk's id and fits a Postgres integer.
    #[must_use]
    pub fn version(&self, tuning: &Tuning) -> u32 {
        let mut rules = format!("{EXTRACTOR_VERSION} {RULES_VERSION} {self:?} ");
        // Writing to a string cannot fail.
        let _ = write!(rules, "{:?}", tuning.lexical);
        let digest = Sha256::digest(rules.as_bytes());
        u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]) & 0x7fff_ffff
    }

    /// Tokens that a chunk's own text may have under a heading line of `heading_tokens`.
    fn budget(&self, heading_tokens: usize) -> usize {
        self.target_tokens.saturating_sub(SPECIAL_TOKENS + heading_tokens).max(LEAST_BUDGET)
    }

    fn overlap(&self) -> usize {
        self.target_tokens * self.overlap_percent / 100
    }
}

/// One passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Where it stands in the extracted text, in bytes.
    pub range: Range<usize>,
    /// Headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// Title and headings on one line, as they are embedded in front of it; empty when there are none.
    pub context: String,
    /// Tokens of its text, at least 1.
    pub tokens: usize,
    /// The page that it starts on.
    pub page: Option<u32>,
}

/// Cuts a text. `title` is the document's, from the text or from its file's name.
#[must_use]
pub fn cut(extracted: &Extracted, title: &str, settings: &Settings, count: CountTokens<'_>) -> Vec<Chunk> {
    let text = extracted.text.as_str();
    let blocks = sections::covering(text, &extracted.blocks);
    let sections = sections::of(text, &blocks);
    let measured = sections.into_iter().map(|section| {
        let context = Context::new(title, &section.path, settings.max_heading_tokens, count);
        let budget = settings.budget(context.tokens());
        let pieces = pieces::of(text, &blocks[section.blocks.clone()], budget, count);
        sections::Measured { path: section.path, has_body: section.has_body, budget, pieces }
    });
    let groups = sections::merge(measured, settings.target_tokens / 8);
    let mut chunks = Vec::new();
    for group in groups {
        let context = Context::new(title, &group.path, settings.max_heading_tokens, count);
        for range in pack::pack(&group.pieces, group.budget, settings.overlap()) {
            let Some(range) = trim(text, range) else { continue };
            let content = &text[range.clone()];
            let page = blocks.iter().rfind(|b| b.range.start <= range.start).and_then(|b| b.page);
            chunks.push(Chunk {
                context: context.in_front_of(content),
                heading_path: group.path.iter().map(|h| (*h).to_owned()).collect(),
                tokens: count(content).max(1),
                page,
                range,
            });
        }
    }
    chunks
}

/// The range without white space at its ends; `None` when nothing is left.
fn trim(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let slice = &text[range.clone()];
    let start = range.start + (slice.len() - slice.trim_start_matches(is_blank).len());
    let end = range.start + slice.trim_end_matches(is_blank).len();
    (start < end).then_some(start..end)
}

/// White space and marks that nobody sees: a chunk of nothing else is no passage.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
        || c.is_control()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}
