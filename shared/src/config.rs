//! Every environment variable, read once at start into structs. All that is wrong is told at once.
//!
//! | variable | of | default |
//! |---|---|---|
//! | `VOUCH_DATABASE_SECRET` | all | required; `VOUCH_OWNER_SECRET`, `VOUCH_INGEST_SECRET`, `VOUCH_QUERY_SECRET` come first for admin, ingest, query |
//! | `VOUCH_DATABASE_CA_FILE` | all | required |
//! | `VOUCH_EMBEDDER` | ingest, query, admin | `local` (or `openai`) |
//! | `VOUCH_MODEL_DIR` | with `local` | required |
//! | `VOUCH_EMBEDDER_URL`, `_MODEL`, `_DIMENSION`, `_SECRET` | with `openai` | required, but the secret |
//! | `VOUCH_BUCKET` | ingest | required |
//! | `VOUCH_MAX_OBJECT_BYTES` | ingest | 52428800 (50 MiB) |
//! | `VOUCH_JWT_ISSUER`, `_AUDIENCE`, `_JWKS_FILE` or `_JWKS` | query | none: only claims that API Gateway verified count |
//! | `VOUCH_TENANT_CLAIM`, `VOUCH_SCOPES_CLAIM` | query | `tenant`, `scopes` |
//! | `VOUCH_ANSWERER` | query | `extractive` |
//! | `VOUCH_MAX_QUESTION_CHARS` | query | 2000 |
//! | `VOUCH_MAX_TOP_K` | query | 50 |
//! | `VOUCH_MAX_BODY_BYTES` | query | 65536 |

mod variables;

use std::path::PathBuf;

pub use variables::ConfigError;
use variables::Variables;

use crate::auth::ClaimNames;

/// How to reach the database as one role.
#[derive(Debug, Clone)]
pub struct DatabaseConfig {
    /// Id or ARN of the secret with host, port, dbname, username and password.
    pub secret_id: String,
    /// PEM file of the authorities that may have signed the server's certificate.
    pub ca_file: PathBuf,
}

/// Which model embeds.
#[derive(Debug, Clone)]
pub enum EmbedderConfig {
    /// A BERT-type ONNX model run in this process.
    Local {
        /// Directory with `model.onnx` and `tokenizer.json`.
        model_dir: PathBuf,
    },
    /// An HTTP API of OpenAI's shape.
    OpenAi {
        /// Base URL, such as `https://api.example.com/v1`.
        url: String,
        /// The model's name at that API.
        model: String,
        /// Number of elements of its vectors.
        dimension: usize,
        /// Id or ARN of the secret with `api_key`; none where the server wants no key.
        secret_id: Option<String>,
    },
}

/// Settings of the ingest function.
#[derive(Debug, Clone)]
pub struct IngestConfig {
    /// The database, as the role that writes.
    pub database: DatabaseConfig,
    /// The embedding model.
    pub embedder: EmbedderConfig,
    /// The only bucket whose events are accepted.
    pub bucket: String,
    /// Objects above this many bytes are refused.
    pub max_object_bytes: u64,
}

/// How the query function verifies bearer tokens itself.
#[derive(Debug, Clone)]
pub struct JwtConfig {
    /// Required `iss`.
    pub issuer: String,
    /// Required `aud`.
    pub audience: String,
    /// The JSON Web Key Set (RFC 7517), as text.
    pub jwks: String,
}

/// Which answerer drafts statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswererConfig {
    /// Sentences of the passages, verbatim; needs no model.
    Extractive,
}

/// Limits on what a caller may send.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest question or query, in Unicode scalar values.
    pub max_question_chars: usize,
    /// Most hits or passages a caller may ask for.
    pub max_top_k: usize,
    /// Largest request body, in bytes.
    pub max_body_bytes: usize,
}

/// Settings of the query function.
#[derive(Debug, Clone)]
pub struct QueryConfig {
    /// The database, as the role that reads.
    pub database: DatabaseConfig,
    /// The embedding model.
    pub embedder: EmbedderConfig,
    /// Verification of bearer tokens; none means that only API Gateway's authorizer is believed.
    pub jwt: Option<JwtConfig>,
    /// Names of the claims that carry identity.
    pub claims: ClaimNames,
    /// Who drafts answers.
    pub answerer: AnswererConfig,
    /// Limits on requests.
    pub limits: Limits,
}

/// Settings of the admin function.
#[derive(Debug, Clone)]
pub struct AdminConfig {
    /// The database, as the owner of the schema.
    pub database: DatabaseConfig,
    /// The secret whose password the role `vouch_ingest` gets.
    pub ingest_secret_id: String,
    /// The secret whose password the role `vouch_query` gets.
    pub query_secret_id: String,
    /// The model whose space `migrate` makes when there is none.
    pub embedder: EmbedderConfig,
}

impl IngestConfig {
    /// Reads the environment.
    ///
    /// # Errors
    /// [`ConfigError`] with every variable that is missing or malformed.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(Variables::of_process())
    }

    fn from_variables(mut v: Variables) -> Result<Self, ConfigError> {
        let config = Self {
            database: database(&mut v, "VOUCH_INGEST_SECRET"),
            embedder: embedder(&mut v),
            bucket: v.required("VOUCH_BUCKET"),
            max_object_bytes: v.number("VOUCH_MAX_OBJECT_BYTES", 50 * 1024 * 1024, 1..=5_000_000_000),
        };
        v.finish(config)
    }
}

impl QueryConfig {
    /// Reads the environment.
    ///
    /// # Errors
    /// [`ConfigError`] with every variable that is missing or malformed.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(Variables::of_process())
    }

    fn from_variables(mut v: Variables) -> Result<Self, ConfigError> {
        let config = Self {
            database: database(&mut v, "VOUCH_QUERY_SECRET"),
            embedder: embedder(&mut v),
            jwt: jwt(&mut v),
            claims: ClaimNames {
                tenant: v.or("VOUCH_TENANT_CLAIM", "tenant"),
                scopes: v.or("VOUCH_SCOPES_CLAIM", "scopes"),
            },
            answerer: v.choice("VOUCH_ANSWERER", &[("extractive", AnswererConfig::Extractive)]),
            limits: Limits {
                max_question_chars: v.number("VOUCH_MAX_QUESTION_CHARS", 2_000, 1..=100_000),
                max_top_k: v.number("VOUCH_MAX_TOP_K", 50, 1..=1_000),
                // API Gateway takes no more than 10 MB.
                max_body_bytes: v.number("VOUCH_MAX_BODY_BYTES", 65_536, 256..=10_485_760),
            },
        };
        v.finish(config)
    }
}

impl AdminConfig {
    /// Reads the environment.
    ///
    /// # Errors
    /// [`ConfigError`] with every variable that is missing or malformed.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(Variables::of_process())
    }

    fn from_variables(mut v: Variables) -> Result<Self, ConfigError> {
        let config = Self {
            database: database(&mut v, "VOUCH_OWNER_SECRET"),
            ingest_secret_id: v.required("VOUCH_INGEST_SECRET"),
            query_secret_id: v.required("VOUCH_QUERY_SECRET"),
            embedder: embedder(&mut v),
        };
        v.finish(config)
    }
}

fn database(v: &mut Variables, own: &'static str) -> DatabaseConfig {
    DatabaseConfig {
        secret_id: v.first_of(own, "VOUCH_DATABASE_SECRET"),
        ca_file: v.required("VOUCH_DATABASE_CA_FILE").into(),
    }
}

fn embedder(v: &mut Variables) -> EmbedderConfig {
    if v.choice("VOUCH_EMBEDDER", &[("local", true), ("openai", false)]) {
        return EmbedderConfig::Local { model_dir: v.required("VOUCH_MODEL_DIR").into() };
    }
    EmbedderConfig::OpenAi {
        url: v.required("VOUCH_EMBEDDER_URL"),
        model: v.required("VOUCH_EMBEDDER_MODEL"),
        dimension: v.required_number("VOUCH_EMBEDDER_DIMENSION", 1..=4_000),
        secret_id: v.optional("VOUCH_EMBEDDER_SECRET"),
    }
}

fn jwt(v: &mut Variables) -> Option<JwtConfig> {
    let file = v.optional("VOUCH_JWT_JWKS_FILE");
    let inline = v.optional("VOUCH_JWT_JWKS");
    let jwks = match (file, inline) {
        (None, None) => {
            for name in ["VOUCH_JWT_ISSUER", "VOUCH_JWT_AUDIENCE"] {
                if v.optional(name).is_some() {
                    v.problem(
                        name,
                        "is set, but there is no key set: set VOUCH_JWT_JWKS_FILE or VOUCH_JWT_JWKS",
                    );
                }
            }
            return None;
        }
        (Some(_), Some(_)) => {
            v.problem("VOUCH_JWT_JWKS", "is set beside VOUCH_JWT_JWKS_FILE: set one of them");
            String::new()
        }
        (None, Some(text)) => text,
        (Some(path), None) => v.file("VOUCH_JWT_JWKS_FILE", &path),
    };
    Some(JwtConfig {
        issuer: v.required("VOUCH_JWT_ISSUER"),
        audience: v.required("VOUCH_JWT_AUDIENCE"),
        jwks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUERY: &[(&str, &str)] = &[
        ("VOUCH_DATABASE_SECRET", "vouch/query"),
        ("VOUCH_DATABASE_CA_FILE", "/ca.pem"),
        ("VOUCH_MODEL_DIR", "/model"),
    ];

    fn query(more: &[(&'static str, &str)]) -> Result<QueryConfig, String> {
        let all = QUERY.iter().chain(more);
        QueryConfig::from_variables(Variables::of(all)).map_err(|e| e.to_string())
    }

    #[test]
    fn what_is_not_set_has_its_default() {
        let config = query(&[]).unwrap();
        assert_eq!(config.limits.max_question_chars, 2_000);
        assert_eq!(config.claims, ClaimNames::default());
        assert!(config.jwt.is_none());
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let error = QueryConfig::from_variables(Variables::of(&[("VOUCH_MAX_TOP_K", "many")])).unwrap_err();
        let text = error.to_string();
        for name in ["VOUCH_QUERY_SECRET", "VOUCH_DATABASE_CA_FILE", "VOUCH_MODEL_DIR", "VOUCH_MAX_TOP_K"] {
            assert!(text.contains(name), "{text}");
        }
    }

    #[test]
    fn a_variable_that_is_set_but_empty_is_not_set() {
        let error = query(&[("VOUCH_EMBEDDER", "openai"), ("VOUCH_EMBEDDER_URL", "")]).unwrap_err();
        assert!(error.contains("VOUCH_EMBEDDER_URL"), "{error}");
    }

    #[test]
    fn a_function_prefers_its_own_secret() {
        let config = query(&[("VOUCH_QUERY_SECRET", "own")]).unwrap();
        assert_eq!(config.database.secret_id, "own");
    }

    #[test]
    fn tokens_are_verified_with_all_of_issuer_audience_and_keys_or_not_at_all() {
        assert!(query(&[("VOUCH_JWT_ISSUER", "https://i")]).unwrap_err().contains("VOUCH_JWT_JWKS"));
        assert!(query(&[("VOUCH_JWT_JWKS", "{}")]).unwrap_err().contains("VOUCH_JWT_AUDIENCE"));
        assert!(query(&[("VOUCH_JWT_JWKS_FILE", "/not/there")]).unwrap_err().contains("/not/there"));
    }

    #[test]
    fn a_number_outside_its_range_says_the_range() {
        let error = query(&[("VOUCH_MAX_TOP_K", "0")]).unwrap_err();
        assert!(error.contains("1 to 1000"), "{error}");
    }
}
