//! Text without what the database cannot hold or a reader cannot see.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Cleans text: `\r\n`, `\r` and Unicode's line and page separators become `\n`; NUL, other control characters and
/// invisible marks (soft hyphen, zero-width space, byte order mark, word joiner) go, since they would tear words
/// apart for the search; the rest is put in NFC. Zero-width joiners stay: emoji and Indic scripts need them.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let removed = if text.chars().any(is_replaced) { Cow::Owned(replace(text)) } else { Cow::Borrowed(text) };
    match is_nfc_quick(removed.chars()) {
        IsNormalized::Yes => removed,
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(removed.nfc().collect()),
    }
}

fn is_replaced(c: char) -> bool {
    is_line_end(c) || is_dropped(c)
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_dropped(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

fn replace(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut after_cr = false;
    for c in text.chars() {
        match c {
            '\n' if after_cr => {}
            c if is_line_end(c) => clean.push('\n'),
            c if is_dropped(c) => {}
            c => clean.push(c),
        }
        after_cr = c == '\r';
    }
    clean
}

/// Runs of white space become one space each, and none is left at the ends.
pub(super) fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cleaned() {
        for (dirty, expected) in [
            ("a\0b\u{7}c", "abc"),
            ("a\r\nb\rc\nd\u{2028}e\u{c}f", "a\nb\nc\nd\ne\nf"),
            ("hy\u{ad}phen zero\u{200b}width \u{feff}mark", "hyphen zerowidth mark"),
            ("e\u{301}", "é"),
            ("👩\u{200d}🔬\tx", "👩\u{200d}🔬\tx"),
        ] {
            assert_eq!(clean(dirty), expected);
        }
        assert!(matches!(clean("as it is"), Cow::Borrowed(_)));
    }
}
