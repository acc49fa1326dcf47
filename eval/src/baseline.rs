//! A run against the committed one: what fell, what rose, and which questions did it.

use std::cmp::{Ordering, Reverse};
use std::fmt::Write;

use crate::report::{Report, Verdict};

/// Differences below half of the last digit kept are none.
const NOISE: f64 = 0.000_05;

/// What changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Figures that fell.
    pub fallen: Vec<String>,
    /// Figures that rose.
    pub risen: Vec<String>,
    /// Questions that got worse.
    pub worse: Vec<String>,
    /// Questions that got better.
    pub better: Vec<String>,
    /// Whether the two are of different questions, so that their figures cannot be compared.
    pub other_questions: bool,
}

impl Comparison {
    /// Compares a run with the baseline.
    #[must_use]
    pub fn of(baseline: &Report, run: &Report) -> Self {
        let mut comparison =
            Self { other_questions: !baseline.questions.keys().eq(run.questions.keys()), ..Self::default() };
        if comparison.other_questions {
            return comparison;
        }
        for ((name, before), (_, after)) in figures(baseline).into_iter().zip(figures(run)) {
            let line = format!("{name}: {before:.4} -> {after:.4}");
            if after < before - NOISE {
                comparison.fallen.push(line);
            } else if after > before + NOISE {
                comparison.risen.push(line);
            }
        }
        for (id, before) in &baseline.questions {
            let after = &run.questions[id];
            let line = format!("{id}: {} -> {}", described(before), described(after));
            match worth(after).cmp(&worth(before)) {
                Ordering::Less => comparison.worse.push(line),
                Ordering::Greater => comparison.better.push(line),
                Ordering::Equal => {}
            }
        }
        comparison
    }

    /// Whether the run is to fail.
    #[must_use]
    pub fn is_drop(&self) -> bool {
        self.other_questions || !self.fallen.is_empty()
    }

    /// The comparison for people.
    #[must_use]
    pub fn text(&self) -> String {
        if self.other_questions {
            return "The baseline is of other questions. Look at the figures, then record them with --update-baseline.\n".into();
        }
        let mut text = String::new();
        let lists = [
            ("Fallen below the baseline", &self.fallen),
            ("Risen above the baseline", &self.risen),
            ("Questions that got worse", &self.worse),
            ("Questions that got better", &self.better),
        ];
        for (title, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{title}:\n  {}", lines.join("\n  "));
        }
        match (self.is_drop(), self.risen.is_empty()) {
            (true, _) => text.push_str("A drop that is wanted is recorded with --update-baseline.\n"),
            (false, false) => text.push_str("Better than the baseline: record it with --update-baseline.\n"),
            (false, true) => text.push_str("As good as the baseline.\n"),
        }
        text
    }
}

/// Every figure by name, in one order, the higher the better.
fn figures(report: &Report) -> Vec<(String, f64)> {
    let share = |part: usize, whole: usize| if whole > 0 { part as f64 / whole as f64 } else { 1.0 };
    let mut figures = vec![
        ("recall@5".to_owned(), report.overall.recall_at_5),
        ("MRR".to_owned(), report.overall.mrr),
        ("nDCG@10".to_owned(), report.overall.ndcg_at_10),
    ];
    figures.extend(
        report.by_kind.iter().map(|(kind, figures)| (format!("recall@5 of {kind:?}"), figures.recall_at_5)),
    );
    let refusals = &report.refusals;
    figures
        .push(("unanswerable questions refused".to_owned(), share(refusals.refused, refusals.unanswerable)));
    let not_refused = refusals.answerable - refusals.false_refusals;
    figures.push(("answerable questions answered".to_owned(), share(not_refused, refusals.answerable)));
    figures.push((
        "answers that cite a right page".to_owned(),
        share(refusals.cited_right, refusals.answerable),
    ));
    figures
}

/// What a caller gets, the better the greater: first a right citation, then an answer at all, then the rank.
fn worth(verdict: &Verdict) -> (bool, bool, Reverse<usize>) {
    let Verdict { answerable, rank, answered, cites_right } = *verdict;
    if answerable {
        (cites_right, answered, Reverse(rank.unwrap_or(usize::MAX)))
    } else {
        (!answered, !answered, Reverse(0))
    }
}

fn described(verdict: &Verdict) -> String {
    if !verdict.answerable {
        let what = if verdict.answered { "answered, although the corpus does not say it" } else { "refused" };
        return what.to_owned();
    }
    let rank = verdict.rank.map_or("not found".to_owned(), |rank| format!("rank {rank}"));
    let answer = match (verdict.answered, verdict.cites_right) {
        (true, true) => "answered with a right citation",
        (true, false) => "answered without a right citation",
        (false, _) => "refused",
    };
    format!("{rank}, {answer}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::{Answer, Observation};
    use crate::questions::{Kind, Question};

    fn seen(id: &str, kind: Kind, rank: usize, refused: bool) -> Observation {
        let sources = if kind == Kind::Unanswerable { vec![] } else { vec!["a.md".to_owned()] };
        let refusal = refused.then(|| "weak_evidence".to_owned());
        Observation {
            question: Question { id: id.into(), kind, near_miss: false, question: "?".into(), sources },
            ranks: vec![rank],
            search_ms: 1.0,
            answer: Some(Answer { ms: 1.0, refusal, cites_right: !refused, text: String::new() }),
        }
    }

    fn compared(before: &[Observation], after: &[Observation]) -> Comparison {
        Comparison::of(&Report::of(before), &Report::of(after))
    }

    #[test]
    fn a_drop_fails_and_names_the_question_that_got_worse() {
        let before = [seen("e1", Kind::Exact, 1, false), seen("e2", Kind::Exact, 3, false)];
        let after = [seen("e1", Kind::Exact, 7, false), seen("e2", Kind::Exact, 1, false)];
        let comparison = compared(&before, &after);
        assert!(comparison.is_drop());
        assert_eq!(comparison.worse.len(), 1);
        assert!(comparison.worse[0].starts_with("e1: rank 1"), "{comparison:?}");
        assert!(comparison.better[0].starts_with("e2"));
    }

    #[test]
    fn equal_and_better_runs_pass_and_better_ones_say_so() {
        let before = [seen("e1", Kind::Exact, 2, false), seen("u1", Kind::Unanswerable, 1, false)];
        let after = [seen("e1", Kind::Exact, 1, false), seen("u1", Kind::Unanswerable, 1, true)];
        assert!(!compared(&before, &before).is_drop());
        assert!(compared(&before, &before).text().contains("As good as"));
        assert!(!compared(&before, &after).is_drop());
        assert!(compared(&before, &after).text().contains("Better than the baseline"));
    }

    #[test]
    fn a_hallucination_more_or_a_refusal_too_many_is_a_drop() {
        let before = [seen("e1", Kind::Exact, 1, false), seen("u1", Kind::Unanswerable, 1, true)];
        let answers_it = [seen("e1", Kind::Exact, 1, false), seen("u1", Kind::Unanswerable, 1, false)];
        let refuses_it = [seen("e1", Kind::Exact, 1, true), seen("u1", Kind::Unanswerable, 1, true)];
        assert!(compared(&before, &answers_it).is_drop());
        assert!(compared(&before, &refuses_it).is_drop());
    }

    #[test]
    fn figures_of_other_questions_are_not_compared() {
        let comparison = compared(&[seen("e1", Kind::Exact, 1, false)], &[seen("e2", Kind::Exact, 1, false)]);
        assert!(comparison.other_questions && comparison.is_drop());
    }
}
