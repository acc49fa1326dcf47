//! The tuning numbers of `retrieval.toml`, parsed once. Writer and reader are compiled with the same file.

use std::sync::LazyLock;

use serde::Deserialize;

const SHIPPED: &str = include_str!("retrieval.toml");

/// Every number that shapes what is found. `retrieval.toml` says what each means and why it has its value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// How text is cut.
    pub chunk: ChunkTuning,
    /// How candidates are found and fused.
    pub retrieval: RetrievalTuning,
    /// How term frequencies become weights.
    pub lexical: LexicalTuning,
    /// What counts as evidence.
    pub evidence: EvidenceTuning,
}

/// How text is cut.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChunkTuning {
    /// Length that a chunk grows to, in tokens of the embedding model.
    pub target_tokens: usize,
    /// Part of a chunk that the next one repeats, in percent.
    pub overlap_percent: usize,
    /// Room for title and heading path in front of a chunk, in tokens.
    pub max_heading_tokens: usize,
}

/// How candidates are found and fused.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetrievalTuning {
    /// Length of each arm's ranked list before fusion, in chunks.
    pub candidates_per_arm: usize,
    /// The constant of reciprocal rank fusion, in ranks.
    pub rrf_k: u32,
    /// Which fusion ships.
    pub fusion: Fusion,
    /// Weight of the dense arm in a min-max average, from 0 to 1.
    pub dense_weight: f32,
    /// Hits for a caller who names no number.
    pub top_k: usize,
    /// Chunks fetched before and after a hit.
    pub neighbours: usize,
    /// Number of visible chunks up to which the dense arm reads every one.
    pub exact_scan_limit: i64,
    /// pgvector's `hnsw.ef_search`, in candidates.
    pub ef_search: u32,
    /// pgvector's `hnsw.max_scan_tuples`, in rows.
    pub max_scan_tuples: u32,
}

/// How two ranked lists become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusion {
    /// Reciprocal rank fusion: only places count.
    Rrf,
    /// Weighted average of scores that were stretched to 0..1 per list.
    MinMax,
}

/// How term frequencies become weights.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LexicalTuning {
    /// BM25's saturation of term frequency.
    pub k1: f32,
    /// BM25's length normalisation, from 0 to 1.
    pub b: f32,
    /// The chunk length that counts as average, in content words.
    pub pivot_terms: f32,
    /// Occurrences in the text that one in the title is worth.
    pub title_weight: f32,
    /// Occurrences in the text that one in the heading path is worth.
    pub heading_weight: f32,
}

/// What counts as evidence.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceTuning {
    /// Cosine that is evidence without any common word.
    pub min_cosine: f32,
    /// Part of the question's content that is evidence without any closeness, from 0 to 1.
    pub min_coverage: f32,
}

impl Tuning {
    /// The numbers that this build ships with.
    pub fn shipped() -> &'static Tuning {
        static TUNING: LazyLock<Tuning> = LazyLock::new(|| match toml::from_str(SHIPPED) {
            Ok(tuning) => tuning,
            // The file is part of the program and a test parses it.
            Err(error) => unreachable!("retrieval.toml does not parse: {error}"),
        });
        &TUNING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_numbers_parse_and_lie_in_their_ranges() {
        let Tuning { chunk, retrieval, lexical, evidence } = Tuning::shipped();
        assert!(chunk.target_tokens > chunk.max_heading_tokens);
        assert!(chunk.overlap_percent < 50);
        assert!(retrieval.candidates_per_arm >= retrieval.top_k);
        assert!(retrieval.ef_search as usize >= retrieval.candidates_per_arm);
        assert!(retrieval.ef_search <= 1000, "pgvector's limit");
        assert!((0.0..=1.0).contains(&retrieval.dense_weight));
        assert!(lexical.k1 > 0.0 && (0.0..=1.0).contains(&lexical.b) && lexical.pivot_terms > 0.0);
        assert!(lexical.title_weight > 0.0 && lexical.heading_weight > 0.0);
        assert!(evidence.min_cosine > 0.0 && evidence.min_cosine <= 1.0);
        assert!(evidence.min_coverage > 0.0 && evidence.min_coverage <= 1.0);
    }

    #[test]
    fn a_misspelt_number_is_refused() {
        let misspelt = SHIPPED.replace("rrf_k", "rrf_kk");
        assert!(toml::from_str::<Tuning>(&misspelt).is_err());
    }
}
