//! The file `stack.env`: lines of `export NAME='value'`, which a shell sources and this module reads back.

use std::collections::BTreeMap;

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
}
