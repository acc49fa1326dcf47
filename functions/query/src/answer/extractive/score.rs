//! Shortlists the units of the passages by the question's words, their rarity, and the passage's rank.

use std::collections::HashSet;
use std::ops::Range;

use super::MAX_CANDIDATES;
use super::segment::{Kind, Unit, segment};
use crate::answer::passage::Passage;
use crate::answer::plain;
use crate::answer::terms::{self, Rarity};

/// What a word of the question is worth that stands in the unit's headings or title, against 1 in the unit.
const CONTEXT_WORTH: f32 = 0.4;
/// Weight of the passage's place, against 1 for holding every word of the question.
const RANK_WORTH: f32 = 0.2;
/// What a unit gains that has a figure when the question asks for one.
const FIGURE_WORTH: f32 = 0.08;
/// What is taken from code, which answers few questions alone, and from what may be a cut-off sentence.
const CODE_COST: f32 = 0.15;
const FRAGMENT_COST: f32 = 0.3;
/// What is taken from a passage that is only there because it stands beside one that was found.
const NEIGHBOUR_COST: f32 = 0.1;
/// Lists longer than this, in bytes, answer with their nearest items instead.
const MAX_LIST_BYTES: usize = 900;

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
    let asked = terms::asked(question);
    let drafts: Vec<Piece> = passages.iter().enumerate().flat_map(|(index, passage)| pieces(index, passage)).collect();
    let rarity = Rarity::among(drafts.iter().map(|piece| &piece.forms));
    let wants_figure = wants_figure(question);
    let mut candidates: Vec<Candidate> = drafts
        .into_iter()
        .map(|piece| {
            let passage = &passages[piece.passage];
            let coverage = coverage(&asked, &piece, &rarity);
            let figure = if wants_figure && piece.has_figure { FIGURE_WORTH } else { 0.0 };
            let rank = RANK_WORTH / (0.5 + 0.5 * passage.fused_rank.max(1) as f32);
            let neighbour = if passage.is_neighbour() { NEIGHBOUR_COST } else { 0.0 };
            let score = coverage + figure + rank - neighbour - piece.cost;
            let meaning = meaning(passage, &piece.range);
            Candidate { passage: piece.passage, range: piece.range, meaning, coverage, score }
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| (a.passage, a.range.start).cmp(&(b.passage, b.range.start))));
    distinct(candidates)
}

/// A unit, or a list with its introduction, before it is weighed.
struct Piece {
    passage: usize,
    range: Range<usize>,
    forms: HashSet<String>,
    context: HashSet<String>,
    has_figure: bool,
    cost: f32,
}

fn pieces(index: usize, passage: &Passage) -> Vec<Piece> {
    let content = &passage.content;
    let units = segment(content, &passage.heading_path);
    let context = terms::forms(&passage.context());
    let piece = |range: Range<usize>, cost: f32| Piece {
        passage: index,
        forms: terms::forms(&content[range.clone()]),
        context: context.clone(),
        has_figure: content[range.clone()].contains(|c: char| c.is_ascii_digit()),
        range,
        cost,
    };
    let mut pieces = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        let text = &content[unit.range.clone()];
        match unit.kind {
            Kind::Heading => {}
            Kind::Sentence if text.ends_with(':') => pieces.extend(list_after(&units, at).map(|range| piece(range, 0.0))),
            Kind::Sentence if is_cut_off(&units, at, text, passage.ordinal) => pieces.push(piece(unit.range.clone(), FRAGMENT_COST)),
            Kind::Code => pieces.push(piece(unit.range.clone(), CODE_COST)),
            Kind::Sentence | Kind::Item | Kind::Row => pieces.push(piece(unit.range.clone(), 0.0)),
        }
    }
    pieces.retain(|piece| !piece.forms.is_empty());
    pieces
}

/// The sentence at `at`, which ends in a colon, with the list, rows or code that it introduces; `None` if nothing
/// follows it here, since a promise is no answer, or if the list is too long to be read as one statement.
fn list_after(units: &[Unit], at: usize) -> Option<Range<usize>> {
    let first = units.get(at + 1).filter(|unit| matches!(unit.kind, Kind::Item | Kind::Row | Kind::Code))?;
    let last = units[at + 1..].iter().take_while(|unit| unit.kind == first.kind && unit.block == first.block).last()?;
    let range = units[at].range.start..last.range.end;
    (range.len() <= MAX_LIST_BYTES).then_some(range)
}

/// Whether a chunk's border may have cut the sentence: its first one in small letters, or its last without an end.
fn is_cut_off(units: &[Unit], at: usize, text: &str, ordinal: u32) -> bool {
    let is_ended = text.ends_with(|c: char| !c.is_alphanumeric() && !matches!(c, ',' | ';' | '-' | '('));
    (at == 0 && ordinal > 0 && text.starts_with(char::is_lowercase)) || (at + 1 == units.len() && !is_ended)
}

fn coverage(asked: &[String], piece: &Piece, rarity: &Rarity) -> f32 {
    let (mut held, mut all) = (0.0, 0.0);
    for term in asked {
        let weight = rarity.of(term);
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
    match passage.heading_path.last().or(Some(&passage.title)).filter(|heading| !heading.is_empty()) {
        Some(heading) => format!("{heading}: {text}"),
        None => text,
    }
}

/// Chunks overlap, and a document repeats itself: of equal texts the better one stays.
fn distinct(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen = HashSet::new();
    candidates.into_iter().filter(|candidate| seen.insert(candidate.meaning.clone())).take(MAX_CANDIDATES).collect()
}

/// Whether the question asks for a number, a size, or a time.
fn wants_figure(question: &str) -> bool {
    const OPENINGS: [&str; 16] = [
        "how many", "how much", "how long", "how often", "how soon", "how large", "how big", "how far", "when ", "maximum", "minimum",
        "limit", "size of", "default", "max ", "number of",
    ];
    let question = question.to_lowercase();
    OPENINGS.iter().any(|opening| question.contains(opening))
}
