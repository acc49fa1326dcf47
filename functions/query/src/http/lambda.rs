//! AWS's types in and out. Nothing past this file knows them.

use std::time::SystemTime;

use http::header;
use lambda_http::request::RequestContext;
use lambda_http::{Body, RequestExt, Response};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{HttpRequest, HttpResponse};

/// Reads a request. Its id is Lambda's, where Lambda gave one.
#[must_use]
pub fn read(event: lambda_http::Request) -> HttpRequest {
    let request_id = event
        .lambda_context_ref()
        .map(|context| context.request_id.clone())
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| Uuid::new_v4().to_string());
    // `cargo lambda watch` sends a constant from 1970. A deadline that has passed before the request is read is none.
    let deadline = event
        .lambda_context_ref()
        .map(lambda_http::Context::deadline)
        .filter(|deadline| *deadline > SystemTime::now());
    let context = event.request_context_ref();
    let path = below_root(event.raw_http_path(), stage(context)).to_owned();
    let verified_claims = verified_claims(context);
    let parameters = event
        .query_string_parameters_ref()
        .map(|map| map.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
        .unwrap_or_default();
    let authorization =
        event.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (parts, body) = event.into_parts();
    let body = match body {
        Body::Text(text) => text.into_bytes(),
        Body::Binary(bytes) => bytes,
        _ => Vec::new(),
    };
    HttpRequest {
        method: parts.method,
        path,
        parameters,
        body,
        authorization,
        verified_claims,
        request_id,
        deadline,
    }
}

/// Writes a response.
///
/// # Errors
/// When a part of it is not valid HTTP, which none of ours is.
pub fn write(response: HttpResponse) -> Result<Response<Body>, lambda_http::http::Error> {
    let mut builder =
        Response::builder().status(response.status).header(header::CONTENT_TYPE, response.content_type);
    for (name, value) in response.headers {
        builder = builder.header(name, value);
    }
    builder.body(Body::Text(response.body))
}

fn stage(context: Option<&RequestContext>) -> Option<&str> {
    match context {
        Some(RequestContext::ApiGatewayV2(context)) => context.stage.as_deref(),
        _ => None,
    }
}

/// Claims that API Gateway's JWT authorizer verified. They stand in the event's request context, which the
/// caller of the API cannot write.
fn verified_claims(context: Option<&RequestContext>) -> Option<Map<String, Value>> {
    let Some(RequestContext::ApiGatewayV2(context)) = context else { return None };
    let jwt = context.authorizer.as_ref()?.jwt.as_ref()?;
    Some(jwt.claims.iter().map(|(name, value)| (name.clone(), Value::String(value.clone()))).collect())
}

/// The path without what stands before the API's root: API Gateway's stage (`/prod/v1/ask`), or the
/// function's name where `cargo lambda` serves several (`/lambda-url/query/v1/ask`).
fn below_root<'a>(path: &'a str, stage: Option<&str>) -> &'a str {
    if let Some(rest) = path.strip_prefix("/lambda-url/") {
        return rest.find('/').map_or("/", |slash| &rest[slash..]);
    }
    stage
        .filter(|stage| *stage != "$default")
        .and_then(|stage| path.strip_prefix('/')?.strip_prefix(stage))
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(overrides: Value) -> HttpRequest {
        let mut event = json!({
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": "/v1/ask",
            "rawQueryString": "",
            "headers": {"content-type": "application/json"},
            "requestContext": {
                "accountId": "1", "apiId": "a", "domainName": "a.example", "domainPrefix": "a",
                "http": {"method": "POST", "path": "/v1/ask", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "t"},
                "requestId": "gateway-id", "routeKey": "$default", "stage": "$default",
                "time": "12/Mar/2026:19:03:58 +0000", "timeEpoch": 1
            },
            "body": "{}",
            "isBase64Encoded": false
        });
        merge(&mut event, overrides);
        read(lambda_http::request::from_str(&event.to_string()).unwrap())
    }

    fn merge(into: &mut Value, from: Value) {
        match (into, from) {
            (Value::Object(into), Value::Object(from)) => {
                for (key, value) in from {
                    merge(into.entry(key).or_insert(Value::Null), value);
                }
            }
            (into, from) => *into = from,
        }
    }

    #[test]
    fn the_stage_is_not_part_of_the_path() {
        let request = event(json!({"rawPath": "/prod/v1/ask", "requestContext": {"stage": "prod"}}));
        assert_eq!(request.path, "/v1/ask");
        let custom_domain = event(json!({"rawPath": "/v1/ask", "requestContext": {"stage": "prod"}}));
        assert_eq!(custom_domain.path, "/v1/ask");
        assert_eq!(
            event(json!({"rawPath": "/production", "requestContext": {"stage": "prod"}})).path,
            "/production"
        );
    }

    #[test]
    fn the_prefix_of_a_local_function_is_not_part_of_the_path() {
        assert_eq!(event(json!({"rawPath": "/lambda-url/query/v1/ask"})).path, "/v1/ask");
        assert_eq!(event(json!({"rawPath": "/lambda-url/query"})).path, "/");
    }

    #[test]
    fn claims_come_from_the_request_context() {
        let claims = json!({"tenant": "acme", "scopes": "[hr board]"});
        let authorizer =
            json!({"requestContext": {"authorizer": {"jwt": {"claims": claims, "scopes": null}}}});
        assert_eq!(Value::Object(event(authorizer).verified_claims.unwrap()), claims);
    }

    #[test]
    fn headers_and_body_cannot_speak_for_the_authorizer() {
        let request = event(json!({
            "headers": {"x-tenant": "acme", "tenant": "acme", "x-amzn-claims": "{\"tenant\":\"acme\"}", "x-amzn-request-context": "{}"},
            "body": "{\"requestContext\":{\"authorizer\":{\"jwt\":{\"claims\":{\"tenant\":\"acme\"}}}}}",
        }));
        assert!(request.verified_claims.is_none());
    }

    #[test]
    fn a_body_in_base64_is_decoded_and_the_query_string_too() {
        let mut request = event(
            json!({"body": "eyJhIjoxfQ==", "isBase64Encoded": true, "rawQueryString": "prefix=a%20b&limit=5"}),
        );
        assert_eq!(request.body, b"{\"a\":1}");
        // AWS's type keeps parameters in no order.
        request.parameters.sort();
        assert_eq!(request.parameters, [("limit".into(), "5".into()), ("prefix".into(), "a b".into())]);
    }

    #[test]
    fn a_request_without_lambdas_id_gets_its_own() {
        assert_ne!(event(json!({})).request_id, event(json!({})).request_id);
    }
}
