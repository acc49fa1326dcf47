//! `GET /openapi.json`: the description of this API, written by hand and compiled in.

use http::StatusCode;

use crate::http::HttpResponse;

/// The description, in OpenAPI 3.1.
pub const DESCRIPTION: &str = include_str!("openapi/openapi.json");

/// The response.
#[must_use]
pub fn respond() -> HttpResponse {
    HttpResponse {
        status: StatusCode::OK,
        content_type: "application/json",
        headers: Vec::new(),
        body: DESCRIPTION.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::http::request::{MAX_DOCUMENT_IDS, MAX_PAGE, MAX_PREFIX_CHARS, STATES};
    use crate::http::route::ROUTES;

    fn description() -> Value {
        serde_json::from_str(DESCRIPTION).unwrap()
    }

    #[test]
    fn the_description_has_every_route_and_no_other() {
        let described: BTreeSet<(String, String)> = description()["paths"]
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(path, methods)| {
                methods
                    .as_object()
                    .unwrap()
                    .keys()
                    .map(|method| (path.clone(), method.to_uppercase()))
                    .collect::<Vec<_>>()
            })
            .collect();
        let served = ROUTES.iter().map(|(path, method)| ((*path).to_owned(), method.to_string())).collect();
        assert_eq!(described, served);
    }

    #[test]
    fn every_reference_in_the_description_leads_somewhere() {
        fn check(root: &Value, value: &Value) {
            match value {
                Value::Object(fields) => {
                    if let Some(reference) = fields.get("$ref") {
                        let pointer = reference.as_str().unwrap().strip_prefix('#').unwrap();
                        assert!(root.pointer(pointer).is_some(), "{reference}");
                    }
                    fields.values().for_each(|field| check(root, field));
                }
                Value::Array(items) => items.iter().for_each(|item| check(root, item)),
                _ => {}
            }
        }
        check(&description(), &description());
    }

    #[test]
    fn the_descriptions_limits_are_the_codes() {
        let schemas = &description()["components"]["schemas"];
        let filters = &schemas["Filters"]["properties"];
        assert_eq!(filters["document_ids"]["maxItems"], MAX_DOCUMENT_IDS);
        assert_eq!(filters["source_prefix"]["maxLength"], MAX_PREFIX_CHARS);
        assert_eq!(schemas["State"]["enum"], serde_json::json!(STATES));
        let parameters = description()["paths"]["/v1/documents"]["get"]["parameters"].clone();
        let limit = parameters.as_array().unwrap().iter().find(|p| p["name"] == "limit").unwrap().clone();
        assert_eq!(limit["schema"]["maximum"], MAX_PAGE);
    }
}
