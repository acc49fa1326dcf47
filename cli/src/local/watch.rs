//! `vouch local watch`: the functions by hand, with `cargo lambda watch`, beside the stack.
//!
//! Database, bucket, queue and secrets are the stack's, so a question asked here finds what was uploaded there. The
//! queue goes on to feed the stack's own ingest function. `cargo lambda watch` starts a function by
//! `cargo run --bin NAME` in the checkout's directory; the stack has built the functions with the same features and
//! profile, so nothing is left to compile.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::Result;

use super::functions::{self, Reload};
use super::tools::Tools;
use super::{process, stack};
use crate::advice;
use crate::checkout::Checkout;
use crate::output::{Step, bold};

/// Starts what is needed and becomes `cargo lambda watch`. Returns only if that fails.
///
/// # Errors
/// When the stack does not start, or the program cannot be fetched or run.
pub async fn run(checkout: &Checkout, port: u16, options: &[String]) -> Result<()> {
    stack::up(checkout, Reload::Off).await?;
    let step = Step::begin("cargo lambda");
    let program = Tools::ensure_cargo_lambda(checkout, &step);
    let program = step.end(program, |_| "there".to_owned())?;
    let port = process::free_port(Some(port))?;
    println!("{} {}", bold("cargo lambda watch serves"), functions::http_url(port, "query"));
    println!("  Ctrl-C ends it; the stack goes on running, `make down` stops it");

    let mut command = Command::new(&program);
    functions::without_cargos_own(&mut command);
    // A profile or a session of the developer's own account must not reach the functions.
    command.env_remove("AWS_PROFILE").env_remove("AWS_SESSION_TOKEN");
    command.current_dir(checkout.root()).args(["lambda", "watch", "--invoke-address", "127.0.0.1"]);
    command.args(["--invoke-port", &port.to_string(), "--env-file"]).arg(checkout.functions_env());
    let error = command.args(options).exec();
    Err(advice::error(
        format!("{} cannot be run: {error}", program.display()),
        "remove its directory, so that the next `vouch local watch` fetches it again",
    ))
}
