//! Text to lexemes: the one analysis that the writer's vectors, the reader's queries and the checks of an answer share.
//!
//! A chunk becomes a sparse vector whose values are BM25's term-frequency part; a question becomes weighted terms
//! that the database multiplies with the inverse document frequencies. Their inner product is BM25.
//!
//! - `fold` makes spellings equal that a reader takes for equal (width, accents, kinds of hyphen) and remembers where each stood.
//! - `scan` cuts the folded text into compounds (`TKT-00042`, `docs/settings.md`, `don't`) and runs of unspaced script.
//! - `unit` says which forms of a compound are searched for: its parts, its whole, or both.
//! - `vector` turns forms into numbers.
//!
//! Pure: no input but the text and the compiled-in tuning. A change in what comes out makes stored vectors disagree
//! with new queries: raise the chunker's version with it. A golden test below watches over that.

mod fold;
mod scan;
mod stop;
mod unit;
mod vector;

use std::collections::BTreeMap;
use std::ops::Range;

pub use vector::{DIMENSIONS, LexicalVector, MAX_ELEMENTS, lexeme_id};

use crate::tuning::{LexicalTuning, Tuning};
use unit::Unit;

/// One thing that a question asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The id that stands in the chunks' vectors.
    pub lexeme: u32,
    /// Its share in the question; 1 for a plain word. The alternative forms of one identifier weigh at most 2 together.
    pub weight: f32,
    /// The normalised form, for explanations.
    pub text: String,
}

/// A content word of a text, normalised, with where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The normalised form: folded, lower case, stemmed where it is an English word.
    pub text: String,
    /// Byte range in the text as given.
    pub range: Range<usize>,
    /// Whether it is a number or an identifier, which no paraphrase may change.
    pub exact: bool,
}

/// The fields of a chunk with their shipped weights, in the form that [`chunk_vector`] takes.
#[must_use]
pub fn chunk_fields<'a>(title: &'a str, heading: &'a str, content: &'a str) -> [(&'a str, f32); 3] {
    let LexicalTuning { title_weight, heading_weight, .. } = Tuning::shipped().lexical;
    [(title, title_weight), (heading, heading_weight), (content, 1.0)]
}

/// A chunk's side of BM25, from its fields as (text, weight): see [`chunk_fields`].
///
/// As in BM25F, occurrences are summed with their field's weight before they saturate. Length is normalised against
/// a fixed pivot, so a chunk's vector depends on the chunk alone and a replay writes the same row.
#[must_use]
pub fn chunk_vector(fields: &[(&str, f32)]) -> LexicalVector {
    let LexicalTuning { k1, b, pivot_terms, .. } = Tuning::shipped().lexical;
    let mut frequencies: BTreeMap<u32, f32> = BTreeMap::new();
    let mut length = 0_usize;
    for (text, weight) in fields {
        for unit in unit::units(text) {
            length += unit.word_count();
            for form in unit.forms() {
                *frequencies.entry(lexeme_id(form.text)).or_default() += weight;
            }
        }
    }
    let norm = k1 * (1.0 - b + b * length as f32 / pivot_terms);
    LexicalVector::new(frequencies.into_iter().map(|(lexeme, tf)| (lexeme, tf * (k1 + 1.0) / (tf + norm))))
}

/// A question's side of BM25, before inverse document frequencies. Each lexeme once, ascending; empty when
/// the question holds nothing but stop words and punctuation.
#[must_use]
pub fn query_terms(text: &str) -> Vec<QueryTerm> {
    let mut terms: BTreeMap<u32, QueryTerm> = BTreeMap::new();
    for unit in unit::units(text) {
        for form in unit.forms() {
            let lexeme = lexeme_id(form.text);
            let term = terms.entry(lexeme).or_insert_with(|| QueryTerm {
                lexeme,
                weight: 0.0,
                text: form.text.to_owned(),
            });
            // A word said twice is not asked for twice.
            term.weight = term.weight.max(form.weight);
        }
    }
    terms.into_values().collect()
}

/// The content words of a text in order, repetitions included, stop words left out. An identifier is one term
/// (`TKT-00042` is `tkt00042`), a compound of words is its words.
#[must_use]
pub fn content_terms(text: &str) -> Vec<Term> {
    unit::units(text).into_iter().flat_map(Unit::into_terms).collect()
}

#[cfg(test)]
mod tests;
