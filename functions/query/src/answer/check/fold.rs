//! Folds text so that two spellings of the same words compare equal, and remembers where each folded
//! character came from, so that a match can be shown in the original.
//!
//! Folded away: compatibility forms (by NFKD: the same equivalence as NFKC, and it works character by
//! character, which keeps the map exact), kinds of quotation marks and dashes, runs of white space,
//! invisible characters, emphasis and code marks, and a hyphen between two letters with the line break
//! that may follow it. Superscripts, fractions and other numerals that NFKD would turn into plain digits
//! stay as they are: `10²` must not read as `102`.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// What happens to a hyphen between two letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hyphens {
    /// It goes, with the white space after it: for finding quotes.
    Join,
    /// It stays: for reading numbers and identifiers.
    Keep,
}

/// A folded text. Spans are code points of the original, `start..end`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Folded {
    chars: Vec<char>,
    spans: Vec<(u32, u32)>,
}

impl Folded {
    /// Folds `text`.
    pub(crate) fn new(text: &str, hyphens: Hyphens) -> Self {
        let original: Vec<char> = text.chars().collect();
        let mut folded =
            Self { chars: Vec::with_capacity(original.len()), spans: Vec::with_capacity(original.len()) };
        let mut start = 0;
        while start < original.len() {
            let mut end = start + 1;
            while end < original.len() && canonical_combining_class(original[end]) != 0 {
                end += 1;
            }
            folded.push_segment(&original, start, end);
            start = end;
        }
        match hyphens {
            Hyphens::Join => folded.without_inner_hyphens(),
            Hyphens::Keep => folded,
        }
    }

    /// The folded text without white space at its ends.
    pub(crate) fn trimmed(&self) -> &[char] {
        let is_space = |c: &char| *c == ' ';
        let start = self.chars.iter().position(|c| !is_space(c)).unwrap_or(self.chars.len());
        let end = self.chars.iter().rposition(|c| !is_space(c)).map_or(start, |last| last + 1);
        &self.chars[start..end]
    }

    /// The folded text as a string.
    pub(crate) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// The first place where `needle` stands as whole words, as a span of the original.
    pub(crate) fn find(&self, needle: &[char]) -> Option<(u32, u32)> {
        if needle.is_empty() || needle.len() > self.chars.len() {
            return None;
        }
        (0..=self.chars.len() - needle.len()).find_map(|at| {
            let end = at + needle.len();
            let found = self.chars[at..end] == *needle && self.is_whole(at, end);
            found.then(|| (self.spans[at].0, self.spans[end - 1].1))
        })
    }

    /// Whether `at..end` cuts neither a word nor the characters that one original character became.
    fn is_whole(&self, at: usize, end: usize) -> bool {
        let cuts = |i: usize| {
            i > 0
                && i < self.chars.len()
                && (self.spans[i - 1] == self.spans[i]
                    // With something dropped between them, as in `well-known`, they are two words as well as one.
                    || (self.spans[i - 1].1 == self.spans[i].0
                        && is_spaced_word(self.chars[i - 1])
                        && is_spaced_word(self.chars[i])))
        };
        !cuts(at) && !cuts(end)
    }

    fn push_segment(&mut self, original: &[char], start: usize, end: usize) {
        let span = (start as u32, end as u32);
        let base = original[start];
        if base.is_ascii() && end == start + 1 {
            if !is_markup(original, start) {
                self.push(base, span);
            }
        } else if is_numeral_to_keep(base) || is_spacing_mark(base) {
            self.push(base, span);
        } else {
            for c in original[start..end].iter().copied().nfkd() {
                self.push(c, span);
            }
        }
    }

    fn push(&mut self, c: char, span: (u32, u32)) {
        let c = match c {
            c if c.is_whitespace() => ' ',
            c if is_invisible(c) => return,
            '\u{201c}'..='\u{201f}' | '\u{00ab}' | '\u{00bb}' | '\u{2033}' | '\u{2036}' => '"',
            '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' | '\u{00b4}' => '\'',
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => '-',
            c => c,
        };
        let is_alone = span.1 - span.0 == 1;
        match (c, self.chars.last(), self.spans.last_mut()) {
            (' ', Some(' '), Some(last)) if is_alone => last.1 = span.1,
            _ => {
                self.chars.push(c);
                self.spans.push(span);
            }
        }
    }

    fn without_inner_hyphens(self) -> Self {
        let mut joined = Self::default();
        let mut i = 0;
        while i < self.chars.len() {
            if self.chars[i] == '-' && joined.chars.last().is_some_and(|c| c.is_alphabetic()) {
                let next = if self.chars.get(i + 1) == Some(&' ') { i + 2 } else { i + 1 };
                if self.chars.get(next).is_some_and(|c| c.is_alphabetic()) {
                    i = next;
                    continue;
                }
            }
            joined.chars.push(self.chars[i]);
            joined.spans.push(self.spans[i]);
            i += 1;
        }
        joined
    }
}

/// Marks of Markdown that carry no words: code ticks, emphasis, and the backslash before punctuation.
fn is_markup(original: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| original[i]);
    let after = original.get(at + 1).copied();
    match original[at] {
        '`' => true,
        '\\' => after.is_some_and(|c| c.is_ascii_punctuation()),
        '*' => {
            let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
            let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !(is_blank(before) && is_blank(after) || is_word(before) && is_word(after))
        }
        _ => false,
    }
}

/// Numerals that are not digits of a number: superscripts, fractions, circled and Roman ones.
fn is_numeral_to_keep(c: char) -> bool {
    let is_digit =
        matches!(c, '\u{ff10}'..='\u{ff19}' | '\u{1d7ce}'..='\u{1d7ff}' | '\u{1fbf0}'..='\u{1fbf9}');
    c.is_numeric() && !c.is_ascii() && !is_digit
}

/// Marks that stand alone, such as `¨`: NFKD would make a space of what was none.
fn is_spacing_mark(c: char) -> bool {
    !c.is_whitespace() && std::iter::once(c).nfkd().next() == Some(' ')
}

/// Soft hyphens, zero-width and direction marks, tags: nothing that a reader sees.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Part of a word in a script that puts spaces between words.
fn is_spaced_word(c: char) -> bool {
    let unspaced = matches!(
        c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
    );
    (c.is_alphanumeric() || c == '_') && !unspaced
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(passage: &str, quote: &str) -> Option<String> {
        let needle = Folded::new(quote, Hyphens::Join);
        let (start, end) = Folded::new(passage, Hyphens::Join).find(needle.trimmed())?;
        Some(passage.chars().skip(start as usize).take((end - start) as usize).collect())
    }

    #[test]
    fn spellings_of_the_same_words_are_found_and_shown_as_the_passage_has_them() {
        let cases = [
            ("The limit is ten  objects.\nNo more.", "ten objects. No more.", "ten  objects.\nNo more."),
            ("He said \u{201c}stop\u{201d} at once", "said \"stop\" at", "said \u{201c}stop\u{201d} at"),
            ("an infor-\nmation system", "information system", "infor-\nmation system"),
            ("a well-known system", "a well-\nknown system", "a well-known system"),
            ("soft\u{ad}ware wins", "software wins", "soft\u{ad}ware wins"),
            ("the \u{fb01}rst office", "the first office", "the \u{fb01}rst office"),
            ("cafe\u{301} opens", "caf\u{e9} opens", "cafe\u{301} opens"),
            ("pages 10\u{2013}20 only", "pages 10-20 only", "pages 10\u{2013}20 only"),
            ("set `VOUCH_LOG` to **debug** now", "VOUCH_LOG to debug now", "VOUCH_LOG` to **debug** now"),
            ("a\u{a0}non-breaking\u{2009}space", "a non-breaking space", "a\u{a0}non-breaking\u{2009}space"),
            ("質問は二千文字までです。", "二千文字まで", "二千文字まで"),
        ];
        for (passage, quote, expected) in cases {
            assert_eq!(found(passage, quote).as_deref(), Some(expected), "{quote:?} in {passage:?}");
        }
    }

    #[test]
    fn marks_that_stand_alone_keep_their_place() {
        for text in [" \u{a8}", "  \u{a8} x", "a \u{308} b", "\u{fc5e} \u{fc5e}"] {
            let folded = Folded::new(text, Hyphens::Join);
            assert!(
                folded.spans.windows(2).all(|pair| pair[0] == pair[1] || pair[0].1 <= pair[1].0),
                "{text:?} {:?}",
                folded.spans
            );
        }
    }

    #[test]
    fn other_words_are_not_found() {
        let cases = [
            ("start with the table", "art with the table"),
            ("the limit is 100 objects", "the limit is 10"),
            ("area 10\u{b2} metres", "area 102 metres"),
            ("caf\u{e9} opens", "cafe opens"),
            ("the \u{fb01}rst office", "irst office"),
            ("2*3 equals six", "23 equals six"),
            ("The Limit is ten", "the limit is ten"),
        ];
        for (passage, quote) in cases {
            assert_eq!(found(passage, quote), None, "{quote:?} in {passage:?}");
        }
    }

    proptest! {
        #[test]
        fn spans_are_ordered_and_lie_within_the_original(text in any::<String>()) {
            let length = text.chars().count() as u32;
            let folded = Folded::new(&text, Hyphens::Join);
            prop_assert_eq!(folded.chars.len(), folded.spans.len());
            let mut last = (0, 0);
            for &(start, end) in &folded.spans {
                prop_assert!(start < end && end <= length);
                prop_assert!(start >= last.0 && (start >= last.1 || (start, end) == last));
                last = (start, end);
            }
        }

        #[test]
        fn folding_twice_changes_nothing(text in any::<String>()) {
            let once = Folded::new(&text, Hyphens::Keep).text();
            let twice = Folded::new(&once, Hyphens::Keep).text();
            // Marks of Markdown are judged by their neighbours, and those may have been folded away.
            if !text.contains(['`', '*', '\\']) && !once.contains(['`', '*', '\\']) {
                prop_assert_eq!(once, twice);
            }
        }

        #[test]
        fn whole_words_of_a_text_are_found_in_it(
            words in proptest::collection::vec("[a-zé\u{fb01}]([a-zé\u{ad}\u{2014}\u{fb01}]{0,6}[a-z])?", 1..12),
            gap in "( |\n|  |\u{a0}|\u{200b} )",
            from in any::<prop::sample::Index>(),
            count in 1usize..8,
        ) {
            let from = from.index(words.len());
            let quote = words[from..].iter().take(count).cloned().collect::<Vec<_>>().join(" ");
            let text = words.join(&gap);
            let needle = Folded::new(&quote, Hyphens::Join);
            prop_assert!(Folded::new(&text, Hyphens::Join).find(needle.trimmed()).is_some(), "{quote:?} in {text:?}");
        }
    }
}
