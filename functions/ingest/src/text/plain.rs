//! Plain text: paragraphs are what empty lines part.

use super::builder::Builder;
use super::{BlockKind, Extracted};

pub(super) fn extract(text: &str) -> Extracted {
    let mut builder = Builder::default();
    let mut paragraph = String::new();
    for line in text.split('\n') {
        if line.trim().is_empty() {
            builder.push(BlockKind::Paragraph, &paragraph);
            paragraph.clear();
        } else {
            paragraph.push_str(line.trim_end());
            paragraph.push('\n');
        }
    }
    builder.push(BlockKind::Paragraph, &paragraph);
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_part_paragraphs() {
        let extracted = extract("\none\ntwo  \n \n\nthree");
        let blocks: Vec<_> = extracted.blocks.iter().map(|b| &extracted.text[b.range.clone()]).collect();
        assert_eq!(blocks, ["one\ntwo", "three"]);
        assert_eq!(extracted.title, None);
    }
}
