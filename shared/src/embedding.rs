//! Vectors, and the space they belong to.

use crate::ids::SpaceId;

/// How the database holds an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementType {
    /// 32-bit floats; an index holds at most 2,000 of them.
    Vector,
    /// 16-bit floats; an index holds at most 4,000 of them.
    Halfvec,
}

impl ElementType {
    /// From the database's name for it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "vector" => Some(Self::Vector),
            "halfvec" => Some(Self::Halfvec),
            _ => None,
        }
    }

    /// The database's name for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Vector => "vector",
            Self::Halfvec => "halfvec",
        }
    }

    /// The type that holds an indexed vector of this many elements.
    #[must_use]
    pub fn for_dimension(dimension: usize) -> Self {
        if dimension <= 2_000 { Self::Vector } else { Self::Halfvec }
    }
}

/// Vectors that may be compared with each other: one model, one dimension, one element type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Space {
    /// Its name.
    pub id: SpaceId,
    /// The embedding model, as its provider names it.
    pub model: String,
    /// Number of elements.
    pub dimension: usize,
    /// How the database holds them.
    pub element_type: ElementType,
}

/// Why numbers are not an embedding.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum EmbeddingError {
    /// Another number of elements than the space has.
    #[error("an embedding of {found} elements where the space has {expected}")]
    Dimension {
        /// Elements given.
        found: usize,
        /// Elements of the space.
        expected: usize,
    },
    /// NaN or infinite.
    #[error("an embedding with an element that is not a finite number")]
    NotFinite,
    /// Of norm 0: it points nowhere.
    #[error("an embedding of norm 0")]
    Zero,
}

/// A finite vector of norm 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Vec<f32>);

impl Embedding {
    /// Checks the elements and scales them to norm 1 (L2).
    ///
    /// # Errors
    /// [`EmbeddingError`] for another dimension than the space's, an element that is not finite, or norm 0.
    pub fn new(mut elements: Vec<f32>, space: &Space) -> Result<Self, EmbeddingError> {
        if elements.len() != space.dimension {
            return Err(EmbeddingError::Dimension { found: elements.len(), expected: space.dimension });
        }
        if elements.iter().any(|e| !e.is_finite()) {
            return Err(EmbeddingError::NotFinite);
        }
        let norm = elements.iter().map(|e| f64::from(*e).powi(2)).sum::<f64>().sqrt();
        if norm < f64::from(f32::MIN_POSITIVE) {
            return Err(EmbeddingError::Zero);
        }
        for element in &mut elements {
            #[allow(clippy::cast_possible_truncation, reason = "an element of a unit vector fits")]
            {
                *element = (f64::from(*element) / norm) as f32;
            }
        }
        Ok(Self(elements))
    }

    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// Cosine similarity, in [-1, 1]; both must be of one space.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        self.0.iter().zip(&other.0).map(|(a, b)| a * b).sum()
    }

    /// The text that pgvector reads: `[0.1,0.2,…]`.
    #[must_use]
    pub fn to_sql(&self) -> String {
        let mut text = String::with_capacity(self.0.len() * 12 + 2);
        text.push('[');
        for (i, element) in self.0.iter().enumerate() {
            if i > 0 {
                text.push(',');
            }
            text.push_str(&element.to_string());
        }
        text.push(']');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(dimension: usize) -> Space {
        let id = SpaceId::parse("test").unwrap();
        Space { id, model: "test".into(), dimension, element_type: ElementType::Vector }
    }

    #[test]
    fn an_embedding_has_norm_one() {
        let embedding = Embedding::new(vec![3.0, 4.0], &space(2)).unwrap();
        assert_eq!(embedding.as_slice(), [0.6, 0.8]);
        assert_eq!(embedding.to_sql(), "[0.6,0.8]");
        assert!((embedding.cosine(&embedding) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let refused = |elements: &[f32]| Embedding::new(elements.to_vec(), &space(2)).unwrap_err();
        assert_eq!(refused(&[1.0]), EmbeddingError::Dimension { found: 1, expected: 2 });
        assert_eq!(refused(&[f32::NAN, 1.0]), EmbeddingError::NotFinite);
        assert_eq!(refused(&[f32::INFINITY, 1.0]), EmbeddingError::NotFinite);
        assert_eq!(refused(&[0.0, 0.0]), EmbeddingError::Zero);
    }
}
