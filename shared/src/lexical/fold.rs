//! Makes spellings equal that a reader takes for equal, and remembers where each glyph stood in the source.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// What a glyph does in the segmentation of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Letter or digit of a script that puts spaces between words.
    Word,
    /// Character of a script that does not (or, as Korean, glues particles on): searched for in pairs.
    Unspaced,
    /// May hold the parts of an identifier or compound together.
    Joiner,
    /// An apostrophe, part of a word when letters stand on both sides.
    Apostrophe,
    /// Ends a word.
    Break,
}

/// One character as a reader sees it, folded.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    /// Its bytes in [`Folded::text`].
    pub text: Range<usize>,
    /// Its bytes in the source.
    pub source: Range<usize>,
    pub first: char,
    pub class: Class,
}

/// A text with compatibility forms, accents and typographic variants folded. Case is kept: it marks the parts of an identifier.
pub(super) struct Folded {
    pub text: String,
    pub glyphs: Vec<Glyph>,
}

pub(super) fn fold(source: &str) -> Folded {
    let mut folded =
        Folded { text: String::with_capacity(source.len()), glyphs: Vec::with_capacity(source.len()) };
    if source.is_ascii() {
        for (at, c) in source.char_indices() {
            folded.push_char(c, at..at + 1);
        }
        return folded;
    }
    for (start, grapheme) in source.grapheme_indices(true) {
        let range = start..start + grapheme.len();
        match single_ascii(grapheme) {
            Some(c) => folded.push_char(c, range),
            // One source character may become several (㎞ → km); each of them stands where it stood.
            None => {
                let text = fold_grapheme(grapheme);
                for part in text.graphemes(true) {
                    folded.push(part, range.clone());
                }
            }
        }
    }
    folded
}

impl Folded {
    fn push_char(&mut self, c: char, source: Range<usize>) {
        let start = self.text.len();
        self.text.push(c);
        self.glyphs.push(Glyph { text: start..self.text.len(), source, first: c, class: classify(c) });
    }

    fn push(&mut self, part: &str, source: Range<usize>) {
        let Some(first) = part.chars().next() else { return };
        let start = self.text.len();
        self.text.push_str(part);
        self.glyphs.push(Glyph { text: start..self.text.len(), source, first, class: classify(first) });
    }
}

fn single_ascii(grapheme: &str) -> Option<char> {
    let mut chars = grapheme.chars();
    chars.next().filter(|c| c.is_ascii() && chars.next().is_none())
}

/// Compatibility composition; accents over Latin letters go (café = cafe), marks that make another letter stay (が is not か).
fn fold_grapheme(grapheme: &str) -> String {
    let mut decomposed = String::with_capacity(grapheme.len());
    let mut after_latin = false;
    for c in grapheme.chars().filter(|&c| !is_ignorable(c)).nfkd() {
        let is_accent = ('\u{300}'..='\u{36f}').contains(&c);
        if is_accent && after_latin {
            continue;
        }
        after_latin = c.is_ascii_alphabetic();
        decomposed.push(c);
    }
    decomposed.nfc().map(plain_punctuation).collect()
}

/// Soft hyphens, joiners and byte order marks inside a word; trade marks, which would become the letters "TM".
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '™' | '℠')
}

fn plain_punctuation(c: char) -> char {
    match c {
        '‐' | '‑' | '−' => '-',
        '’' | '‘' | 'ʼ' | '＇' => '\'',
        other => other,
    }
}

fn classify(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        '-' | '_' | '.' | '/' | '\\' | ':' | '+' | '#' | '@' | '&' => Class::Joiner,
        '\'' => Class::Apostrophe,
        c if !c.is_alphanumeric() => Class::Break,
        c if is_unspaced(c) => Class::Unspaced,
        _ => Class::Word,
    }
}

/// Blocks of scripts written without spaces between words, and Korean.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF           // Thai, Lao
        | 0x1000..=0x109F         // Myanmar
        | 0x1100..=0x11FF         // Hangul letters
        | 0x1780..=0x17FF         // Khmer
        | 0x2E80..=0x2FDF         // Han radicals
        | 0x3005..=0x30FF         // Han iteration marks, Hiragana, Katakana
        | 0x31F0..=0x31FF         // Katakana extensions
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF         // Hangul syllables
        | 0xF900..=0xFAFF
        | 0x20000..=0x323AF)
}

/// Lower case with the letters made equal that differ by position or case alone (final sigma, sharp s).
pub(super) fn lower(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'ς' => out.push('σ'),
            other => out.push(other),
        }
    }
    out
}
