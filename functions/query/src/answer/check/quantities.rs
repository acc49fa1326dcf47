//! Numbers, their units, and dates, read from text the same way on both sides of a check.

use super::words::{month, number_word, unit};

/// A number and, where one stands with it, its unit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Quantity {
    /// Digits without thousands separators; `-` before it if the text has a sign.
    pub(crate) value: String,
    /// Canonical name of the unit.
    pub(crate) unit: Option<&'static str>,
}

/// A calendar date, as far as the text gives it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Date {
    pub(crate) year: Option<u32>,
    pub(crate) month: u32,
    pub(crate) day: Option<u32>,
}

/// All quantities and dates of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quantities {
    pub(crate) numbers: Vec<Quantity>,
    pub(crate) dates: Vec<Date>,
    /// Units that stand without a number, as in a column headed `Timeout (seconds)`.
    loose_units: Vec<&'static str>,
}

impl Quantities {
    /// Reads a folded text (hyphens kept).
    pub(crate) fn read(text: &str) -> Self {
        let lexemes = lexemes(text);
        let mut quantities = Self::default();
        let mut i = 0;
        while i < lexemes.len() {
            if let Some((date, length)) = date_at(&lexemes[i..]) {
                quantities.dates.push(date);
                i += length;
                continue;
            }
            match &lexemes[i] {
                Lexeme::Number { value, attached } => {
                    let (unit, length) = unit_after(attached.as_deref(), &lexemes[i + 1..]);
                    let unit = unit.or_else(|| currency_before(&lexemes[..i]));
                    quantities.numbers.push(Quantity { value: value.clone(), unit });
                    i += length;
                }
                Lexeme::Word(word) => {
                    let (value, length) = spelled_out(word, &lexemes[i + 1..]);
                    let (unit, unit_length) = unit_after(None, &lexemes[i + length.max(1)..]);
                    match value {
                        // "one" and "a" are numbers only before a unit: "one hour", not "one of them".
                        Some(value)
                            if value != 1
                                || (unit.is_some() && !(is_article(word) && unit == Some("second"))) =>
                        {
                            quantities.numbers.push(Quantity { value: value.to_string(), unit });
                            i += length - 1 + unit_length;
                        }
                        _ => quantities.loose_units.extend(self::unit(word)),
                    }
                }
                Lexeme::Iso(_) | Lexeme::Sign(_) => {}
            }
            i += 1;
        }
        quantities
    }

    /// Whether this text, as evidence, contains `number`.
    pub(crate) fn hold_number(&self, number: &Quantity) -> bool {
        self.numbers.iter().any(|held| {
            held.value == number.value
                && match (number.unit, held.unit) {
                    (None, _) => true,
                    (Some(wanted), Some(unit)) => wanted == unit,
                    (Some(wanted), None) => self.loose_units.contains(&wanted),
                }
        }) || (number.unit.is_none() && self.dates.iter().any(|date| date.holds(&number.value)))
    }

    /// Whether this text, as evidence, contains a date that says at least what `date` says.
    pub(crate) fn hold_date(&self, date: &Date) -> bool {
        self.dates.iter().any(|held| {
            held.month == date.month
                && (date.day.is_none() || held.day == date.day)
                && (date.year.is_none() || held.year == date.year)
        })
    }
}

impl Date {
    fn holds(&self, value: &str) -> bool {
        let value = value.parse().ok();
        value.is_some() && (self.year == value || self.day == value)
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Lexeme {
    /// Digits, with the letters that follow without a space (`30s`).
    Number { value: String, attached: Option<String> },
    /// `2026-08-21`
    Iso(Date),
    /// Letters, in lower case.
    Word(String),
    /// Anything else but white space.
    Sign(char),
}

fn lexemes(text: &str) -> Vec<Lexeme> {
    let chars: Vec<char> = text.chars().collect();
    let mut lexemes = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c.is_ascii_digit() {
            let (lexeme, end) = number_at(&chars, i);
            lexemes.push(lexeme);
            i = end;
        } else if c.is_alphabetic() || c == '_' {
            let end = end_of(&chars, i, |c| c.is_alphanumeric() || c == '_' || c == '\'');
            let word: String = chars[i..end].iter().collect();
            lexemes.push(Lexeme::Word(word.to_lowercase()));
            i = end;
        } else {
            if !c.is_whitespace() {
                lexemes.push(Lexeme::Sign(c));
            }
            i += 1;
        }
    }
    lexemes
}

fn end_of(chars: &[char], from: usize, is_part: impl Fn(char) -> bool) -> usize {
    (from..chars.len()).find(|&i| !is_part(chars[i])).unwrap_or(chars.len())
}

fn number_at(chars: &[char], start: usize) -> (Lexeme, usize) {
    if let Some(date) = iso_date(&chars[start..]) {
        return (Lexeme::Iso(date), start + 10);
    }
    let digits_from = |i: usize| end_of(chars, i, |c| c.is_ascii_digit());
    let mut end = digits_from(start);
    let mut value: String = chars[start..end].iter().collect();
    while let Some(separator @ (',' | '.' | ':')) = chars.get(end) {
        let next = digits_from(end + 1);
        let group = &chars[end + 1..next];
        match separator {
            ',' if group.len() == 3 => {}
            '.' | ':' if !group.is_empty() => value.push(*separator),
            _ => break,
        }
        value.extend(group);
        end = next;
    }
    let is_negative = start > 0
        && chars[start - 1] == '-'
        && (start == 1 || matches!(chars[start - 2], c if c.is_whitespace() || "([=:".contains(c)));
    if is_negative {
        value.insert(0, '-');
    }
    let letters = end_of(chars, end, |c| c.is_alphanumeric() || c == '_');
    let attached = (letters > end).then(|| chars[end..letters].iter().collect());
    (Lexeme::Number { value, attached }, letters)
}

fn iso_date(chars: &[char]) -> Option<Date> {
    let text: String = chars.get(..10)?.iter().collect();
    let follows_digit = chars.get(10).is_some_and(char::is_ascii_digit);
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_shaped = year.len() == 4 && month.len() == 2 && day.len() == 2 && !follows_digit;
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let is_date = is_shaped && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some(Date { year: Some(year), month, day: Some(day) })
}

/// A date at the front: `2026-08-21`, `21 August 2026`, `August 21, 2026`, `August 2026`, `21 August`.
fn date_at(lexemes: &[Lexeme]) -> Option<(Date, usize)> {
    let day = |i: usize| match lexemes.get(i) {
        Some(Lexeme::Number { value, attached }) => {
            let is_ordinal = attached.as_deref().is_none_or(|a| ["st", "nd", "rd", "th"].contains(&a));
            value.parse().ok().filter(|day| is_ordinal && (1..=31).contains(day))
        }
        _ => None,
    };
    let year = |i: usize| match lexemes.get(i) {
        Some(Lexeme::Number { value, attached: None }) if value.len() == 4 => value.parse().ok(),
        _ => None,
    };
    let month = |i: usize| match lexemes.get(i) {
        Some(Lexeme::Word(word)) => month(word),
        _ => None,
    };
    let after_comma = |i: usize| if lexemes.get(i) == Some(&Lexeme::Sign(',')) { i + 1 } else { i };
    let with_year = |from: usize, month: u32, day: Option<u32>| match year(after_comma(from)) {
        Some(year) => (Date { year: Some(year), month, day }, after_comma(from) + 1),
        None => (Date { year: None, month, day }, from),
    };
    if let Some(Lexeme::Iso(date)) = lexemes.first() {
        return Some((date.clone(), 1));
    }
    if let (Some(day), Some(month)) = (day(0), month(1)) {
        return Some(with_year(2, month, Some(day)));
    }
    let month = month(0)?;
    if let Some(day) = day(1) {
        return Some(with_year(2, month, Some(day)));
    }
    year(1).map(|year| (Date { year: Some(year), month, day: None }, 2))
}

/// The unit right after a number, and how many lexemes it takes.
fn unit_after(attached: Option<&str>, rest: &[Lexeme]) -> (Option<&'static str>, usize) {
    if let Some(attached) = attached {
        return (unit(attached), 0);
    }
    match rest {
        [Lexeme::Sign('%'), ..] => (Some("percent"), 1),
        [Lexeme::Sign('\u{b0}'), Lexeme::Word(scale), ..] => match scale.as_str() {
            "c" => (Some("celsius"), 2),
            "f" => (Some("fahrenheit"), 2),
            _ => (None, 0),
        },
        [Lexeme::Sign('-'), Lexeme::Word(word), ..] => unit(word).map_or((None, 0), |unit| (Some(unit), 2)),
        [Lexeme::Word(word), ..] => unit(word).map_or((None, 0), |unit| (Some(unit), 1)),
        _ => (None, 0),
    }
}

fn currency_before(before: &[Lexeme]) -> Option<&'static str> {
    match before.last()? {
        Lexeme::Sign('$') => Some("dollar"),
        Lexeme::Sign('\u{20ac}') => Some("euro"),
        Lexeme::Sign('\u{a3}') => Some("pound"),
        _ => None,
    }
}

/// "A second" is an ordinal more often than a duration.
fn is_article(word: &str) -> bool {
    matches!(word, "a" | "an")
}

/// A number in words (`twelve`, `twenty-five`) and how many lexemes it takes.
fn spelled_out(word: &str, rest: &[Lexeme]) -> (Option<u32>, usize) {
    let Some(value) = number_word(word) else { return (None, 0) };
    if let (20..=90, [Lexeme::Sign('-'), Lexeme::Word(ones), ..]) = (value, rest)
        && let Some(ones @ 1..=9) = number_word(ones)
    {
        return (Some(value + ones), 3);
    }
    (Some(value), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_held_whatever_their_dress() {
        let cases = [
            ("1000 objects", "up to 1,000 objects"),
            ("30 seconds", "a 30-second timeout"),
            ("30 seconds", "30s"),
            ("512 MB", "memory of 512MB"),
            ("5 %", "five percent"),
            ("3 retries", "three retries"),
            ("twenty-five", "25 pages"),
            ("2.5 GB", "2.5 GB"),
            ("30 seconds", "Timeout (seconds): 30"),
            ("an hour", "1 hour"),
            ("version 18.1.0", "PostgreSQL 18.1.0"),
            ("-5", "at -5 degrees"),
            ("2026", "on 21 August 2026"),
            ("10 to 20", "10-20 items"),
            ("$20", "costs $20"),
        ];
        for (statement, evidence) in cases {
            let evidence_holds = Quantities::read(evidence);
            for number in &Quantities::read(statement).numbers {
                assert!(evidence_holds.hold_number(number), "{number:?} in {evidence:?}");
            }
        }
    }

    #[test]
    fn other_numbers_and_other_units_are_not_held() {
        let cases = [
            ("10 objects", "100 objects"),
            ("30 minutes", "30 seconds"),
            ("1.5", "15"),
            ("1,000", "1"),
            ("5", "-5"),
            ("1.1", "1.10"),
            ("30 MB", "30 GB"),
            ("5 million", "5 thousand"),
            ("30 minutes", "30 objects"),
            ("$20", "20 euros"),
            ("3", "M3 instances"),
        ];
        for (statement, evidence) in cases {
            let numbers = Quantities::read(statement).numbers;
            assert_eq!(numbers.len(), 1, "{statement:?}");
            assert!(!Quantities::read(evidence).hold_number(&numbers[0]), "{statement:?} in {evidence:?}");
        }
    }

    #[test]
    fn a_date_is_the_same_date_in_words_and_digits() {
        let evidence = Quantities::read("valid from 2026-08-21 on");
        for same in ["21 August 2026", "August 21, 2026", "Aug 21st, 2026", "21 August", "August 2026"] {
            let dates = Quantities::read(same).dates;
            assert!(evidence.hold_date(&dates[0]), "{same}");
        }
        for other in ["22 August 2026", "21 July 2026", "2025-08-21"] {
            let dates = Quantities::read(other).dates;
            assert!(!evidence.hold_date(&dates[0]), "{other}");
        }
    }

    #[test]
    fn may_and_one_are_words_unless_they_count() {
        let quantities = Quantities::read("You may pick one of them, a second time.");
        assert!(quantities.numbers.is_empty() && quantities.dates.is_empty());
    }
}
