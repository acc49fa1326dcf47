//! Object keys: decoded once, here, and split into tenant and path.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use vouch_shared::ids::TenantId;

/// Why a key is no document's. None of these gets better by trying again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The decoded bytes are not text.
    #[error("the key is not UTF-8")]
    NotUtf8,
    /// It holds a NUL, which Postgres cannot store, or another control character.
    #[error("the key holds a control character")]
    ControlCharacter,
    /// It is not `<tenant>/<path>`.
    #[error("the key is not <tenant>/<path>")]
    NoTenant,
}

/// A decoded key of the form `<tenant>/<path>`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    key: String,
    tenant: TenantId,
}

impl ObjectKey {
    /// Decodes a key as S3 writes it in event notifications: form-encoded, so that `+` is a space and `%2B` a
    /// plus sign.
    ///
    /// # Errors
    /// [`KeyError`] when no document can have this key.
    pub fn from_form_encoded(encoded: &str) -> Result<Self, KeyError> {
        let spaced: Cow<'_, str> =
            if encoded.contains('+') { encoded.replace('+', " ").into() } else { encoded.into() };
        let decoded = percent_decode_str(&spaced).decode_utf8().map_err(|_| KeyError::NotUtf8)?;
        Self::from_decoded(&decoded)
    }

    /// Accepts a key that is not encoded, as EventBridge and the S3 API write it.
    ///
    /// # Errors
    /// [`KeyError`] when no document can have this key.
    pub fn from_decoded(key: &str) -> Result<Self, KeyError> {
        if key.chars().any(char::is_control) {
            return Err(KeyError::ControlCharacter);
        }
        let (tenant, path) = key.split_once('/').ok_or(KeyError::NoTenant)?;
        let tenant = TenantId::parse(tenant).map_err(|_| KeyError::NoTenant)?;
        if path.is_empty() {
            return Err(KeyError::NoTenant);
        }
        Ok(Self { key: key.to_owned(), tenant })
    }

    /// The whole key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.key
    }

    /// The owner: the first segment.
    #[must_use]
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// The last segment that is not empty: the title of a document that has none of its own.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.key.rsplit('/').find(|segment| !segment.is_empty()).unwrap_or(&self.key)
    }

    /// Whether it looks like a folder's placeholder; it is one when the object is empty.
    #[must_use]
    pub fn ends_in_slash(&self) -> bool {
        self.key.ends_with('/')
    }
}

#[cfg(test)]
mod tests {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use proptest::prelude::*;

    use super::*;

    fn check(encoded: &str, expected: Result<&str, KeyError>) {
        let key = ObjectKey::from_form_encoded(encoded);
        assert_eq!(key.as_ref().map(ObjectKey::as_str).map_err(|e| *e), expected, "{encoded}");
    }

    #[test]
    fn keys_are_form_encoded() {
        check("acme/a+b%2Bc+%281%29.pdf", Ok("acme/a b+c (1).pdf"));
        check("acme/%E6%97%A5%E6%9C%AC%E8%AA%9E/r%C3%A9sum%C3%A9.md", Ok("acme/日本語/résumé.md"));
        check("acme/100%25.txt", Ok("acme/100%.txt"));
        check("acme/100%.txt", Ok("acme/100%.txt"));
        check("acme/%2Ba%252Bb", Ok("acme/+a%2Bb"));
    }

    #[test]
    fn a_key_that_no_document_can_have_says_why() {
        check("acme/%FF.txt", Err(KeyError::NotUtf8));
        check("acme/%00.txt", Err(KeyError::ControlCharacter));
        for no_tenant in ["readme.md", "/readme.md", "acme/", "Acme/readme.md", "", "a+b/readme.md"] {
            check(no_tenant, Err(KeyError::NoTenant));
        }
    }

    #[test]
    fn the_file_name_is_the_last_segment() {
        let name = |k| ObjectKey::from_decoded(k).unwrap().file_name().to_owned();
        assert_eq!(name("acme/a/b.md"), "b.md");
        assert_eq!(name("acme/a/"), "a");
    }

    proptest! {
        #[test]
        fn any_key_survives_being_sent_in_an_event(path in "\\PC{1,80}") {
            let key = format!("acme/{path}");
            let encoded = utf8_percent_encode(&key, NON_ALPHANUMERIC).to_string().replace("%20", "+");
            let decoded = ObjectKey::from_form_encoded(&encoded).unwrap();
            prop_assert_eq!(decoded.as_str(), key);
        }

        #[test]
        fn no_text_makes_the_decoder_panic(text in ".{0,80}") {
            let _ = ObjectKey::from_form_encoded(&text);
        }
    }
}
