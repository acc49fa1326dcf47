//! Where a page of documents ended, as text that callers pass back and do not read: the id, and the source in
//! hexadecimal. It holds the place itself, so it works even when that document is gone by then.

use std::fmt;

use vouch_shared::ids::DocumentId;

/// The last document of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Its source.
    pub source_uri: String,
    /// Its id.
    pub document_id: DocumentId,
}

impl Cursor {
    /// Reads what [`Cursor`] was written as; none for any other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (id, hex) = text.split_once('.')?;
        let document_id = id.parse().ok()?;
        let bytes: Option<Vec<u8>> = hex
            .as_bytes()
            .chunks(2)
            .map(|pair| match pair {
                [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
                _ => None,
            })
            .collect();
        let source_uri = String::from_utf8(bytes?).ok()?;
        // Postgres cannot compare with a NUL, and no source is empty.
        (!source_uri.is_empty() && !source_uri.contains('\0')).then_some(Self { source_uri, document_id })
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.document_id)?;
        self.source_uri.bytes().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_is_read_as_it_was_written(source_uri in "[^\\x00]{1,40}", id: u128) {
            let cursor = Cursor { source_uri, document_id: Uuid::from_u128(id).into() };
            prop_assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
        }

        #[test]
        fn any_other_text_is_none(text in ".{0,60}") {
            prop_assert_eq!(Cursor::parse(&text), None);
        }
    }

    #[test]
    fn a_nul_or_half_a_byte_is_no_cursor() {
        let id = Uuid::from_u128(7);
        for hex in ["", "0", "00", "6100", "zz", "ff"] {
            assert_eq!(Cursor::parse(&format!("{id}.{hex}")), None, "{hex}");
        }
    }
}
