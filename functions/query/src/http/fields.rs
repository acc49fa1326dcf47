//! Takes the fields of a JSON object or of a query string one by one and refuses what is left over, so that
//! every refusal names its field by its full path.

use std::str::FromStr;

use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::error::Error;

/// The fields not taken yet.
#[derive(Debug)]
pub struct Fields {
    /// Empty at the top, else the object's path and a dot.
    prefix: String,
    values: Map<String, Value>,
}

impl Fields {
    /// Of a JSON body.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the body is not one JSON object.
    pub fn of_body(body: &[u8]) -> Result<Self, Error> {
        let malformed = |detail: String| Error::Malformed { detail };
        // serde_json's own message tells the place and the fault, and quotes nothing of the body.
        let value: Value = serde_json::from_slice(body).map_err(|error| {
            malformed(format!("the body is not JSON: line {}, column {}", error.line(), error.column()))
        })?;
        match value {
            Value::Object(values) => Ok(Self { prefix: String::new(), values }),
            _ => Err(malformed("the body is not a JSON object".to_owned())),
        }
    }

    /// Of a query string.
    ///
    /// # Errors
    /// [`Error::Invalid`] when a parameter is given twice.
    pub fn of_parameters(parameters: &[(String, String)]) -> Result<Self, Error> {
        let mut values = Map::new();
        for (name, value) in parameters {
            if values.insert(name.clone(), Value::String(value.clone())).is_some() {
                return Err(Error::invalid(name, "is given twice"));
            }
        }
        Ok(Self { prefix: String::new(), values })
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.values.remove(name).filter(|value| !value.is_null())
    }

    /// A text that is not blank and has at most `max_chars` characters.
    ///
    /// # Errors
    /// [`Error::Invalid`] for any other value.
    pub fn text(&mut self, name: &str, max_chars: usize) -> Result<Option<String>, Error> {
        let path = self.path(name);
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => sound_text(path, &text, max_chars).map(Some),
            Some(_) => Err(Error::invalid(path, "must be a string")),
        }
    }

    /// As [`Fields::text`], where there must be one.
    ///
    /// # Errors
    /// [`Error::Invalid`] also when it is absent.
    pub fn required_text(&mut self, name: &str, max_chars: usize) -> Result<String, Error> {
        let missing = Error::invalid(self.path(name), "is required");
        self.text(name, max_chars)?.ok_or(missing)
    }

    /// A whole number from 1 to `max`; in a query string, written in digits.
    ///
    /// # Errors
    /// [`Error::Invalid`] for any other value.
    pub fn count(&mut self, name: &str, max: usize) -> Result<Option<usize>, Error> {
        let path = self.path(name);
        let number = match self.take(name) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
            Some(Value::String(text)) if self.prefix.is_empty() => text.parse().ok(),
            Some(_) => None,
        };
        match number {
            Some(number) if (1..=max).contains(&number) => Ok(Some(number)),
            _ => Err(Error::invalid(path, format!("must be a whole number from 1 to {max}"))),
        }
    }

    /// An instant in RFC 3339.
    ///
    /// # Errors
    /// [`Error::Invalid`] for any other value.
    pub fn instant(&mut self, name: &str) -> Result<Option<OffsetDateTime>, Error> {
        let path = self.path(name);
        let Some(value) = self.take(name) else { return Ok(None) };
        match value.as_str().and_then(|text| OffsetDateTime::parse(text, &Rfc3339).ok()) {
            Some(instant) => Ok(Some(instant)),
            None => Err(Error::invalid(path, "must be an instant in RFC 3339, such as 2026-01-31T09:00:00Z")),
        }
    }

    /// One of a set of words.
    ///
    /// # Errors
    /// [`Error::Invalid`] for any other value.
    pub fn choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, Error> {
        let path = self.path(name);
        let Some(value) = self.take(name) else { return Ok(None) };
        let chosen = value.as_str().and_then(|text| choices.iter().find(|(word, _)| *word == text));
        match chosen {
            Some((_, choice)) => Ok(Some(*choice)),
            None => {
                let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
                Err(Error::invalid(path, format!("must be one of: {}", words.join(", "))))
            }
        }
    }

    /// A list of 1 to `max` ids.
    ///
    /// # Errors
    /// [`Error::Invalid`] for any other value.
    pub fn ids<T: FromStr>(&mut self, name: &str, max: usize) -> Result<Option<Vec<T>>, Error> {
        let path = self.path(name);
        let Some(value) = self.take(name) else { return Ok(None) };
        let items = value.as_array().filter(|items| (1..=max).contains(&items.len()));
        let Some(items) = items else {
            return Err(Error::invalid(path, format!("must be a list of 1 to {max} ids")));
        };
        let parsed: Option<Vec<T>> = items.iter().map(|item| item.as_str()?.parse().ok()).collect();
        parsed.map(Some).ok_or_else(|| Error::invalid(path, "holds something that is not an id"))
    }

    /// An object's fields; none when it is absent.
    ///
    /// # Errors
    /// [`Error::Invalid`] when it is not an object.
    pub fn object(&mut self, name: &str) -> Result<Self, Error> {
        let path = self.path(name);
        match self.take(name) {
            None => Ok(Self { prefix: format!("{path}."), values: Map::new() }),
            Some(Value::Object(values)) => Ok(Self { prefix: format!("{path}."), values }),
            Some(_) => Err(Error::invalid(path, "must be an object")),
        }
    }

    /// Refuses what was not taken.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the first unknown field.
    pub fn finish(self) -> Result<(), Error> {
        match self.values.keys().next() {
            None => Ok(()),
            Some(name) => Err(Error::invalid(self.path(name), "is not known")),
        }
    }
}

/// The text without blank ends. A NUL cannot be stored by Postgres, so no document can hold it.
fn sound_text(path: String, text: &str, max_chars: usize) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() {
        Err(Error::invalid(path, "must not be blank"))
    } else if text.contains('\0') {
        Err(Error::invalid(path, "must not hold the character NUL"))
    } else if text.chars().count() > max_chars {
        Err(Error::invalid(path, format!("must have at most {max_chars} characters")))
    } else {
        Ok(text.to_owned())
    }
}
