//! Who asks. Claims count only when somebody verified their signature: API Gateway's authorizer before it
//! called us, or this file with a configured key set. No header other than a bearer token is looked at.

use std::collections::BTreeMap;

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::{Map, Value};
use vouch_shared::auth::{AuthContext, AuthError, ClaimNames};
use vouch_shared::config::JwtConfig;

use crate::error::Error;

/// How far clocks may differ, in seconds.
const LEEWAY_SECONDS: u64 = 30;

/// Longest token looked at, in bytes; API Gateway takes no header above 10,240.
const MAX_TOKEN_BYTES: usize = 10_240;

/// Why a caller is not let in; the caller is not told which.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Nothing verified was sent, and no token that we could verify.
    #[error("there are no verified claims and no bearer token")]
    NoToken,
    /// A token came, but no key set is configured.
    #[error("a bearer token came, and no key set is configured to verify it with")]
    NoKeySet,
    /// The token's header names no key of ours.
    #[error("the token names no key of the configured set")]
    UnknownKey,
    /// The token is signed by another algorithm than its key's.
    #[error("the token's algorithm is not its key's")]
    Algorithm,
    /// Signature, issuer, audience or time.
    #[error("the token does not verify")]
    Token(#[source] jsonwebtoken::errors::Error),
    /// The claims do not make a principal.
    #[error("the claims do not make a principal")]
    Claims(#[source] AuthError),
}

/// Why the configured key set is of no use.
#[derive(Debug, thiserror::Error)]
pub enum KeySetError {
    /// It is not a JSON Web Key Set.
    #[error("the key set is not a JSON Web Key Set")]
    Malformed(#[source] serde_json::Error),
    /// It has no key that could verify a token.
    #[error("the key set has no RS256, ES256 or EdDSA key to verify signatures with")]
    NoUsableKey,
}

/// One key, with the only algorithm it may be used with.
struct Key {
    algorithm: Algorithm,
    key: DecodingKey,
}

/// Verifies bearer tokens against a fixed key set.
struct Verifier {
    /// By `kid`; a key without one stands under the empty string.
    keys: BTreeMap<String, Key>,
    issuer: String,
    audience: String,
}

/// Makes principals of requests.
pub struct Authenticator {
    verifier: Option<Verifier>,
    names: ClaimNames,
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticator")
            .field("verifies_tokens", &self.verifier.is_some())
            .finish_non_exhaustive()
    }
}

impl Authenticator {
    /// With a key set, or without one: then only the authorizer's claims count.
    ///
    /// # Errors
    /// [`KeySetError`] when the key set cannot verify anything.
    pub fn new(jwt: Option<&JwtConfig>, names: ClaimNames) -> Result<Self, KeySetError> {
        Ok(Self { verifier: jwt.map(Verifier::new).transpose()?, names })
    }

    /// The principal of verified claims, else of the header `Authorization`.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] for anybody else.
    pub fn authenticate(
        &self,
        verified_claims: Option<&Map<String, Value>>,
        authorization: Option<&str>,
    ) -> Result<AuthContext, Error> {
        self.principal(verified_claims, authorization)
            .map_err(|refusal| Error::Unauthenticated(Box::new(refusal)))
    }

    fn principal(
        &self,
        verified_claims: Option<&Map<String, Value>>,
        authorization: Option<&str>,
    ) -> Result<AuthContext, Refusal> {
        if let Some(claims) = verified_claims {
            return AuthContext::from_claims(claims, &self.names).map_err(Refusal::Claims);
        }
        let token = authorization.and_then(bearer).ok_or(Refusal::NoToken)?;
        let verifier = self.verifier.as_ref().ok_or(Refusal::NoKeySet)?;
        AuthContext::from_claims(&verifier.claims(token)?, &self.names).map_err(Refusal::Claims)
    }
}

/// The token of `Bearer <token>`; the scheme's case does not matter (RFC 9110).
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() && token.len() <= MAX_TOKEN_BYTES)
        .then_some(token)
}

impl Verifier {
    fn new(config: &JwtConfig) -> Result<Self, KeySetError> {
        let set: JwkSet = serde_json::from_str(&config.jwks).map_err(KeySetError::Malformed)?;
        let keys: BTreeMap<String, Key> = set
            .keys
            .iter()
            .filter_map(|jwk| Some((jwk.common.key_id.clone().unwrap_or_default(), usable(jwk)?)))
            .collect();
        if keys.is_empty() {
            return Err(KeySetError::NoUsableKey);
        }
        Ok(Self { keys, issuer: config.issuer.clone(), audience: config.audience.clone() })
    }

    fn claims(&self, token: &str) -> Result<Map<String, Value>, Refusal> {
        let header = decode_header(token).map_err(Refusal::Token)?;
        let key = match &header.kid {
            Some(kid) => self.keys.get(kid),
            // A token may leave its key unnamed where there is no choice.
            None if self.keys.len() == 1 => self.keys.values().next(),
            None => None,
        }
        .ok_or(Refusal::UnknownKey)?;
        if header.alg != key.algorithm {
            return Err(Refusal::Algorithm);
        }
        let mut validation = Validation::new(key.algorithm);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        Ok(decode::<Map<String, Value>>(token, &key.key, &validation).map_err(Refusal::Token)?.claims)
    }
}

/// A key for signatures, with the algorithm that its type has here. The token's header does not choose it: that is
/// how a public key is taken for a shared secret.
fn usable(jwk: &Jwk) -> Option<Key> {
    if jwk.common.public_key_use.as_ref().is_some_and(|used| *used != PublicKeyUse::Signature) {
        return None;
    }
    let (algorithm, named) = match &jwk.algorithm {
        AlgorithmParameters::RSA(_) => (Algorithm::RS256, KeyAlgorithm::RS256),
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
            (Algorithm::ES256, KeyAlgorithm::ES256)
        }
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
            (Algorithm::EdDSA, KeyAlgorithm::EdDSA)
        }
        _ => return None,
    };
    if jwk.common.key_algorithm.is_some_and(|told| told != named) {
        return None;
    }
    DecodingKey::from_jwk(jwk).ok().map(|key| Key { algorithm, key })
}

#[cfg(test)]
mod tests;
