//! Shortlists the units of the passages by the question's words, their rarity, and the passage's rank.

use std::collections::HashSet;
use std::ops::Range;

use super::MAX_CANDIDATES;
use super::question::Question;
use super::segment::{Kind, Unit, segment};
use crate::answer::passage::Passage;
use crate::answer::plain;
use crate::answer::terms::{self, Rarity};

/// What a word of the question is worth that stands in the unit's headings or title, against 1 in the unit.
const CONTEXT_WORTH: f32 = 0.4;
/// How much more an identifier or a number of the question weighs than a word as rare.
const EXACT_WEIGHT: f32 = 2.0;
/// Weight of the passage's place, against 1 for holding every word of the question.
const RANK_WORTH: f32 = 0.2;
/// Weight of the passage's cosine: without common words it says where to look.
const COSINE_WORTH: f32 = 0.5;
/// What is taken from a passage that is only there because it stands beside one that was found.
const NEIGHBOUR_COST: f32 = 0.1;
/// What a unit gains that has a figure when the question asks for one.
const FIGURE_WORTH: f32 = 0.08;
/// What a whole table or list gains when the question asks for all of something.
const LIST_WORTH: f32 = 0.15;
/// What the steps of a procedure gain when the question asks how.
const STEPS_WORTH: f32 = 0.25;
/// What is taken from code, which answers few questions alone; from what may be a cut-off sentence; from one that
/// points back at nothing that can be shown with it, or points elsewhere.
const CODE_COST: f32 = 0.5;
const FRAGMENT_COST: f32 = 0.3;
const POINTER_COST: f32 = 0.15;
/// What is taken from an item that is but a title.
const TITLE_COST: f32 = 0.15;
/// What length takes, times the logarithm of how often it exceeds a long sentence: who says much holds many words by
/// chance. A list that was asked for may be long.
const LENGTH_COST: f32 = 0.12;
const LONG_SENTENCE_BYTES: f32 = 200.0;
/// Lists longer than this, in bytes, answer with their nearest items instead.
const MAX_LIST_BYTES: usize = 1_200;
/// Characters of a unit that are embedded: enough for its topic. The time it takes grows with the length.
const MAX_MEANING_CHARS: usize = 120;

/// A piece of a passage that may become a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Index into the passages.
    pub passage: usize,
    /// Bytes of the passage's content: whole sentences, items or rows.
    pub range: Range<usize>,
    /// What to embed for comparison with the question: the words with their nearest heading.
    pub meaning: String,
    /// Part of the question's words that the unit and its headings hold, weighted by rarity, from 0 to 1.
    pub coverage: f32,
    /// Worth before similarities are known.
    pub score: f32,
}

/// The best units of `passages` for `question`, best first, at most [`MAX_CANDIDATES`].
#[must_use]
pub fn candidates(question: &str, passages: &[Passage]) -> Vec<Candidate> {
    let question = Question::read(question);
    let pieces: Vec<Piece> =
        passages.iter().enumerate().flat_map(|(index, passage)| pieces(index, passage, &question)).collect();
    let rarity = Rarity::among(pieces.iter().map(|piece| &piece.forms));
    let mut candidates: Vec<Candidate> = pieces
        .into_iter()
        .map(|piece| {
            let passage = &passages[piece.passage];
            let coverage = coverage(&question, &piece, &rarity);
            let figure = if question.wants_figure && piece.has_figure { FIGURE_WORTH } else { 0.0 };
            let meaning = meaning(passage, &piece.range);
            let excess = (piece.range.len() as f32 / LONG_SENTENCE_BYTES).max(1.0).ln();
            let length =
                if question.wants_list || question.wants_steps { LENGTH_COST / 3.0 } else { LENGTH_COST }
                    * excess;
            let score = coverage + figure + standing(passage) + piece.worth - length;
            Candidate { passage: piece.passage, range: piece.range, meaning, coverage, score }
        })
        .collect();
    candidates.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (a.passage, a.range.start).cmp(&(b.passage, b.range.start)))
    });
    distinct(candidates)
}

/// What a unit has from its passage's place.
fn standing(passage: &Passage) -> f32 {
    let rank = RANK_WORTH / (0.5 + 0.5 * passage.fused_rank.max(1) as f32);
    let neighbour = if passage.is_neighbour() { NEIGHBOUR_COST } else { 0.0 };
    rank + COSINE_WORTH * passage.cosine.unwrap_or(0.0).max(0.0) - neighbour
}

/// A unit, or a list with its introduction, before it is weighed.
struct Piece {
    passage: usize,
    range: Range<usize>,
    forms: HashSet<String>,
    context: HashSet<String>,
    has_figure: bool,
    /// What its kind and shape add or take.
    worth: f32,
}

fn pieces(index: usize, passage: &Passage, question: &Question) -> Vec<Piece> {
    let content = &passage.content;
    let units = segment(content, &passage.heading_path);
    let context = terms::forms(&passage.context());
    let piece = |(range, worth): (Range<usize>, f32)| Piece {
        passage: index,
        forms: terms::forms(&content[range.clone()]),
        context: context.clone(),
        has_figure: content[range.clone()].contains(|c: char| c.is_ascii_digit()),
        range,
        worth,
    };
    let list_worth = if question.wants_list { LIST_WORTH } else { 0.0 };
    let mut shapes: Vec<(Range<usize>, f32)> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        let text = &content[unit.range.clone()];
        match unit.kind {
            Kind::Heading => {}
            Kind::Sentence | Kind::Item if text.ends_with(':') => {
                let cost = if points_elsewhere(text) { POINTER_COST } else { 0.0 };
                shapes.extend(list_after(&units, at, content).map(|range| (range, list_worth - cost)));
            }
            Kind::Sentence => {
                let listed = if text.contains("following") { list_after(&units, at, content) } else { None };
                let cost =
                    if listed.is_some() { 0.0 } else { sentence_cost(&units, at, content, passage.ordinal) };
                shapes.push((listed.unwrap_or(unit.range.clone()), -cost));
            }
            Kind::Code => shapes.push((unit.range.clone(), -CODE_COST)),
            Kind::Item | Kind::Row => {
                let cost = if unit.kind == Kind::Item && !question.wants_list && is_title(text) {
                    TITLE_COST
                } else {
                    0.0
                };
                shapes.push((unit.range.clone(), -cost));
                if question.wants_list {
                    shapes.extend(whole_list(&units, at, content).map(|range| (range, LIST_WORTH)));
                }
                if question.wants_steps {
                    shapes.extend(steps(&units, at, content).map(|range| (range, STEPS_WORTH)));
                }
            }
        }
    }
    shapes.into_iter().map(piece).filter(|piece| !piece.forms.is_empty()).collect()
}

/// The sentence or item at `at`, which announces a list, with the items, rows or code that follow it; `None` if
/// nothing follows it here, since a promise is no answer, or if the list is too long to be read as one statement.
fn list_after(units: &[Unit], at: usize, content: &str) -> Option<Range<usize>> {
    let first = units.get(at + 1).filter(|unit| matches!(unit.kind, Kind::Item | Kind::Row | Kind::Code))?;
    let outer = units
        .get(at)
        .filter(|unit| unit.kind == Kind::Item)
        .map(|unit| indentation(content, unit.range.start));
    let belongs = |unit: &&Unit| {
        unit.kind == first.kind
            && unit.block == first.block
            && outer.is_none_or(|outer| indentation(content, unit.range.start) > outer)
    };
    let last = units[at + 1..].iter().take_while(belongs).last()?;
    let range = units[at].range.start..last.range.end;
    (range.len() <= MAX_LIST_BYTES).then_some(range)
}

/// The list or table that begins at `at`, if it is one, has no introduction, and is not too long.
fn whole_list(units: &[Unit], at: usize, content: &str) -> Option<Range<usize>> {
    let first = &units[at];
    let belongs = |unit: &Unit| unit.kind == first.kind && unit.block == first.block;
    let before = at.checked_sub(1).map(|before| &units[before]);
    let is_begun =
        before.is_some_and(|before| belongs(before) || content[before.range.clone()].ends_with(':'));
    let length = units[at..].iter().take_while(|unit| belongs(unit)).count();
    let range = with_marker(content, first.range.start)..units[at + length - 1].range.end;
    (!is_begun && length > 1 && range.len() <= MAX_LIST_BYTES).then_some(range)
}

/// The numbered steps of a section, of which `at` is the first, with what stands between them.
fn steps(units: &[Unit], at: usize, content: &str) -> Option<Range<usize>> {
    let is_step = |unit: &Unit| {
        unit.kind == Kind::Item
            && content[with_marker(content, unit.range.start)..].starts_with(|c: char| c.is_ascii_digit())
    };
    let section = |from: usize| units[from..].iter().take_while(|unit| unit.kind != Kind::Heading);
    let is_begun = units[..at].iter().rev().take_while(|unit| unit.kind != Kind::Heading).any(is_step);
    let last = section(at).filter(|unit| is_step(unit)).last()?;
    let range = with_marker(content, units[at].range.start)..last.range.end;
    (is_step(&units[at]) && !is_begun && range.end > units[at].range.end && range.len() <= MAX_LIST_BYTES)
        .then_some(range)
}

/// White space at the beginning of the line that holds `at`, in bytes.
fn indentation(content: &str, at: usize) -> usize {
    with_marker(content, at) - content[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The start of an item's text moved to the start of its marker; a row has none.
fn with_marker(content: &str, start: usize) -> usize {
    let line = content[..start].rfind('\n').map_or(0, |end| end + 1);
    start - content[line..start].trim_start().len()
}

fn sentence_cost(units: &[Unit], at: usize, content: &str, ordinal: u32) -> f32 {
    let text = &content[units[at].range.clone()];
    let is_first = at == 0 || units[at - 1].block != units[at].block;
    let mut cost = 0.0;
    if is_cut_off(units, at, text, ordinal) {
        cost += FRAGMENT_COST;
    }
    if (is_first && super::points_back(text)) || points_elsewhere(text) {
        cost += POINTER_COST;
    }
    if looks_like_code(text) {
        cost += CODE_COST;
    }
    cost
}

/// `See the guide.` sends the reader away.
fn points_elsewhere(text: &str) -> bool {
    ["See ", "For more information", "For information about", "For details", "To learn more"]
        .iter()
        .any(|opening| text.starts_with(opening))
}

/// A few words without any punctuation or figure: an entry of a table of contents.
fn is_title(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphabetic() || c.is_whitespace() || c == '-';
    text.chars().all(is_plain) && text.split_whitespace().count() < 10
}

/// Whether a chunk's border may have cut the sentence (its first one in small letters), or whether it is none: a
/// heading or a caption has no full stop.
fn is_cut_off(units: &[Unit], at: usize, text: &str, ordinal: u32) -> bool {
    let is_last = units.get(at + 1).is_none_or(|next| next.block != units[at].block);
    let is_ended = text.ends_with(|c: char| !c.is_alphanumeric() && !matches!(c, ',' | ';' | '-' | '('));
    (at == 0 && ordinal > 0 && text.starts_with(char::is_lowercase)) || (is_last && !is_ended)
}

/// The text of a document has code as it stood, without a fence around it.
fn looks_like_code(text: &str) -> bool {
    let signs = text.chars().filter(|c| "{}<>[]$=;\\\"|/_".contains(*c)).count();
    text.starts_with(['{', '$', '<']) || text.contains(" \\\n") || signs * 10 > text.chars().count()
}

fn coverage(question: &Question, piece: &Piece, rarity: &Rarity) -> f32 {
    let (mut held, mut all) = (0.0, 0.0);
    for (term, is_exact) in &question.terms {
        let weight = rarity.of(term) * if *is_exact { EXACT_WEIGHT } else { 1.0 };
        all += weight;
        if piece.forms.contains(term) {
            held += weight;
        } else if piece.context.contains(term) {
            held += CONTEXT_WORTH * weight;
        }
    }
    if all > 0.0 { held / all } else { 0.0 }
}

/// The words of the unit after its nearest heading, without marks.
fn meaning(passage: &Passage, range: &Range<usize>) -> String {
    let text = plain::text(&passage.content[range.clone()]).replace('\n', " ");
    let heading = passage.heading_path.last().unwrap_or(&passage.title);
    let meaning = if heading.is_empty() { text } else { format!("{heading}: {text}") };
    meaning.chars().take(MAX_MEANING_CHARS).collect()
}

/// Chunks overlap, and a document repeats itself: of equal texts the better one stays.
fn distinct(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen = HashSet::new();
    candidates
        .into_iter()
        .filter(|candidate| seen.insert((candidate.meaning.clone(), candidate.range.len())))
        .take(MAX_CANDIDATES)
        .collect()
}
