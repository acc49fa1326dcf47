//! Errors as problem documents (RFC 9457). The one place that knows which error is which status, and that
//! decides what the caller is told. The chain of causes goes to the log, once, under the same request id.

use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use vouch_shared::telemetry::chain;

use super::{HttpResponse, no_store};
use crate::error::Error;

/// The body of every response that is not a success.
#[derive(Debug, Serialize)]
struct Problem<'a> {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    request_id: &'a str,
}

/// Status, the last segment of the problem's type, its title, and what the caller is told.
fn describe(error: &Error) -> (StatusCode, &'static str, &'static str, String) {
    match error {
        Error::Malformed { detail } => {
            (StatusCode::BAD_REQUEST, "malformed", "The request is malformed", detail.clone())
        }
        Error::Unauthenticated(_) => (
            StatusCode::UNAUTHORIZED,
            "unauthenticated",
            "Authentication is required",
            "send a valid bearer token that names a tenant".to_owned(),
        ),
        Error::NotFound { what } => {
            (StatusCode::NOT_FOUND, "not-found", "Not found", format!("there is no such {what}"))
        }
        Error::MethodNotAllowed { allow } => (
            StatusCode::METHOD_NOT_ALLOWED,
            "method-not-allowed",
            "The method is not allowed",
            format!("this path accepts {allow}"),
        ),
        Error::TooLarge { limit_bytes } => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-large",
            "The request is too large",
            format!("a body has at most {limit_bytes} bytes"),
        ),
        Error::Invalid { detail, .. } => {
            (StatusCode::UNPROCESSABLE_ENTITY, "invalid-field", "A field is not valid", detail.clone())
        }
        Error::Unavailable { .. } => (
            StatusCode::SERVICE_UNAVAILABLE,
            "unavailable",
            "The service is not available",
            "a service that answers are made with is away; try again soon".to_owned(),
        ),
        Error::Internal(_) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "Internal error",
            "the request failed through no fault of yours; quote the request id when you report it"
                .to_owned(),
        ),
    }
}

/// The response to a request that failed; logs why.
#[must_use]
pub fn respond(error: &Error, request_id: &str) -> HttpResponse {
    let (status, kind, title, detail) = describe(error);
    log(error, status, request_id);
    let problem = Problem {
        kind: format!("urn:vouch:problem:{kind}"),
        title,
        status: status.as_u16(),
        detail,
        field: if let Error::Invalid { field, .. } = error { Some(field) } else { None },
        request_id,
    };
    let mut headers = no_store();
    headers.extend(extra_header(error));
    HttpResponse {
        status,
        content_type: "application/problem+json",
        headers,
        // A struct of strings and one number is always JSON.
        body: serde_json::to_string(&problem).unwrap_or_default(),
    }
}

fn extra_header(error: &Error) -> Option<(HeaderName, HeaderValue)> {
    match error {
        Error::Unauthenticated(_) => Some((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        Error::MethodNotAllowed { allow } => Some((header::ALLOW, HeaderValue::from_static(allow))),
        Error::Unavailable { retry_after_seconds, .. } => {
            Some((header::RETRY_AFTER, HeaderValue::from(*retry_after_seconds)))
        }
        _ => None,
    }
}

fn log(error: &Error, status: StatusCode, request_id: &str) {
    let status = status.as_u16();
    match error {
        Error::Internal(_) => {
            tracing::error!(request_id, status, error = chain(error), "request failed");
        }
        Error::Unavailable { .. } => {
            tracing::warn!(request_id, status, error = chain(error), "request failed");
        }
        // What the caller sent may hold words of a question or of a document: the kind alone is logged.
        Error::Malformed { .. }
        | Error::TooLarge { .. }
        | Error::NotFound { .. }
        | Error::MethodNotAllowed { .. } => {
            tracing::info!(request_id, status, "request refused");
        }
        Error::Invalid { field, .. } => tracing::info!(request_id, status, field, "request refused"),
        Error::Unauthenticated(source) => {
            tracing::info!(request_id, status, error = chain(source.as_ref()), "request refused");
        }
    }
}
