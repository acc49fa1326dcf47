//! Files of variables. `stack.env` has lines of `export NAME='value'`, which a shell sources and this module reads
//! back; `functions.env` has lines of `NAME="value"`, as `cargo lambda watch --env-file` reads them.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

/// Writes the variables so that a POSIX shell takes each value literally.
#[must_use]
pub fn render(variables: &BTreeMap<String, String>) -> String {
    variables
        .iter()
        .map(|(name, value)| format!("export {name}='{}'\n", value.replace('\'', r"'\''")))
        .collect()
}

/// Reads what [`render`] wrote; other lines are passed over.
#[must_use]
pub fn parse(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter_map(|line| {
            let (name, quoted) = line.trim().strip_prefix("export ")?.split_once('=')?;
            let value = quoted.strip_prefix('\'')?.strip_suffix('\'')?;
            Some((name.to_owned(), value.replace(r"'\''", "'")))
        })
        .collect()
}

/// Writes the variables for `cargo lambda watch --env-file`. That parser knows no escapes, so a value that would
/// need one is refused rather than changed.
///
/// # Errors
/// When a value has a double quote, a backslash or the end of a line in it.
pub fn render_for_cargo_lambda(variables: &BTreeMap<String, String>) -> Result<String> {
    let mut text = String::new();
    for (name, value) in variables {
        ensure!(!value.contains(['"', '\\', '\n']), "{name} has a character that cargo-lambda cannot read");
        text.push_str(&format!("{name}=\"{value}\"\n"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_whatever_the_quotes() {
        let variables = BTreeMap::from([
            ("DATABASE_URL".to_owned(), "postgresql://a:b@h/d?x=1&y=2".to_owned()),
            ("ODD".to_owned(), "it's $HOME \"quoted\"".to_owned()),
        ]);
        assert_eq!(parse(&render(&variables)), variables);
    }

    #[test]
    fn a_value_that_cargo_lambda_cannot_read_is_refused() {
        let one = |value: &str| BTreeMap::from([("PLACE".to_owned(), value.to_owned())]);
        let spaced = render_for_cargo_lambda(&one("/a b/it's=c")).unwrap();
        assert_eq!(spaced, "PLACE=\"/a b/it's=c\"\n");
        for value in ["a\"b", "a\\b", "a\nb"] {
            assert!(render_for_cargo_lambda(&one(value)).is_err(), "{value:?}");
        }
    }
}
