//! Picks one to three candidates and makes them read well: what leans on the sentence before it brings that along,
//! neighbours become one statement, and nothing is said twice.

use std::collections::HashSet;
use std::ops::Range;

use super::question;
use super::score::Candidate;
use super::segment::{Kind, Unit, segment};
use crate::answer::draft::{Draft, DraftQuote, DraftStatement};
use crate::answer::passage::Passage;
use crate::answer::{plain, terms};

/// Statements of an answer at most.
const MAX_STATEMENTS: usize = 3;
/// Length of an answer, in bytes, after which nothing is added.
const MAX_ANSWER_BYTES: usize = 900;
/// Weight of similarity (cosine, mostly 0 to 0.8) against the words.
const SIMILARITY_WORTH: f32 = 1.2;
/// Below both of these nothing in the passages has to do with the question.
const LEAST_SIMILARITY: f32 = 0.28;
const LEAST_COVERAGE: f32 = 0.4;
/// Part of the best candidate's worth that a further one must have, if it holds more words of the question, and if not.
const KEEP: f32 = 0.75;
const KEEP_WITHOUT_NEWS: f32 = 0.93;
/// Part of the best candidate's worth that the first one with a number must have, if only a number can answer.
const KEEP_FOR_NUMBER: f32 = 0.75;
/// Part of the words that two candidates may share before they say the same.
const SAME: f32 = 0.6;

/// The draft made of the best of `candidates`; `similarities` are theirs to the question, in their order, if known.
#[must_use]
pub fn select(
    question: &str,
    passages: &[Passage],
    candidates: &[Candidate],
    similarities: Option<&[f32]>,
) -> Draft {
    let asked: HashSet<String> = terms::asked(question).into_iter().collect();
    let mut ranked = ranked(candidates, similarities);
    let Some(best) = ranked.first().copied().filter(Ranked::has_to_do_with_it) else {
        return Draft::refusal();
    };
    if question::wants_number(question) {
        let answers = |one: &Ranked| {
            question::has_number(&passages[one.candidate.passage].content[one.candidate.range.clone()])
                && one.worth >= KEEP_FOR_NUMBER * best.worth
        };
        let Some(first) = ranked.iter().position(answers) else { return Draft::refusal() };
        ranked.drain(..first);
    }
    let mut chosen: Vec<Chosen> = Vec::new();
    for one in ranked {
        let passage = &passages[one.candidate.passage];
        let forms = terms::forms(&passage.content[one.candidate.range.clone()]);
        let length: usize = chosen.iter().map(|chosen| chosen.range.len()).sum();
        let adds = asked
            .iter()
            .any(|term| forms.contains(term) && !chosen.iter().any(|other| other.forms.contains(term)));
        let is_wanted = chosen.is_empty()
            || (one.is_near(&best, adds) && length + one.candidate.range.len() <= MAX_ANSWER_BYTES);
        let is_said =
            chosen.iter().any(|other| says_the_same(&other.forms, &forms) || overlap(other, one.candidate));
        if is_wanted && !is_said {
            chosen.push(Chosen {
                passage: one.candidate.passage,
                range: standing_alone(passage, &one.candidate.range),
                forms,
            });
        }
        if chosen.len() == MAX_STATEMENTS {
            break;
        }
    }
    let statements =
        merged(chosen, passages).into_iter().map(|chosen| statement(&chosen, passages)).collect();
    Draft { statements, refused: false }
}

/// A candidate with its final worth.
#[derive(Clone, Copy)]
struct Ranked<'a> {
    candidate: &'a Candidate,
    similarity: Option<f32>,
    worth: f32,
}

/// Best first.
fn ranked<'a>(candidates: &'a [Candidate], similarities: Option<&[f32]>) -> Vec<Ranked<'a>> {
    let mut ranked: Vec<Ranked<'a>> = candidates
        .iter()
        .enumerate()
        .map(|(index, candidate)| {
            let similarity = similarities.and_then(|all| all.get(index)).copied();
            Ranked {
                candidate,
                similarity,
                worth: candidate.score + SIMILARITY_WORTH * similarity.unwrap_or(0.0),
            }
        })
        .collect();
    ranked.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    ranked
}

impl Ranked<'_> {
    /// Whether it is about what was asked at all, by meaning or by words.
    fn has_to_do_with_it(&self) -> bool {
        self.similarity.is_none_or(|similarity| similarity >= LEAST_SIMILARITY)
            || self.candidate.coverage >= LEAST_COVERAGE
    }

    /// Whether it is good enough to stand beside the best: nearly as good, and either it holds words of the
    /// question that were missing so far, or it is as good.
    fn is_near(&self, best: &Self, adds: bool) -> bool {
        let is_as_similar = match (self.similarity, best.similarity) {
            (Some(own), Some(best)) => own >= 0.4 && own >= best - 0.15,
            _ => true,
        };
        let keep = if adds { KEEP } else { KEEP_WITHOUT_NEWS };
        is_as_similar && self.worth >= keep * best.worth
    }
}

/// Whether the candidate's text is partly chosen already.
fn overlap(chosen: &Chosen, candidate: &Candidate) -> bool {
    chosen.passage == candidate.passage
        && chosen.range.start < candidate.range.end
        && candidate.range.start < chosen.range.end
}

struct Chosen {
    passage: usize,
    range: Range<usize>,
    forms: HashSet<String>,
}

fn says_the_same(one: &HashSet<String>, other: &HashSet<String>) -> bool {
    let common = one.intersection(other).count() as f32;
    common >= SAME * (one.len().min(other.len()).max(1)) as f32 && common > 1.0 && {
        let union = one.union(other).count() as f32;
        common >= 0.5 * union
    }
}

/// The range with the sentence before it, if it leans on that one by its first word.
fn standing_alone(passage: &Passage, range: &Range<usize>) -> Range<usize> {
    let units = segment(&passage.content, &passage.heading_path);
    let mut start = range.start;
    for _ in 0..2 {
        let Some(at) = units.iter().position(|unit| unit.range.start == start && unit.kind == Kind::Sentence)
        else {
            break;
        };
        let before = at.checked_sub(1).map(|before| &units[before]);
        match before.filter(|before| before.kind == Kind::Sentence && before.block == units[at].block) {
            Some(before)
                if super::points_back(&passage.content[start..]) && is_opening(before, &passage.content) =>
            {
                start = before.range.start
            }
            _ => break,
        }
    }
    start..range.end
}

fn is_opening(unit: &Unit, content: &str) -> bool {
    !content[unit.range.clone()].starts_with(char::is_lowercase)
}

/// Neighbours in one passage become one; the passage of the best comes first, each passage in its own order.
fn merged(chosen: Vec<Chosen>, passages: &[Passage]) -> Vec<Chosen> {
    let mut order: Vec<usize> = Vec::new();
    for one in &chosen {
        if !order.contains(&one.passage) {
            order.push(one.passage);
        }
    }
    let place = |one: &Chosen| order.iter().position(|passage| *passage == one.passage);
    let mut sorted = chosen;
    sorted.sort_by_key(|one| (place(one), one.range.start));
    let mut merged: Vec<Chosen> = Vec::new();
    for one in sorted {
        match merged.last_mut() {
            Some(last)
                if last.passage == one.passage && joins(last, &one, &passages[one.passage].content) =>
            {
                last.range.end = last.range.end.max(one.range.end);
            }
            _ => merged.push(one),
        }
    }
    merged
}

/// Overlapping, or sentences of one paragraph that follow each other.
fn joins(before: &Chosen, after: &Chosen, content: &str) -> bool {
    content
        .get(before.range.end..after.range.start)
        .is_none_or(|between| between.trim().is_empty() && !between.contains('\n'))
}

fn statement(chosen: &Chosen, passages: &[Passage]) -> DraftStatement {
    let passage = &passages[chosen.passage];
    let quote = &passage.content[chosen.range.clone()];
    DraftStatement {
        text: plain::unwrapped(quote),
        quotes: vec![DraftQuote { passage: passage.number, text: quote.to_owned() }],
    }
}
