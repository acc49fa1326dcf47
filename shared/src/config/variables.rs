//! Reading variables one by one while collecting all that is wrong with them.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Every variable that is missing or malformed.
#[derive(Debug, thiserror::Error)]
#[error("the environment is not complete: {}", .0.join("; "))]
pub struct ConfigError(Vec<String>);

/// The environment, and what was found wrong so far.
pub(super) struct Variables {
    values: HashMap<String, String>,
    problems: Vec<String>,
}

impl Variables {
    pub(super) fn of_process() -> Self {
        let readable =
            std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        Self { values: readable.collect(), problems: Vec::new() }
    }

    #[cfg(test)]
    pub(super) fn of<'a>(values: impl IntoIterator<Item = &'a (&'static str, &'a str)>) -> Self {
        let values = values.into_iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        Self { values: values.collect(), problems: Vec::new() }
    }

    pub(super) fn problem(&mut self, name: &str, what: &str) {
        self.problems.push(format!("{name} {what}"));
    }

    pub(super) fn optional(&mut self, name: &str) -> Option<String> {
        self.values.get(name).map(|v| v.trim()).filter(|v| !v.is_empty()).map(str::to_owned)
    }

    pub(super) fn required(&mut self, name: &str) -> String {
        self.optional(name).unwrap_or_else(|| {
            self.problem(name, "is not set");
            String::new()
        })
    }

    pub(super) fn first_of(&mut self, first: &str, second: &str) -> String {
        self.optional(first).or_else(|| self.optional(second)).unwrap_or_else(|| {
            self.problem(first, &format!("is not set, nor is {second}"));
            String::new()
        })
    }

    pub(super) fn or(&mut self, name: &str, default: &str) -> String {
        self.optional(name).unwrap_or_else(|| default.to_owned())
    }

    pub(super) fn number<N>(&mut self, name: &str, default: N, range: RangeInclusive<N>) -> N
    where
        N: FromStr + PartialOrd + Display + Copy,
    {
        match self.optional(name) {
            None => default,
            Some(text) => self.parse_number(name, &text, &range).unwrap_or(default),
        }
    }

    pub(super) fn required_number<N>(&mut self, name: &str, range: RangeInclusive<N>) -> N
    where
        N: FromStr + PartialOrd + Display + Copy,
    {
        let text = self.required(name);
        if text.is_empty() {
            return *range.start();
        }
        self.parse_number(name, &text, &range).unwrap_or(*range.start())
    }

    fn parse_number<N>(&mut self, name: &str, text: &str, range: &RangeInclusive<N>) -> Option<N>
    where
        N: FromStr + PartialOrd + Display + Copy,
    {
        let number = text.parse().ok().filter(|n| range.contains(n));
        if number.is_none() {
            self.problem(name, &format!("is not a whole number from {} to {}", range.start(), range.end()));
        }
        number
    }

    /// The first choice is the default.
    pub(super) fn choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> T {
        let text = self.or(name, choices[0].0);
        if let Some((_, value)) = choices.iter().find(|(choice, _)| *choice == text) {
            return *value;
        }
        let names: Vec<_> = choices.iter().map(|(choice, _)| *choice).collect();
        self.problem(name, &format!("is none of: {}", names.join(", ")));
        choices[0].1
    }

    pub(super) fn file(&mut self, name: &str, path: &str) -> String {
        std::fs::read_to_string(path).unwrap_or_else(|error| {
            self.problem(name, &format!("names {path}, which cannot be read: {error}"));
            String::new()
        })
    }

    pub(super) fn finish<T>(self, config: T) -> Result<T, ConfigError> {
        if self.problems.is_empty() { Ok(config) } else { Err(ConfigError(self.problems)) }
    }
}
