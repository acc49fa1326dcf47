//! HTML: the content of a page without its scripts and its frame.

use scraper::node::{Element, Node};
use scraper::{ElementRef, Html};

use super::builder::Builder;
use super::list_mark::next_mark;
use super::table::Table;
use super::{BlockKind, Extracted, Rejected, nesting};

/// Reads a page.
///
/// # Errors
/// [`Rejected`] when its elements nest too deep to be read in bearable time.
pub(super) fn extract(text: &str) -> Result<Extracted, Rejected> {
    if nesting::is_too_deep(text) {
        let reason = format!("the page nests more than {} elements: close its tags", nesting::MAX_DEPTH);
        return Err(Rejected::new("unreadable", reason));
    }
    let page = Html::parse_document(text);
    let mut builder = Builder::default();
    append(page.root_element(), Frame::Dropped, &mut builder);
    let extracted = builder.finish();
    if !extracted.blocks.is_empty() {
        return Ok(extracted);
    }
    // A page that is nothing but frame has its content there.
    let mut builder = Builder::default();
    append(page.root_element(), Frame::Kept, &mut builder);
    Ok(builder.finish())
}

/// Reads a piece of HTML that stands in another format.
pub(super) fn append_fragment(text: &str, builder: &mut Builder) {
    if nesting::is_too_deep(text) {
        // Its words are kept, with the marks around them.
        builder.push(BlockKind::Paragraph, text);
    } else {
        append(Html::parse_fragment(text).root_element(), Frame::Kept, builder);
    }
}

/// Whether navigation, headers and footers are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    Dropped,
    Kept,
}

/// Walks the tree without recursion, so that no nesting exhausts the stack.
fn append(root: ElementRef<'_>, frame: Frame, builder: &mut Builder) {
    let mut reader = Reader {
        builder,
        frame,
        inline: String::new(),
        hidden: 0,
        content: 0,
        pre: 0,
        lists: Vec::new(),
        mark: None,
        tables: Vec::new(),
    };
    for edge in root.traverse() {
        match edge {
            ego_tree::iter::Edge::Open(node) => match node.value() {
                Node::Element(element) => reader.open(element),
                Node::Text(text) => reader.text(text),
                _ => {}
            },
            ego_tree::iter::Edge::Close(node) => {
                if let Node::Element(element) = node.value() {
                    reader.close(element);
                }
            }
        }
    }
    reader.flush(BlockKind::Paragraph);
}

struct Reader<'b> {
    builder: &'b mut Builder,
    frame: Frame,
    inline: String,
    /// Open elements whose content is not read.
    hidden: usize,
    /// Open `main` and `article` elements: a header in them belongs to the content.
    content: usize,
    pre: usize,
    /// For each open list, the number of its next item; `None` for bullets.
    lists: Vec<Option<u64>>,
    mark: Option<String>,
    tables: Vec<OpenTable>,
}

#[derive(Default)]
struct OpenTable {
    table: Table,
    /// Cells of the current row, and how many of them are `th`.
    cells: usize,
    headers: usize,
}

impl Reader<'_> {
    fn text(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        if self.pre > 0 {
            self.inline.push_str(text);
            return;
        }
        for c in text.chars() {
            if !c.is_whitespace() {
                self.inline.push(c);
            } else if !self.inline.is_empty() && !self.inline.ends_with([' ', '\n']) {
                self.inline.push(' ');
            }
        }
    }

    fn is_hidden(&self, element: &Element) -> bool {
        let framing = self.frame == Frame::Dropped;
        match element.name() {
            "script" | "style" | "template" | "noscript" | "svg" | "iframe" | "object" | "select"
            | "button" => true,
            "nav" | "aside" => framing,
            "header" | "footer" => framing && self.content == 0,
            _ => {
                let style = element.attr("style").unwrap_or_default();
                element.attr("hidden").is_some()
                    || element.attr("aria-hidden") == Some("true")
                    || style.replace(' ', "").contains("display:none")
            }
        }
    }

    fn open(&mut self, element: &Element) {
        if self.hidden > 0 || self.is_hidden(element) {
            self.hidden += 1;
            return;
        }
        match element.name() {
            "br" => self.inline.push('\n'),
            "img" => self.text(element.attr("alt").unwrap_or_default()),
            "main" | "article" => {
                self.flush(BlockKind::Paragraph);
                self.content += 1;
            }
            "pre" => {
                self.flush(BlockKind::Paragraph);
                self.pre += 1;
            }
            "ul" => self.open_list(None),
            "ol" => self.open_list(Some(element.attr("start").and_then(|n| n.parse().ok()).unwrap_or(1))),
            "li" => {
                self.flush(BlockKind::Paragraph);
                self.mark = Some(next_mark(&mut self.lists));
            }
            "table" => {
                // The text of a cell before a table inside it stays in the cell.
                if self.tables.is_empty() {
                    self.flush(BlockKind::Paragraph);
                }
                self.tables.push(OpenTable::default());
            }
            name if is_block(name) => self.flush(BlockKind::Paragraph),
            _ => {}
        }
    }

    fn close(&mut self, element: &Element) {
        if self.hidden > 0 {
            self.hidden -= 1;
            return;
        }
        match element.name() {
            "title" => {
                let title = std::mem::take(&mut self.inline);
                self.builder.title(&title);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.tables.is_empty() => {
                self.mark = None;
                let level = element.name().as_bytes()[1] - b'0';
                self.flush(BlockKind::Heading(level));
            }
            "main" | "article" => {
                self.flush(BlockKind::Paragraph);
                self.content = self.content.saturating_sub(1);
            }
            "pre" => {
                self.pre = self.pre.saturating_sub(1);
                self.flush(BlockKind::Code);
            }
            "ul" | "ol" => {
                self.flush(BlockKind::Paragraph);
                self.lists.pop();
            }
            "td" | "th" => self.close_cell(element.name() == "th"),
            "tr" => {
                if let Some(open) = self.tables.last_mut() {
                    let is_header = open.cells > 0 && open.headers == open.cells;
                    open.table.end_row(is_header);
                    (open.cells, open.headers) = (0, 0);
                }
            }
            "table" => self.close_table(),
            "li" => {
                self.flush(BlockKind::Paragraph);
                self.mark = None;
            }
            name if is_block(name) => self.flush(BlockKind::Paragraph),
            _ => {}
        }
    }

    fn open_list(&mut self, first: Option<u64>) {
        self.flush(BlockKind::Paragraph);
        self.lists.push(first);
    }

    fn close_cell(&mut self, is_header: bool) {
        if let Some(open) = self.tables.last_mut() {
            open.table.cell(&std::mem::take(&mut self.inline));
            open.cells += 1;
            open.headers += usize::from(is_header);
        }
    }

    fn close_table(&mut self) {
        let Some(open) = self.tables.pop() else { return };
        let lines = open.table.lines();
        if self.tables.is_empty() {
            self.flush(BlockKind::Paragraph);
            lines.iter().for_each(|line| self.builder.push(BlockKind::TableRow, line));
        } else {
            self.inline.push_str(&lines.join(" "));
        }
    }

    /// Ends the block being read. Inside a table everything belongs to the cell.
    fn flush(&mut self, kind: BlockKind) {
        if !self.tables.is_empty() {
            self.inline.push(' ');
            return;
        }
        let text = std::mem::take(&mut self.inline);
        if text.trim().is_empty() {
            return;
        }
        match (kind, self.mark.take()) {
            (BlockKind::Paragraph, Some(mark)) => {
                self.builder.push(BlockKind::ListItem, &format!("{mark}{}", text.trim()));
            }
            (kind, _) => self.builder.push(kind, &text),
        }
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hr"
            | "legend"
            | "li"
            | "nav"
            | "aside"
            | "option"
            | "p"
            | "section"
            | "summary"
            | "thead"
            | "tbody"
            | "tfoot"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(html: &str, expected: &[(BlockKind, &str)]) -> Extracted {
        let extracted = extract(html).unwrap();
        let blocks: Vec<_> =
            extracted.blocks.iter().map(|b| (b.kind, &extracted.text[b.range.clone()])).collect();
        assert_eq!(blocks, expected, "{html}");
        extracted
    }

    #[test]
    fn the_frame_of_a_page_is_left_out() {
        let extracted = check(
            "<!doctype html><html><head><title> A  page </title><style>p{}</style></head><body>
             <header>Logo</header><nav><a href=/>Home</a></nav>
             <main><article><header><h1>Big news</h1></header><p>Some <b>bold</b>
             and <a href=x>linked</a> text.<script>alert('x')</script></p></article></main>
             <div hidden>secret</div><div style='display: none'>also</div>
             <aside>Ads</aside><footer>(c)</footer></body></html>",
            &[(BlockKind::Heading(1), "Big news"), (BlockKind::Paragraph, "Some bold and linked text.")],
        );
        assert_eq!(extracted.title.as_deref(), Some("A page"));
    }

    #[test]
    fn a_page_that_is_all_frame_is_read_all_the_same() {
        check("<nav>Only <script>x</script>this</nav>", &[(BlockKind::Paragraph, "Only this")]);
    }

    #[test]
    fn tables_and_lists_read_as_in_markdown() {
        check(
            "<table><thead><tr><th>Name</th><th>Age</th></tr></thead><tbody><tr><td><p>Ann</p><p>Lee</p></td><td>41</td></tr></tbody></table>
             <ul><li>one<ul><li>inner</li></ul></li><li><p>two</p><p>more</p></li></ul><ol start=3><li>third</li></ol>",
            &[
                (BlockKind::TableRow, "Name: Ann Lee | Age: 41"),
                (BlockKind::ListItem, "- one"),
                (BlockKind::ListItem, "  - inner"),
                (BlockKind::ListItem, "- two"),
                (BlockKind::Paragraph, "more"),
                (BlockKind::ListItem, "3. third"),
            ],
        );
    }

    #[test]
    fn a_table_inside_a_table_stays_in_its_cell() {
        check(
            "<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td><td>d</td></tr></table>",
            &[(BlockKind::TableRow, "a b | c | d")],
        );
    }

    #[test]
    fn preformatted_text_keeps_its_spaces() {
        check(
            "<p>x<pre>  a\n    b\n</pre>y<br>z",
            &[(BlockKind::Paragraph, "x"), (BlockKind::Code, "  a\n    b"), (BlockKind::Paragraph, "y\nz")],
        );
    }

    #[test]
    fn deep_nesting_is_read_and_nesting_without_end_is_rejected_at_once() {
        let nested = |depth: usize| format!("{}deep{}", "<div>".repeat(depth), "</div>".repeat(depth));
        check(&nested(900), &[(BlockKind::Paragraph, "deep")]);
        assert_eq!(extract(&nested(1_000_000)).unwrap_err().code, "unreadable");
        assert!(super::super::markdown::extract(&nested(1_000_000)).text.contains("deep"));
    }
}
