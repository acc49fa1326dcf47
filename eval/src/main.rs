//! `vouch-eval`: measures retrieval and refusals. `make eval` calls it with the servers that it needs.
#![allow(clippy::print_stdout, reason = "a command that people and programs read")]

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use vouch_eval::commands::{beir, outside, run, squad};

/// Measures whether the right documents are found, and whether questions without an answer are refused.
///
/// Needs the Postgres server, the bucket and the model that `vouch local test -- COMMAND` starts for its command.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: run::Options,
}

#[derive(Subcommand)]
enum Command {
    /// The project's own questions against eval/baseline.json; fails when a figure falls (the default)
    Run(run::Options),
    /// Labelled questions about a directory of documents
    Corpus(outside::Options),
    /// A data set in BEIR's form
    Beir(beir::Options),
    /// Answers and refusals alone, on a data set in SQuAD 2.0's form
    Squad(squad::Options),
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let said = match cli.command {
        None => run::run(&cli.run).await?,
        Some(Command::Run(options)) => run::run(&options).await?,
        Some(Command::Corpus(options)) => outside::run(&options).await?,
        Some(Command::Beir(options)) => beir::run(&options).await?,
        Some(Command::Squad(options)) => squad::run(&options).await?,
    };
    println!("{}", said.text.trim_end());
    Ok(if said.good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
