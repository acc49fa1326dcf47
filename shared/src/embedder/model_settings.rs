//! What a model's directory says about how the model wants to be used.

use std::path::Path;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::EmbedError;

/// SHA-256 of the shipped all-MiniLM-L6-v2 with 8-bit weights.
const MINILM_SHA256: &str = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6";

/// The optional file `vouch-model.json` beside `model.onnx`. Without it a model is used as MiniLM is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ModelSettings {
    /// Names the model's space. Change it with anything that changes vectors, the prefixes included.
    pub name: Option<String>,
    pub pooling: Pooling,
    /// Text put before a question (`query: ` for e5 models).
    pub query_prefix: String,
    /// Text put before a passage (`passage: ` for e5 models).
    pub passage_prefix: String,
    /// Longest input in tokens, the marks around it included.
    pub max_tokens: usize,
}

/// How a text's vector comes from those of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// That of the first mark, as bge models want it.
    Cls,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            name: None,
            pooling: Pooling::Mean,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            max_tokens: 256,
        }
    }
}

impl ModelSettings {
    pub fn read(dir: &Path) -> Result<Self, EmbedError> {
        let path = dir.join("vouch-model.json");
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(EmbedError::misconfigured(format!("{} cannot be read: {error}", path.display())));
            }
        };
        let settings: Self = serde_json::from_slice(&text).map_err(|error| {
            EmbedError::misconfigured(format!("{} is malformed: {error}", path.display()))
        })?;
        if !(8..=8_192).contains(&settings.max_tokens) {
            return Err(EmbedError::misconfigured(format!(
                "{}: max_tokens is not from 8 to 8192",
                path.display()
            )));
        }
        Ok(settings)
    }

    /// The model's name: the one given, or one that no other weights have.
    pub fn name_of(&self, weights: &[u8]) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let digest: String = Sha256::digest(weights).iter().map(|byte| format!("{byte:02x}")).collect();
        let is_plain_minilm = digest == MINILM_SHA256 && *self == Self::default();
        if is_plain_minilm {
            return "minilm_l6_v2_int8".into();
        }
        // Other settings make other vectors of the same weights.
        let used_as = format!(
            "{digest}\0{:?}\0{}\0{}\0{}",
            self.pooling, self.query_prefix, self.passage_prefix, self.max_tokens
        );
        let digest: String =
            Sha256::digest(used_as).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("onnx_{digest}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unnamed_models_are_told_apart_by_weights_and_use() {
        let plain = ModelSettings::default();
        let prefixed = ModelSettings { query_prefix: "query: ".into(), ..plain.clone() };
        assert_eq!(plain.name_of(b"weights"), plain.name_of(b"weights"));
        assert_ne!(plain.name_of(b"weights"), plain.name_of(b"other"));
        assert_ne!(plain.name_of(b"weights"), prefixed.name_of(b"weights"));
    }

    #[test]
    fn a_misspelt_setting_is_refused() {
        assert!(serde_json::from_str::<ModelSettings>(r#"{"poling": "cls"}"#).is_err());
        let settings: ModelSettings =
            serde_json::from_str(r#"{"pooling": "cls", "query_prefix": "query: "}"#).unwrap();
        assert_eq!(settings.pooling, Pooling::Cls);
        assert_eq!(settings.max_tokens, 256);
    }
}
