//! One file a command.

pub mod upload;
pub mod ask;
pub mod search;
pub mod token;
pub mod admin;
pub mod local;

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::args::{Args, CallerArgs, Command};
use crate::checkout::Checkout;
use crate::service::Service;
use crate::token::{LocalKeys, Principal};

/// How long a token lives that a command makes for its own call.
const CALL_TOKEN_LIFETIME: time::Duration = time::Duration::minutes(10);

/// Runs a command.
///
/// # Errors
/// Whatever it could not do, with a cure where there is one.
pub async fn run(args: Args) -> Result<ExitCode> {
    match args.command {
        Command::Local(command) => return local::run(command, args.json).await,
        Command::Upload(upload) => upload::run(&upload, args.json).await?,
        Command::Ask(ask) => ask::run(&ask, args.json).await?,
        Command::Search(search) => search::run(&search, args.json).await?,
        Command::Token(token) => token::run(&token)?,
        Command::Admin(command) => admin::run(command, args.json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The caller's own token, or one signed with the local key.
fn bearer(service: &Service, caller: &CallerArgs) -> Result<String> {
    if let Some(token) = caller.token.as_ref().filter(|token| !token.is_empty()) {
        return Ok(token.clone());
    }
    if !service.is_local && !service.get("VOUCH_URL").is_some_and(|url| url.starts_with("http://127.0.0.1")) {
        return service.require("VOUCH_TOKEN").map(str::to_owned);
    }
    let principal =
        Principal { subject: "vouch".into(), tenant: caller.tenant.clone(), scopes: caller.scopes.clone() };
    LocalKeys::of(&Checkout::find()?)?.sign(&principal, CALL_TOKEN_LIFETIME)
}

/// A request's body; absent options are left out, since the API refuses fields that it does not know.
fn body(pairs: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    Value::Object(pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

fn print_json(value: &Value) {
    println!("{value:#}");
}
