//! Sections: the blocks between one heading and the next, and which of them are too small to stand alone.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::pieces::Piece;
use crate::text::{Block, BlockKind};

/// Longest heading kept in a path, in bytes; a longer one is text that somebody marked as a heading.
const MAX_HEADING_BYTES: usize = 200;

/// A heading and what stands under it, up to the next heading.
pub(super) struct Section<'a> {
    pub(super) path: Vec<&'a str>,
    pub(super) blocks: Range<usize>,
    pub(super) has_body: bool,
}

/// A section whose pieces are counted.
pub(super) struct Measured<'a> {
    pub(super) path: Vec<&'a str>,
    pub(super) has_body: bool,
    /// Tokens that a chunk of it may have.
    pub(super) budget: usize,
    pub(super) pieces: Vec<Piece>,
}

/// The blocks, and a paragraph for every stretch of text that no block holds.
pub(super) fn covering(text: &str, blocks: &[Block]) -> Vec<Block> {
    let mut all = Vec::with_capacity(blocks.len());
    let mut end = 0;
    let fill = |all: &mut Vec<Block>, gap: Range<usize>| {
        if text.get(gap.clone()).is_some_and(|t| !t.trim().is_empty()) {
            all.push(Block { kind: BlockKind::Paragraph, range: gap, page: None });
        }
    };
    for block in blocks {
        fill(&mut all, end..block.range.start);
        end = block.range.end;
        all.push(block.clone());
    }
    fill(&mut all, end..text.len());
    all
}

/// Parts the blocks at headings.
pub(super) fn of<'a>(text: &'a str, blocks: &[Block]) -> Vec<Section<'a>> {
    let mut open: Vec<(u8, &str)> = Vec::new();
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        if let BlockKind::Heading(level) = block.kind {
            while open.last().is_some_and(|(above, _)| *above >= level) {
                open.pop();
            }
            open.push((level, short(text[block.range.clone()].trim())));
        }
        match (block.kind, sections.last_mut()) {
            (BlockKind::Heading(_), _) | (_, None) => sections.push(Section {
                path: open.iter().map(|(_, heading)| *heading).collect(),
                blocks: index..index + 1,
                has_body: !matches!(block.kind, BlockKind::Heading(_)),
            }),
            (_, Some(section)) => {
                section.blocks.end = index + 1;
                section.has_body = true;
            }
        }
    }
    sections
}

/// Puts sections of less than `small` tokens together with a neighbour under the same heading, and a heading
/// without text together with its first subsection, as long as one chunk holds both.
pub(super) fn merge<'a>(sections: impl Iterator<Item = Measured<'a>>, small: usize) -> Vec<Measured<'a>> {
    let mut merged: Vec<(Measured<'_>, usize)> = Vec::new();
    for section in sections {
        let tokens: usize = section.pieces.iter().map(|piece| piece.tokens).sum();
        if let Some((last, last_tokens)) = merged.last_mut() {
            let shared = last.path.iter().zip(&section.path).take_while(|(a, b)| a == b).count();
            let fits = *last_tokens + tokens <= last.budget.min(section.budget);
            let leads = !last.has_body && shared == last.path.len();
            let is_small = last.has_body && section.has_body && (*last_tokens).min(tokens) < small;
            if fits && shared > 0 && (leads || is_small) {
                if leads {
                    last.path = section.path;
                } else {
                    last.path.truncate(shared);
                }
                last.has_body |= section.has_body;
                last.budget = last.budget.min(section.budget);
                last.pieces.extend(section.pieces);
                *last_tokens += tokens;
                continue;
            }
        }
        merged.push((section, tokens));
    }
    merged.into_iter().map(|(section, _)| section).collect()
}

fn short(heading: &str) -> &str {
    if heading.len() <= MAX_HEADING_BYTES {
        return heading;
    }
    let graphemes = heading.grapheme_indices(true).map(|(at, _)| at);
    let end = graphemes.take_while(|at| *at <= MAX_HEADING_BYTES).last().unwrap_or(0);
    // One grapheme may be longer than all that is allowed.
    let end = if end == 0 { heading.floor_char_boundary(MAX_HEADING_BYTES) } else { end };
    &heading[..end]
}
