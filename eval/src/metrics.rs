//! The figures, as functions of ranks alone. A rank counts from 1; documents, not chunks, are ranked.

/// Whether a right document is among the first `k`: 1 or 0.
#[must_use]
pub fn recall_at(k: usize, ranks: &[usize]) -> f64 {
    f64::from(u8::from(ranks.iter().any(|&rank| rank <= k)))
}

/// 1 / rank of the first right document; 0 where none was found.
#[must_use]
pub fn reciprocal_rank(ranks: &[usize]) -> f64 {
    ranks.iter().min().map_or(0.0, |&rank| 1.0 / rank as f64)
}

/// Normalised discounted cumulative gain of the first `k`, with every right document worth the same: the sum of
/// 1 / log2(rank + 1) over the right ones found, by what it would be if all `relevant` of them came first.
#[must_use]
pub fn ndcg_at(k: usize, ranks: &[usize], relevant: usize) -> f64 {
    let gain = |rank: usize| 1.0 / (rank as f64 + 1.0).log2();
    let ideal: f64 = (1..=relevant.min(k)).map(gain).sum();
    let found: f64 = ranks.iter().copied().filter(|&rank| rank <= k).map(gain).sum();
    if ideal > 0.0 { found / ideal } else { 0.0 }
}

/// The mean; 0 of nothing.
#[must_use]
pub fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.into_iter().fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    if count > 0 { sum / count as f64 } else { 0.0 }
}

/// The smallest value that `percent` of all values do not exceed (nearest rank); 0 of nothing.
#[must_use]
pub fn percentile(percent: usize, values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
    }

    #[test]
    fn recall_looks_at_the_first_k_only() {
        assert_near(recall_at(5, &[5]), 1.0);
        assert_near(recall_at(5, &[6, 9]), 0.0);
        assert_near(recall_at(5, &[]), 0.0);
    }

    #[test]
    fn the_reciprocal_rank_is_that_of_the_best() {
        assert_near(reciprocal_rank(&[4, 2]), 0.5);
        assert_near(reciprocal_rank(&[]), 0.0);
    }

    #[test]
    fn ndcg_has_the_values_of_the_textbook() {
        assert_near(ndcg_at(10, &[1, 2], 2), 1.0);
        assert_near(ndcg_at(10, &[2], 1), 0.63093);
        // (1/log2 2 + 1/log2 4) / (1/log2 2 + 1/log2 3) = 1.5 / 1.63093
        assert_near(ndcg_at(10, &[1, 3], 2), 0.91972);
        assert_near(ndcg_at(10, &[11], 1), 0.0);
        assert_near(ndcg_at(2, &[1, 2], 50), 1.0);
        assert_near(ndcg_at(10, &[], 0), 0.0);
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values = [5.0, 1.0, 3.0, 2.0, 4.0];
        assert_near(percentile(50, &values), 3.0);
        assert_near(percentile(95, &values), 5.0);
        assert_near(percentile(0, &values), 1.0);
        assert_near(percentile(50, &[]), 0.0);
    }

    #[test]
    fn the_mean_of_nothing_is_zero() {
        assert_near(mean([]), 0.0);
        assert_near(mean([1.0, 0.0]), 0.5);
    }

    proptest! {
        #[test]
        fn every_figure_lies_between_0_and_1(ranks in proptest::collection::btree_set(1_usize..100, 0..20), k in 1_usize..20) {
            let ranks: Vec<usize> = ranks.into_iter().collect();
            for value in [recall_at(k, &ranks), reciprocal_rank(&ranks), ndcg_at(k, &ranks, ranks.len())] {
                prop_assert!((0.0..=1.000_001).contains(&value));
            }
        }

        #[test]
        fn moving_a_right_document_up_never_costs(rank in 2_usize..15, relevant in 1_usize..5) {
            prop_assert!(ndcg_at(10, &[rank - 1], relevant) >= ndcg_at(10, &[rank], relevant));
        }
    }
}
