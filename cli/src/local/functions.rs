//! The three functions: built by cargo, run by the emulator of Lambda in a process of its own.
//!
//! `cargo lambda watch` remains a way to run them by hand (`watch.rs`). It is not the stack's own, because it
//! answered 15 of 200 responses of 34 kB with an error 500 or cut them off (it answers the function before it
//! has read the function's response), and because it tells every function that its time was up in 1970.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::Value;

use super::lambda::config::{Config, Function};
use super::process::Background;
use crate::advice;
use crate::output::Step;

/// The functions, as their binaries are named.
pub const FUNCTIONS: [&str; 3] = ["ingest", "query", "admin"];
/// Instances of each function: one serves one request at a time, as on Lambda.
const CONCURRENCY: usize = 4;
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

/// Builds the functions. `--bin` without `--package` resolves features as `cargo run --bin vouch` does, so
/// that neither compiles a dependency of the other anew.
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
            step.at(format!(
                "{} ({compiled} compiled)",
                message["target"]["name"].as_str().unwrap_or_default()
            ));
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

/// What the emulator is to run: each function with variables of its own.
#[must_use]
pub fn config(
    build: &Build,
    environments: &BTreeMap<&str, BTreeMap<String, String>>,
    port: u16,
    reload: Option<PathBuf>,
) -> Config {
    let functions = environments.iter().filter_map(|(name, environment)| {
        let binary =
            build.binaries.iter().find(|binary| binary.file_stem().is_some_and(|stem| stem == *name))?;
        // As template.yaml has them.
        let timeout_seconds = if *name == "query" { 29 } else { 300 };
        let function = Function {
            binary: binary.clone(),
            environment: environment.clone(),
            timeout_seconds,
            concurrency: CONCURRENCY,
        };
        Some(((*name).to_owned(), function))
    });
    Config { port, reload, functions: functions.collect() }
}

/// Starts the emulator; [`ready`] waits for it, once it is written down that it runs. The functions themselves
/// start at their first request.
///
/// # Errors
/// When it cannot be run.
pub fn start(config: &Config, dir: &Path, log: &Path) -> Result<Background> {
    let mut config = config.clone();
    if config.reload.is_none() {
        keep_binaries(&mut config, dir)?;
    }
    let file = dir.join("config.json");
    super::files::write_secret(&file, &serde_json::to_string_pretty(&config)?)?;
    let mut command = Command::new(super::process::this_program()?);
    without_cargos_own(&mut command);
    // A profile or a session of the developer's own account must not reach the functions.
    command.env_remove("AWS_PROFILE").env_remove("AWS_SESSION_TOKEN");
    command.args(["local", "functions", "--config"]).arg(&file);
    Background::start(&mut command, log)
}

/// Waits until the emulator listens.
///
/// # Errors
/// When it does not come up.
pub async fn ready(emulator: &mut Background, port: u16) -> Result<()> {
    emulator.wait_until("the emulator of Lambda", START_LIMIT, async || listens(port).await).await
}

/// Links the binaries into `dir`, so that a later build does not change what runs.
fn keep_binaries(config: &mut Config, dir: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir)?;
    for function in config.functions.values_mut() {
        let kept = dir.join(function.binary.file_name().context("a binary has a name")?);
        // A link is instant; across file systems there are none.
        fs::hard_link(&function.binary, &kept).or_else(|_| fs::copy(&function.binary, &kept).map(drop))?;
        function.binary = kept;
    }
    Ok(())
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

/// The cargo that runs this program, if one does, else the one in PATH.
pub(super) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    without_cargos_own(&mut command);
    command.current_dir(root);
    command
}

/// What `cargo run` tells its program about the package being run would only mislead the next cargo.
pub(super) fn without_cargos_own(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_")
            || text.starts_with("CARGO_MANIFEST_")
            || text.starts_with("CARGO_BIN_")
        {
            command.env_remove(&name);
        }
    }
}
