//! The bridge between a real queue of the emulator and a stub in the function's place.

use std::time::Duration;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName::{
    ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible, VisibilityTimeout,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use vouch::aws;
use vouch::local::bridge::{Bridge, Delivered};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

struct Queue {
    sqs: Client,
    url: String,
}

impl Queue {
    /// A queue of its own with one message a body; received messages stay hidden for the whole test.
    async fn with(bodies: &[&str]) -> Self {
        let endpoint = std::env::var("VOUCH_TEST_AWS_ENDPOINT").expect(
            "VOUCH_TEST_AWS_ENDPOINT is not set: run the tests by `vouch local test -- cargo test -p vouch`",
        );
        let sqs = Client::new(&aws::for_emulator(&endpoint).await);
        let name = format!("bridge-{}", uuid::Uuid::new_v4());
        let created =
            sqs.create_queue().queue_name(name).attributes(VisibilityTimeout, "300").send().await.unwrap();
        let url = created.queue_url.unwrap();
        for body in bodies {
            sqs.send_message().queue_url(&url).message_body(*body).send().await.unwrap();
        }
        Self { sqs, url }
    }

    async fn bridge_to(&self, function_url: &str) -> Bridge {
        Bridge::new(self.sqs.clone(), &self.url, function_url).await.unwrap()
    }

    /// Messages that wait, and messages that are hidden.
    async fn counts(&self) -> (u32, u32) {
        let names = [ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible];
        let asked =
            self.sqs.get_queue_attributes().queue_url(&self.url).set_attribute_names(Some(names.to_vec()));
        let found = asked.send().await.unwrap().attributes.unwrap();
        let count = |name| found.get(&name).unwrap().parse().unwrap();
        (count(ApproximateNumberOfMessages), count(ApproximateNumberOfMessagesNotVisible))
    }
}

async fn function_that(answers: impl Fn(&Value) -> ResponseTemplate + Send + Sync + 'static) -> MockServer {
    let server = MockServer::start().await;
    let respond = move |request: &Request| answers(&request.body_json::<Value>().unwrap());
    Mock::given(method("POST")).respond_with(respond).mount(&server).await;
    server
}

#[tokio::test]
async fn messages_that_the_function_names_as_failed_stay_in_the_queue() {
    let queue = Queue::with(&["good", "bad", "good too"]).await;
    let function = function_that(|event| {
        let records = event["Records"].as_array().unwrap();
        assert!(
            records
                .iter()
                .all(|record| record["eventSourceARN"].as_str().unwrap().starts_with("arn:aws:sqs:"))
        );
        let failed = records.iter().filter(|record| record["body"] == "bad");
        let failures: Vec<_> = failed.map(|record| json!({"itemIdentifier": record["messageId"]})).collect();
        ResponseTemplate::new(200).set_body_json(json!({"batchItemFailures": failures}))
    })
    .await;
    let delivered = queue.bridge_to(&function.uri()).await.deliver_next(1).await.unwrap();
    assert_eq!(delivered, Some(Delivered { received: 3, done: 2 }));
    assert_eq!(queue.counts().await, (0, 1));
}

#[tokio::test]
async fn an_invocation_that_fails_as_a_whole_deletes_nothing() {
    for response in [
        ResponseTemplate::new(200)
            .insert_header("X-Amz-Function-Error", "Unhandled")
            .set_body_json(json!({"errorType": "unavailable", "errorMessage": "no database"})),
        ResponseTemplate::new(500).set_body_string("crashed"),
        ResponseTemplate::new(200).set_body_string("{\"batchItemFailures\": [{\"item"),
    ] {
        let queue = Queue::with(&["one", "two"]).await;
        let function = function_that(move |_| response.clone()).await;
        queue.bridge_to(&function.uri()).await.deliver_next(1).await.unwrap_err();
        assert_eq!(queue.counts().await, (0, 2));
    }
}

#[tokio::test]
async fn an_empty_queue_calls_nobody() {
    let queue = Queue::with(&[]).await;
    let function = function_that(|_| ResponseTemplate::new(500)).await;
    assert_eq!(queue.bridge_to(&function.uri()).await.deliver_next(0).await.unwrap(), None);
    assert!(function.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_function_that_comes_up_late_still_gets_its_batch() {
    let queue = Queue::with(&["patient"]).await;
    let port = vouch::local::process::free_port(None).unwrap();
    let bridge = queue.bridge_to(&format!("http://127.0.0.1:{port}/")).await;
    let delivery = tokio::spawn(async move { bridge.deliver_next(1).await });
    // Nobody listens until the bridge holds the message.
    while queue.counts().await != (0, 1) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let (mut connection, _) = listener.accept().await.unwrap();
    let mut request = vec![0; 64 * 1024];
    assert!(connection.read(&mut request).await.unwrap() > 0);
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n{\"batchItemFailures\": []}";
    connection.write_all(answer).await.unwrap();
    assert_eq!(delivery.await.unwrap().unwrap(), Some(Delivered { received: 1, done: 1 }));
}

#[tokio::test]
async fn a_stopped_bridge_gives_back_what_it_holds() {
    let queue = Queue::with(&["one", "two"]).await;
    let slow = function_that(|_| ResponseTemplate::new(200).set_delay(Duration::from_secs(300))).await;
    let endpoint = std::env::var("VOUCH_TEST_AWS_ENDPOINT").unwrap();
    let mut bridge = tokio::process::Command::new(env!("CARGO_BIN_EXE_vouch"))
        .args(["local", "bridge", "--endpoint", &endpoint, "--queue-url", &queue.url])
        .args(["--function-url", &slow.uri()])
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let limit = Duration::from_secs(30);
    let holds_both = async {
        while queue.counts().await != (0, 2) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(limit, holds_both).await.expect("the bridge receives both messages");
    let pid = bridge.id().unwrap().to_string();
    assert!(tokio::process::Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
    let ended = tokio::time::timeout(limit, bridge.wait()).await.expect("the bridge stops").unwrap();
    assert!(ended.success(), "{ended}");
    assert_eq!(queue.counts().await, (2, 0));
}
