//! A stand-in for a model in tests: each content word adds to one of 64 dimensions. Deterministic, and blind to meaning.

use super::EmbedError;
use crate::embedding::{ElementType, Embedding, Space};
use crate::lexical;

const DIMENSION: usize = 64;

pub(super) fn space() -> Space {
    Space {
        id: super::space_id("hashing", DIMENSION)
            .unwrap_or_else(|error| unreachable!("a fixed name is an id: {error}")),
        model: "hashing".into(),
        dimension: DIMENSION,
        element_type: ElementType::Vector,
    }
}

pub(super) fn embed(text: &str, space: &Space) -> Result<Embedding, EmbedError> {
    // Not zero, so that a text of stop words has a direction too.
    let mut elements = vec![0.01_f32; DIMENSION];
    for term in lexical::query_terms(text) {
        elements[term.lexeme as usize % DIMENSION] += term.weight;
    }
    Ok(Embedding::new(elements, space)?)
}
