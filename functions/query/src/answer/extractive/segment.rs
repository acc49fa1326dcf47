//! Cuts a passage into the units that an answer may be made of: sentences, list items, table rows, code blocks.
//!
//! The text of a document has paragraphs between blank lines, headings on lines of their own, list items that
//! begin with `- ` or `1. `, table rows as lines of `Header: cell | Header: cell`, and code as it was.

use std::ops::Range;

use crate::answer::plain;

/// What a unit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading: context, never an answer.
    Heading,
    /// A sentence of prose.
    Sentence,
    /// A list item with its continuation lines.
    Item,
    /// A table row.
    Row,
    /// A block of code.
    Code,
}

/// A unit of a passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) kind: Kind,
    /// Bytes of the passage's content, without the list marker and surrounding white space.
    pub(super) range: Range<usize>,
    /// Units of one paragraph, list or table share a number.
    pub(super) block: usize,
}

/// The units of `content`, in order. A line that repeats one of `headings` is a heading.
pub(super) fn segment(content: &str, headings: &[String]) -> Vec<Unit> {
    let mut cutter = Cutter { content, units: Vec::new(), block: 0, paragraph: None };
    let mut fence: Option<usize> = None;
    for (start, line) in lines(content) {
        let text = line.trim();
        let is_fence = text.starts_with("```") || text.starts_with("~~~");
        match (fence, is_fence) {
            (Some(opened), true) => {
                cutter.push(Kind::Code, opened..start);
                fence = None;
            }
            (Some(_), false) => {}
            (None, true) => {
                cutter.end_block();
                fence = Some(start + line.len());
            }
            (None, false) => cutter.line(start, line, is_heading(text, headings)),
        }
    }
    if let Some(opened) = fence {
        cutter.push(Kind::Code, opened..content.len());
    }
    cutter.end_block();
    cutter.units
}

fn lines(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    content.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

fn is_heading(text: &str, headings: &[String]) -> bool {
    let hashes = text.bytes().take_while(|b| *b == b'#').count();
    let bare = text.trim_start_matches('#').trim();
    (1..=6).contains(&hashes) && text[hashes..].starts_with(' ')
        || headings.iter().any(|heading| heading.trim() == bare)
}

struct Cutter<'a> {
    content: &'a str,
    units: Vec<Unit>,
    block: usize,
    /// The prose being gathered, before it is cut into sentences.
    paragraph: Option<Range<usize>>,
}

impl Cutter<'_> {
    fn line(&mut self, start: usize, line: &str, is_heading: bool) {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim();
        let range = start + indent..start + indent + text.len();
        let marker = plain::item_marker(line.trim_start());
        if text.is_empty() {
            self.end_paragraph();
            self.block += usize::from(!self.next_is_item(start + line.len()));
        } else if is_heading {
            self.end_block();
            self.push(Kind::Heading, range);
            self.end_block();
        } else if let Some(marker) = marker {
            self.end_paragraph();
            self.push(Kind::Item, (range.start + marker).min(range.end)..range.end);
        } else if is_row(text) {
            self.end_paragraph();
            self.push(Kind::Row, range);
        } else if let Some(item) = self.open_item(start) {
            item.range.end = range.end;
        } else {
            let from = self.paragraph.take().map_or(range.start, |open| open.start);
            self.paragraph = Some(from..range.end);
        }
    }

    /// The list item that a line without a marker continues: one that ended on the line before.
    fn open_item(&mut self, line_start: usize) -> Option<&mut Unit> {
        if self.paragraph.is_some() {
            return None;
        }
        let block = self.block;
        let content = self.content;
        self.units.last_mut().filter(|unit| {
            let between = content.get(unit.range.end..line_start).unwrap_or_default();
            unit.kind == Kind::Item && unit.block == block && between.matches('\n').count() == 1
        })
    }

    /// Blank lines between the items of a loose list do not end it.
    fn next_is_item(&self, from: usize) -> bool {
        let rest = self.content[from..].trim_start();
        self.units.last().is_some_and(|unit| unit.kind == Kind::Item) && plain::item_marker(rest).is_some()
    }

    fn push(&mut self, kind: Kind, range: Range<usize>) {
        let text = &self.content[range.clone()];
        let start = range.start + text.len() - text.trim_start().len();
        let end = range.end - (text.len() - text.trim_end().len());
        if start < end {
            self.units.push(Unit { kind, range: start..end, block: self.block });
        }
    }

    fn end_paragraph(&mut self) {
        if let Some(range) = self.paragraph.take() {
            for sentence in sentences(&self.content[range.clone()]) {
                self.push(Kind::Sentence, range.start + sentence.start..range.start + sentence.end);
            }
        }
    }

    fn end_block(&mut self) {
        self.end_paragraph();
        self.block += 1;
    }
}

/// `Header: cell | Header: cell`
fn is_row(text: &str) -> bool {
    text.contains(" | ") && text.split(" | ").filter(|cell| cell.contains(':')).count() >= 2
}

/// Byte ranges of the sentences of a paragraph.
fn sentences(paragraph: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = match c {
            '\u{3002}' | '\u{ff01}' | '\u{ff1f}' => Some(at + c.len_utf8()),
            '.' | '!' | '?' => end_of_sentence(paragraph, at),
            _ => None,
        };
        if let Some(end) = end.filter(|end| *end > start) {
            sentences.push(start..end);
            start = end;
            while chars.peek().is_some_and(|(next, _)| *next < end) {
                chars.next();
            }
        }
    }
    if start < paragraph.len() {
        sentences.push(start..paragraph.len());
    }
    sentences
}

/// Where the sentence ends whose final mark stands at `at`, with closing quotes and brackets; `None` if it goes on.
fn end_of_sentence(paragraph: &str, at: usize) -> Option<usize> {
    let is_closing = |c: char| matches!(c, '"' | '\'' | ')' | ']' | '\u{201d}' | '\u{2019}' | '`' | '*');
    let rest = &paragraph[at + 1..];
    let closing = rest.len() - rest.trim_start_matches(is_closing).len();
    let end = at + 1 + closing;
    let after = &paragraph[end..];
    if after.is_empty() {
        return Some(end);
    }
    let next = after.trim_start().chars().next()?;
    let is_gap = after.starts_with(char::is_whitespace);
    let opens = next.is_uppercase() || next.is_numeric() || "\"'([`*\u{201c}\u{2018}\u{ab}$/-".contains(next);
    (is_gap && opens && !ends_in_abbreviation(&paragraph[..at])).then_some(end)
}

fn ends_in_abbreviation(before: &str) -> bool {
    const ABBREVIATIONS: [&str; 20] = [
        "e.g", "i.e", "etc", "vs", "cf", "approx", "mr", "mrs", "ms", "dr", "prof", "no", "fig", "sec",
        "vol", "inc", "ltd", "u.s", "st", "resp",
    ];
    let word = before.rsplit(|c: char| c.is_whitespace() || "([\"'".contains(c)).next().unwrap_or_default();
    let is_initial = word.chars().count() == 1 && word.starts_with(char::is_uppercase);
    is_initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(content: &str) -> Vec<(Kind, &str)> {
        segment(content, &["Limits".to_owned()])
            .into_iter()
            .map(|unit| (unit.kind, &content[unit.range]))
            .collect()
    }

    #[test]
    fn every_kind_of_unit_is_told_apart() {
        let content = "Limits\n\nThe size is fixed. It cannot\nbe raised, e.g. by a setting.\n\nTwo kinds exist:\n- hard\n- soft, which\n  can be raised\n\n\
                       Name: size | Value: 10\nName: age | Value: 3\n\n```\nmake up\n```\n\n1. Stop it.\n\n2. Start it.\n";
        let expected = [
            (Kind::Heading, "Limits"),
            (Kind::Sentence, "The size is fixed."),
            (Kind::Sentence, "It cannot\nbe raised, e.g. by a setting."),
            (Kind::Sentence, "Two kinds exist:"),
            (Kind::Item, "hard"),
            (Kind::Item, "soft, which\n  can be raised"),
            (Kind::Row, "Name: size | Value: 10"),
            (Kind::Row, "Name: age | Value: 3"),
            (Kind::Code, "make up"),
            (Kind::Item, "Stop it."),
            (Kind::Item, "Start it."),
        ];
        assert_eq!(cut(content), expected);
    }

    #[test]
    fn sentences_end_where_a_reader_would_say_so() {
        let cases: [(&str, &[&str]); 7] = [
            ("Use v1.2 of it. Then go.", &["Use v1.2 of it.", "Then go."]),
            ("Ask Dr. Who. He knows.", &["Ask Dr. Who.", "He knows."]),
            ("It says \"I don't know.\" Then it stops.", &["It says \"I don't know.\"", "Then it stops."]),
            ("Really? Yes! 3 times.", &["Really?", "Yes!", "3 times."]),
            ("See config.rs for more.", &["See config.rs for more."]),
            ("最初の文。次の文。", &["最初の文。", "次の文。"]),
            ("Many kinds, e.g. Oracle, exist", &["Many kinds, e.g. Oracle, exist"]),
        ];
        for (paragraph, expected) in cases {
            let found: Vec<&str> =
                sentences(paragraph).into_iter().map(|range| paragraph[range].trim()).collect();
            assert_eq!(found, expected, "{paragraph}");
        }
    }

    #[test]
    fn a_loose_list_is_one_block() {
        let blocks: Vec<usize> = segment("- a\n\n- b\n\nText.", &[]).iter().map(|unit| unit.block).collect();
        assert_eq!(blocks[0], blocks[1]);
        assert_ne!(blocks[1], blocks[2]);
    }

    proptest! {
        #[test]
        fn units_are_ordered_and_never_cut_a_character(content in r"([a-zA-Zé。 .!?:|\-#`*\n0-9]|- |1\. |```\n| \| |: ){0,80}") {
            let mut last = 0;
            for unit in segment(&content, &[]) {
                prop_assert!(unit.range.start >= last && unit.range.start < unit.range.end);
                prop_assert!(content.get(unit.range.clone()).is_some_and(|text| !text.trim().is_empty()));
                last = unit.range.end;
            }
        }
    }
}
