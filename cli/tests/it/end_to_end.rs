//! From an upload to an answer and back to nothing, through bucket events, queue, functions and HTTP.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use vouch::checkout::Checkout;
use vouch::env_file;

/// A cold model and a busy machine included.
const LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(200);

/// The stack under a name of its own, so that a developer's stack of the same checkout is left alone.
struct TestStack {
    root: PathBuf,
    instance: String,
}

impl TestStack {
    fn up() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
        let stack = Self { root, instance: format!("e2e-{}", std::process::id()) };
        stack.vouch(&["local", "up"]);
        stack
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vouch"));
        command.args(arguments).current_dir(&self.root).env("VOUCH_INSTANCE", &self.instance);
        command.env_remove("VOUCH_URL").env_remove("VOUCH_TOKEN").output().unwrap()
    }

    fn vouch(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "vouch {}: {said}", arguments.join(" "));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What `vouch local up` wrote for other programs.
    fn variables(&self) -> std::collections::BTreeMap<String, String> {
        let file = Checkout::at(&self.root).shared(&self.instance).join("stack.env");
        env_file::parse(&std::fs::read_to_string(file).unwrap())
    }

    /// Sources of the passages that a query finds.
    fn sources(&self, query: &str) -> Vec<String> {
        let found = self.vouch(&["search", "--json", "--tenant", "acme", query]);
        let found: Value = serde_json::from_str(&found).unwrap();
        let hits = found["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["source_uri"].as_str().unwrap().to_owned()).collect()
    }

    fn wait_for_sources(&self, query: &str, expected: impl Fn(&[String]) -> bool) {
        let deadline = Instant::now() + LIMIT;
        loop {
            let sources = self.sources(query);
            if expected(&sources) {
                return;
            }
            assert!(Instant::now() < deadline, "{query:?} finds {sources:?} after {LIMIT:?}");
            std::thread::sleep(POLL);
        }
    }
}

impl Drop for TestStack {
    fn drop(&mut self) {
        self.run(&["local", "down"]);
        let _ = std::fs::remove_dir_all(Checkout::at(&self.root).shared(&self.instance));
        let _ = std::fs::remove_dir_all(
            Checkout::at(&self.root).shared("postgres").join(format!("data-{}", self.instance)),
        );
    }
}

#[tokio::test]
async fn an_uploaded_document_is_found_and_a_deleted_one_is_gone() {
    let stack = TestStack::up();
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
