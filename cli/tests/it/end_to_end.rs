//! From an upload to an answer and back to nothing, through bucket events, queue, functions and HTTP.

use serde_json::Value;

use crate::stack::TestStack;

#[tokio::test]
async fn an_uploaded_document_is_found_and_a_deleted_one_is_gone() {
    let stack = TestStack::up("e2e");
    stack.vouch(&["admin", "tenant-create", "acme"]);
    let dir = std::env::temp_dir().join(format!("vouch-e2e-{}", uuid::Uuid::new_v4()));
    std::fs::create_dir_all(&dir).unwrap();
    let page = dir.join("harbour rules+1.md");
    std::fs::write(
        &page,
        "# Harbour rules\n\nThe drawbridge opens for sailing boats at a quarter past nine.\n",
    )
    .unwrap();

    stack.vouch(&["upload", "--tenant", "acme", page.to_str().unwrap()]);
    let uri = "s3://vouch-documents/acme/harbour rules+1.md";
    stack.wait_for_sources("drawbridge sailing boats", |sources| sources == [uri]);
    let answer = stack.vouch(&[
        "ask",
        "--json",
        "--tenant",
        "acme",
        "When does the drawbridge open for sailing boats?",
    ]);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["citations"][0]["source_uri"], uri, "{answer}");

    let others = stack.vouch(&["search", "--json", "--tenant", "rival", "drawbridge sailing boats"]);
    assert_eq!(serde_json::from_str::<Value>(&others).unwrap()["hits"], Value::Array(vec![]));

    let variables = stack.variables();
    let s3 = vouch::aws::s3(&vouch::aws::for_emulator(&variables["AWS_ENDPOINT_URL"]).await);
    s3.delete_object()
        .bucket(&variables["VOUCH_BUCKET"])
        .key("acme/harbour rules+1.md")
        .send()
        .await
        .unwrap();
    stack.wait_for_sources("drawbridge sailing boats", <[String]>::is_empty);
    std::fs::remove_dir_all(dir).unwrap();
}
