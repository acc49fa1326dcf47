//! `vouch local …`: what people see of the local stack.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::args::LocalCommand;
use crate::aws;
use crate::checkout::Checkout;
use crate::local::bridge::Bridge;
use crate::local::functions::Reload;
use crate::local::lambda;
use crate::local::stack::{self, Stack};
use crate::local::state::{Part, State};
use crate::local::{demo, test_run, watch};
use crate::output::{bad, bold, dim, good};
use crate::token::{LocalKeys, Principal};

/// How often `dev` looks whether its parts still run.
const WATCH: Duration = Duration::from_secs(1);

pub(super) async fn run(command: LocalCommand, json: bool) -> Result<ExitCode> {
    if let LocalCommand::Bridge { endpoint, queue_url, function_url } = &command {
        let sqs = aws_sdk_sqs::Client::new(&aws::for_emulator(endpoint).await);
        Bridge::new(sqs, queue_url, function_url).await?.run().await?;
        return Ok(ExitCode::SUCCESS);
    }
    if let LocalCommand::Functions { config } = &command {
        let config = serde_json::from_str(&std::fs::read_to_string(config)?)?;
        lambda::server::run(config).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let checkout = Checkout::find()?;
    match command {
        LocalCommand::Up => {
            up(&checkout).await?;
        }
        LocalCommand::Down => down(&checkout).await?,
        LocalCommand::Demo => return demo::run(&checkout).await,
        LocalCommand::Dev => return dev(&checkout).await,
        LocalCommand::Test { command } => return test_run::run(&checkout, &command).await,
        LocalCommand::Watch { port, options } => watch::run(&checkout, port, &options).await?,
        LocalCommand::Status => return Ok(status(&checkout, json)),
        LocalCommand::Bridge { .. } | LocalCommand::Functions { .. } => {}
    }
    Ok(ExitCode::SUCCESS)
}

async fn up(checkout: &Checkout) -> Result<()> {
    let stack = stack::up(checkout, Reload::Off).await?;
    println!("{} {}", bold("the stack runs at"), stack.service.require("VOUCH_URL")?);
    println!("  variables for any program: `. {}`", checkout.relative(&checkout.stack_env()));
    println!("  stop it: `make down`");
    Ok(())
}

async fn down(checkout: &Checkout) -> Result<()> {
    let stopped = stack::down(checkout, &BTreeSet::from(Part::ALL)).await?;
    if stopped.is_empty() {
        println!("nothing was running");
    } else {
        println!("stopped {}", stopped.iter().map(|part| part.name()).collect::<Vec<_>>().join(", "));
    }
    Ok(())
}

async fn dev(checkout: &Checkout) -> Result<ExitCode> {
    // Asked for before anything starts, so that an early Ctrl-C also stops what has started by then.
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let before = alive(checkout);
    let outcome = tokio::select! {
        outcome = serve(checkout) => outcome,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    let own: BTreeSet<Part> = alive(checkout).difference(&before).copied().collect();
    println!();
    let stopped = stack::down(checkout, &own).await?;
    println!("stopped {}", stopped.iter().map(|part| part.name()).collect::<Vec<_>>().join(", "));
    if !before.is_empty() {
        println!("what ran before goes on running; `make down` stops it");
    }
    outcome.map(|()| ExitCode::SUCCESS)
}

async fn serve(checkout: &Checkout) -> Result<()> {
    let stack = stack::up(checkout, Reload::OnChange).await?;
    announce(checkout, &stack)?;
    loop {
        tokio::time::sleep(WATCH).await;
        let state = State::read(checkout);
        if state.running.is_empty() {
            println!("the stack was stopped by another command");
            return Ok(());
        }
        if let Some(dead) = Part::ALL.into_iter().find(|part| state.alive(*part).is_none()) {
            return Err(crate::advice::error(
                format!("{} has ended", dead.name()),
                format!("read {}, then run `make dev` again", checkout.relative(&checkout.log(dead.name()))),
            ));
        }
    }
}

fn announce(checkout: &Checkout, stack: &Stack) -> Result<()> {
    let url = stack.service.require("VOUCH_URL")?;
    let principal =
        Principal { subject: "dev".into(), tenant: "demo".into(), scopes: vec!["everyone".into()] };
    let token = LocalKeys::of(checkout)?.sign(&principal, time::Duration::hours(12))?;
    println!();
    println!("{}      {url}", bold("API"));
    println!("{}   {}", bold("bucket"), stack.service.require("VOUCH_BUCKET")?);
    println!("{}      {}", bold("AWS"), stack.service.require("AWS_ENDPOINT_URL")?);
    println!("{}      {}", bold("env"), checkout.relative(&checkout.stack_env()));
    println!("{}     {}", bold("logs"), checkout.relative(&checkout.local("logs")));
    println!("{}    {token}", bold("token"));
    println!(
        "\n{}",
        dim("a question to paste (`make demo` in another terminal uploads the handbook first):")
    );
    println!(
        "curl -s {url}/v1/ask -H 'content-type: application/json' -H 'authorization: Bearer {token}' -d '{}'",
        json!({"question": "Which HTTP status means that the body is too large?"})
    );
    println!("\nCtrl-C stops it.");
    Ok(())
}

fn alive(checkout: &Checkout) -> BTreeSet<Part> {
    let state = State::read(checkout);
    Part::ALL.into_iter().filter(|part| state.alive(*part).is_some()).collect()
}

fn status(checkout: &Checkout, json: bool) -> ExitCode {
    let state = State::read(checkout);
    let alive = alive(checkout);
    if json {
        let parts = Part::ALL.map(|part| {
            json!({"part": part.name(), "runs": alive.contains(&part), "port": state.ports.get(&part),
                   "pid": state.alive(part).map(|running| running.process.pid)})
        });
        super::print_json(&json!({"parts": parts}));
    } else {
        for part in Part::ALL {
            let port = state.ports.get(&part).map(|port| format!("port {port}, ")).unwrap_or_default();
            match state.alive(part) {
                Some(running) => {
                    println!("{:10} {} {port}pid {}", part.name(), good("runs"), running.process.pid)
                }
                None => println!("{:10} {}", part.name(), bad("does not run")),
            }
        }
    }
    if alive.len() == Part::ALL.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
