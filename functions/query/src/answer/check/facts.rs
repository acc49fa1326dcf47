//! Whether what a statement says beyond its quotes' words is still what they say: figures, names, negation, topic.

use std::collections::HashSet;

use super::fold::{Folded, Hyphens};
use super::names::{Names, holds_name};
use super::quantities::Quantities;
use super::{Fault, Span, negation, slice};
use crate::answer::passage::Passage;
use crate::answer::terms;

/// Part of a statement's content words that must stand where its quotes are. A restatement keeps most of
/// them; a statement about something else shares only chance words.
const MIN_SHARED_TERMS: f32 = 0.5;

/// The text that a statement rests on, folded.
pub(super) struct Evidence {
    /// The quotes, each widened to whole tokens: figures and negation are read from here alone.
    quotes: Vec<String>,
    /// The quoted passages with their titles and headings: names may come from here.
    passages: String,
    /// Titles and headings only.
    context: String,
}

impl Evidence {
    pub(super) fn at(spans: &[Span], passages: &[Passage]) -> Self {
        let fold = |text: &str| Folded::new(text, Hyphens::Keep).text();
        let quotes =
            spans.iter().map(|span| fold(&widened(&passages[span.passage].content, *span))).collect();
        let mut cited: Vec<usize> = spans.iter().map(|span| span.passage).collect();
        cited.sort_unstable();
        cited.dedup();
        let context: String = cited.iter().map(|&i| fold(&passages[i].context()) + "\n").collect();
        let contents: String = cited.iter().map(|&i| fold(&passages[i].content) + "\n").collect();
        Self { quotes, passages: context.clone() + &contents, context }
    }
}

/// `Ok` if the evidence bears the statement out.
pub(super) fn support(statement: &str, evidence: &Evidence) -> Result<(), Fault> {
    let statement = Folded::new(statement, Hyphens::Keep).text();
    let said = Quantities::read(&statement);
    // Each quote is read by itself: a number at the end of one and a unit at the start of the next are not a quantity.
    let shown: Vec<Quantities> = evidence.quotes.iter().map(|quote| Quantities::read(quote)).collect();
    let has_numbers = said.numbers.iter().all(|number| shown.iter().any(|quote| quote.hold_number(number)));
    let has_dates = said.dates.iter().all(|date| shown.iter().any(|quote| quote.hold_date(date)));
    if !has_numbers || !has_dates {
        return Err(Fault::Quantity);
    }
    let Names { identifiers, proper } = Names::read(&statement);
    if !identifiers.iter().chain(&proper).all(|name| holds_name(&evidence.passages, name)) {
        return Err(Fault::Name);
    }
    if !negation::agrees(&statement, &evidence.quotes) {
        return Err(Fault::Negation);
    }
    if shared_terms(&statement, evidence) < MIN_SHARED_TERMS {
        return Err(Fault::OffTopic);
    }
    Ok(())
}

fn shared_terms(statement: &str, evidence: &Evidence) -> f32 {
    let said: HashSet<String> = terms::content(statement).into_iter().collect();
    let mut shown: HashSet<String> = terms::content(&evidence.context).into_iter().collect();
    shown.extend(evidence.quotes.iter().flat_map(|quote| terms::content(quote)));
    if said.is_empty() {
        return 1.0;
    }
    said.intersection(&shown).count() as f32 / said.len() as f32
}

/// The span grown to the white space around it, and over one more token if it ends in a number, whose unit that may be.
fn widened(content: &str, span: Span) -> String {
    let chars: Vec<char> = content.chars().collect();
    let is_blank = |i: usize| chars[i].is_whitespace();
    let mut start = span.start as usize;
    while start > 0 && !is_blank(start - 1) {
        start -= 1;
    }
    let token_end = |mut end: usize| {
        while end < chars.len() && !is_blank(end) {
            end += 1;
        }
        end
    };
    let mut end = token_end(span.end as usize);
    if end > 0 && chars[end - 1].is_ascii_digit() && end < chars.len() {
        end = token_end(end + 1);
    }
    slice(content, start as u32, end as u32)
}
