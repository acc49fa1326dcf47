//! Bytes to characters: UTF-8 with or without a byte order mark, and UTF-16 with one.

use std::borrow::Cow;

use super::Rejected;
use super::clean::clean;

/// Above this share of control characters, in percent, bytes are no text even where they decode.
const MAX_CONTROL_PERCENT: usize = 10;

/// Decodes and cleans.
///
/// # Errors
/// [`Rejected`] when the bytes are not text.
pub(super) fn text(bytes: &[u8]) -> Result<String, Rejected> {
    let decoded = decode(bytes)?;
    let control =
        decoded.chars().filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}')).count();
    // Ten characters say nothing about shares.
    if control > 10 && control * 100 > decoded.len() * MAX_CONTROL_PERCENT {
        return Err(Rejected::new("unsupported", "the file is binary, not text"));
    }
    Ok(clean(&decoded).into_owned())
}

fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Rejected> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, Rejected> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
        Rejected::new(
            "encoding",
            format!(
                "the text is not UTF-8, nor UTF-16 with a byte order mark (byte {} fits neither): save it as UTF-8",
                error.valid_up_to() + 1
            ),
        )
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, Rejected> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let decoded = char::decode_utf16(pairs.iter().copied().map(unit)).collect::<Result<String, _>>().ok();
    decoded
        .filter(|_| rest.is_empty())
        .map(Cow::Owned)
        .ok_or_else(|| Rejected::new("encoding", "the text begins like UTF-16 but is not: save it as UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let result = text(bytes);
        assert_eq!(result.as_deref().map_err(|r| r.code), expected, "{bytes:x?}");
    }

    #[test]
    fn each_encoding_gives_the_same_text() {
        check("Grüße".as_bytes(), Ok("Grüße"));
        check("\u{feff}Grüße".as_bytes(), Ok("Grüße"));
        let le: Vec<u8> = "\u{feff}Grüße😀".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = "\u{feff}Grüße😀".encode_utf16().flat_map(u16::to_be_bytes).collect();
        check(&le, Ok("Grüße😀"));
        check(&be, Ok("Grüße😀"));
    }

    #[test]
    fn bytes_that_are_no_text_are_rejected_with_a_reason() {
        check(b"Gr\xFC\xDFe", Err("encoding"));
        check(b"\xFF\xFEa", Err("encoding"));
        check(b"\xFF\xFE\x00\xD8", Err("encoding"));
        check(&[1; 40], Err("unsupported"));
        assert!(text(b"Gr\xFC").unwrap_err().reason.contains("byte 3"));
    }
}
