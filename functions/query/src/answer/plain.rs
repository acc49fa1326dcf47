//! Text from documents as plain text: nothing in it is live when a client renders the answer as Markdown or HTML.
//!
//! Links and images become their words; HTML elements go; addresses and placeholders such as `<tenant>` stand
//! in code ticks, where no renderer links or interprets them; `[3]`, which would read as a citation, becomes `(3)`.

/// `text` without anything live.
pub(super) fn text(text: &str) -> String {
    let lines = text.lines().map(line).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// A line shorter than this was ended on purpose, not wrapped.
const MIN_WRAPPED_CHARS: usize = 50;

/// `text` with wrapped lines joined; list items, table rows and lines that were broken on purpose keep lines of their own.
pub(super) fn unwrapped(text: &str) -> String {
    let mut out = String::new();
    let mut last = "";
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_broken = last.ends_with(':')
            || (last.chars().count() < MIN_WRAPPED_CHARS
                && line.starts_with(|c: char| c.is_uppercase() || c.is_numeric()));
        if !last.is_empty() {
            out.push(if is_block_line(line) || is_broken { '\n' } else { ' ' });
        }
        out.push_str(line);
        last = line;
    }
    out
}

/// Whether a line is a list item or a table row, which do not run on in a paragraph.
pub(super) fn is_block_line(line: &str) -> bool {
    item_marker(line).is_some() || line.contains(" | ")
}

/// The length in bytes of a list item's marker (`- `, `1. `, `2) `), without leading spaces.
pub(super) fn item_marker(line: &str) -> Option<usize> {
    if line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") {
        return Some(2);
    }
    if line.starts_with("\u{2022} ") {
        return Some("\u{2022} ".len());
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_marker =
        (1..=3).contains(&digits) && (line[digits..].starts_with(". ") || line[digits..].starts_with(") "));
    is_marker.then_some(digits + 2)
}

fn line(line: &str) -> String {
    let line = line.trim();
    if is_link_definition(line) {
        return String::new();
    }
    let line = without_marks(line.trim_start_matches('#').trim_start_matches('>').trim_start());
    let line = without_links(&line);
    let line = without_elements(&line);
    // A code tick without its partner would open a span that swallows a mark.
    let line = if line.matches('`').count() % 2 == 1 { line.replace('`', "") } else { line };
    let line = without_citation_marks(&line).replace("](", "] (");
    let mut in_code = false;
    let words = line.split_whitespace().map(|word| {
        let was_in_code = in_code;
        in_code ^= word.matches('`').count() % 2 == 1;
        if was_in_code { word.to_owned() } else { inert(word) }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// `[label]: address`, which would give a target to every `[label]` of the answer.
fn is_link_definition(line: &str) -> bool {
    line.starts_with('[') && line.find("]:").is_some_and(|at| !line[1..at].contains(']'))
}

/// Emphasis and backslashes before punctuation go, outside of code ticks.
fn without_marks(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut out = String::with_capacity(line.len());
    let mut in_code = false;
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|b| chars[b]);
        let after = chars.get(i + 1);
        let is_emphasis = c == '*' && (before == Some('*') || after == Some(&'*'));
        let is_escape = c == '\\' && after.is_some_and(char::is_ascii_punctuation);
        in_code ^= c == '`';
        if in_code || !(is_emphasis || is_escape) {
            out.push(c);
        }
    }
    out
}

/// `[words](address)` → `words`, `![words](address)` → `words`, `[words][label]` → `words`.
fn without_links(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, words, after)) = next_link(rest) {
        out.push_str(before);
        out.push_str(words);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    text.match_indices('[').find_map(|(open, _)| {
        let close = open + text[open..].find(']')?;
        let target = &text[close + 1..];
        let end = match target.chars().next()? {
            '(' => target.find(')')?,
            '[' => target.find(']')?,
            _ => return None,
        };
        let before = &text[..open];
        Some((before.strip_suffix('!').unwrap_or(before), &text[open + 1..close], &target[end + 1..]))
    })
}

/// Elements that a browser acts on or lays out by. Anything else in angle brackets is a placeholder.
const ELEMENTS: [&str; 52] = [
    "a", "abbr", "audio", "b", "base", "body", "br", "button", "code", "details", "div", "em", "embed",
    "form", "font", "h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "html", "i", "iframe", "img", "input",
    "li", "link", "math", "meta", "object", "ol", "p", "pre", "script", "span", "strong", "style", "sub",
    "sup", "svg", "table", "tbody", "td", "template", "th", "tr", "u", "ul", "video",
];

fn without_elements(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        out.push_str(before);
        let inner = tag[1..].trim_start_matches('/');
        let name =
            inner.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
        let is_live = ELEMENTS.contains(&name.as_str()) || inner.starts_with("!--");
        match tag.find('>') {
            Some(close) if is_live => rest = &tag[close + 1..],
            // An element that does not close on its line would swallow the rest: only the bracket goes.
            None if is_live => rest = &tag[1..],
            _ => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// `[3]` and `[1, 2]` → `(3)` and `(1, 2)`; an index such as `argv[1]` keeps its brackets, with spaces.
fn without_citation_marks(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('[') {
        out.push_str(&rest[..open]);
        let inner_end =
            rest[open + 1..].find(|c: char| !(c.is_numeric() || c == ',' || c.is_whitespace() || c == '-'));
        let close = inner_end.map(|end| open + 1 + end).filter(|&at| rest[at..].starts_with(']'));
        match close {
            Some(close) if rest[open + 1..close].contains(char::is_numeric) => {
                let is_index = out.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ']');
                let inner = rest[open + 1..close].trim();
                out.push_str(&if is_index { format!("[ {inner} ]") } else { format!("({inner})") });
                rest = &rest[close + 1..];
            }
            _ => {
                out.push('[');
                rest = &rest[open + 1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// A word that a renderer would link or interpret, in code ticks.
fn inert(word: &str) -> String {
    let lower = word.to_lowercase();
    let is_address = lower.contains("://")
        || lower.contains("www.")
        || lower.contains("mailto:")
        || lower.contains("javascript:");
    let is_element = word
        .find('<')
        .is_some_and(|at| word[at + 1..].starts_with(|c: char| c.is_alphabetic() || "/!?".contains(c)));
    let is_mail = word.contains('@') && word.contains('.');
    if (is_address || is_element || is_mail) && !word.contains('`') {
        let end = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']).len();
        format!("`{}`{}", &word[..end], &word[end..])
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_from_a_document_is_live() {
        let cases = [
            ("See [the guide](https://evil.example/x) now.", "See the guide now."),
            ("![pixel](https://evil.example/p.png) Text.", "pixel Text."),
            ("[click][1] here", "click here"),
            ("[1]: https://evil.example", ""),
            ("As shown in [3] and [1, 2].", "As shown in (3) and (1, 2)."),
            ("Read argv[1] first.", "Read argv[ 1 ] first."),
            ("Open https://evil.example/a.", "Open `https://evil.example/a`."),
            ("<img src=x onerror=alert(1)>Text", "Text"),
            ("<script>alert(1)</script>", "alert(1)"),
            ("The key is <tenant>/<path>.", "The key is `<tenant>/<path>`."),
            ("`<tenant>/<path>` is the key", "`<tenant>/<path>` is the key"),
            ("**Bold** and \\[escaped\\]", "Bold and [escaped]"),
            ("## Heading", "Heading"),
            ("SELECT a * b", "SELECT a * b"),
            ("a ` lone tick", "a lone tick"),
            ("Write to ops@example.com.", "Write to `ops@example.com`."),
        ];
        for (given, expected) in cases {
            assert_eq!(text(given), expected, "{given:?}");
        }
    }

    #[test]
    fn lines_of_lists_keep_their_lines() {
        assert_eq!(text("Three things:\n- one\n\n- two"), "Three things:\n- one\n- two");
        assert!(is_block_line("- one") && is_block_line("12. twelve") && is_block_line("a: b | c: d"));
        assert!(!is_block_line("1.5 is a number") && !is_block_line("plain"));
    }

    proptest! {
        #[test]
        fn no_mark_and_no_link_survives(given in r"([a-z ]|\[[0-9]\]|\]\(|\[|\]|!|<|>|<img |https://x\.y|\n|`|\(|\)|:|[0-9]){0,40}") {
            let plain = text(&given);
            let chars: Vec<char> = plain.chars().collect();
            for at in 0..chars.len() {
                let digits = chars[at..].iter().skip(1).take_while(|c| c.is_ascii_digit()).count();
                let is_mark = chars[at] == '[' && digits > 0 && chars.get(at + digits + 1) == Some(&']');
                prop_assert!(!is_mark, "{plain:?}");
            }
            prop_assert!(!plain.contains("]("), "{plain:?}");
            prop_assert_eq!(plain.matches('`').count() % 2, 0, "{}", plain);
        }
    }
}
