//! Observations summed up, and written for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::metrics::{mean, ndcg_at, percentile, recall_at, reciprocal_rank};
use crate::observe::Observation;
use crate::questions::Kind;

/// How well the right documents were ranked. Rounded to four digits, so that a committed file has no noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Number of questions.
    pub questions: usize,
    /// Share with a right document among the first five.
    pub recall_at_5: f64,
    /// Share with a right document among the first ten.
    pub recall_at_10: f64,
    /// Mean reciprocal rank of the first right document.
    pub mrr: f64,
    /// Mean nDCG of the first ten.
    pub ndcg_at_10: f64,
}

/// What was refused and what was not, in questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Refusals {
    /// Unanswerable questions.
    pub unanswerable: usize,
    /// Those that were refused, as they should be.
    pub refused: usize,
    /// Unanswerable questions close to what the corpus says.
    pub near_misses: usize,
    /// Those that were refused.
    pub near_misses_refused: usize,
    /// Answerable questions.
    pub answerable: usize,
    /// Those that were refused, as they should not be.
    pub false_refusals: usize,
    /// Answers to answerable questions that cite a right document.
    pub cited_right: usize,
}

/// What came of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the corpus answers it.
    pub answerable: bool,
    /// Rank of the first right document, if it was found.
    pub rank: Option<usize>,
    /// Whether it was answered.
    pub answered: bool,
    /// Whether the answer cites a right document.
    pub cites_right: bool,
}

/// Everything that a baseline holds: what a run found, without how long it took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Over all answerable questions.
    pub overall: Figures,
    /// By what the question tests.
    pub by_kind: BTreeMap<Kind, Figures>,
    /// What was refused.
    pub refusals: Refusals,
    /// By question.
    pub questions: BTreeMap<String, Verdict>,
}

/// How long searches and answers took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    /// Half of all searches were as fast.
    pub search_p50: f64,
    /// 95 of 100 searches were as fast.
    pub search_p95: f64,
    /// Half of all answers were as fast.
    pub ask_p50: f64,
    /// 95 of 100 answers were as fast.
    pub ask_p95: f64,
}

impl Figures {
    /// Over observations of answerable questions.
    #[must_use]
    pub fn of<'a>(observations: impl Iterator<Item = &'a Observation> + Clone) -> Self {
        let over = |figure: &dyn Fn(&Observation) -> f64| rounded(mean(observations.clone().map(figure)));
        Self {
            questions: observations.clone().count(),
            recall_at_5: over(&|seen| recall_at(5, &seen.ranks)),
            recall_at_10: over(&|seen| recall_at(10, &seen.ranks)),
            mrr: over(&|seen| reciprocal_rank(&seen.ranks)),
            ndcg_at_10: over(&|seen| ndcg_at(10, &seen.ranks, seen.question.sources.len())),
        }
    }
}

impl Report {
    /// Sums up.
    #[must_use]
    pub fn of(observations: &[Observation]) -> Self {
        let answerable = observations.iter().filter(|seen| is_answerable(seen));
        let mut by_kind = BTreeMap::new();
        for seen in answerable.clone() {
            let kind = seen.question.kind;
            by_kind.entry(kind).or_insert_with(|| {
                Figures::of(answerable.clone().filter(move |seen| seen.question.kind == kind))
            });
        }
        Self {
            overall: Figures::of(answerable),
            by_kind,
            refusals: Refusals::of(observations),
            questions: observations
                .iter()
                .map(|seen| (seen.question.id.clone(), Verdict::of(seen)))
                .collect(),
        }
    }
}

impl Refusals {
    fn of(observations: &[Observation]) -> Self {
        let mut refusals = Self::default();
        for seen in observations {
            let Some(answer) = &seen.answer else { continue };
            let refused = usize::from(answer.refusal.is_some());
            if is_answerable(seen) {
                refusals.answerable += 1;
                refusals.false_refusals += refused;
                refusals.cited_right += usize::from(answer.cites_right);
                continue;
            }
            refusals.unanswerable += 1;
            refusals.refused += refused;
            if seen.question.near_miss {
                refusals.near_misses += 1;
                refusals.near_misses_refused += refused;
            }
        }
        refusals
    }
}

impl Verdict {
    fn of(seen: &Observation) -> Self {
        Self {
            answerable: is_answerable(seen),
            rank: seen.ranks.iter().min().copied(),
            answered: seen.answer.as_ref().is_some_and(|answer| answer.refusal.is_none()),
            cites_right: seen.answer.as_ref().is_some_and(|answer| answer.cites_right),
        }
    }
}

impl Latency {
    /// Of what was measured.
    #[must_use]
    pub fn of(observations: &[Observation]) -> Self {
        let searches: Vec<f64> = observations.iter().map(|seen| seen.search_ms).collect();
        let answers: Vec<f64> =
            observations.iter().filter_map(|seen| Some(seen.answer.as_ref()?.ms)).collect();
        Self {
            search_p50: percentile(50, &searches),
            search_p95: percentile(95, &searches),
            ask_p50: percentile(50, &answers),
            ask_p95: percentile(95, &answers),
        }
    }
}

fn is_answerable(seen: &Observation) -> bool {
    seen.question.kind != Kind::Unanswerable
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// A table with a line for each name.
#[must_use]
pub fn table<'a>(rows: impl IntoIterator<Item = (String, &'a Figures)>) -> String {
    let mut text = format!(
        "{:<16}{:>10}{:>10}{:>10}{:>8}{:>9}\n",
        "", "questions", "recall@5", "recall@10", "MRR", "nDCG@10"
    );
    for (name, figures) in rows {
        let Figures { questions, recall_at_5, recall_at_10, mrr, ndcg_at_10 } = figures;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{name:<16}{questions:>10}{recall_at_5:>10.3}{recall_at_10:>10.3}{mrr:>8.3}{ndcg_at_10:>9.3}"
        );
    }
    text
}

/// The report for people.
#[must_use]
pub fn text(report: &Report, latency: &Latency) -> String {
    let kinds = report.by_kind.iter().map(|(kind, figures)| (name_of(*kind), figures));
    let mut text = table(kinds.chain([("all".to_owned(), &report.overall)]));
    let Refusals {
        unanswerable,
        refused,
        near_misses,
        near_misses_refused,
        answerable,
        false_refusals,
        cited_right,
    } = report.refusals;
    let Latency { search_p50, search_p95, ask_p50, ask_p95 } = latency;
    let _ = write!(
        text,
        "\nunanswerable questions refused   {refused} of {unanswerable} (near misses {near_misses_refused} of {near_misses})\n\
         answerable questions refused     {false_refusals} of {answerable}\n\
         answers that cite a right page   {cited_right} of {}\n\
         search p50 {search_p50:.0} ms, p95 {search_p95:.0} ms; ask p50 {ask_p50:.0} ms, p95 {ask_p95:.0} ms\n",
        answerable - false_refusals,
    );
    text
}

fn name_of(kind: Kind) -> String {
    serde_json::to_value(kind).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Answer;
    use crate::questions::Question;

    fn seen(id: &str, kind: Kind, ranks: &[usize], refused: bool) -> Observation {
        let sources = if kind == Kind::Unanswerable { vec![] } else { vec!["a.md".to_owned()] };
        let refusal = refused.then(|| "weak_evidence".to_owned());
        let cites_right = !refused && ranks.first() == Some(&1);
        Observation {
            question: Question { id: id.into(), kind, near_miss: false, question: "?".into(), sources },
            ranks: ranks.to_vec(),
            search_ms: 2.0,
            answer: Some(Answer { ms: 3.0, refusal, cites_right, text: String::new() }),
        }
    }

    #[test]
    fn answerable_questions_make_the_figures_and_all_make_the_refusals() {
        let report = Report::of(&[
            seen("e1", Kind::Exact, &[1], false),
            seen("e2", Kind::Exact, &[6], false),
            seen("t1", Kind::Table, &[2], true),
            seen("u1", Kind::Unanswerable, &[], true),
            seen("u2", Kind::Unanswerable, &[], false),
        ]);
        assert_eq!(report.overall.questions, 3);
        assert!((report.overall.recall_at_5 - 0.6667).abs() < 1e-9);
        assert!((report.by_kind[&Kind::Exact].recall_at_5 - 0.5).abs() < 1e-9);
        let expected = Refusals {
            unanswerable: 2,
            refused: 1,
            answerable: 3,
            false_refusals: 1,
            cited_right: 1,
            ..Refusals::default()
        };
        assert_eq!(report.refusals, expected);
        assert_eq!(report.questions["e2"].rank, Some(6));
    }

    #[test]
    fn a_report_survives_its_file() {
        let report = Report::of(&[seen("e1", Kind::MultiSection, &[3, 1], false)]);
        let file = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&file).unwrap(), report);
    }
}
