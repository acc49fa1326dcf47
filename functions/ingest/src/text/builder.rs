//! Text and its blocks, put together piece by piece.

use super::clean::clean;
use super::{Block, BlockKind, Extracted};

/// Appends blocks with the right distance between them.
#[derive(Debug, Default)]
pub(super) struct Builder {
    extracted: Extracted,
}

impl Builder {
    /// Appends a block, unless it holds nothing but white space. Lines of lists and tables follow each other; other
    /// blocks stand apart by an empty line.
    pub(super) fn push(&mut self, kind: BlockKind, text: &str) {
        let text = clean(text);
        let text = match kind {
            // The indentation of the first line is part of code and of a nested item.
            BlockKind::Code | BlockKind::ListItem => text.trim_matches('\n').trim_end(),
            BlockKind::Heading(_) | BlockKind::Paragraph | BlockKind::TableRow => text.trim(),
        };
        if text.trim().is_empty() {
            return;
        }
        let Extracted { text: all, blocks, .. } = &mut self.extracted;
        if let Some(last) = blocks.last() {
            let lines = matches!(kind, BlockKind::ListItem | BlockKind::TableRow);
            all.push_str(if lines && last.kind == kind { "\n" } else { "\n\n" });
        }
        let start = all.len();
        all.push_str(text);
        blocks.push(Block { kind, range: start..all.len(), page: None });
    }

    /// Sets the title, unless it is empty or one was set before.
    pub(super) fn title(&mut self, title: &str) {
        let title = super::clean::on_one_line(&clean(title));
        if self.extracted.title.is_none() && !title.is_empty() {
            self.extracted.title = Some(title);
        }
    }

    /// The text so far; a title that was not set is the first heading of level 1.
    pub(super) fn finish(mut self) -> Extracted {
        let first = self.extracted.blocks.iter().find(|b| b.kind == BlockKind::Heading(1));
        if let Some(range) = first.map(|b| b.range.clone()) {
            let heading = self.extracted.text[range].to_owned();
            self.title(&heading);
        }
        self.extracted
    }
}
