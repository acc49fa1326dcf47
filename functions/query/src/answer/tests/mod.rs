//! The contract as a whole: what a draft claims against what may leave.

mod known_failures;
mod properties;
mod extractive;
mod floor;

use vouch_shared::ids::{ChunkId, DocumentId, TenantId};

use super::*;

/// Passages numbered from 1 with these texts, of a document titled `Guide`.
fn passages(texts: &[&str]) -> Vec<Passage> {
    texts.iter().enumerate().map(|(index, text)| passage(index as u32 + 1, "Guide", &[], text)).collect()
}

fn passage(number: u32, title: &str, headings: &[&str], content: &str) -> Passage {
    let tenant = TenantId::parse("acme").unwrap();
    let source_uri = format!("s3://documents/acme/{title}.md");
    let document_id = DocumentId::derive(&tenant, &source_uri, "v1");
    Passage {
        number,
        document_id,
        chunk_id: ChunkId::derive(document_id, 1, number - 1),
        ordinal: number - 1,
        title: title.to_owned(),
        source_uri,
        source_version: "v1".to_owned(),
        heading_path: headings.iter().map(|heading| (*heading).to_owned()).collect(),
        page: None,
        content: content.to_owned(),
        cosine: Some(0.6),
        bm25: Some(4.0),
        fused_rank: number,
    }
}

/// A draft of statements, each with quotes as (passage number, words).
fn draft(statements: &[(&str, &[(u32, &str)])]) -> Draft {
    let quote = |(passage, text): &(u32, &str)| DraftQuote { passage: *passage, text: (*text).to_owned() };
    let statement = |(text, quotes): &(&str, &[(u32, &str)])| DraftStatement {
        text: (*text).to_owned(),
        quotes: quotes.iter().map(quote).collect(),
    };
    Draft { statements: statements.iter().map(statement).collect(), refused: false }
}

/// What must hold of every outcome, whatever went in.
fn assert_keeps_the_contract(outcome: &Outcome, passages: &[Passage]) {
    let Outcome::Answered(answer) = outcome else {
        assert_eq!(outcome.text(), "I don't know.");
        assert!(outcome.citations().is_empty() && outcome.statements().is_empty());
        return;
    };
    assert!(!answer.statements().is_empty());
    for (index, citation) in answer.citations().iter().enumerate() {
        assert_eq!(citation.n as usize, index + 1);
        let passage = passages
            .iter()
            .find(|passage| passage.chunk_id == citation.chunk_id)
            .expect("a passage that was retrieved");
        assert_eq!(passage.content, citation.excerpt);
        let Quote { text, start, end } = &citation.quote;
        let span: String =
            citation.excerpt.chars().skip(*start as usize).take((end - start) as usize).collect();
        assert_eq!(*text, span);
        assert!(!text.trim().is_empty());
    }
    let mut used: Vec<u32> = Vec::new();
    for statement in answer.statements() {
        assert!(!statement.citations.is_empty() && !statement.text.is_empty());
        used.extend(&statement.citations);
    }
    assert_eq!(marks(answer.text()), used, "{}", answer.text());
    used.sort_unstable();
    used.dedup();
    assert_eq!(used, (1..=answer.citations().len() as u32).collect::<Vec<_>>());
}

/// The numbers in `[n]` marks of a text, in order.
fn marks(text: &str) -> Vec<u32> {
    text.match_indices('[').filter_map(|(at, _)| text[at + 1..].split_once(']')?.0.parse().ok()).collect()
}
