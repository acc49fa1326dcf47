//! The exact text that is embedded for a chunk, and its hash.

use sha2::{Digest, Sha256};

use crate::chunk::{Chunk, CountTokens};

/// SHA-256 of an embedded text: equal texts of a tenant share a vector.
pub type InputSha = [u8; 32];

/// What is embedded for one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Title and headings on the first line, then the chunk's text; no longer than the model reads.
    pub input: String,
    /// Its hash.
    pub sha: InputSha,
}

impl Passage {
    /// The passage of a chunk of `text` for a model that reads `max_tokens`, special ones excluded.
    #[must_use]
    pub fn of(chunk: &Chunk, text: &str, max_tokens: usize, count: CountTokens<'_>) -> Self {
        let content = &text[chunk.range.clone()];
        let mut input = match chunk.context.as_str() {
            "" => content.to_owned(),
            context => format!("{context}\n{content}"),
        };
        let room = max_tokens.max(1);
        // Chunks are made to fit; what a model counts differently together than in pieces is cut at the end.
        loop {
            let tokens = count(&input);
            if tokens <= room || input.len() <= 1 {
                break;
            }
            let shorter = input.floor_char_boundary(input.len() * room / tokens);
            input.truncate(shorter.min(input.floor_char_boundary(input.len() - 1)));
        }
        let sha = Sha256::digest(input.as_bytes()).into();
        Self { input, sha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(range: std::ops::Range<usize>, context: &str) -> Chunk {
        Chunk { range, heading_path: vec![], context: context.into(), tokens: 1, page: None }
    }

    fn count(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[test]
    fn a_passage_is_title_and_headings_and_text() {
        let passage = Passage::of(&chunk(4..7, "Doc > A"), "one two", 256, &count);
        assert_eq!(passage.input, "Doc > A\ntwo");
        assert_eq!(Passage::of(&chunk(0..3, ""), "one two", 256, &count).input, "one");
    }

    #[test]
    fn a_passage_is_cut_to_what_the_model_reads() {
        let text = "ß ".repeat(50);
        let passage = Passage::of(&chunk(0..text.len(), ""), &text, 10, &count);
        assert!(count(&passage.input) <= 10 && count(&passage.input) > 5, "{}", passage.input);
        let emoji = Passage::of(&chunk(0..4, ""), "😀", 1, &|t| t.len());
        assert!(emoji.input.len() <= 4);
    }
}
