//! The mark in front of a list item, the same whatever the list was written in.

/// The next item's mark in the innermost of `lists`: its number, which then goes on, or a dash; indented by depth.
pub(super) fn next_mark(lists: &mut [Option<u64>]) -> String {
    let indent = "  ".repeat(lists.len().saturating_sub(1));
    match lists.last_mut() {
        Some(Some(number)) => {
            let mark = format!("{indent}{number}. ");
            *number = number.saturating_add(1);
            mark
        }
        Some(None) | None => format!("{indent}- "),
    }
}
