//! Checks a draft against the passages, whoever drafted it. What fails is dropped; nothing is repaired.
//!
//! A statement stays if at least one of its quotes stands in a retrieved passage, and if every number,
//! date, unit, identifier and name in it, and its negation, stand in what those quotes show. Where a quote
//! is found decides the citation; what the draft said about its place is only where the search begins.
//!
//! The facts are compared with the passage's own words at the quote's place, never with the words that the
//! draft quoted, so that leniency in finding a quote cannot let a wrong figure through.

mod facts;
mod fold;
mod names;
mod negation;
mod quantities;
mod words;

use super::draft::{Draft, DraftStatement};
use super::passage::Passage;
use facts::Evidence;
use fold::{Folded, Hyphens};
pub(super) use names::{Names, holds_name};
pub(super) use words::number_word;

/// Letters and digits that a quote must have to mean something: two or three words.
const MIN_QUOTE_CHARS: usize = 10;
/// The same for scripts in which a character is a word or a syllable.
const MIN_QUOTE_WIDE_CHARS: usize = 4;
/// Statements that are read of a draft; what follows is padding.
const MAX_STATEMENTS: usize = 20;
/// Quotes that are read of a statement.
const MAX_QUOTES: usize = 8;
/// Length in characters above which a statement is an essay and a quote is a copy of the passage.
const MAX_CHARS: usize = 4_000;

/// A statement that passed every check. Only this module makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    text: String,
    spans: Vec<Span>,
}

impl Verified {
    /// The statement as drafted.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where its quotes stand, at least one, without repetition.
    pub(super) fn spans(&self) -> &[Span] {
        &self.spans
    }
}

/// A place in a passage's content, in code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Span {
    /// Index into the list of passages.
    pub(super) passage: usize,
    /// First code point.
    pub(super) start: u32,
    /// One past the last code point.
    pub(super) end: u32,
}

/// Why a statement was dropped. The names are part of the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// It has no text, or too much.
    NoStatement,
    /// It says that the answer is not known.
    Refusal,
    /// None of its quotes stands in a passage.
    QuoteNotFound,
    /// Its quotes are too short to mean anything.
    QuoteTooShort,
    /// A number, unit or date is not in its quotes.
    Quantity,
    /// An identifier or name is not where its quotes are.
    Name,
    /// It denies what its quotes say, or says what they deny.
    Negation,
    /// It has hardly a word in common with its quotes.
    OffTopic,
}

/// What is left of a draft, and what became of the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// Statements that may leave, in the draft's order.
    pub statements: Vec<Verified>,
    /// For each statement dropped, its index in the draft and why.
    pub dropped: Vec<(usize, Fault)>,
}

/// Checks `draft` against `passages`.
///
/// A draft that refuses, by its flag or in a statement's words, yields nothing: a reader must not get an
/// answer and its denial in one.
#[must_use]
pub fn check(draft: &Draft, passages: &[Passage]) -> Checked {
    let folded: Vec<Folded> = passages.iter().map(|p| Folded::new(&p.content, Hyphens::Join)).collect();
    let mut checked = Checked::default();
    for (index, statement) in draft.statements.iter().take(MAX_STATEMENTS).enumerate() {
        let verdict = if draft.refused { Err(Fault::Refusal) } else { verify(statement, passages, &folded) };
        match verdict {
            Ok(verified) => checked.statements.push(verified),
            Err(fault) => checked.dropped.push((index, fault)),
        }
    }
    if checked.dropped.iter().any(|(_, fault)| *fault == Fault::Refusal) {
        checked.statements.clear();
    }
    checked
}

fn verify(statement: &DraftStatement, passages: &[Passage], folded: &[Folded]) -> Result<Verified, Fault> {
    let length = statement.text.chars().count();
    if !statement.text.contains(char::is_alphanumeric) || length > MAX_CHARS {
        return Err(Fault::NoStatement);
    }
    let spans = locate(statement, passages, folded);
    let own_words = Folded::new(&statement.text, Hyphens::Join);
    let is_verbatim = spans.as_ref().is_ok_and(|spans| is_verbatim(&own_words, spans, passages));
    if !is_verbatim && negation::is_refusal(&statement.text) {
        return Err(Fault::Refusal);
    }
    let spans = spans?;
    if !is_verbatim {
        facts::support(&statement.text, &Evidence::at(&spans, passages))?;
    }
    Ok(Verified { text: statement.text.clone(), spans })
}

/// Finds the statement's quotes. Those that are not found, or are too short, count for nothing.
fn locate(statement: &DraftStatement, passages: &[Passage], folded: &[Folded]) -> Result<Vec<Span>, Fault> {
    let mut spans: Vec<Span> = Vec::new();
    let mut fault = Fault::QuoteNotFound;
    for quote in statement.quotes.iter().take(MAX_QUOTES) {
        let needle = Folded::new(without_quotation_marks(&quote.text), Hyphens::Join);
        let needle = needle.trimmed();
        if needle.len() > MAX_CHARS {
            continue;
        }
        let claimed = passages.iter().position(|p| p.number == quote.passage);
        let Some(span) = find(needle, claimed, folded) else { continue };
        if !means_something(needle) {
            fault = Fault::QuoteTooShort;
        } else if !spans.contains(&span) {
            spans.push(span);
        }
    }
    if spans.is_empty() { Err(fault) } else { Ok(spans) }
}

/// Looks in the passage that the draft names, then in the others by rank.
fn find(needle: &[char], claimed: Option<usize>, folded: &[Folded]) -> Option<Span> {
    let others = (0..folded.len()).filter(|index| Some(*index) != claimed);
    claimed.into_iter().chain(others).find_map(|passage| {
        let (start, end) = folded[passage].find(needle)?;
        Some(Span { passage, start, end })
    })
}

/// Whether the statement is nothing but words of one of its quotes.
fn is_verbatim(statement: &Folded, spans: &[Span], passages: &[Passage]) -> bool {
    spans.iter().any(|span| {
        let quote = slice(&passages[span.passage].content, span.start, span.end);
        Folded::new(&quote, Hyphens::Join).find(statement.trimmed()).is_some()
    })
}

fn means_something(needle: &[char]) -> bool {
    let spoken = needle.iter().filter(|c| c.is_alphanumeric()).count();
    let wide = needle
        .iter()
        .filter(|c| matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{1100}'..='\u{11ff}'))
        .count();
    spoken >= MIN_QUOTE_CHARS || wide >= MIN_QUOTE_WIDE_CHARS
}

/// A quote that was handed over in quotation marks.
fn without_quotation_marks(quote: &str) -> &str {
    const PAIRS: [(char, char); 3] = [('"', '"'), ('\u{201c}', '\u{201d}'), ('\u{ab}', '\u{bb}')];
    let quote = quote.trim();
    PAIRS.iter().find_map(|(open, close)| quote.strip_prefix(*open)?.strip_suffix(*close)).unwrap_or(quote)
}

/// Code points `start..end` of `text`.
pub(super) fn slice(text: &str, start: u32, end: u32) -> String {
    text.chars().skip(start as usize).take(end.saturating_sub(start) as usize).collect()
}
