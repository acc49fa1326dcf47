//! Markdown: what a reader would see, without the marks.

use pulldown_cmark::{Event, HeadingLevel, MetadataBlockKind, Options, Parser, Tag, TagEnd};

use super::builder::Builder;
use super::list_mark::next_mark;
use super::table::Table;
use super::{BlockKind, Extracted, html};

pub(super) fn extract(text: &str) -> Extracted {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, options) {
        reader.event(event);
    }
    reader.flush(BlockKind::Paragraph);
    reader.builder.finish()
}

/// State between events.
#[derive(Default)]
struct Reader {
    builder: Builder,
    /// Text of the block being read.
    inline: String,
    /// For each open list, the number of its next item; `None` for bullets.
    lists: Vec<Option<u64>>,
    /// The mark of an item whose text has not been pushed yet.
    mark: Option<String>,
    table: Option<Table>,
    html: String,
    metadata: Option<MetadataBlockKind>,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.metadata.is_some() => self.front_matter(&text),
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.inline.push_str(&text);
            }
            Event::Html(text) => self.html.push_str(&text),
            Event::InlineHtml(tag) => {
                if tag.starts_with("<br") {
                    self.inline.push('\n');
                }
            }
            Event::SoftBreak => self.inline.push(' '),
            Event::HardBreak => self.inline.push('\n'),
            Event::TaskListMarker(done) => self.inline.push_str(if done { "[x] " } else { "[ ] " }),
            Event::Rule | Event::FootnoteReference(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::List(first) => {
                self.flush(BlockKind::Paragraph);
                self.lists.push(first);
            }
            Tag::Item => {
                self.flush(BlockKind::Paragraph);
                self.mark = Some(next_mark(&mut self.lists));
            }
            Tag::Table(_) => {
                self.flush(BlockKind::Paragraph);
                self.table = Some(Table::default());
            }
            Tag::MetadataBlock(kind) => self.metadata = Some(kind),
            Tag::Heading { .. }
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::FootnoteDefinition(_)
            | Tag::BlockQuote(_) => {
                self.flush(BlockKind::Paragraph);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(level) => self.flush(BlockKind::Heading(number(level))),
            // Paragraphs of one item stay together.
            TagEnd::Paragraph if self.mark.is_some() => self.inline.push('\n'),
            TagEnd::Paragraph | TagEnd::FootnoteDefinition => self.flush(BlockKind::Paragraph),
            TagEnd::Item => {
                self.flush(BlockKind::Paragraph);
                self.mark = None;
            }
            TagEnd::CodeBlock => self.flush(BlockKind::Code),
            TagEnd::List(_) => {
                self.flush(BlockKind::Paragraph);
                self.lists.pop();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(table) = &mut self.table {
                    table.cell(&cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row(tag == TagEnd::TableHead);
                }
            }
            TagEnd::Table => {
                for line in self.table.take().map(Table::lines).unwrap_or_default() {
                    self.builder.push(BlockKind::TableRow, &line);
                }
            }
            TagEnd::HtmlBlock => {
                let fragment = std::mem::take(&mut self.html);
                html::append_fragment(&fragment, &mut self.builder);
            }
            TagEnd::MetadataBlock(_) => self.metadata = None,
            _ => {}
        }
    }

    /// Ends the block being read; text that follows an item's mark is that item.
    fn flush(&mut self, kind: BlockKind) {
        let text = std::mem::take(&mut self.inline);
        match (kind, text.trim().is_empty()) {
            (_, true) => {}
            (BlockKind::Paragraph, false) => match self.mark.take() {
                Some(mark) => self.builder.push(BlockKind::ListItem, &format!("{mark}{}", text.trim())),
                None => self.builder.push(kind, &text),
            },
            (kind, false) => self.builder.push(kind, &text),
        }
    }

    /// Only the title is of use; the rest is for whatever program made the page.
    fn front_matter(&mut self, text: &str) {
        let separator = match self.metadata {
            Some(MetadataBlockKind::PlusesStyle) => '=',
            _ => ':',
        };
        let title = text.lines().find_map(|line| {
            let (name, value) = line.split_once(separator)?;
            (name.trim_end() == "title").then(|| value.trim().trim_matches(['"', '\'']))
        });
        if let Some(title) = title {
            self.builder.title(title);
        }
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markdown: &str, expected: &[(BlockKind, &str)]) -> Extracted {
        let extracted = extract(markdown);
        let blocks: Vec<_> =
            extracted.blocks.iter().map(|b| (b.kind, &extracted.text[b.range.clone()])).collect();
        assert_eq!(blocks, expected, "{markdown}");
        extracted
    }

    #[test]
    fn headings_and_inline_markup_become_plain_text() {
        let extracted = check(
            "---\nauthor: x\n---\n# The *Title* #\n\nSome **bold**, `code` and a [link](http://x.y).\nSame line.\n\nSub\n---\n![a cat](c.png)",
            &[
                (BlockKind::Heading(1), "The Title"),
                (BlockKind::Paragraph, "Some bold, code and a link. Same line."),
                (BlockKind::Heading(2), "Sub"),
                (BlockKind::Paragraph, "a cat"),
            ],
        );
        assert_eq!(extracted.title.as_deref(), Some("The Title"));
    }

    #[test]
    fn front_matter_gives_the_title_and_nothing_else() {
        let extracted =
            check("---\ntitle: \"From above\"\ntags: [a]\n---\ntext", &[(BlockKind::Paragraph, "text")]);
        assert_eq!(extracted.title.as_deref(), Some("From above"));
        let extracted = check("+++\ntitle = 'Toml'\n+++\ntext", &[(BlockKind::Paragraph, "text")]);
        assert_eq!(extracted.title.as_deref(), Some("Toml"));
    }

    #[test]
    fn table_rows_name_their_columns() {
        check(
            "| Name | Age |\n|---|---|\n| **Ann** | 41 |\n| Bo | |\n\nafter",
            &[
                (BlockKind::TableRow, "Name: Ann | Age: 41"),
                (BlockKind::TableRow, "Name: Bo"),
                (BlockKind::Paragraph, "after"),
            ],
        );
    }

    #[test]
    fn list_items_stay_whole_and_nested_ones_are_indented() {
        check(
            "intro\n\n- one\n  still one\n\n  and more\n- two\n  1. first\n  2. second\n     ```\n     x = 1\n     ```\n- [x] done\n",
            &[
                (BlockKind::Paragraph, "intro"),
                (BlockKind::ListItem, "- one still one\nand more"),
                (BlockKind::ListItem, "- two"),
                (BlockKind::ListItem, "  1. first"),
                (BlockKind::ListItem, "  2. second"),
                (BlockKind::Code, "x = 1"),
                (BlockKind::ListItem, "- [x] done"),
            ],
        );
    }

    #[test]
    fn code_is_kept_verbatim() {
        check(
            "```python\ndef f():\n    return  1\n\n# no heading\n```\n\n    indented\n      more",
            &[
                (BlockKind::Code, "def f():\n    return  1\n\n# no heading"),
                (BlockKind::Code, "indented\n  more"),
            ],
        );
    }

    #[test]
    fn html_inside_markdown_is_read_as_html() {
        check(
            "<details><summary>More</summary>\n<!-- hidden -->\n</details>\n\na<br>b <span>c</span>",
            &[(BlockKind::Paragraph, "More"), (BlockKind::Paragraph, "a\nb c")],
        );
    }
}
