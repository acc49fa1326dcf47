//! The local signing key, its public half for the query function, and tokens signed with it.

use std::path::PathBuf;

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256, PublicKeyData};
use serde::Serialize;
use serde_json::json;
use time::{Duration, OffsetDateTime};

use crate::advice::Advise;
use crate::checkout::Checkout;
use crate::local::files;

/// The `iss` claim of local tokens.
pub const ISSUER: &str = "https://local.vouch";
/// The `aud` claim of local tokens.
pub const AUDIENCE: &str = "vouch";
/// The key's id, in tokens and in the key set.
const KEY_ID: &str = "local";

/// The claims of a local token.
#[derive(Debug, Serialize)]
struct Claims<'a> {
    iss: &'a str,
    aud: &'a str,
    sub: &'a str,
    tenant: &'a str,
    scopes: &'a [String],
    iat: i64,
    exp: i64,
}

/// Whom a token is for.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The `sub` claim.
    pub subject: String,
    /// The `tenant` claim.
    pub tenant: String,
    /// The `scopes` claim.
    pub scopes: Vec<String>,
}

/// The local signing key.
#[derive(Debug)]
pub struct LocalKeys {
    private_pem: PathBuf,
    /// The public key set, as the query function reads it.
    pub jwks: PathBuf,
}

impl LocalKeys {
    /// The keys of a checkout, made on first use.
    ///
    /// # Errors
    /// When they can be neither read nor written.
    pub fn of(checkout: &Checkout) -> Result<Self> {
        let keys = Self {
            private_pem: checkout.local("keys/signing-key.pem"),
            jwks: checkout.local("keys/jwks.json"),
        };
        if !keys.private_pem.is_file() || !keys.jwks.is_file() {
            keys.generate()?;
        }
        Ok(keys)
    }

    fn generate(&self) -> Result<()> {
        let pair = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        // An uncompressed point of P-256: 0x04, then 32 bytes of x and 32 of y (SEC 1, 2.3.3).
        let point = pair.der_bytes();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..65]));
        let jwks = json!({"keys": [{
            "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": KEY_ID, "x": x, "y": y,
        }]});
        files::write_secret(&self.private_pem, &pair.serialize_pem())?;
        files::write(&self.jwks, &serde_json::to_string_pretty(&jwks)?)
    }

    /// A signed token.
    ///
    /// # Errors
    /// When the key cannot be read.
    pub fn sign(&self, principal: &Principal, lifetime: Duration) -> Result<String> {
        let pem = std::fs::read(&self.private_pem)
            .advise("the local signing key cannot be read", "delete .local/keys and run the command again")?;
        let now = OffsetDateTime::now_utc();
        let claims = Claims {
            iss: ISSUER,
            aud: AUDIENCE,
            sub: &principal.subject,
            tenant: &principal.tenant,
            scopes: &principal.scopes,
            iat: now.unix_timestamp(),
            exp: (now + lifetime).unix_timestamp(),
        };
        let header = Header { kid: Some(KEY_ID.to_owned()), ..Header::new(Algorithm::ES256) };
        Ok(jsonwebtoken::encode(&header, &claims, &EncodingKey::from_ec_pem(&pem)?)?)
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::{DecodingKey, Validation, jwk::JwkSet};

    use super::*;

    #[test]
    fn a_local_token_verifies_against_the_local_key_set() {
        let root = std::env::temp_dir().join(format!("vouch-token-{}", uuid::Uuid::new_v4()));
        let keys = LocalKeys::of(&Checkout::at(&root)).unwrap();
        let principal =
            Principal { subject: "me".into(), tenant: "acme".into(), scopes: vec!["everyone".into()] };
        let token = keys.sign(&principal, Duration::hours(1)).unwrap();

        let set: JwkSet = serde_json::from_str(&std::fs::read_to_string(&keys.jwks).unwrap()).unwrap();
        let mut validation = Validation::new(Algorithm::ES256);
        validation.set_audience(&[AUDIENCE]);
        validation.set_issuer(&[ISSUER]);
        let key = DecodingKey::from_jwk(set.find(KEY_ID).unwrap()).unwrap();
        let decoded = jsonwebtoken::decode::<serde_json::Value>(&token, &key, &validation).unwrap();
        assert_eq!(decoded.claims["tenant"], "acme");
        assert_eq!(decoded.claims["scopes"], json!(["everyone"]));
        std::fs::remove_dir_all(root).unwrap();
    }
}
