//! Verified statements → an answer: numbers citations by first use, sets the `[n]` marks, and makes sure that
//! nothing in a statement is live: no link, image, HTML or mark of a document's making.

use std::collections::HashMap;

use super::check::{Span, Verified, slice};
use super::outcome::{Answer, Citation, Quote, Statement};
use super::passage::Passage;
use super::plain;

/// The answer that `verified` statements make; `None` if there are none.
///
/// `passages` are those that the statements were checked against.
#[must_use]
pub fn compose(verified: &[Verified], passages: &[Passage]) -> Option<Answer> {
    let mut numbers: HashMap<Span, u32> = HashMap::new();
    let mut citations: Vec<Citation> = Vec::new();
    let mut statements: Vec<Statement> = Vec::new();
    for statement in verified {
        let text = plain::text(statement.text());
        if text.is_empty() {
            continue;
        }
        let marks = statement.spans().iter().map(|span| {
            *numbers.entry(*span).or_insert_with(|| {
                let n = citations.len() as u32 + 1;
                citations.push(cite(n, *span, &passages[span.passage]));
                n
            })
        });
        statements.push(Statement { citations: marks.collect(), text });
    }
    let text = joined(&statements);
    (!statements.is_empty()).then_some(Answer { text, statements, citations })
}

fn cite(n: u32, span: Span, passage: &Passage) -> Citation {
    Citation {
        n,
        title: passage.title.clone(),
        source_uri: passage.source_uri.clone(),
        source_version: passage.source_version.clone(),
        document_id: passage.document_id,
        chunk_id: passage.chunk_id,
        ordinal: passage.ordinal,
        page: passage.page,
        heading: passage.heading(),
        excerpt: passage.content.clone(),
        quote: Quote {
            text: slice(&passage.content, span.start, span.end),
            start: span.start,
            end: span.end,
        },
    }
}

/// One paragraph of sentences; lists and tables begin and end on lines of their own.
fn joined(statements: &[Statement]) -> String {
    let mut text = String::new();
    let mut was_block = false;
    for statement in statements {
        let is_block = statement.text.contains('\n') || plain::is_block_line(&statement.text);
        if !text.is_empty() {
            text.push(if is_block || was_block { '\n' } else { ' ' });
        }
        text.push_str(&statement.text);
        text.push(' ');
        for n in &statement.citations {
            text.push_str(&format!("[{n}]"));
        }
        was_block = is_block;
    }
    text
}
