//! The edge: what a request and a response are, without AWS's types, and how they are read and written.

pub mod fields;
pub mod lambda;
pub mod problem;
pub mod request;
pub mod route;

use std::time::SystemTime;

use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Error;

/// A request, as the pipeline sees it.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// The method.
    pub method: Method,
    /// The path below the API's root, with a leading slash.
    pub path: String,
    /// The query string's pairs, decoded, in order.
    pub parameters: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The value of the header `Authorization`.
    pub authorization: Option<String>,
    /// Claims that API Gateway verified before it called us; never taken from a header.
    pub verified_claims: Option<Map<String, Value>>,
    /// Names this request in the response and in the log.
    pub request_id: String,
    /// When Lambda ends the invocation; none outside Lambda.
    pub deadline: Option<SystemTime>,
}

/// A response, as the pipeline makes it.
#[derive(Clone, Debug)]
pub struct HttpResponse {
    /// The status.
    pub status: StatusCode,
    /// Media type of the body.
    pub content_type: &'static str,
    /// Other headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body, JSON always.
    pub body: String,
}

impl HttpResponse {
    /// A body of JSON with status 200.
    ///
    /// # Errors
    /// [`Error::Internal`] when the value cannot be written as JSON.
    pub fn json(body: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_string(body).map_err(Error::internal)?;
        Ok(Self { status: StatusCode::OK, content_type: "application/json", headers: no_store(), body })
    }
}

/// Answers are for one principal: no cache on the way may keep them.
fn no_store() -> Vec<(HeaderName, HeaderValue)> {
    vec![(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))]
}
