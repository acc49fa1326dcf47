//! The emulator's doors: HTTP functions, invocations, and the Runtime API for the instances.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpListener;
use uuid::Uuid;

use super::config::Config;
use super::http_event;
use super::instances::Instances;
use super::queue::Outcome;
use super::reload;
use crate::aws::LOCAL_REGION;

/// Version of the Runtime API.
const RUNTIME_API: [&str; 2] = ["2018-06-01", "runtime"];
/// Version of the invocation API.
const INVOCATIONS_API: [&str; 2] = ["2015-03-31", "functions"];

struct Emulator {
    functions: BTreeMap<String, Arc<Instances>>,
}

/// Serves until the process is stopped.
///
/// # Errors
/// When the port is taken.
pub async fn run(config: Config) -> Result<()> {
    let authority = format!("127.0.0.1:{}", config.port);
    let listener =
        TcpListener::bind(&authority).await.with_context(|| format!("{authority} cannot be listened on"))?;
    let functions = config.functions.into_iter();
    let functions: BTreeMap<_, _> = functions
        .map(|(name, function)| {
            let instances = Instances::new(&name, function, &authority);
            (name, instances)
        })
        .collect();
    if let Some(root) = config.reload {
        tokio::spawn(reload::watch(root, functions.values().cloned().collect()));
    }
    let emulator = Arc::new(Emulator { functions });
    loop {
        let (connection, _) = listener.accept().await?;
        let emulator = Arc::clone(&emulator);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let emulator = Arc::clone(&emulator);
                async move { Ok::<_, Infallible>(emulator.serve(request).await.map(Full::new)) }
            });
            // A connection that breaks off is its client's affair.
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(connection), service)
                .await;
        });
    }
}

impl Emulator {
    async fn serve(&self, request: Request<Incoming>) -> Response<Bytes> {
        let (parts, body) = request.into_parts();
        // The body is read whole before anything is answered: an answer first could cut it off.
        let Ok(body) = body.collect().await else {
            return text(StatusCode::BAD_REQUEST, "the body broke off");
        };
        let body = body.to_bytes();
        let path = parts.uri.path().to_owned();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        match (&parts.method, segments.as_slice()) {
            (_, ["lambda-url", name, ..]) => {
                let Some(function) = self.functions.get(*name) else { return self.unknown(name) };
                let rest = path.strip_prefix(&format!("/lambda-url/{name}")).unwrap_or_default();
                let rest = if rest.is_empty() { "/" } else { rest };
                let id = Uuid::new_v4().to_string();
                let event = http_event::of_request(&parts, rest, &body, &id, SystemTime::now());
                match function.invoke(event.to_string().into()).await {
                    Outcome::Answer(answer) => http_event::to_response(&answer),
                    Outcome::Error(_) => http_event::bad_gateway(),
                }
            }
            (&Method::POST, [version, api, name, "invocations"]) if [*version, *api] == INVOCATIONS_API => {
                let Some(function) = self.functions.get(*name) else { return self.unknown(name) };
                match function.invoke(body).await {
                    Outcome::Answer(answer) => json_response(StatusCode::OK, answer),
                    Outcome::Error(error) => {
                        let mut response = json_response(StatusCode::OK, error);
                        let unhandled = hyper::header::HeaderValue::from_static("Unhandled");
                        response.headers_mut().insert("x-amz-function-error", unhandled);
                        response
                    }
                }
            }
            (method, ["runtime", name, instance, version, api, call @ ..])
                if [*version, *api] == RUNTIME_API =>
            {
                match (self.functions.get(*name), instance.parse()) {
                    (Some(function), Ok(instance)) => {
                        runtime_call(function, instance, method, call, body).await
                    }
                    _ => self.unknown(name),
                }
            }
            _ => text(StatusCode::NOT_FOUND, "no such path"),
        }
    }

    fn unknown(&self, name: &str) -> Response<Bytes> {
        let known = self.functions.keys().cloned().collect::<Vec<_>>().join(", ");
        let message = format!("there is no function {name}; there are {known}");
        let body = json!({"errorType": "ResourceNotFoundException", "errorMessage": message});
        json_response(StatusCode::NOT_FOUND, body.to_string().into())
    }
}

/// The Runtime API: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>.
async fn runtime_call(
    function: &Instances,
    instance: u64,
    method: &Method,
    call: &[&str],
    body: Bytes,
) -> Response<Bytes> {
    match (method, call) {
        (&Method::GET, ["invocation", "next"]) => match function.next(instance).await {
            Some(invocation) => {
                let deadline = invocation.deadline.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
                let arn = format!("arn:aws:lambda:{LOCAL_REGION}:000000000000:function:{}", function.name());
                let response = Response::builder()
                    .header("content-type", "application/json")
                    .header("lambda-runtime-aws-request-id", invocation.id.to_string())
                    .header("lambda-runtime-deadline-ms", deadline.to_string())
                    .header("lambda-runtime-invoked-function-arn", arn)
                    .body(invocation.event);
                response.unwrap_or_else(|_| text(StatusCode::INTERNAL_SERVER_ERROR, "no response"))
            }
            None => text(StatusCode::GONE, "this instance is stopped"),
        },
        (&Method::POST, ["invocation", id, kind @ ("response" | "error")]) => {
            let outcome = if *kind == "response" { Outcome::Answer(body) } else { Outcome::Error(body) };
            match id.parse().map(|id| function.finish(id, outcome)) {
                Ok(true) => text(StatusCode::ACCEPTED, ""),
                // Its caller left, or its time was up.
                _ => text(StatusCode::GONE, "no such invocation is in work"),
            }
        }
        // The instance ends after this; the end itself is what is handled.
        (&Method::POST, ["init", "error"]) => text(StatusCode::ACCEPTED, ""),
        _ => text(StatusCode::NOT_FOUND, "no such call of the Runtime API"),
    }
}

fn json_response(status: StatusCode, body: Bytes) -> Response<Bytes> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let json = hyper::header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, json);
    response
}

fn text(status: StatusCode, body: &'static str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from_static(body.as_bytes()));
    *response.status_mut() = status;
    response
}
