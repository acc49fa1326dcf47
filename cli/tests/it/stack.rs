//! A stack of its own for each test that needs the whole service.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use vouch::checkout::Checkout;
use vouch::env_file;

/// One stack at a time: two would only wait for each other's processor, and one of them measures time.
static TURN: Mutex<()> = Mutex::new(());

/// A cold model and a busy machine included.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);
pub(crate) const POLL: Duration = Duration::from_millis(200);

/// The stack under a name of its own, so that a developer's stack of the same checkout is left alone.
pub(crate) struct TestStack {
    root: PathBuf,
    instance: String,
    _turn: MutexGuard<'static, ()>,
}

impl TestStack {
    pub(crate) fn up(purpose: &str) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
        let instance = format!("{purpose}-{}", std::process::id());
        let stack = Self { root, instance, _turn: turn };
        stack.vouch(&["local", "up"]);
        stack
    }

    /// The checkout's directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A file of this stack's own.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        Checkout::at(&self.root).shared(&self.instance).join(name)
    }

    /// The `vouch` command for this stack.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vouch"));
        command.args(arguments).current_dir(&self.root).env("VOUCH_INSTANCE", &self.instance);
        command.env_remove("VOUCH_URL").env_remove("VOUCH_TOKEN");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn vouch(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said =
            [&*String::from_utf8_lossy(&output.stdout), &*String::from_utf8_lossy(&output.stderr)].concat();
        assert!(output.status.success(), "vouch {}: {said}", arguments.join(" "));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What `vouch local up` wrote for other programs.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        env_file::parse(&std::fs::read_to_string(self.file("stack.env")).unwrap())
    }

    /// Sources of the passages that a query finds.
    fn sources(&self, query: &str) -> Vec<String> {
        let found = self.vouch(&["search", "--json", "--tenant", "acme", query]);
        let found: Value = serde_json::from_str(&found).unwrap();
        let hits = found["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["source_uri"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn wait_for_sources(&self, query: &str, expected: impl Fn(&[String]) -> bool) {
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
        let _ = std::fs::remove_dir_all(self.file(""));
        let _ = std::fs::remove_dir_all(
            Checkout::at(&self.root).shared("postgres").join(format!("data-{}", self.instance)),
        );
    }
}
