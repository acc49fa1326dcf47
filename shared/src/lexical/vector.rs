//! Lexemes as numbers: a stable id each, and the sparse vector that pgvector stores.

use sha2::{Digest, Sha256};

/// Dimensions of the sparse vectors; ids are 1 to one less. pgvector's own limit is 1,000,000,000 and its indices start at 1.
pub const DIMENSIONS: u32 = 1_000_000_000;

/// Non-zero elements that a `sparsevec` may hold.
pub const MAX_ELEMENTS: usize = 16_000;

/// The id of a lexeme, the same for ever: it stands in stored vectors.
///
/// Two of V distinct lexemes share an id for about V² / 2·10⁹ pairs: 5 pairs among 100,000 lexemes. A term shares its
/// id with any other of them with a probability of 1 in 10,000, and then finds that other term's chunks as well.
#[must_use]
pub fn lexeme_id(lexeme: &str) -> u32 {
    let digest = Sha256::digest(lexeme.as_bytes());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    (number % u64::from(DIMENSIONS - 1)) as u32 + 1
}

/// The weights of a chunk's lexemes, ascending by id; every value is positive.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LexicalVector {
    elements: Vec<(u32, f32)>,
}

impl LexicalVector {
    /// From distinct lexemes. Of more than [`MAX_ELEMENTS`] the heaviest stay.
    pub(super) fn new(elements: impl IntoIterator<Item = (u32, f32)>) -> Self {
        let mut elements: Vec<(u32, f32)> =
            elements.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
        if elements.len() > MAX_ELEMENTS {
            elements.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            elements.truncate(MAX_ELEMENTS);
        }
        elements.sort_by_key(|(lexeme, _)| *lexeme);
        LexicalVector { elements }
    }

    /// Lexeme ids with their weights, ascending by id.
    #[must_use]
    pub fn elements(&self) -> &[(u32, f32)] {
        &self.elements
    }

    /// The lexeme ids, ascending.
    pub fn lexemes(&self) -> impl Iterator<Item = u32> + '_ {
        self.elements.iter().map(|(lexeme, _)| *lexeme)
    }

    /// Whether the text held no content word.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// pgvector's text form, to be cast to `sparsevec`.
    #[must_use]
    pub fn to_sql(&self) -> String {
        let elements: Vec<String> =
            self.elements.iter().map(|(lexeme, weight)| format!("{lexeme}:{weight}")).collect();
        format!("{{{}}}/{DIMENSIONS}", elements.join(","))
    }
}
