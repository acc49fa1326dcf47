//! How deep markup nests, before a parser is let loose on it: HTML's tree construction looks through all open elements
//! at each tag, so a megabyte of `<div>` costs it minutes.

/// Browsers stop at 512; pages that forget to close their tags get further.
pub(super) const MAX_DEPTH: usize = 1_000;

/// Elements that never contain another, or whose end is implied by what follows.
const SHALLOW: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    "p", "li", "dt", "dd", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup",
    "caption", "rt", "rp", "html", "head", "body",
];

/// Whether more than [`MAX_DEPTH`] elements seem to be open at once. Counts tags only: linear, and no more than a guess
/// where tags are not closed.
pub(super) fn is_too_deep(html: &str) -> bool {
    let mut depth = 0_usize;
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end..]);
            continue;
        }
        let (closes, tag) = rest.strip_prefix('/').map_or((false, rest), |tag| (true, tag));
        let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
        let name = tag[..end].to_ascii_lowercase();
        rest = &tag[end..];
        if name.is_empty() || SHALLOW.contains(&name.as_str()) {
            continue;
        }
        if closes {
            depth = depth.saturating_sub(1);
            continue;
        }
        // What stands in a script is no markup, whatever it looks like.
        if matches!(name.as_str(), "script" | "style") {
            rest = rest.find("</").map_or("", |end| &rest[end..]);
        }
        depth += 1;
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_open_at_once_counts() {
        assert!(is_too_deep(&"<div>".repeat(MAX_DEPTH + 1)));
        assert!(!is_too_deep(&"<div><b>x</b></div>".repeat(MAX_DEPTH * 2)));
        assert!(!is_too_deep(&"<p>x<br><li>y".repeat(MAX_DEPTH * 2)));
        assert!(!is_too_deep(&"<!-- <div> -->".repeat(MAX_DEPTH * 2)));
        assert!(!is_too_deep(&"<script>if (a<b) '<i>'</script>".repeat(MAX_DEPTH * 2)));
        assert!(!is_too_deep("a < b <"));
    }
}
