//! Pieces put together to chunks of even weight.

use std::ops::Range;

use super::pieces::Piece;

/// Byte ranges of chunks of at most `budget` tokens, in order, that hold every piece. Where the next chunk continues
/// running text it repeats up to `overlap` tokens of it.
pub(super) fn pack(pieces: &[Piece], budget: usize, overlap: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < pieces.len() {
        let end = end_of_chunk(pieces, start, budget);
        chunks.push(pieces[start].range.start..pieces[end - 1].range.end);
        if end == pieces.len() {
            break;
        }
        start = start_of_next(pieces, start, end, budget, overlap);
    }
    chunks
}

/// As many pieces as fit; but a block that does not fit whole waits for the next chunk when this one is half full.
fn end_of_chunk(pieces: &[Piece], start: usize, budget: usize) -> usize {
    let mut tokens = pieces[start].tokens;
    let mut between_blocks = None;
    for (end, piece) in pieces.iter().enumerate().skip(start + 1) {
        if piece.stands_apart {
            return end;
        }
        if piece.starts_block && tokens * 2 >= budget {
            between_blocks = Some(end);
        }
        if tokens + piece.tokens > budget {
            return between_blocks.unwrap_or(end);
        }
        tokens += piece.tokens;
    }
    pieces.len()
}

/// Goes back from the end of a chunk over running text, but never so far that the next chunk would hold nothing new.
fn start_of_next(pieces: &[Piece], start: usize, end: usize, budget: usize, overlap: usize) -> usize {
    let room = overlap.min(budget.saturating_sub(pieces[end].tokens));
    let mut next = end;
    let mut repeated = 0;
    while next > start + 1 && !pieces[next].stands_apart {
        let piece = &pieces[next - 1];
        if !piece.flows || repeated + piece.tokens > room {
            break;
        }
        repeated += piece.tokens;
        next -= 1;
    }
    next
}
