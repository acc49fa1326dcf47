//! On whose behalf the database is asked.
//!
//! Every transaction is opened with an [`AuthContext`]. Outside tests it is made in two ways only: from claims
//! that were verified, or for the writer of one tenant.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::ids::TenantId;

/// The scope that each principal of a tenant holds.
pub const EVERYONE: &str = "everyone";

/// Longest scope accepted, in bytes; a scope is a group's name or id, not a document.
pub const MAX_SCOPE_BYTES: usize = 128;

/// Why claims do not make a principal. What is told to the caller is only that access was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum AuthError {
    /// The tenant claim is absent, not a string, or not a tenant.
    #[error("the claim {0} does not name a tenant")]
    Tenant(String),
    /// The scopes claim is neither a string nor a list of strings.
    #[error("the claim {0} is not a list of scopes")]
    Scopes(String),
}

/// Names of the claims that carry identity; they differ between identity providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimNames {
    /// The claim that holds the tenant's slug.
    pub tenant: String,
    /// The claim that holds the scopes.
    pub scopes: String,
}

impl Default for ClaimNames {
    fn default() -> Self {
        Self { tenant: "tenant".into(), scopes: "scopes".into() }
    }
}

/// A set of access scopes, in order and without repetition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeSet(BTreeSet<String>);

impl ScopeSet {
    /// Reads scopes separated by spaces or commas, in brackets or not. API Gateway's HTTP API flattens a list
    /// claim into `[a b]`; OAuth writes `a b`; people write `a, b`. A scope longer than [`MAX_SCOPE_BYTES`] or
    /// holding a control character is left out: it can match nothing.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let text = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
        text.split(|c: char| c.is_whitespace() || c == ',').map(str::to_owned).collect()
    }

    /// Whether the set holds the scope.
    #[must_use]
    pub fn contains(&self, scope: &str) -> bool {
        self.0.contains(scope)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The scopes in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The scopes in order, as the database takes them.
    #[must_use]
    pub fn to_vec(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }
}

impl FromIterator<String> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = String>>(scopes: I) -> Self {
        let sound =
            |s: &String| !s.is_empty() && s.len() <= MAX_SCOPE_BYTES && !s.chars().any(char::is_control);
        Self(scopes.into_iter().filter(sound).collect())
    }
}

/// On whose behalf a transaction runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthContext {
    tenant: TenantId,
    scopes: ScopeSet,
}

impl AuthContext {
    /// A principal, from claims whose signature was verified. It holds the scopes claimed, and [`EVERYONE`].
    ///
    /// # Errors
    /// [`AuthError`] when the claims do not name a tenant or its scopes are malformed. An absent scopes claim
    /// is an empty one.
    pub fn from_claims(claims: &Map<String, Value>, names: &ClaimNames) -> Result<Self, AuthError> {
        let tenant = claims
            .get(&names.tenant)
            .and_then(Value::as_str)
            .and_then(|text| TenantId::parse(text).ok())
            .ok_or_else(|| AuthError::Tenant(names.tenant.clone()))?;
        let malformed = || AuthError::Scopes(names.scopes.clone());
        let mut scopes = match claims.get(&names.scopes) {
            None | Some(Value::Null) => ScopeSet::default(),
            Some(Value::String(text)) => ScopeSet::parse(text),
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(malformed))
                .collect::<Result<_, _>>()?,
            Some(_) => return Err(malformed()),
        };
        scopes.0.insert(EVERYONE.to_owned());
        Ok(Self { tenant, scopes })
    }

    /// Whoever writes, or operates on, one tenant. It holds no scope: the reader's role shows it nothing.
    #[must_use]
    pub fn for_writer(tenant: TenantId) -> Self {
        Self { tenant, scopes: ScopeSet::default() }
    }

    /// A principal with exactly these scopes.
    #[cfg(any(test, feature = "test-db"))]
    #[must_use]
    pub fn for_test(tenant: TenantId, scopes: &[&str]) -> Self {
        Self { tenant, scopes: scopes.iter().map(|s| (*s).to_owned()).collect() }
    }

    /// The tenant.
    #[must_use]
    pub fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// The scopes held.
    #[must_use]
    pub fn scopes(&self) -> &ScopeSet {
        &self.scopes
    }
}

/// The operator: sees the list of tenants, and no tenant's documents.
#[derive(Debug)]
pub struct OperatorContext(());

impl OperatorContext {
    /// For the admin function, which only IAM lets anyone invoke.
    #[must_use]
    pub fn for_admin_function() -> Self {
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(claims: Value, expected: Result<(&str, &[&str]), ()>) {
        let claims = claims.as_object().unwrap();
        let auth = AuthContext::from_claims(claims, &ClaimNames::default());
        let auth = auth.as_ref().map(|a| (a.tenant().as_str(), a.scopes().to_vec())).map_err(|_| ());
        assert_eq!(
            auth,
            expected.map(|(t, s)| (t, s.iter().map(|s| (*s).to_owned()).collect())),
            "{claims:?}"
        );
    }

    #[test]
    fn claims_make_a_principal_in_each_form_that_providers_use() {
        check(json!({"tenant": "acme"}), Ok(("acme", &["everyone"])));
        check(json!({"tenant": "acme", "scopes": ["hr", "it"]}), Ok(("acme", &["everyone", "hr", "it"])));
        check(json!({"tenant": "acme", "scopes": "[hr it]"}), Ok(("acme", &["everyone", "hr", "it"])));
        check(json!({"tenant": "acme", "scopes": "hr, it hr"}), Ok(("acme", &["everyone", "hr", "it"])));
        check(json!({"tenant": "acme", "scopes": []}), Ok(("acme", &["everyone"])));
    }

    #[test]
    fn no_claim_no_access() {
        check(json!({}), Err(()));
        check(json!({"tenant": ""}), Err(()));
        check(json!({"tenant": "Acme"}), Err(()));
        check(json!({"tenant": ["acme"]}), Err(()));
        check(json!({"tenant": "acme", "scopes": 7}), Err(()));
        check(json!({"tenant": "acme", "scopes": ["hr", 7]}), Err(()));
    }

    #[test]
    fn scopes_that_can_match_nothing_are_left_out() {
        assert!(ScopeSet::parse(" , [] ").contains("[]"));
        assert!(ScopeSet::parse("[]").is_empty());
        assert!(ScopeSet::from_iter(["a\0b".to_owned(), "x".repeat(129)]).is_empty());
    }
}
