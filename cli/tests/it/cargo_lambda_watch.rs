//! The query function by hand, through the real `cargo lambda watch` and the env file of a stack.

use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use rustix::process::Signal;
use serde_json::{Value, json};
use vouch::local::functions;
use vouch::local::process::{self, Background};

use crate::stack::{LIMIT, POLL, TestStack};

#[tokio::test]
async fn cargo_lambda_watch_serves_the_query_function_with_a_stacks_env_file() {
    let stack = TestStack::up("watch");
    let env_file = std::fs::metadata(stack.file("functions.env")).unwrap();
    assert_eq!(env_file.permissions().mode() & 0o777, 0o600);
    stack.vouch(&["admin", "tenant-create", "acme"]);
    let page = stack.file("lighthouse.md");
    std::fs::write(&page, "# Lighthouse\n\nThe lamp of the lighthouse is lit at sunset.\n").unwrap();
    stack.vouch(&["upload", "--tenant", "acme", page.to_str().unwrap()]);
    let uri = "s3://vouch-documents/acme/lighthouse.md";
    stack.wait_for_sources("lamp of the lighthouse", |sources| sources == [uri]);

    let port = process::free_port(None).unwrap();
    let log = stack.file("logs/watch.log");
    let mut command =
        stack.command(&["local", "watch", "--port", &port.to_string(), "--", "--ignore-changes"]);
    let watch = Background::start(&mut command, &log).unwrap();
    let answer = ask(&stack, port, "When is the lamp of the lighthouse lit?").await;
    // As Ctrl-C does: it reaches the whole group.
    watch.started.stop(Signal::INT).await.unwrap();

    let log = std::fs::read_to_string(&log).unwrap();
    let answer = answer.unwrap_or_else(|error| panic!("{error}; the log:\n{log}"));
    assert_eq!(answer["answered"], true, "{answer}");
    assert_eq!(answer["citations"][0]["source_uri"], uri, "{answer}");
    // What somebody edits in the checkout meanwhile is compiled, and its line names the directory.
    let root = stack.root().display().to_string();
    let anew: Vec<&str> =
        log.lines().filter(|line| line.contains("Compiling ") && !line.contains(&root)).collect();
    assert!(anew.is_empty(), "dependencies were compiled anew: {anew:?}");
    assert!(!functions::listens(port).await, "it goes on listening after Ctrl-C");
    stack.vouch(&["local", "status"]);
}

/// Waits until the function is healthy, then asks once.
async fn ask(stack: &TestStack, port: u16, question: &str) -> Result<Value, String> {
    let deadline = Instant::now() + LIMIT;
    let http = reqwest::Client::builder().no_proxy().timeout(LIMIT / 2).build().unwrap();
    let base = functions::http_url(port, "query");
    loop {
        let said = match http.get(format!("{base}/healthz")).send().await {
            Ok(response) if response.status() == 200 => break,
            Ok(response) => response.status().to_string(),
            Err(error) => error.to_string(),
        };
        if Instant::now() > deadline {
            return Err(format!("not healthy after {LIMIT:?}: {said}"));
        }
        tokio::time::sleep(POLL).await;
    }
    let token = stack.vouch(&["token", "--tenant", "acme"]);
    let request = http.post(format!("{base}/v1/ask")).bearer_auth(token.trim());
    let response = request.json(&json!({"question": question, "top_k": 1})).send().await;
    let response = response.map_err(|error| format!("no answer: {error}"))?;
    let status = response.status();
    let text = response.text().await.map_err(|error| format!("no whole answer: {error}"))?;
    if status != 200 {
        return Err(format!("the answer is {status}: {text}"));
    }
    serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
}
