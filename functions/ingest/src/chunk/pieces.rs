//! Pieces: the smallest parts that chunks are put together from, each counted once.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{CountTokens, is_blank};
use crate::text::{Block, BlockKind};

/// No model's token is worth less than this many bytes on average over natural text, but a tokenizer may call a word of
/// a megabyte one unknown token. A piece counts at least one token for so many bytes, which bounds chunks in bytes.
pub(super) const MAX_BYTES_PER_TOKEN: usize = 16;

/// White space up to this many bytes stays between two pieces of a chunk; more of it is a cut.
const MAX_GAP_BYTES: usize = 256;

/// Words are counted in groups of at least this many bytes, since one call to the tokenizer costs more than a word.
const WORD_GROUP_BYTES: usize = 32;

/// A part of the text that fits a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) tokens: usize,
    /// It begins a block: a good place for a cut.
    pub(super) starts_block: bool,
    /// It is running text, which the next chunk may repeat.
    pub(super) flows: bool,
    /// A gulf of white space is in front of it: a cut must be here.
    pub(super) stands_apart: bool,
}

/// How a stretch of text that is too long is parted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Whole,
    Lines,
    Sentences,
    Words,
    Graphemes,
    Chars,
}

impl Level {
    fn finer(self) -> Option<Self> {
        match self {
            Self::Whole => Some(Self::Sentences),
            Self::Lines | Self::Sentences => Some(Self::Words),
            Self::Words => Some(Self::Graphemes),
            Self::Graphemes => Some(Self::Chars),
            Self::Chars => None,
        }
    }
}

/// The pieces of some blocks, each of at most `budget` tokens wherever a character is.
pub(super) fn of(text: &str, blocks: &[Block], budget: usize, count: CountTokens<'_>) -> Vec<Piece> {
    let mut cutter = Cutter { text, budget, count, pieces: Vec::new(), flows: false, starts_block: false };
    for block in blocks {
        let level = match block.kind {
            BlockKind::Paragraph => Level::Sentences,
            BlockKind::Code => Level::Lines,
            BlockKind::Heading(_) | BlockKind::ListItem | BlockKind::TableRow => Level::Whole,
        };
        cutter.flows = matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem);
        cutter.starts_block = true;
        cutter.part(block.range.clone(), level);
    }
    cutter.pieces
}

struct Cutter<'a> {
    text: &'a str,
    budget: usize,
    count: CountTokens<'a>,
    pieces: Vec<Piece>,
    flows: bool,
    starts_block: bool,
}

impl Cutter<'_> {
    /// Parts a range at a level and takes each part. At most five levels deep.
    fn part(&mut self, range: Range<usize>, level: Level) {
        let slice = &self.text[range.clone()];
        match level {
            Level::Whole => self.take(range, level),
            Level::Lines => self.take_all(range.start, slice.split_inclusive('\n'), level, 0),
            Level::Sentences => self.take_all(range.start, slice.split_sentence_bounds(), level, 0),
            Level::Words => self.take_all(range.start, slice.split_word_bounds(), level, WORD_GROUP_BYTES),
            Level::Graphemes => self.take_all(range.start, slice.graphemes(true), level, self.budget / 4),
            Level::Chars => self.take_all(range.start, slice.split_inclusive(|_| true), level, 0),
        }
    }

    /// Takes parts, put together to at least `group` bytes, unless one alone is longer.
    fn take_all<'t>(
        &mut self,
        start: usize,
        parts: impl Iterator<Item = &'t str>,
        level: Level,
        group: usize,
    ) {
        let (mut from, mut to) = (start, start);
        for part in parts {
            if to > from && part.len() > group.max(1) {
                self.take(from..to, level);
                from = to;
            }
            to += part.len();
            if to - from >= group {
                self.take(from..to, level);
                from = to;
            }
        }
        if to > from {
            self.take(from..to, level);
        }
    }

    fn take(&mut self, range: Range<usize>, level: Level) {
        let slice = &self.text[range.clone()];
        if slice.chars().all(is_blank) {
            return;
        }
        match (self.tokens(slice), level.finer()) {
            (Some(tokens), _) => self.push(range, tokens),
            (None, Some(finer)) => self.part(range, finer),
            // A single character that costs more than a chunk: nothing smaller is left.
            (None, None) => self.push(range, self.budget),
        }
    }

    /// The tokens of a slice; `None` when it is too long for a chunk.
    fn tokens(&self, slice: &str) -> Option<usize> {
        let least = slice.len() / MAX_BYTES_PER_TOKEN;
        if least > self.budget {
            return None;
        }
        let tokens = (self.count)(slice).max(least).max(1);
        (tokens <= self.budget).then_some(tokens)
    }

    fn push(&mut self, range: Range<usize>, tokens: usize) {
        let end = self.pieces.last().map_or(range.start, |last| last.range.end);
        self.pieces.push(Piece {
            stands_apart: range.start.saturating_sub(end) > MAX_GAP_BYTES,
            range,
            tokens,
            starts_block: std::mem::take(&mut self.starts_block),
            flows: self.flows,
        });
    }
}
