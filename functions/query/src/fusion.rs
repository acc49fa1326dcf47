//! Merges the arms' ranked lists into one. Pure: the result depends on the set of candidates alone,
//! never on the order in which arms or candidates arrive, and equal scores are told apart by chunk id,
//! so the order is total and a page of results is the same each time.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use vouch_shared::ids::ChunkId;

/// A way of searching. The order of the variants is the order in which scores are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arm {
    /// By the cosine of embeddings.
    Dense,
    /// By BM25.
    Lexical,
}

/// One arm's candidate: the higher the score, the better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The chunk found.
    pub chunk: ChunkId,
    /// Cosine or BM25; finite.
    pub score: f64,
}

/// What one arm found, in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// Who found it.
    pub arm: Arm,
    /// Weight of the arm in a weighted fusion; 1 for all is the unweighted one.
    pub weight: f64,
    /// The candidates; a chunk that stands here twice counts once, with its better score.
    pub candidates: Vec<Candidate>,
}

/// How ranked lists are merged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fusion {
    /// Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009): the sum of weight / (k + rank).
    ReciprocalRank {
        /// Damping of the first ranks; 60 in the paper.
        k: f64,
    },
    /// The weighted mean of each arm's scores, scaled so that its best is 1 and its worst 0.
    /// A chunk that an arm did not find has 0 from it.
    MinMax,
}

/// Where an arm placed a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// From 1.
    pub rank: usize,
    /// The arm's own score.
    pub score: f64,
}

/// A chunk in the merged order.
#[derive(Clone, Debug, PartialEq)]
pub struct Fused {
    /// The chunk.
    pub chunk: ChunkId,
    /// Fused score; comparable within one query only, and no measure of evidence.
    pub score: f64,
    /// Its place in the dense arm, where that found it.
    pub dense: Option<Place>,
    /// Its place in the lexical arm, where that found it.
    pub lexical: Option<Place>,
}

/// The merged order, best first.
#[must_use]
pub fn fuse(fusion: Fusion, rankings: &[Ranking]) -> Vec<Fused> {
    let mut rankings: Vec<&Ranking> = rankings.iter().collect();
    rankings.sort_by_key(|ranking| ranking.arm);
    let total_weight: f64 = rankings.iter().map(|ranking| ranking.weight).sum();

    let mut merged: BTreeMap<ChunkId, Fused> = BTreeMap::new();
    for ranking in rankings {
        let ordered = in_order(&ranking.candidates);
        let (best, worst) =
            (ordered.first().map_or(0.0, |c| c.score), ordered.last().map_or(0.0, |c| c.score));
        for (index, candidate) in ordered.iter().enumerate() {
            let place = Place { rank: index + 1, score: candidate.score };
            let share = match fusion {
                Fusion::ReciprocalRank { k } => ranking.weight / (k + place.rank as f64),
                Fusion::MinMax => ranking.weight / total_weight * scaled(candidate.score, worst, best),
            };
            let fused = merged.entry(candidate.chunk).or_insert(Fused {
                chunk: candidate.chunk,
                score: 0.0,
                dense: None,
                lexical: None,
            });
            fused.score += share;
            match ranking.arm {
                Arm::Dense => fused.dense = Some(place),
                Arm::Lexical => fused.lexical = Some(place),
            }
        }
    }
    let mut fused: Vec<Fused> = merged.into_values().collect();
    fused.sort_by(|a, b| better_first((a.score, a.chunk), (b.score, b.chunk)));
    fused
}

/// The candidates best first, each chunk once.
fn in_order(candidates: &[Candidate]) -> Vec<Candidate> {
    let mut best: BTreeMap<ChunkId, f64> = BTreeMap::new();
    for candidate in candidates {
        best.entry(candidate.chunk)
            .and_modify(|score| *score = score.max(candidate.score))
            .or_insert(candidate.score);
    }
    let mut ordered: Vec<Candidate> =
        best.into_iter().map(|(chunk, score)| Candidate { chunk, score }).collect();
    ordered.sort_by(|a, b| better_first((a.score, a.chunk), (b.score, b.chunk)));
    ordered
}

fn better_first(a: (f64, ChunkId), b: (f64, ChunkId)) -> Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// 1 for the best, 0 for the worst; a list whose scores are all equal says "found" and no more.
fn scaled(score: f64, worst: f64, best: f64) -> f64 {
    if best > worst { (score - worst) / (best - worst) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn chunk(n: u128) -> ChunkId {
        Uuid::from_u128(n).to_string().parse().unwrap()
    }

    fn ranking(arm: Arm, scores: &[(u128, f64)]) -> Ranking {
        let candidates = scores.iter().map(|&(n, score)| Candidate { chunk: chunk(n), score }).collect();
        Ranking { arm, weight: 1.0, candidates }
    }

    fn order(fused: &[Fused]) -> Vec<ChunkId> {
        fused.iter().map(|f| f.chunk).collect()
    }

    const RRF: Fusion = Fusion::ReciprocalRank { k: 60.0 };

    #[test]
    fn reciprocal_rank_fusion_sums_one_over_k_plus_rank() {
        let fused =
            fuse(RRF, &[ranking(Arm::Dense, &[(1, 0.9), (2, 0.8)]), ranking(Arm::Lexical, &[(2, 7.0)])]);
        assert_eq!(order(&fused), [chunk(2), chunk(1)]);
        assert!((fused[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-12);
        assert_eq!(fused[0].dense, Some(Place { rank: 2, score: 0.8 }));
        assert_eq!(fused[0].lexical, Some(Place { rank: 1, score: 7.0 }));
        assert_eq!(fused[1].lexical, None);
    }

    #[test]
    fn min_max_fusion_averages_scores_scaled_to_each_arm() {
        let fused = fuse(
            Fusion::MinMax,
            &[
                ranking(Arm::Dense, &[(1, 0.9), (2, 0.6), (3, 0.3)]),
                ranking(Arm::Lexical, &[(2, 8.0), (3, 4.0)]),
            ],
        );
        assert_eq!(order(&fused), [chunk(2), chunk(1), chunk(3)]);
        assert!((fused[0].score - 0.75).abs() < 1e-12);
        assert!((fused[2].score).abs() < 1e-12);
    }

    #[test]
    fn weights_tilt_both_methods() {
        let mut lexical = ranking(Arm::Lexical, &[(2, 5.0), (1, 1.0)]);
        lexical.weight = 3.0;
        let dense = ranking(Arm::Dense, &[(1, 0.9), (2, 0.1)]);
        for method in [RRF, Fusion::MinMax] {
            assert_eq!(order(&fuse(method, &[dense.clone(), lexical.clone()]))[0], chunk(2));
        }
    }

    #[test]
    fn equal_scores_are_ordered_by_chunk_id() {
        let fused = fuse(Fusion::MinMax, &[ranking(Arm::Dense, &[(9, 0.5), (3, 0.5), (6, 0.5)])]);
        assert_eq!(order(&fused), [chunk(3), chunk(6), chunk(9)]);
    }

    #[test]
    fn no_candidates_fuse_to_nothing() {
        assert!(fuse(RRF, &[]).is_empty());
        assert!(fuse(Fusion::MinMax, &[ranking(Arm::Dense, &[]), ranking(Arm::Lexical, &[])]).is_empty());
    }

    fn candidates() -> impl Strategy<Value = Vec<(u128, f64)>> {
        // Few ids and few scores, so that ties and duplicates are common.
        prop::collection::vec((0u128..12, (-4i32..4).prop_map(f64::from)), 0..20)
    }

    proptest! {
        #[test]
        fn the_order_of_arms_and_of_candidates_is_irrelevant(
            (dense, shuffled_dense) in candidates().prop_flat_map(|c| (Just(c.clone()), Just(c).prop_shuffle())),
            (lexical, shuffled_lexical) in candidates().prop_flat_map(|c| (Just(c.clone()), Just(c).prop_shuffle())),
            min_max: bool,
        ) {
            let method = if min_max { Fusion::MinMax } else { RRF };
            let one = fuse(method, &[ranking(Arm::Dense, &dense), ranking(Arm::Lexical, &lexical)]);
            let other = fuse(method, &[ranking(Arm::Lexical, &shuffled_lexical), ranking(Arm::Dense, &shuffled_dense)]);
            prop_assert_eq!(one, other);
        }

        #[test]
        fn the_order_is_total_and_keeps_every_candidate_once(dense in candidates(), lexical in candidates(), min_max: bool) {
            let method = if min_max { Fusion::MinMax } else { RRF };
            let fused = fuse(method, &[ranking(Arm::Dense, &dense), ranking(Arm::Lexical, &lexical)]);
            for pair in fused.windows(2) {
                prop_assert!(pair[0].score > pair[1].score || (pair[0].score == pair[1].score && pair[0].chunk < pair[1].chunk));
            }
            let mut expected: Vec<u128> = dense.iter().chain(&lexical).map(|&(n, _)| n).collect();
            expected.sort_unstable();
            expected.dedup();
            let mut found = order(&fused);
            found.sort();
            prop_assert_eq!(found, expected.into_iter().map(chunk).collect::<Vec<_>>());
        }
    }
}
