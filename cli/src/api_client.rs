//! The HTTP API as a client sees it, and the admin function's invocation.

use std::time::Duration;

use anyhow::Result;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde_json::{Value, json};

use crate::advice::{self, Advise};

/// How long a question may take before the caller gives up. The first one may find a cold function.
const QUESTION_LIMIT: Duration = Duration::from_secs(90);
/// How long a function may take: Lambda's longest timeout.
const INVOCATION_LIMIT: Duration = Duration::from_secs(900);

/// Calls the query function's API with one bearer token.
#[derive(Debug, Clone)]
pub struct ApiClient {
    http: Client,
    base: String,
    token: String,
}

impl ApiClient {
    /// `base` is such that `<base>/v1/ask` is the call.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(base: &str, token: String) -> Result<Self> {
        Ok(Self {
            http: http_client(base, QUESTION_LIMIT)?,
            base: base.trim_end_matches('/').to_owned(),
            token,
        })
    }

    /// `POST /v1/ask`.
    ///
    /// # Errors
    /// When the service cannot be reached or answers with a problem.
    pub async fn ask(&self, body: &Value) -> Result<Value> {
        self.send(self.http.post(format!("{}/v1/ask", self.base)).json(body)).await
    }

    /// `POST /v1/search`.
    ///
    /// # Errors
    /// As for `ask`.
    pub async fn search(&self, body: &Value) -> Result<Value> {
        self.send(self.http.post(format!("{}/v1/search", self.base)).json(body)).await
    }

    /// Every document whose source begins with `prefix`, page after page.
    ///
    /// # Errors
    /// As for `ask`.
    pub async fn documents(&self, prefix: &str) -> Result<Vec<Value>> {
        let mut documents = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut url = Url::parse(&format!("{}/v1/documents", self.base))?;
            url.query_pairs_mut().append_pair("prefix", prefix);
            if let Some(cursor) = &cursor {
                url.query_pairs_mut().append_pair("cursor", cursor);
            }
            let mut page = self.send(self.http.get(url)).await?;
            if let Some(Value::Array(found)) = page.get_mut("documents").map(Value::take) {
                documents.extend(found);
            }
            cursor = page["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                return Ok(documents);
            }
        }
    }

    async fn send(&self, request: RequestBuilder) -> Result<Value> {
        let response = request.bearer_auth(&self.token).send().await.advise(
            format!("{} does not answer", self.base),
            "check VOUCH_URL; for the local stack, `vouch local status` says what runs",
        )?;
        let status = response.status();
        let text = response.text().await?;
        let body: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        if status.is_success() {
            return Ok(body);
        }
        let problem = body["detail"].as_str().or(body["title"].as_str()).unwrap_or(&text);
        let request_id = body["request_id"].as_str().map(|id| format!(" (request {id})")).unwrap_or_default();
        Err(advice::error(format!("the service answered {status}: {problem}{request_id}"), cure_of(status)))
    }
}

fn cure_of(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "get a new token with `vouch token --tenant T`",
        StatusCode::NOT_FOUND => "check the id, and whether the token's scopes may see it",
        status if status.is_server_error() => {
            "try again; for the local stack, the reason is in .local/logs/functions.log"
        }
        _ => "correct the request as the message says",
    }
}

/// Invokes one function through the Lambda invocation endpoint of the local stack.
#[derive(Debug, Clone)]
pub struct Invoker {
    http: Client,
    url: String,
}

impl Invoker {
    /// `url` is the function's `/invocations` address.
    ///
    /// # Errors
    /// When no HTTP client can be made.
    pub fn new(url: &str) -> Result<Self> {
        Ok(Self { http: http_client(url, INVOCATION_LIMIT)?, url: url.to_owned() })
    }

    /// The function's answer to an event.
    ///
    /// # Errors
    /// When it cannot be reached, or answers with a Lambda error.
    pub async fn invoke(&self, event: &Value) -> Result<Value> {
        let response = self.http.post(&self.url).json(event).send().await.advise(
            format!("{} does not answer", self.url),
            "start the local stack with `make up`; `vouch local status` says what runs",
        )?;
        let status = response.status();
        let failed = response.headers().contains_key("x-amz-function-error");
        let text = response.text().await?;
        let body: Value = serde_json::from_str(&text).unwrap_or_else(|_| json!({"errorMessage": text}));
        if status.is_success() && !failed && body.get("errorType").is_none() {
            return Ok(body);
        }
        let kind = body["errorType"].as_str().unwrap_or("error");
        let message = body["errorMessage"].as_str().or(body["detail"].as_str()).unwrap_or("no message");
        Err(advice::error(format!("{kind}: {message}"), "the function's log is .local/logs/functions.log"))
    }
}

/// Calls to the machine itself never go through a proxy.
fn http_client(url: &str, limit: Duration) -> Result<Client> {
    let builder = Client::builder().timeout(limit);
    let is_here = url.starts_with("http://127.0.0.1") || url.starts_with("http://localhost");
    Ok(if is_here { builder.no_proxy() } else { builder }.build()?)
}
