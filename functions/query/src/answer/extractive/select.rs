//! Picks one to three candidates and makes them read well: what leans on the sentence before it brings that along,
//! neighbours become one statement, and nothing is said twice.

use std::collections::HashSet;
use std::ops::Range;

use super::score::Candidate;
use super::segment::{Kind, Unit, segment};
use crate::answer::draft::{Draft, DraftQuote, DraftStatement};
use crate::answer::passage::Passage;
use crate::answer::{plain, terms};

/// Statements of an answer at most.
const MAX_STATEMENTS: usize = 3;
/// Length of an answer, in characters, after which nothing is added.
const MAX_ANSWER_CHARS: usize = 900;
/// Weight of similarity (cosine, mostly 0 to 0.8) against the words.
const SIMILARITY_WORTH: f32 = 1.2;
/// Part of the best candidate's worth that a further one must have.
const KEEP: f32 = 0.8;
/// Part of the words that two candidates may share before they say the same.
const SAME: f32 = 0.6;

/// The draft made of the best of `candidates`; `similarities` are theirs to the question, in their order, if known.
#[must_use]
pub fn select(question: &str, passages: &[Passage], candidates: &[Candidate], similarities: Option<&[f32]>) -> Draft {
    let mut ranked: Vec<(f32, &Candidate)> = candidates
        .iter()
        .enumerate()
        .map(|(index, candidate)| (worth(candidate, similarities.and_then(|all| all.get(index)).copied()), candidate))
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some(&(best, _)) = ranked.first() else { return Draft::refusal() };
    let mut chosen: Vec<Chosen> = Vec::new();
    let mut covered: HashSet<String> = HashSet::new();
    let asked: HashSet<String> = terms::asked(question).into_iter().collect();
    for (worth, candidate) in ranked {
        let passage = &passages[candidate.passage];
        let forms = terms::forms(&passage.content[candidate.range.clone()]);
        let adds = asked.iter().any(|term| forms.contains(term) && !covered.contains(term));
        let length: usize = chosen.iter().map(|chosen| chosen.range.len()).sum();
        let is_wanted = chosen.is_empty()
            || (worth >= KEEP * best && (adds || worth >= 0.95 * best) && length + candidate.range.len() <= MAX_ANSWER_CHARS);
        if is_wanted && !chosen.iter().any(|other| says_the_same(&other.forms, &forms)) {
            covered.extend(forms.iter().cloned());
            chosen.push(Chosen { passage: candidate.passage, range: standing_alone(passage, &candidate.range), forms });
        }
        if chosen.len() == MAX_STATEMENTS {
            break;
        }
    }
    let statements = merged(chosen, passages).into_iter().map(|chosen| statement(&chosen, passages)).collect();
    Draft { statements, refused: false }
}

struct Chosen {
    passage: usize,
    range: Range<usize>,
    forms: HashSet<String>,
}

fn worth(candidate: &Candidate, similarity: Option<f32>) -> f32 {
    candidate.score + SIMILARITY_WORTH * similarity.unwrap_or(0.0)
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
        let Some(at) = units.iter().position(|unit| unit.range.start == start && unit.kind == Kind::Sentence) else { break };
        let before = at.checked_sub(1).map(|before| &units[before]);
        match before.filter(|before| before.kind == Kind::Sentence && before.block == units[at].block) {
            Some(before) if leans(&passage.content[start..]) && is_opening(before, &passage.content) => start = before.range.start,
            _ => break,
        }
    }
    start..range.end
}

fn is_opening(unit: &Unit, content: &str) -> bool {
    !content[unit.range.clone()].starts_with(char::is_lowercase)
}

/// Whether a sentence begins with a word that points back.
fn leans(sentence: &str) -> bool {
    const POINTERS: [&str; 24] = [
        "it", "its", "this", "that", "these", "those", "they", "their", "he", "she", "such", "otherwise", "however", "therefore", "then",
        "so", "also", "both", "instead", "but", "and", "or", "there", "thus",
    ];
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    POINTERS.contains(&first.as_str())
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
            Some(last) if last.passage == one.passage && joins(last, &one, &passages[one.passage].content) => {
                last.range.end = last.range.end.max(one.range.end);
            }
            _ => merged.push(one),
        }
    }
    merged
}

/// Overlapping, or sentences of one paragraph that follow each other.
fn joins(before: &Chosen, after: &Chosen, content: &str) -> bool {
    content.get(before.range.end..after.range.start).is_none_or(|between| between.trim().is_empty() && !between.contains('\n'))
}

fn statement(chosen: &Chosen, passages: &[Passage]) -> DraftStatement {
    let passage = &passages[chosen.passage];
    let quote = &passage.content[chosen.range.clone()];
    DraftStatement {
        text: plain::unwrapped(quote),
        quotes: vec![DraftQuote { passage: passage.number, text: quote.to_owned() }],
    }
}
