//! The emulator of Lambda with a function written in a few lines of Python.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use vouch::local::lambda::config::{Config, Function};
use vouch::local::lambda::server;
use vouch::local::{functions, process};

/// Answers by the event's wish: repeats, sleeps, fails or dies.
const FUNCTION: &str = r#"#!/usr/bin/env python3
import json, os, sys, time, urllib.request
api = os.environ["AWS_LAMBDA_RUNTIME_API"] + "/2018-06-01/runtime/invocation/"
if os.environ.get("STILLBORN"):
    sys.exit(3)
while True:
    try:
        request = urllib.request.urlopen(api + "next")
    except OSError:
        sys.exit(0)  # the test is over
    id = request.headers["Lambda-Runtime-Aws-Request-Id"]
    left = int(request.headers["Lambda-Runtime-Deadline-Ms"]) / 1000 - time.time()
    event = json.load(request)
    event = json.loads(event["body"]) if "rawPath" in event else event
    wish = event["wish"]
    if wish == "die":
        sys.exit(4)
    if wish == "sleep":
        time.sleep(60)
    body = {"left": left, "pid": os.getpid(), "text": "x" * event.get("size", 0)}
    answer = {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(body)}
    kind = "error" if wish == "fail" else "response"
    answer = {"errorType": "unlucky", "errorMessage": "no luck"} if wish == "fail" else answer
    urllib.request.urlopen(urllib.request.Request(api + id + "/" + kind, json.dumps(answer).encode()))
"#;

struct Emulator {
    port: u16,
    script: PathBuf,
    http: reqwest::Client,
}

impl Emulator {
    async fn start(timeout_seconds: u64, environment: &[(&str, &str)]) -> Self {
        let script = std::env::temp_dir().join(format!("vouch-function-{}", uuid::Uuid::new_v4()));
        std::fs::write(&script, FUNCTION).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let port = process::free_port(None).unwrap();
        let environment =
            environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let function = Function { binary: script.clone(), environment, timeout_seconds, concurrency: 2 };
        let functions = BTreeMap::from([("wisher".to_owned(), function)]);
        tokio::spawn(server::run(Config { port, reload: None, functions }));
        while !functions::listens(port).await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Self { port, script, http: reqwest::Client::builder().no_proxy().build().unwrap() }
    }

    async fn invoke(&self, event: Value) -> (bool, Value) {
        let url = functions::invocation_url(self.port, "wisher");
        let response = self.http.post(url).json(&event).send().await.unwrap();
        let failed = response.headers().contains_key("x-amz-function-error");
        (failed, response.json().await.unwrap())
    }

    async fn get(&self, event: Value) -> (u16, Value) {
        let url = format!("{}/v1/wish", functions::http_url(self.port, "wisher"));
        let response = self.http.post(url).json(&event).send().await.unwrap();
        (response.status().as_u16(), response.json().await.unwrap())
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.script);
    }
}

#[tokio::test]
async fn a_large_response_always_arrives_whole() {
    let emulator = Emulator::start(20, &[]).await;
    for size in [10, 40_000, 400_000, 4_000_000] {
        for _ in 0..10 {
            let (status, body) = emulator.get(json!({"wish": "answer", "size": size})).await;
            assert_eq!((status, body["text"].as_str().unwrap().len()), (200, size));
        }
    }
}

#[tokio::test]
async fn a_function_is_told_how_much_time_is_left() {
    let emulator = Emulator::start(20, &[]).await;
    let (_, body) = emulator.get(json!({"wish": "answer"})).await;
    let left = body["left"].as_f64().unwrap();
    assert!((1.0..=20.0).contains(&left), "{left} s are left of 20");
}

#[tokio::test]
async fn an_error_of_the_function_is_an_error_of_the_invocation_and_a_502_over_http() {
    let emulator = Emulator::start(20, &[]).await;
    let (failed, error) = emulator.invoke(json!({"wish": "fail"})).await;
    assert!(failed);
    assert_eq!(error["errorType"], "unlucky");
    assert_eq!(emulator.get(json!({"wish": "fail"})).await.0, 502);
}

#[tokio::test]
async fn an_instance_that_dies_fails_its_invocation_and_the_next_one_finds_another() {
    let emulator = Emulator::start(20, &[]).await;
    let (failed, error) = emulator.invoke(json!({"wish": "die"})).await;
    assert!(failed);
    assert_eq!(error["errorType"], "Runtime.ExitError");
    let (failed, _) = emulator.invoke(json!({"wish": "answer"})).await;
    assert!(!failed);
}

#[tokio::test]
async fn an_instance_that_never_comes_up_is_an_error_and_no_endless_wait() {
    let emulator = Emulator::start(20, &[("STILLBORN", "1")]).await;
    let (failed, error) = emulator.invoke(json!({"wish": "answer"})).await;
    assert!(failed);
    assert!(error["errorMessage"].as_str().unwrap().contains("exit status: 3"), "{error}");
}

#[tokio::test]
async fn an_invocation_that_overruns_its_time_is_ended_with_its_instance() {
    let emulator = Emulator::start(1, &[]).await;
    let (failed, error) = emulator.invoke(json!({"wish": "sleep"})).await;
    assert!(failed);
    assert_eq!(error["errorType"], "Sandbox.Timedout");
    assert_eq!(emulator.get(json!({"wish": "answer"})).await.0, 200);
}

#[tokio::test]
async fn requests_at_once_are_served_by_several_instances() {
    let emulator = Emulator::start(20, &[]).await;
    let wishes = (0..20).map(|_| emulator.get(json!({"wish": "answer", "size": 1000})));
    let mut pids = Vec::new();
    for answer in futures_of(wishes).await {
        assert_eq!(answer.0, 200);
        pids.push(answer.1["pid"].as_u64().unwrap());
    }
    pids.sort_unstable();
    pids.dedup();
    assert!((1..=2).contains(&pids.len()), "{} instances where 2 are allowed", pids.len());
}

/// Runs all at once on this task.
async fn futures_of<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(move |context| {
        for (future, output) in waiting.iter_mut().filter(|(_, output)| output.is_none()) {
            if let std::task::Poll::Ready(value) = future.as_mut().poll(context) {
                *output = Some(value);
            }
        }
        if waiting.iter().all(|(_, output)| output.is_some()) {
            return std::task::Poll::Ready(
                waiting.iter_mut().filter_map(|(_, output)| output.take()).collect(),
            );
        }
        std::task::Poll::Pending
    })
    .await
}
