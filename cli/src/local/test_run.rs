//! `vouch local test -- COMMAND`: a throwaway database and emulator around one command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::credentials::Credentials;
use super::postgres::{Durability, Home};
use super::process::{self, Started};
use super::tools::Tools;
use super::{emulator, files};
use crate::advice::Advise;
use crate::aws::{LOCAL_ACCESS_KEY, LOCAL_REGION};
use crate::checkout::Checkout;
use crate::output::Step;

/// What a run leaves behind if it is killed; the next run cleans it up.
#[derive(Debug, Serialize, Deserialize)]
struct Run {
    runner: Started,
    servers: Vec<Started>,
    cluster: String,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the servers do not start or the command cannot be run.
pub async fn run(checkout: &Checkout, command: &[String]) -> Result<ExitCode> {
    let runs = checkout.shared("test");
    files::private_dir(&runs)?;
    let step = Step::begin("test servers");
    let home = Home::choose(checkout)?;
    if let Some(why) = &home.elsewhere {
        step.note(why);
    }
    let prepared = async {
        let tools = Tools::ensure(checkout, &home, &step)?;
        clear_leftovers(&runs, &home).await?;
        Ok(tools)
    }
    .await;
    let tools = match prepared {
        Ok(tools) => tools,
        Err(error) => return step.end(Err(error), |_: &ExitCode| String::new()),
    };
    let pid = std::process::id();
    let runner =
        Started { pid, started: process::start_time(pid).context("this process has no start time")? };
    let servers =
        TestServers { dir: runs.join(pid.to_string()), cluster: format!("test-{pid}"), home, tools };
    let mut run = Run { runner, servers: Vec::new(), cluster: servers.cluster.clone() };

    let started = servers.start(&mut run).await;
    let outcome = match step.end(started, |_| "Postgres and AWS emulator are up".to_owned()) {
        Ok(environment) => supervise(command, &environment).await,
        Err(error) => Err(error),
    };
    servers.stop(&run).await?;
    outcome
}

struct TestServers {
    dir: PathBuf,
    cluster: String,
    home: Home,
    tools: Tools,
}

impl TestServers {
    /// Starts both servers, noting each in `run` as soon as it exists. Returns the command's variables.
    async fn start(&self, run: &mut Run) -> Result<Vec<(&'static str, String)>> {
        files::private_dir(&self.dir)?;
        self.note(run)?;
        let credentials = Credentials::random();
        let cluster = self.home.cluster(&self.cluster);
        cluster.ensure(&credentials.superuser)?;
        let database_port = process::free_port(None)?;
        let postgres =
            cluster.start(database_port, Durability::Throwaway, &self.dir.join("postgres.log")).await?;
        run.servers.push(postgres.started);
        self.note(run)?;
        let aws_port = process::free_port(None)?;
        let log = self.dir.join("emulator.log");
        let emulator = emulator::start(&self.tools, &self.dir.join("emulator"), aws_port, &log).await?;
        run.servers.push(emulator.started);
        self.note(run)?;

        let database = json!({
            "host": "127.0.0.1", "port": database_port, "ca_file": self.home.certificates()?.ca,
            "superuser": "postgres", "password": credentials.superuser,
        });
        Ok(vec![
            ("VOUCH_TEST_POSTGRES", database.to_string()),
            ("VOUCH_TEST_AWS_ENDPOINT", emulator::endpoint(aws_port)),
            ("VOUCH_MODEL_DIR", self.tools.model.display().to_string()),
            // Tests must not reach a developer's own account.
            ("AWS_REGION", LOCAL_REGION.to_owned()),
            ("AWS_ACCESS_KEY_ID", LOCAL_ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", LOCAL_ACCESS_KEY.to_owned()),
        ])
    }

    fn note(&self, run: &Run) -> Result<()> {
        files::write(&self.dir.with_extension("json"), &serde_json::to_string(run)?)
    }

    async fn stop(&self, run: &Run) -> Result<()> {
        clear(&self.dir.with_extension("json"), run, &self.home).await
    }
}

async fn clear_leftovers(runs: &Path, home: &Home) -> Result<()> {
    for entry in std::fs::read_dir(runs)? {
        let note = entry?.path();
        let text = std::fs::read_to_string(&note).unwrap_or_default();
        let Ok(run) = serde_json::from_str::<Run>(&text) else { continue };
        if !run.runner.is_alive() {
            clear(&note, &run, home).await?;
        }
    }
    Ok(())
}

async fn clear(note: &Path, run: &Run, home: &Home) -> Result<()> {
    for server in &run.servers {
        // Nothing of it is kept, so nothing needs to be written in order; INT is what both understand.
        server.stop(Signal::INT).await?;
    }
    let cluster = home.cluster(&run.cluster);
    if cluster.exists() {
        cluster.delete()?;
    }
    let _ = std::fs::remove_dir_all(note.with_extension(""));
    Ok(std::fs::remove_file(note)?)
}

/// Runs the command to its end. Ctrl-C reaches it by the terminal; SIGTERM is passed on.
async fn supervise(command: &[String], environment: &[(&'static str, String)]) -> Result<ExitCode> {
    let (program, arguments) = command.split_first().context("no command was given")?;
    let mut child = tokio::process::Command::new(program)
        .args(arguments)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .env_remove("AWS_PROFILE")
        .env_remove("AWS_SESSION_TOKEN")
        .spawn()
        .advise(format!("{program} cannot be run"), "give a command that is in PATH after `--`")?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let status = loop {
        tokio::select! {
            status = child.wait() => break status?,
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {
                let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
                if let Some(pid) = pid {
                    let _ = rustix::process::kill_process(pid, Signal::TERM);
                }
            }
        }
    };
    // 1 stands for an end by a signal, which has no code of its own.
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}
