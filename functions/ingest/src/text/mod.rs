//! Bytes become text with structure. Pure: no IO, no clock, no environment.
//!
//! A new format is one more arm of the `match` in [`extract`] and one more variant of [`Format`].

mod clean;
mod decode;
mod builder;
mod table;
mod list_mark;
mod format;
mod plain;
mod nesting;
mod html;
mod markdown;

use std::ops::Range;

pub use format::Format;

/// Counts the rules of extraction: raise it when the same bytes would give another text, so that documents are
/// read anew.
pub const EXTRACTOR_VERSION: u32 = 1;

/// What a file is, as far as its surroundings tell.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The object's bytes.
    pub bytes: &'a [u8],
    /// The file's name, without folders.
    pub name: &'a str,
    /// The Content-Type that it was uploaded with; empty when none.
    pub content_type: &'a str,
}

/// The text of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extracted {
    /// The title that the document gives itself.
    pub title: Option<String>,
    /// The whole text: NFC, lines end in `\n`, no control characters but `\n` and `\t`.
    pub text: String,
    /// Its parts in order, without overlap; together they hold every character that is not white space.
    pub blocks: Vec<Block>,
    /// Media type that it was read as.
    pub content_type: &'static str,
}

/// One part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
    /// The page or slide that it is on, from 1, where the format has pages.
    pub page: Option<u32>,
}

/// What a part of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading, of level 1 (outermost) to 6.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// One item of a list, with its mark.
    ListItem,
    /// One row of a table, with the column's name before each cell.
    TableRow,
    /// Code or other text whose spaces matter.
    Code,
}

/// Why a document cannot be read. No retry helps; the reason is for its uploader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Rejected {
    /// A stable code for programs: `unsupported`, `empty`, `encoding`, `too_large`, `archived` or `unreadable`.
    pub code: &'static str,
    /// What is wrong and what to do, in one or two sentences.
    pub reason: String,
}

impl Rejected {
    /// A rejection with this code and reason.
    pub fn new(code: &'static str, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into() }
    }

    fn empty() -> Self {
        Self::new("empty", "there is no text in the document")
    }
}

/// Extracts the text of a document.
///
/// # Errors
/// [`Rejected`] when the format is not supported or there is no text.
pub fn extract(source: Source<'_>) -> Result<Extracted, Rejected> {
    if source.bytes.is_empty() {
        return Err(Rejected::new("empty", "the file is empty: it has 0 bytes"));
    }
    let format = Format::of(source)?;
    let text = decode::text(source.bytes)?;
    let mut extracted = match format {
        Format::Plain => plain::extract(&text),
        Format::Markdown => markdown::extract(&text),
        Format::Html => html::extract(&text)?,
    };
    extracted.content_type = format.media_type();
    if extracted.blocks.is_empty() {
        return Err(Rejected::empty());
    }
    Ok(extracted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8], name: &str) -> Result<Extracted, Rejected> {
        extract(Source { bytes, name, content_type: "" })
    }

    #[test]
    fn a_nul_byte_is_removed() {
        for name in ["a.txt", "a.md", "a.html"] {
            let extracted = read(b"one\0two\x07 three\r\nfour", name).unwrap();
            assert!(extracted.text.starts_with("onetwo three"), "{name}: {:?}", extracted.text);
            assert!(!extracted.text.chars().any(|c| c.is_control() && c != '\n'), "{name}");
        }
    }

    #[test]
    fn a_document_without_text_says_so() {
        for (bytes, name) in [
            (&b""[..], "a.txt"),
            (b" \n\t\r\n", "a.txt"),
            (b"\xEF\xBB\xBF", "a.txt"),
            (b"---\ntitle: x\n---\n", "a.md"),
            (b"<html><script>alert(1)</script></html>", "a.html"),
        ] {
            assert_eq!(read(bytes, name).unwrap_err().code, "empty", "{name}");
        }
    }

    fn sound(extracted: &Extracted) -> Result<(), TestCaseError> {
        let mut end = 0;
        for block in &extracted.blocks {
            prop_assert!(block.range.start >= end && block.range.end > block.range.start);
            prop_assert!(extracted.text[end..block.range.start].trim().is_empty());
            prop_assert!(!extracted.text[block.range.clone()].trim().is_empty());
            end = block.range.end;
        }
        prop_assert!(extracted.text[end..].trim().is_empty());
        prop_assert!(!extracted.text.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
        Ok(())
    }

    proptest! {
        #[test]
        fn blocks_hold_the_whole_text_whatever_is_uploaded(
            text in "([ -~\\n#|*<>&;`-]|\\PC|[\\x00-\\x1f]){0,200}",
            name in prop::sample::select(vec!["a.txt", "a.md", "a.html", "a"]),
        ) {
            if let Ok(extracted) = read(text.as_bytes(), name) {
                sound(&extracted)?;
            }
        }

        #[test]
        fn pieces_of_markup_never_make_the_extractor_panic(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "# a", "\n", "- b", "  ", "|", "|-|-|", "```", "> ", "1. ", "<table>", "<tr>", "<td>", "</table>", "<li>",
                "<pre>", "</pre>", "<h2>", "</h2>", "<nav>", "</div>", "&#0;", "x", "[l](u)", "![i](u)", "---\n", "<!--", "-->",
            ]), 0..40),
            name in prop::sample::select(vec!["a.txt", "a.md", "a.html"]),
        ) {
            if let Ok(extracted) = read(pieces.concat().as_bytes(), name) {
                sound(&extracted)?;
            }
        }

        #[test]
        fn arbitrary_bytes_never_make_the_extractor_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = read(&bytes, "a.md");
        }
    }
}
