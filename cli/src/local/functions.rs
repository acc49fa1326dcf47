//! The three functions: built by cargo, run under `cargo lambda watch`.
//!
//! `cargo lambda watch` starts each instance by `cargo run`. With reload that is what compiles a change. Without
//! it, nothing is to be compiled, and eight cargos would only queue for the build directory, behind whatever
//! else compiles in this checkout; so it is given a stand-in for cargo that runs the binary already built.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::Value;

use super::process::Background;
use super::tools::Tools;
use crate::advice;
use crate::output::Step;

/// The functions, as their binaries are named.
pub const FUNCTIONS: [&str; 3] = ["ingest", "query", "admin"];
/// Instances of each function: one serves one request at a time, as on Lambda.
const CONCURRENCY: &str = "4";
/// Runs `cargo run … --bin NAME` as the NAME beside it, and every other command as cargo itself.
/// An instance that ended is started again, as Lambda does it, for as long as the watcher that wants it lives.
const STAND_IN: &str = r#"#!/bin/sh
here=$(dirname "$0")
if [ "$1" = run ]; then
    while [ $# -gt 0 ]; do
        if [ "$1" = --bin ]; then
            while kill -0 "$PPID" 2> /dev/null; do
                "$here/$2"
                sleep 1
            done
            exit 1
        fi
        shift
    done
fi
CARGO=$VOUCH_CARGO exec "$VOUCH_CARGO" "$@"
"#;
const START_LIMIT: Duration = Duration::from_secs(30);

/// Whether a change of the code restarts the functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// Yes: for development. A reload can cut a request in flight.
    OnChange,
    /// No: for everything else.
    Off,
}

/// The functions as they were built.
#[derive(Debug)]
pub struct Build {
    binaries: Vec<PathBuf>,
    /// Name, size and time of each binary: cargo writes a binary anew exactly when it compiled it anew.
    pub fingerprint: String,
}

/// Builds the functions as `cargo lambda watch` would, so that with reload it finds nothing left to compile.
///
/// # Errors
/// When the code does not compile.
pub fn build(root: &Path, log: &Path, step: &Step) -> Result<Build> {
    if let Some(parent) = log.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut command = cargo(root);
    command.args(["build", "--message-format=json-render-diagnostics"]);
    for function in FUNCTIONS {
        command.args(["--bin", function]);
    }
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(fs::File::create(log)?)
        .spawn()
        .context("cargo cannot be run")?;
    let mut compiled = 0_u32;
    let mut binaries = Vec::new();
    for line in BufReader::new(child.stdout.take().context("cargo has no output")?).lines() {
        let message: Value = serde_json::from_str(&line?).unwrap_or_default();
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        if message["fresh"] == false {
            compiled += 1;
            step.at(format!("{} ({compiled} compiled)", message["target"]["name"].as_str().unwrap_or_default()));
        }
        binaries.extend(message["executable"].as_str().map(PathBuf::from));
    }
    if child.wait()?.success() {
        return Ok(Build { fingerprint: fingerprint(&binaries)?, binaries });
    }
    Err(advice::error(
        format!("the functions do not compile:\n{}", super::files::tail(log, 15)),
        format!("the whole output is in {}", log.display()),
    ))
}

fn fingerprint(binaries: &[PathBuf]) -> Result<String> {
    let mut parts = Vec::new();
    for binary in binaries {
        let metadata = fs::metadata(binary)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH)?.as_nanos();
        let name = binary.file_name().unwrap_or_default().to_string_lossy();
        parts.push(format!("{name}:{}:{modified}", metadata.len()));
    }
    parts.sort();
    Ok(parts.join(" "))
}

/// What `cargo lambda watch` is started with.
#[derive(Debug)]
pub struct Watch<'a> {
    /// The program.
    pub tools: &'a Tools,
    /// The checkout.
    pub root: &'a Path,
    /// A directory for the binaries being run.
    pub running: &'a Path,
    /// Variables of all three functions.
    pub environment: &'a BTreeMap<String, String>,
    /// Where it listens.
    pub port: u16,
    /// Whether a change of the code restarts the functions.
    pub reload: Reload,
}

impl Watch<'_> {
    /// Starts it. The functions themselves start at their first request.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn start(&self, build: &Build, log: &Path) -> Result<Background> {
        let mut command = Command::new(&self.tools.cargo_lambda);
        without_cargos_own(&mut command);
        command.current_dir(self.root).args(["lambda", "watch", "--color", "never", "--invoke-address", "127.0.0.1"]);
        command.args(["--invoke-port", &self.port.to_string(), "--concurrency", CONCURRENCY]);
        if self.reload == Reload::Off {
            command.arg("--ignore-changes").env("CARGO", self.stand_in(build)?).env("VOUCH_CARGO", cargo_program());
        }
        // A profile or a session of the developer's own account must not reach the functions.
        command.env_remove("AWS_PROFILE").env_remove("AWS_SESSION_TOKEN").envs(self.environment);
        let mut watch = Background::start(&mut command, log)?;
        watch.wait_until("cargo lambda watch", START_LIMIT, async || listens(self.port).await).await?;
        Ok(watch)
    }

    /// Keeps the binaries apart from later builds, with the stand-in for cargo beside them.
    fn stand_in(&self, build: &Build) -> Result<PathBuf> {
        let _ = fs::remove_dir_all(self.running);
        fs::create_dir_all(self.running)?;
        for binary in &build.binaries {
            let kept = self.running.join(binary.file_name().context("a binary has a name")?);
            // A link is instant; across file systems there are none.
            fs::hard_link(binary, &kept).or_else(|_| fs::copy(binary, &kept).map(drop))?;
        }
        let stand_in = self.running.join("cargo");
        fs::write(&stand_in, STAND_IN)?;
        fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755))?;
        Ok(stand_in)
    }
}

/// Whether somebody listens on a port.
pub async fn listens(port: u16) -> bool {
    tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok()
}

/// The address that invokes a function with an event.
#[must_use]
pub fn invocation_url(port: u16, function: &str) -> String {
    format!("http://127.0.0.1:{port}/2015-03-31/functions/{function}/invocations")
}

/// The address at which a function is served over HTTP.
#[must_use]
pub fn http_url(port: u16, function: &str) -> String {
    format!("http://127.0.0.1:{port}/lambda-url/{function}")
}

/// The cargo that runs this program, if one does.
fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(cargo_program());
    without_cargos_own(&mut command);
    command.current_dir(root);
    command
}

/// What `cargo run` tells its program about the package being run would only mislead the next cargo.
fn without_cargos_own(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text.starts_with("CARGO_BIN_") {
            command.env_remove(&name);
        }
    }
}
