//! Which format a file has: by its content first, then by its name, then by its Content-Type.

use super::{Rejected, Source};

/// A format that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text without markup.
    Plain,
    /// CommonMark with tables and front matter.
    Markdown,
    /// HTML.
    Html,
}

/// First bytes of formats that are not read, and what people call them.
const BINARY: &[(&[u8], &str)] = &[
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "an Office document from before 2007"),
    (b"{\\rtf", "RTF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"RIFF", "an audio, video or image file"),
    (b"ID3", "an audio file"),
    (b"\x1F\x8B", "a gzip archive"),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7FELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\0", "a SQLite database"),
];

/// Bytes at the start that are searched for the beginning of HTML.
const SNIFF_BYTES: usize = 1024;

impl Format {
    /// The format of a file.
    ///
    /// # Errors
    /// [`Rejected`] when its first bytes are those of a format that is not read.
    pub fn of(source: Source<'_>) -> Result<Self, Rejected> {
        if let Some((_, what)) = BINARY.iter().find(|(magic, _)| source.bytes.starts_with(magic)) {
            return Err(Rejected::new(
                "unsupported",
                format!("the file is {what}, which is not read yet: upload plain text, Markdown or HTML"),
            ));
        }
        if begins_like_html(source.bytes) {
            return Ok(Self::Html);
        }
        Ok(Self::by_name(source.name)
            .or_else(|| Self::by_media_type(source.content_type))
            .unwrap_or(Self::Plain))
    }

    /// The media type to store.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Plain => "text/plain",
            Self::Markdown => "text/markdown",
            Self::Html => "text/html",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdown" | "mkd" | "mdx" => Some(Self::Markdown),
            "html" | "htm" | "xhtml" => Some(Self::Html),
            "txt" | "text" | "log" => Some(Self::Plain),
            _ => None,
        }
    }

    fn by_media_type(content_type: &str) -> Option<Self> {
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        match essence.to_ascii_lowercase().as_str() {
            "text/markdown" | "text/x-markdown" => Some(Self::Markdown),
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            _ => None,
        }
    }
}

fn begins_like_html(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(SNIFF_BYTES)];
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let starts =
        |prefix: &[u8]| head.len() >= prefix.len() && head[..prefix.len()].eq_ignore_ascii_case(prefix);
    starts(b"<!doctype html") || starts(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], name: &str, content_type: &str, expected: Result<Format, &str>) {
        let format = Format::of(Source { bytes, name, content_type });
        assert_eq!(format.map_err(|r| r.code), expected, "{name} {content_type}");
    }

    #[test]
    fn content_says_more_than_the_name_and_the_name_more_than_the_content_type() {
        check(b" <!DOCTYPE HTML><p>x", "a.txt", "text/plain", Ok(Format::Html));
        check(b"# x", "A.MD", "text/html", Ok(Format::Markdown));
        check(b"<p>x", "a", "text/html; charset=utf-8", Ok(Format::Html));
        check(b"x", "a.unknown", "application/octet-stream", Ok(Format::Plain));
        check(b"%PDF-1.7", "a.txt", "text/plain", Err("unsupported"));
        check(b"PK\x03\x04", "a.docx", "", Err("unsupported"));
    }
}
