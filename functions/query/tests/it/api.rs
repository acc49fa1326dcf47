//! The shapes of responses, as golden files, and the statuses of failures.

use http::{Method, header};
use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::world::{Caller, Document, World};

async fn handbook() -> World {
    let leave = Document::new(
        "acme",
        "handbook/leave.md",
        &[
            "Leave is planned with your manager. Plans are made in January.",
            "Every employee has 25 days of annual leave. Unused leave expires on 31 March of the following year.",
            "Sick leave is not counted as annual leave. A doctor's note is needed from the fourth day.",
        ],
    );
    let travel = Document::new(
        "acme",
        "handbook/travel.md",
        &["Trains are booked in second class. Flights need approval by a director."],
    );
    let salaries = Document::new(
        "acme",
        "board/salaries.md",
        &["The annual salary of the chief executive is 300,000 euros."],
    )
    .scopes(&["board"]);
    World::of(&["acme", "globex"], &[leave, travel, salaries]).await
}

/// The body without what differs from run to run or from processor to processor.
fn steady(mut body: Value) -> Value {
    for time in body["timings_ms"].as_object_mut().unwrap().values_mut() {
        assert!(time.as_f64().unwrap() >= 0.0);
        *time = json!("ms");
    }
    round_scores(&mut body);
    body
}

fn round_scores(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_f64() {
                    Some(score) if name == "score" => *field = json!((score * 1_000.0).round() / 1_000.0),
                    _ => round_scores(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(round_scores),
        _ => {}
    }
}

#[tokio::test]
async fn an_answer_has_its_shape() {
    let world = handbook().await;
    let question = json!({"question": "How many days of annual leave does an employee have?"});
    let (status, body) = Caller::of("acme", &[]).post(&world.service(), "/v1/ask", &question).await;
    assert_eq!(status, 200);
    assert_json_snapshot!(steady(body));
}

#[tokio::test]
async fn a_refusal_has_no_citation_and_says_why() {
    let world = handbook().await;
    let question = json!({"question": "Which aquarium fish tolerate saltwater?"});
    let (status, body) = Caller::of("acme", &[]).post(&world.service(), "/v1/ask", &question).await;
    assert_eq!(status, 200);
    assert_json_snapshot!(steady(body));
}

#[tokio::test]
async fn a_tenant_without_documents_gets_no_evidence() {
    let world = handbook().await;
    let question = json!({"question": "How many days of annual leave does an employee have?"});
    let (_, body) = Caller::of("globex", &["board"]).post(&world.service(), "/v1/ask", &question).await;
    assert_eq!(
        (body["answer"].as_str(), body["reason"].as_str()),
        (Some("I don't know."), Some("no_evidence"))
    );
}

#[tokio::test]
async fn what_only_others_may_read_is_not_answered() {
    let world = handbook().await;
    let question = json!({"question": "What is the annual salary of the chief executive?"});
    let (_, everyone) = Caller::of("acme", &[]).post(&world.service(), "/v1/ask", &question).await;
    assert!(
        !everyone.to_string().contains("300,000") && !everyone.to_string().contains("salaries"),
        "{everyone}"
    );
    let (_, board) = Caller::of("acme", &["board"]).post(&world.service(), "/v1/ask", &question).await;
    assert!(board["answer"].as_str().unwrap().contains("300,000"), "{board}");
}

#[tokio::test]
async fn a_search_has_its_shape() {
    let world = handbook().await;
    let query = json!({"query": "annual leave", "top_k": 2});
    let (status, body) = Caller::of("acme", &[]).post(&world.service(), "/v1/search", &query).await;
    assert_eq!(status, 200);
    assert_json_snapshot!(steady(body));
}

#[tokio::test]
async fn documents_and_chunks_have_their_shapes() {
    let world = handbook().await;
    let (service, caller) = (world.service(), Caller::of("acme", &[]));
    let (_, list) = caller.get(&service, "/v1/documents?limit=1").await;
    assert_json_snapshot!("document_list", list);
    let id = list["documents"][0]["document_id"].as_str().unwrap();
    let (_, one) = caller.get(&service, &format!("/v1/documents/{id}")).await;
    assert_eq!(one["document"], list["documents"][0]);
    let (_, found) = caller.post(&service, "/v1/search", &json!({"query": "trains", "top_k": 1})).await;
    let chunk = found["hits"][0]["chunk_id"].as_str().unwrap();
    let (_, chunk) = caller.get(&service, &format!("/v1/chunks/{chunk}")).await;
    assert_json_snapshot!("chunk", chunk);
}

#[tokio::test]
async fn problems_have_their_shapes() {
    let world = handbook().await;
    let service = world.service();
    let caller = Caller::of("acme", &[]);
    let large = format!("{{\"query\": \"{}\"}}", "x".repeat(70_000));
    let unknown = "/v1/documents/00000000-0000-4000-8000-000000000000";
    let cases: [(&str, &Caller, Method, &str, &[u8]); 9] = [
        ("malformed", &caller, Method::POST, "/v1/ask", b"{"),
        ("unauthenticated", &Caller::nobody(), Method::POST, "/v1/ask", b"{"),
        ("unknown_document", &caller, Method::GET, unknown, b""),
        ("no_id", &caller, Method::GET, "/v1/chunks/not-an-id", b""),
        ("unknown_path", &caller, Method::GET, "/v2/ask", b""),
        ("wrong_method", &caller, Method::GET, "/v1/ask", b""),
        ("too_large", &caller, Method::POST, "/v1/search", large.as_bytes()),
        (
            "invalid_field",
            &caller,
            Method::POST,
            "/v1/search",
            br#"{"query": "a", "filters": {"since": "now"}}"#,
        ),
        ("invalid_cursor", &caller, Method::GET, "/v1/documents?cursor=abc", b""),
    ];
    for (name, caller, method, target, body) in cases {
        let response = caller.send(&service, method, target, body).await;
        assert_eq!(response.content_type, "application/problem+json");
        let headers: Vec<String> = response
            .headers
            .iter()
            .filter(|(name, _)| *name != header::CACHE_CONTROL)
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        let body: Value = serde_json::from_str(&response.body).unwrap();
        assert_json_snapshot!(format!("problem_{name}"), json!({"headers": headers, "body": body}));
    }
}

#[tokio::test]
async fn health_and_the_description_need_no_token() {
    let world = World::new(&[]).await;
    let service = world.service();
    assert_eq!(
        Caller::nobody().get(&service, "/healthz").await,
        (200, json!({"status": "ok", "request_id": "request-1"}))
    );
    assert_eq!(Caller::nobody().get(&service, "/openapi.json").await.0, 200);
}

#[tokio::test]
async fn a_query_without_words_is_answered() {
    let world = handbook().await;
    let (service, caller) = (world.service(), Caller::of("acme", &[]));
    for query in ["?!", "'", "\"", "-", "%", "\\", "{}", ":*", "a:b & !c", "\u{1F600}", "\u{202e}"] {
        let (status, body) = caller.post(&service, "/v1/search", &json!({"query": query})).await;
        assert_eq!(status, 200, "{query}: {body}");
        let (status, body) = caller.post(&service, "/v1/ask", &json!({"question": query})).await;
        assert_eq!(status, 200, "{query}: {body}");
        if !query.contains(char::is_alphanumeric) {
            assert_eq!(body["reason"], "no_evidence", "{query}: {body}");
        }
    }
}
