//! Embeddings from a server of OpenAI's shape, on a socket.

use std::sync::Arc;
use std::time::{Duration, Instant};

use secrecy::SecretString;
use serde_json::{Value, json};
use vouch_shared::embedder::{EmbedError, Embedder, OpenAi};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

fn embedder(server: &MockServer) -> Embedder {
    let key = Some(SecretString::from("the-key"));
    Embedder::OpenAi(Arc::new(OpenAi::new(&format!("{}/v1/", server.uri()), "small-model", 2, key).unwrap()))
}

async fn server(answer: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v1/embeddings")).respond_with(answer).mount(&server).await;
    server
}

/// Each input's length is its vector's direction, so that an order can be checked. The answer comes in reverse.
fn by_length(request: &Request) -> ResponseTemplate {
    let body: Value = request.body_json().unwrap();
    let inputs = body["input"].as_array().unwrap();
    let item = |(index, input): (usize, &Value)| json!({"index": index, "embedding": [input.as_str().unwrap().len() as f32, 1.0]});
    let data: Vec<Value> = inputs.iter().enumerate().map(item).rev().collect();
    ResponseTemplate::new(200).set_body_json(json!({"object": "list", "data": data}))
}

fn ok(data: &Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(json!({ "data": data }))
}

async fn error_of(answer: ResponseTemplate) -> EmbedError {
    embedder(&server(answer).await).embed_query("the secret question").await.unwrap_err()
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_inputs_over_several_batches() {
    let server = server(by_length).await;
    let texts: Vec<String> = (1..=200).map(|n| "x".repeat(n)).collect();
    let embeddings = embedder(&server).embed_passages(&texts).await.unwrap();
    assert_eq!(embeddings.len(), 200);
    assert!(embeddings.is_sorted_by(|a, b| a.as_slice()[0] < b.as_slice()[0]));
    let requests = server.received_requests().await.unwrap();
    assert!((2..=5).contains(&requests.len()), "{} requests", requests.len());
}

#[tokio::test]
async fn the_key_goes_in_the_header_and_the_model_in_the_body() {
    let server = MockServer::start().await;
    Mock::given(header("authorization", "Bearer the-key")).respond_with(by_length).mount(&server).await;
    embedder(&server).embed_query("a").await.unwrap();
    let body: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!(body, json!({"model": "small-model", "input": ["a"], "encoding_format": "float"}));
}

#[tokio::test]
async fn a_busy_server_is_asked_again_after_the_time_that_it_named() {
    let server = MockServer::start().await;
    let busy = ResponseTemplate::new(429).insert_header("retry-after", "1");
    Mock::given(method("POST")).respond_with(busy).up_to_n_times(1).mount(&server).await;
    Mock::given(method("POST")).respond_with(by_length).mount(&server).await;
    let start = Instant::now();
    embedder(&server).embed_query("a").await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_is_left_to_the_caller() {
    let start = Instant::now();
    let error = error_of(ResponseTemplate::new(503).insert_header("retry-after", "600")).await;
    let EmbedError::Unavailable { retry_after, .. } = error else { panic!("{error}") };
    assert_eq!(retry_after, Some(Duration::from_secs(600)));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_refusal_says_whose_fault_it_is_and_quotes_nothing() {
    let body = json!({"error": {"message": "cannot embed 'the secret question'"}});
    for (status, is_text) in
        [(400, true), (413, true), (422, true), (401, false), (403, false), (404, false), (302, false)]
    {
        let error = error_of(ResponseTemplate::new(status).set_body_json(&body)).await;
        assert!(!error.to_string().contains("secret question"), "{error}");
        match error {
            EmbedError::Rejected { .. } => assert!(is_text, "{status}"),
            EmbedError::Misconfigured { .. } => assert!(!is_text, "{status}"),
            EmbedError::Unavailable { .. } => panic!("{status} will not pass"),
        }
    }
}

#[tokio::test]
async fn vectors_that_are_not_the_models_are_refused() {
    let answers = [
        json!([{"index": 0, "embedding": [1.0]}]),
        json!([{"index": 0, "embedding": [1.0, 2.0, 3.0]}]),
        json!([{"index": 0, "embedding": [null, 2.0]}]),
        json!([{"index": 1, "embedding": [1.0, 2.0]}]),
        json!([]),
        json!([{"index": 0, "embedding": [1.0, 2.0]}, {"index": 1, "embedding": [1.0, 2.0]}]),
        json!("no list"),
    ];
    for answer in answers {
        let error = error_of(ok(&answer)).await;
        assert!(matches!(error, EmbedError::Misconfigured { .. }), "{answer}: {error}");
    }
    for answer in
        [json!([{"index": 0, "embedding": [0.0, 0.0]}]), json!([{"index": 0, "embedding": [1e39, 0.0]}])]
    {
        let error = error_of(ok(&answer)).await;
        assert!(matches!(error, EmbedError::Rejected { .. }), "{answer}: {error}");
    }
}

#[tokio::test]
async fn an_empty_text_is_never_sent() {
    let server = server(by_length).await;
    for texts in [vec!["a".to_owned(), " \n".to_owned()], vec![String::new()]] {
        let error = embedder(&server).embed_passages(&texts).await.unwrap_err();
        assert!(matches!(error, EmbedError::Rejected { .. }), "{error}");
    }
    assert!(embedder(&server).embed_passages(&[]).await.unwrap().is_empty());
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let api = OpenAi::new("http://127.0.0.1:1/v1", "m", 2, None).unwrap();
    let error = Embedder::OpenAi(Arc::new(api)).embed_query("a").await.unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { .. }), "{error}");
}
