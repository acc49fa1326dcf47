//! The line of title and headings that is embedded in front of a chunk, so that a passage is found by words that
//! stand only above it.

use super::CountTokens;

/// Between the parts of the line.
const SEPARATOR: &str = " > ";

/// Title and headings, cut from the left to fit.
pub(super) struct Context<'a> {
    parts: Vec<&'a str>,
    tokens: usize,
}

impl<'a> Context<'a> {
    pub(super) fn new(title: &'a str, path: &[&'a str], max_tokens: usize, count: CountTokens<'_>) -> Self {
        let mut parts: Vec<&str> = Vec::with_capacity(path.len() + 1);
        for part in std::iter::once(title).chain(path.iter().copied()) {
            if !part.trim().is_empty() && parts.last() != Some(&part) {
                parts.push(part);
            }
        }
        let mut tokens = 0;
        let mut kept = parts.len();
        while kept > 0 {
            let part = count(parts[kept - 1]) + count(SEPARATOR);
            if tokens + part > max_tokens {
                break;
            }
            tokens += part;
            kept -= 1;
        }
        parts.drain(..kept);
        Self { parts, tokens }
    }

    /// Tokens of the whole line.
    pub(super) fn tokens(&self) -> usize {
        self.tokens
    }

    /// The line for a chunk; a heading with which the chunk itself begins is not said twice.
    pub(super) fn in_front_of(&self, content: &str) -> String {
        match self.parts.split_last() {
            Some((last, above)) if content.starts_with(last) => above.join(SEPARATOR),
            _ => self.parts.join(SEPARATOR),
        }
    }
}
