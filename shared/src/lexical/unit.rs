//! Which forms of a compound are searched for, and how much each weighs in a question.

use rust_stemmers::{Algorithm, Stemmer};

use super::Term;
use super::fold::{fold, lower};
use super::scan::{Compound, Piece, Token, scan};
use super::stop::is_stop_word;

/// Longer runs are encoded data, not names; nobody asks for them whole.
const MAX_FORM_CHARS: usize = 256;

/// How much the whole of a compound of prose weighs beside its words: `read-only` is mostly "read" and "only".
const WHOLE_OF_PROSE: f32 = 0.5;

/// A searchable form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Form<'a> {
    pub text: &'a str,
    pub weight: f32,
}

/// What one token is searched by.
#[derive(Debug)]
pub(super) enum Unit {
    /// A plain word or a pair of unspaced characters: one form.
    Plain(Term),
    /// A compound of prose: its words, and the whole as an extra.
    Prose { words: Vec<Term>, wholes: Vec<String> },
    /// A name or number: the whole counts as one word, its parts as one more together.
    Identifier { whole: Term, others: Vec<String> },
}

/// The units of a text in order; stop words are gone.
pub(super) fn units(text: &str) -> Vec<Unit> {
    let stemmer = Stemmer::create(Algorithm::English);
    scan(&fold(text)).into_iter().filter_map(|token| unit(token, &stemmer)).collect()
}

impl Unit {
    /// Its length in words, whatever the number of its forms.
    pub fn word_count(&self) -> usize {
        match self {
            Unit::Plain(_) | Unit::Identifier { .. } => 1,
            Unit::Prose { words, .. } => words.len(),
        }
    }

    pub fn forms(&self) -> Vec<Form<'_>> {
        match self {
            Unit::Plain(term) => vec![Form { text: &term.text, weight: 1.0 }],
            Unit::Prose { words, wholes } => {
                let words = words.iter().map(|term| Form { text: &term.text, weight: 1.0 });
                let wholes =
                    wholes.iter().map(|text| Form { text, weight: WHOLE_OF_PROSE / wholes.len() as f32 });
                words.chain(wholes).collect()
            }
            Unit::Identifier { whole, others } => {
                let others_weight = 1.0 / others.len().max(1) as f32;
                let others = others.iter().map(|text| Form { text, weight: others_weight });
                std::iter::once(Form { text: &whole.text, weight: 1.0 }).chain(others).collect()
            }
        }
    }

    pub fn into_terms(self) -> Vec<Term> {
        match self {
            Unit::Plain(term) => vec![term],
            Unit::Prose { words, .. } => words,
            Unit::Identifier { whole, .. } => vec![whole],
        }
    }
}

fn unit(token: Token, stemmer: &Stemmer) -> Option<Unit> {
    match token {
        Token::Pair { text, range } => Some(Unit::Plain(Term { text: lower(&text), range, exact: false })),
        Token::Compound(compound) => compound_unit(&compound, stemmer),
    }
}

fn compound_unit(compound: &Compound, stemmer: &Stemmer) -> Option<Unit> {
    let pieces: Vec<&Piece> = compound.segments.iter().flatten().collect();
    let atoms: Vec<Vec<&str>> = pieces.iter().map(|piece| atoms(&piece.text)).collect();
    let has_digit = pieces.iter().any(|piece| piece.text.contains(|c: char| c.is_ascii_digit()));
    let is_identifier = compound.technical || has_digit || atoms.iter().any(|atoms| atoms.len() > 1);

    if let ([piece], false) = (pieces.as_slice(), is_identifier) {
        return word(&piece.text, stemmer)
            .map(|text| Unit::Plain(Term { text, range: piece.range.clone(), exact: false }));
    }
    if is_identifier {
        return identifier(compound, &atoms, stemmer);
    }
    let words: Vec<Term> = pieces
        .iter()
        .filter_map(|piece| {
            Some(Term { text: inner_word(&piece.text, stemmer)?, range: piece.range.clone(), exact: false })
        })
        .collect();
    let wholes = distinct(wholes(compound, stemmer), |whole| words.iter().any(|word| word.text == whole));
    match (words.is_empty(), wholes.first()) {
        (false, _) => Some(Unit::Prose { words, wholes }),
        // R&D: letters and stop words that make a name together. "and/or" and "he/she" make none.
        (true, Some(whole)) if pieces.iter().any(|piece| !is_stop_word(&lower(&piece.text))) => {
            Some(Unit::Plain(Term { text: whole.clone(), range: compound.range.clone(), exact: false }))
        }
        (true, _) => None,
    }
}

fn identifier(compound: &Compound, atoms: &[Vec<&str>], stemmer: &Stemmer) -> Option<Unit> {
    let parts = atoms.iter().flatten().filter_map(|atom| inner_word(atom, stemmer));
    let pieces = compound.segments.iter().flatten().filter_map(|piece| inner_word(&piece.text, stemmer));
    let mut wholes = wholes(compound, stemmer);
    let text = wholes
        .pop()
        .or_else(|| compound.segments.iter().flatten().find_map(|piece| inner_word(&piece.text, stemmer)))?;
    if is_stop_word(&text) {
        // e.g. and i.e.
        return None;
    }
    let others = distinct(parts.chain(pieces).chain(wholes), |other| other == text);
    Some(Unit::Identifier { whole: Term { text, range: compound.range.clone(), exact: true }, others })
}

/// The compound with its joiners taken out, after each of its segments likewise; the whole comes last.
fn wholes(compound: &Compound, stemmer: &Stemmer) -> Vec<String> {
    let mut wholes: Vec<String> = Vec::new();
    if compound.segments.len() > 1 {
        wholes.extend(
            compound
                .segments
                .iter()
                .filter(|segment| segment.len() > 1)
                .filter_map(|segment| joined(segment.iter(), stemmer)),
        );
    }
    wholes.extend(joined(compound.segments.iter().flatten(), stemmer));
    wholes
}

fn joined<'a>(pieces: impl Iterator<Item = &'a Piece>, stemmer: &Stemmer) -> Option<String> {
    normal(&pieces.map(|piece| piece.text.as_str()).collect::<String>(), stemmer)
}

/// A word that stands for itself: stop words are none.
fn word(text: &str, stemmer: &Stemmer) -> Option<String> {
    normal(text, stemmer).filter(|_| !is_stop_word(&lower(text).replace('\'', "")))
}

/// A word inside a compound. A single letter says nothing there (`x-ray`); a single digit may.
fn inner_word(text: &str, stemmer: &Stemmer) -> Option<String> {
    let is_letter = text.len() == 1 && !text.starts_with(|c: char| c.is_ascii_digit());
    if is_letter { None } else { word(text, stemmer) }
}

/// Lower case, without apostrophes, stemmed if English letters are all there is.
fn normal(text: &str, stemmer: &Stemmer) -> Option<String> {
    let lowered = lower(text);
    let lowered = lowered.strip_suffix("'s").unwrap_or(&lowered).replace('\'', "");
    if lowered.chars().count() > MAX_FORM_CHARS {
        return None;
    }
    let is_english = lowered.bytes().all(|byte| byte.is_ascii_lowercase());
    Some(if is_english { stemmer.stem(&lowered).into_owned() } else { lowered })
}

fn distinct(texts: impl IntoIterator<Item = String>, known: impl Fn(&str) -> bool) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        if !known(&text) && !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

/// The parts of a piece by case and by digits: `getUserName`, `HTTPServer`, `SA1000`, `v1.2.3`. One atom where a split
/// would leave a letter alone (`iPhone`, `OAuth`), or would scatter it (`74AHC1G00`).
fn atoms(piece: &str) -> Vec<&str> {
    let by_digits = split_at(piece, |before, at, _| is_numeric(before) != is_numeric(at));
    if by_digits.len() > 2 {
        return vec![piece];
    }
    by_digits.into_iter().flat_map(split_camel_case).collect()
}

fn is_numeric(c: char) -> bool {
    c.is_ascii_digit() || c == '.'
}

fn split_camel_case(piece: &str) -> Vec<&str> {
    let parts = split_at(piece, |before, at, rest| {
        let hump = before.is_lowercase() && at.is_uppercase();
        let after_acronym = before.is_uppercase()
            && at.is_uppercase()
            && rest.chars().take(2).filter(|c| c.is_lowercase()).count() == 2;
        hump || after_acronym
    });
    if parts.iter().any(|part| part.chars().count() < 2) { vec![piece] } else { parts }
}

/// Splits before each character for which `is_border(before, at, rest after it)` holds.
fn split_at(text: &str, is_border: impl Fn(char, char, &str) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in text.char_indices() {
        if before.is_some_and(|before| is_border(before, c, &text[at + c.len_utf8()..])) {
            parts.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    parts.push(&text[start..]);
    parts
}
