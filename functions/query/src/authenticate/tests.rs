//! Every way in that must be shut, and the few that are open.

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use vouch_shared::auth::ClaimNames;
use vouch_shared::config::JwtConfig;

use super::*;

/// Public part of an RSA key whose private part was thrown away after it had signed `RSA_TOKEN`.
const RSA_MODULUS: &str = concat!(
    "mVcaTfA6aTr40kLStbBsMR6slxHKf-ZKeUpfSFWKErG9BpzHwFUtV7aRcMm7FKWIAUbVZHbqSekyQU5DBPpqHf1TnWKtFEwsHhrq",
    "wt24Z8I7gJCx3NYpx-JntAZOnGTdZSgBoRRQZVZHDGYnn2zgLibRnt82x-Wi6wnAdySZuo-tT4HwSpjQriEXiaaLB7K6PU6NwQIh",
    "jS1Ht3g7w7hcj12u_UcKuImJVAzjxBqtEH0P4BU9RRYg-jQk6FgIGbMj2wOI-u1-lbfUlKWOtFtiS_efKafGbFp7V1vvfovQO1W9",
    "4v1TL9AgJ9BJLvShAhQutuPJmBfPOMhoQ_CQ9gPkfw",
);

/// Signed by RS256 with `kid` rsa: tenant acme, scope hr, valid until the year 2100.
const RSA_TOKEN: &str = concat!(
    "eyJhbGciOiAiUlMyNTYiLCAia2lkIjogInJzYSIsICJ0eXAiOiAiSldUIn0.eyJpc3MiOiAiaHR0cHM6Ly9pc3N1ZXIuZXhhbXBs",
    "ZSIsICJhdWQiOiAidm91Y2giLCAiZXhwIjogNDEwMjQ0NDgwMCwgInRlbmFudCI6ICJhY21lIiwgInNjb3BlcyI6IFsiaHIiXX0.",
    "ckrCUACJOYW7dKXpJaUY2wjMwdgZT6yv7uxkFsVhA5EZUd467p6tWzuc1xyUIrl1xlnoafz5grnIjFW0Yd0X4-awZPa9FPBl6zUr",
    "SFA_0TS1dG7xicd75Jm9caU1qKqTnOJppDk1iiOQpL2i8r8S52Sp5mwp2qI6P8zHwTzfjJyGn_h8_qVZ7vy-ClEtJlEUNFb_-kUZ",
    "j1pD0YgwaVBvQIoR6kri7f-nT1MiRS6ZDER6IGKVIsKQor_J9NwZJtP4ozLHYfO_XJQb3MH5N5sKgArn65LZVO3BxOdDysq338f8",
    "pmW3J8AN0OXfSg3gboaolajeuG-8W5MauhNUBEQYHQ",
);

/// A PKCS #8 key of Ed25519 from a seed.
fn ed_key(seed: u8) -> EncodingKey {
    let mut der = vec![0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    der.extend([seed; 32]);
    EncodingKey::from_ed_der(&der)
}

/// A PKCS #8 key of P-256 from a scalar.
fn ec_key() -> EncodingKey {
    let mut der =
        vec![0x30, 0x41, 2, 1, 0, 0x30, 0x13, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 6, 8, 0x2a, 0x86];
    der.extend([0x48, 0xce, 0x3d, 3, 1, 7, 4, 0x27, 0x30, 0x25, 2, 1, 1, 4, 0x20]);
    der.extend([7; 32]);
    EncodingKey::from_ec_der(&der)
}

fn jwk(key: &EncodingKey, algorithm: Algorithm, kid: &str) -> Value {
    let mut jwk = serde_json::to_value(Jwk::from_encoding_key(key, algorithm).unwrap()).unwrap();
    jwk["kid"] = json!(kid);
    jwk
}

fn key_set() -> Value {
    json!({"keys": [
        jwk(&ed_key(1), Algorithm::EdDSA, "ed"),
        jwk(&ec_key(), Algorithm::ES256, "ec"),
        {"kty": "RSA", "kid": "rsa", "use": "sig", "n": RSA_MODULUS, "e": "AQAB"},
    ]})
}

fn authenticator(key_set: &Value) -> Authenticator {
    let jwt = JwtConfig {
        issuer: "https://issuer.example".into(),
        audience: "vouch".into(),
        jwks: key_set.to_string(),
    };
    Authenticator::new(Some(&jwt), ClaimNames::default()).unwrap()
}

fn claims(more: Value) -> Value {
    let mut claims = json!({"iss": "https://issuer.example", "aud": "vouch", "exp": 4_102_444_800_u64, "tenant": "acme", "scopes": "hr board"});
    claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    claims
}

fn token(algorithm: Algorithm, kid: &str, key: &EncodingKey, claims: &Value) -> String {
    encode(&Header { kid: Some(kid.into()), ..Header::new(algorithm) }, claims, key).unwrap()
}

fn ed_token(claims: &Value) -> String {
    token(Algorithm::EdDSA, "ed", &ed_key(1), claims)
}

fn refusal(token: &str) -> Refusal {
    authenticator(&key_set()).principal(None, Some(&format!("Bearer {token}"))).unwrap_err()
}

fn scopes(auth: &AuthContext) -> Vec<String> {
    auth.scopes().to_vec()
}

#[test]
fn a_good_token_of_each_algorithm_makes_a_principal() {
    let tokens = [
        ed_token(&claims(json!({}))),
        token(Algorithm::ES256, "ec", &ec_key(), &claims(json!({"scopes": ["board", "hr"]}))),
    ];
    for token in tokens {
        let auth = authenticator(&key_set()).principal(None, Some(&format!("bearer {token}"))).unwrap();
        assert_eq!(
            (auth.tenant().as_str(), scopes(&auth)),
            ("acme", vec!["board".into(), "everyone".into(), "hr".into()])
        );
    }
    let auth = authenticator(&key_set()).principal(None, Some(&format!("Bearer {RSA_TOKEN}"))).unwrap();
    assert_eq!((auth.tenant().as_str(), scopes(&auth)), ("acme", vec!["everyone".into(), "hr".into()]));
}

#[test]
fn another_key_of_the_same_kind_is_refused() {
    assert!(matches!(
        refusal(&token(Algorithm::EdDSA, "ed", &ed_key(2), &claims(json!({})))),
        Refusal::Token(_)
    ));
    assert!(matches!(
        refusal(&token(Algorithm::EdDSA, "other", &ed_key(1), &claims(json!({})))),
        Refusal::UnknownKey
    ));
}

#[test]
fn a_public_key_is_never_a_shared_secret() {
    // The classic confusion: HS256 "signed" with what everybody can read of the key set.
    for secret in [RSA_MODULUS.to_owned(), key_set().to_string(), key_set()["keys"][2].to_string()] {
        let secret = EncodingKey::from_secret(secret.as_bytes()).unwrap();
        for kid in ["rsa", "ed", "ec"] {
            let forged = token(Algorithm::HS256, kid, &secret, &claims(json!({})));
            assert!(matches!(refusal(&forged), Refusal::Algorithm), "{kid}");
        }
    }
}

#[test]
fn a_key_is_used_with_its_own_algorithm_only() {
    assert!(matches!(
        refusal(&token(Algorithm::EdDSA, "ec", &ed_key(1), &claims(json!({})))),
        Refusal::Algorithm
    ));
}

#[test]
fn a_shared_secret_in_the_key_set_is_not_used() {
    let oct = json!({"kty": "oct", "kid": "hs", "alg": "HS256", "k": "c2VjcmV0"});
    let jwt =
        JwtConfig { issuer: "i".into(), audience: "a".into(), jwks: json!({"keys": [oct]}).to_string() };
    assert!(matches!(Authenticator::new(Some(&jwt), ClaimNames::default()), Err(KeySetError::NoUsableKey)));
    let jwt = JwtConfig { jwks: "{}".into(), ..jwt };
    assert!(matches!(Authenticator::new(Some(&jwt), ClaimNames::default()), Err(KeySetError::Malformed(_))));
}

#[test]
fn an_unsigned_or_altered_token_is_refused() {
    let good = ed_token(&claims(json!({})));
    let (_, rest) = good.split_once('.').unwrap();
    let (payload, signature) = rest.split_once('.').unwrap();
    // {"alg":"none","kid":"ed"}
    let none = "eyJhbGciOiJub25lIiwia2lkIjoiZWQifQ";
    for forged in [
        format!("{none}.{payload}."),
        format!("{none}.{payload}.{signature}"),
        format!("{good}x"),
        "a.b.c".into(),
        "x".into(),
    ] {
        assert!(matches!(refusal(&forged), Refusal::Token(_)), "{forged}");
    }
    let other = ed_token(&claims(json!({"tenant": "globex"})));
    let swapped = format!("{}.{signature}", other.rsplit_once('.').unwrap().0);
    assert!(matches!(refusal(&swapped), Refusal::Token(_)));
}

#[test]
fn time_issuer_and_audience_are_checked_and_required() {
    let now = jsonwebtoken::get_current_timestamp();
    for wrong in [
        json!({"exp": now - 120}),
        json!({"nbf": now + 120}),
        json!({"iss": "https://other.example"}),
        json!({"aud": "other"}),
        json!({"aud": ["a", "b"]}),
    ] {
        assert!(matches!(refusal(&ed_token(&claims(wrong.clone()))), Refusal::Token(_)), "{wrong}");
    }
    for absent in ["exp", "iss", "aud"] {
        let mut claims = claims(json!({}));
        claims.as_object_mut().unwrap().remove(absent);
        assert!(matches!(refusal(&ed_token(&claims)), Refusal::Token(_)), "{absent}");
    }
}

#[test]
fn a_token_without_a_tenant_or_with_one_that_is_no_slug_is_refused() {
    for tenant in [
        json!(null),
        json!(""),
        json!("Acme"),
        json!("a/b"),
        json!("acme,globex"),
        json!(["acme"]),
        json!(7),
        json!("a' OR '1'='1"),
    ] {
        assert!(
            matches!(refusal(&ed_token(&claims(json!({"tenant": tenant})))), Refusal::Claims(_)),
            "{tenant}"
        );
    }
    assert!(matches!(refusal(&ed_token(&claims(json!({"scopes": 7})))), Refusal::Claims(_)));
}

#[test]
fn anything_but_a_bearer_token_is_no_token() {
    let authenticator = authenticator(&key_set());
    let good = ed_token(&claims(json!({})));
    let long = format!("Bearer {}", "x".repeat(MAX_TOKEN_BYTES + 1));
    for authorization in [
        None,
        Some(""),
        Some("Bearer"),
        Some("Bearer "),
        Some("Basic YTpi"),
        Some(good.as_str()),
        Some(long.as_str()),
    ] {
        assert!(matches!(authenticator.principal(None, authorization), Err(Refusal::NoToken)));
    }
}

#[test]
fn without_a_key_set_only_the_authorizer_is_believed() {
    let authenticator = Authenticator::new(None, ClaimNames::default()).unwrap();
    let bearer = format!("Bearer {}", ed_token(&claims(json!({}))));
    assert!(matches!(authenticator.principal(None, Some(&bearer)), Err(Refusal::NoKeySet)));
    let verified = json!({"tenant": "acme", "scopes": "[hr board]"});
    let auth = authenticator.principal(verified.as_object(), None).unwrap();
    assert_eq!(scopes(&auth), ["board", "everyone", "hr"]);
}

#[test]
fn claims_of_the_authorizer_that_name_no_tenant_are_not_made_good_by_a_token() {
    let bearer = format!("Bearer {}", ed_token(&claims(json!({}))));
    let refused = authenticator(&key_set()).principal(json!({"scopes": "hr"}).as_object(), Some(&bearer));
    assert!(matches!(refused, Err(Refusal::Claims(_))));
}

#[test]
fn claim_names_are_configurable() {
    let names = ClaimNames { tenant: "custom:org".into(), scopes: "groups".into() };
    let authenticator = Authenticator::new(None, names).unwrap();
    let verified = json!({"custom:org": "acme", "groups": ["hr"], "tenant": "globex", "scopes": "board"});
    let auth = authenticator.principal(verified.as_object(), None).unwrap();
    assert_eq!((auth.tenant().as_str(), scopes(&auth)), ("acme", vec!["everyone".into(), "hr".into()]));
}

#[test]
fn a_token_without_kid_is_taken_only_where_there_is_one_key() {
    let unnamed = encode(&Header::new(Algorithm::EdDSA), &claims(json!({})), &ed_key(1)).unwrap();
    assert!(matches!(refusal(&unnamed), Refusal::UnknownKey));
    let one = json!({"keys": [jwk(&ed_key(1), Algorithm::EdDSA, "ed")]});
    assert!(authenticator(&one).principal(None, Some(&format!("Bearer {unnamed}"))).is_ok());
}
