//! A server that speaks OpenAI's embeddings API.

use std::time::{Duration, Instant};

use reqwest::{Client, Response, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::{EmbedError, api_limits, retry};
use crate::embedding::{ElementType, Embedding, Space};

/// How long a question may wait for its vector, retries included: API Gateway gives up at 29 s.
const QUERY_DEADLINE: Duration = Duration::from_secs(10);

/// How long a call for passages may take, retries included; then the queue brings the document again.
const PASSAGES_DEADLINE: Duration = Duration::from_secs(120);

/// A single answer's limit.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A client of one model at one server.
pub struct OpenAi {
    client: Client,
    endpoint: reqwest::Url,
    key: Option<SecretString>,
    space: Space,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

impl OpenAi {
    /// A client for `url`, the API's base such as `https://api.example.com/v1`.
    ///
    /// # Errors
    /// [`EmbedError::Misconfigured`] when the URL or the name of the model is none.
    pub fn new(
        url: &str,
        model: &str,
        dimension: usize,
        key: Option<SecretString>,
    ) -> Result<Self, EmbedError> {
        let endpoint = format!("{}/embeddings", url.trim_end_matches('/'));
        let endpoint = reqwest::Url::parse(&endpoint)
            .map_err(|error| EmbedError::misconfigured(format!("the embedder's URL is none: {error}")))?;
        let client = Client::builder()
            .timeout(REQUEST_TIMEOUT)
            .connect_timeout(Duration::from_secs(3))
            // A redirect would carry the key and the text to a server that nobody configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| EmbedError::misconfigured(format!("the HTTP client cannot be made: {error}")))?;
        let space = Space {
            id: super::space_id(model, dimension)?,
            model: model.to_owned(),
            dimension,
            element_type: ElementType::for_dimension(dimension),
        };
        Ok(Self { client, endpoint, key, space })
    }

    /// The space of its vectors.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    pub(super) async fn embed_query(&self, text: &str) -> Result<Embedding, EmbedError> {
        let mut embeddings = self.request(&[text.to_owned()], Instant::now() + QUERY_DEADLINE).await?;
        embeddings.pop().ok_or_else(|| unexpected("no vector"))
    }

    pub(super) async fn embed_passages(&self, texts: &[String]) -> Result<Vec<Embedding>, EmbedError> {
        let deadline = Instant::now() + PASSAGES_DEADLINE;
        let mut embeddings = Vec::with_capacity(texts.len());
        for batch in api_limits::batches(texts) {
            embeddings.extend(self.request(&texts[batch], deadline).await?);
        }
        Ok(embeddings)
    }

    /// One batch, asked for again while the server is busy and the deadline allows.
    async fn request(&self, texts: &[String], deadline: Instant) -> Result<Vec<Embedding>, EmbedError> {
        let mut attempt = 0;
        loop {
            let error = match self.attempt(texts, deadline).await {
                Err(error @ EmbedError::Unavailable { .. }) => error,
                other => return other,
            };
            let EmbedError::Unavailable { retry_after, .. } = &error else { return Err(error) };
            let wait = retry::wait(attempt, *retry_after, retry::random());
            if Instant::now() + wait >= deadline {
                return Err(error);
            }
            tracing::debug!(attempt, wait_ms = wait.as_millis() as u64, "embedding server busy");
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    async fn attempt(&self, texts: &[String], deadline: Instant) -> Result<Vec<Embedding>, EmbedError> {
        let body = Request { model: &self.space.model, input: texts, encoding_format: "float" };
        let mut request = self.client.post(self.endpoint.clone()).json(&body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let left = deadline.saturating_duration_since(Instant::now()).min(REQUEST_TIMEOUT);
        let response = request.timeout(left).send().await.map_err(unreachable_server)?;
        if !response.status().is_success() {
            return Err(refusal(&response));
        }
        let answer = response.bytes().await.map_err(unreachable_server)?;
        // The parser's message could quote the answer, so it is not passed on.
        let answer: Answer =
            serde_json::from_slice(&answer).map_err(|_| unexpected("not the JSON of an embeddings API"))?;
        self.in_order(answer, texts.len())
    }

    /// Exactly one vector for each input, in the inputs' order.
    fn in_order(&self, answer: Answer, inputs: usize) -> Result<Vec<Embedding>, EmbedError> {
        if answer.data.len() != inputs {
            return Err(unexpected(&format!("{} vectors for {inputs} inputs", answer.data.len())));
        }
        let mut items = answer.data;
        items.sort_by_key(|item| item.index);
        if items.iter().enumerate().any(|(at, item)| item.index != at) {
            return Err(unexpected("vectors with indices that no input has"));
        }
        items.into_iter().map(|item| Ok(Embedding::new(item.embedding, &self.space)?)).collect()
    }
}

fn unexpected(what: &str) -> EmbedError {
    EmbedError::misconfigured(format!("the server answered with {what}"))
}

fn unreachable_server(error: reqwest::Error) -> EmbedError {
    // Without its URL, which may hold a key.
    let error = error.without_url();
    let kind = if error.is_timeout() { "no answer in time" } else { "no connection" };
    EmbedError::unavailable(format!("{kind}: {error}"))
}

/// What a status means. The body is not read: servers quote the input in it.
fn refusal(response: &Response) -> EmbedError {
    let status = response.status();
    let reason = format!("the server answered {status}");
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => unavailable(response, reason),
        status if status.is_server_error() => unavailable(response, reason),
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY => {
            EmbedError::Rejected { reason }
        }
        _ => EmbedError::Misconfigured { reason },
    }
}

fn unavailable(response: &Response, reason: String) -> EmbedError {
    let header = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    EmbedError::Unavailable { reason, retry_after: retry::retry_after(header) }
}
