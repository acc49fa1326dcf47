//! The operations, as they arrive.

use serde::Deserialize;
use serde_json::Value;

use crate::error::AdminError;

/// One request of the operator.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Bring the schema up to date, set the roles' passwords, make the first embedding space.
    Migrate,
    /// Add a tenant; adding it again changes nothing but a default scope that is given.
    TenantCreate {
        /// Its slug.
        tenant: String,
        /// Scopes of documents whose objects name none; `["everyone"]` when absent.
        #[serde(default)]
        default_scope: Option<Vec<String>>,
    },
    /// List the tenants with their sizes.
    Tenants,
    /// Count one tenant's documents by state, and its live chunks.
    Stats {
        /// Its slug.
        tenant: String,
    },
    /// Versions of the parts, the active space, and whether the schema is up to date.
    Health,
}

impl Operation {
    /// Reads a request.
    ///
    /// # Errors
    /// [`AdminError::Request`] with what is wrong and what there is.
    pub fn parse(request: Value) -> Result<Self, AdminError> {
        serde_json::from_value(request).map_err(|error| {
            AdminError::Request(format!(
                "{error}; an operation is {{\"op\": \"migrate\" | \"tenant_create\" | \"tenants\" | \"stats\" | \"health\", …}}"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_operation_is_known_by_its_name() {
        assert_eq!(Operation::parse(json!({"op": "migrate"})).unwrap(), Operation::Migrate);
        let create = Operation::parse(json!({"op": "tenant_create", "tenant": "acme"})).unwrap();
        assert_eq!(create, Operation::TenantCreate { tenant: "acme".into(), default_scope: None });
    }

    #[test]
    fn what_is_not_an_operation_is_told_what_there_is() {
        for bad in [
            json!({}),
            json!({"op": "drop"}),
            json!({"op": "stats"}),
            json!([]),
            json!({"op": "stats", "tenant": "a", "x": 1}),
        ] {
            let error = Operation::parse(bad.clone()).unwrap_err().to_string();
            assert!(error.contains("tenant_create"), "{bad}: {error}");
        }
    }
}
