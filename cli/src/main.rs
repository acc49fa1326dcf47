//! Parses the command line, runs the command, and says in words what went wrong.

#![allow(clippy::print_stderr)] // the error of a command goes to its caller's terminal

use std::process::ExitCode;

use clap::Parser;
use vouch::{advice, args::Args, commands};

#[tokio::main]
async fn main() -> ExitCode {
    match commands::run(Args::parse()).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("{}", advice::describe(&error));
            ExitCode::FAILURE
        }
    }
}
