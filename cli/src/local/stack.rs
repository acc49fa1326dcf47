//! The order in which the stack starts and stops.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;
use serde_json::json;

use super::functions::{self, Reload};
use super::lock::StackLock;
use super::postgres::{Durability, Home};
use super::process::{self, Background};
use super::state::{Part, Running, State};
use super::tools::Tools;
use super::{credentials::Credentials, emulator, files};
use crate::api_client::Invoker;
use crate::aws::{LOCAL_ACCESS_KEY, LOCAL_REGION};
use crate::checkout::Checkout;
use crate::output::Step;
use crate::service::Service;
use crate::token::{AUDIENCE, ISSUER, LocalKeys};
use crate::{advice, env_file};

/// How long the first request to a function may take: it loads its model.
const WARM_UP_LIMIT: Duration = Duration::from_secs(120);

/// A stack that runs.
#[derive(Debug)]
pub struct Stack {
    /// How to call it.
    pub service: Service,
    /// The parts that this command started; others ran already.
    pub started: BTreeSet<Part>,
}

/// Starts whatever does not run yet, in order.
///
/// # Errors
/// When a part does not come up; what runs by then keeps running and is written down.
pub async fn up(checkout: &Checkout, reload: Reload) -> Result<Stack> {
    let _lock = StackLock::take(checkout)?;
    files::private_dir(&checkout.local("logs"))?;
    let home = Home::choose(checkout)?;
    let tools = {
        let step = Step::begin("tools");
        if let Some(why) = &home.elsewhere {
            step.note(why);
        }
        let tools = Tools::ensure(checkout, &home, &step);
        step.end(tools, |_| "PostgreSQL, AWS emulator, embedding model".to_owned())?
    };
    let mut starting = Starting {
        checkout,
        tools,
        home,
        credentials: Credentials::of(checkout)?,
        keys: LocalKeys::of(checkout)?,
        state: State::read(checkout),
        started: BTreeSet::new(),
    };
    starting.postgres().await?;
    let queue_url = starting.emulator().await?;
    starting.functions(reload).await?;
    starting.migrate().await?;
    starting.warm_up().await?;
    starting.bridge(&queue_url).await?;
    let variables = starting.variables(&queue_url)?;
    files::write_secret(&checkout.stack_env(), &env_file::render(&variables))?;
    starting.write_functions_env()?;
    Ok(Stack { service: Service::of(variables), started: starting.started })
}

/// Stops the given parts, those that depend on others first. Returns what ran until now.
///
/// # Errors
/// When a process does not end.
pub async fn down(checkout: &Checkout, parts: &BTreeSet<Part>) -> Result<Vec<Part>> {
    let _lock = StackLock::take(checkout)?;
    let mut state = State::read(checkout);
    let mut stopped = Vec::new();
    for part in Part::ALL.into_iter().rev().filter(|part| parts.contains(part)) {
        if stop(checkout, &mut state, part).await? {
            stopped.push(part);
        }
    }
    if state.running.is_empty() {
        let _ = std::fs::remove_file(checkout.stack_env());
        let _ = std::fs::remove_file(checkout.functions_env());
    }
    Ok(stopped)
}

async fn stop(checkout: &Checkout, state: &mut State, part: Part) -> Result<bool> {
    let Some(running) = state.running.get(&part) else { return Ok(false) };
    let was_alive = running.process.is_alive();
    // Postgres: SIGINT disconnects clients and shuts down cleanly, SIGTERM would wait for them.
    let ask = if part == Part::Postgres { Signal::INT } else { Signal::TERM };
    running.process.stop(ask).await.with_context(|| format!("{} could not be stopped", part.name()))?;
    state.running.remove(&part);
    state.write(checkout)?;
    Ok(was_alive)
}

struct Starting<'a> {
    checkout: &'a Checkout,
    tools: Tools,
    home: Home,
    credentials: Credentials,
    keys: LocalKeys,
    state: State,
    started: BTreeSet<Part>,
}

impl Starting<'_> {
    async fn postgres(&mut self) -> Result<()> {
        let step = Step::begin("Postgres");
        let name =
            self.checkout.instance().map_or_else(|| "data".to_owned(), |instance| format!("data-{instance}"));
        let home = self.home.clone();
        let cluster = home.cluster(&name);
        let result = async {
            cluster.ensure(&self.credentials.superuser)?;
            if self.keeps(Part::Postgres, "").await? {
                return Ok("already runs");
            }
            if let Some(dead) = self.state.running.get(&Part::Postgres) {
                cluster.forget_dead(dead.process.pid)?;
            }
            let port = self.port(Part::Postgres, &step)?;
            let durability =
                if self.checkout.instance().is_some() { Durability::Throwaway } else { Durability::Kept };
            let server = cluster.start(port, durability, &self.checkout.log("postgres")).await?;
            self.record(Part::Postgres, &server, "")?;
            cluster.prepare(port, &self.credentials)?;
            Ok("started")
        }
        .await;
        let port = self.state.ports.get(&Part::Postgres).copied().unwrap_or_default();
        step.end(result, |what| format!("{what} on port {port}, TLS only")).map(drop)
    }

    async fn emulator(&mut self) -> Result<String> {
        let step = Step::begin("AWS emulator");
        let result = async {
            if !self.keeps(Part::Emulator, "").await? {
                let port = self.port(Part::Emulator, &step)?;
                let state = self.checkout.local("emulator");
                let started =
                    emulator::start(&self.tools, &state, port, &self.checkout.log("emulator")).await?;
                self.record(Part::Emulator, &started, "")?;
            }
            emulator::provision(
                self.known_port(Part::Emulator)?,
                self.known_port(Part::Postgres)?,
                &self.credentials,
            )
            .await
        }
        .await;
        let port = self.state.ports.get(&Part::Emulator).copied().unwrap_or_default();
        step.end(result, |_| format!("bucket {}, queue and secrets on port {port}", emulator::BUCKET))
    }

    async fn functions(&mut self, reload: Reload) -> Result<()> {
        let step = Step::begin("build of the functions");
        let build = functions::build(self.checkout.root(), &self.checkout.log("build"), &step);
        let build = step.end(build, |_| functions::FUNCTIONS.join(", "))?;

        let step = Step::begin("functions");
        let result = async {
            let environments = self.function_environments()?;
            // With reload, a new build is no reason to start anew: the emulator sees to it.
            let (code, root) = match reload {
                Reload::Off => (build.fingerprint.as_str(), None),
                Reload::OnChange => ("reload", Some(self.checkout.root().to_owned())),
            };
            let fingerprint = format!("{code} {environments:?}");
            if self.keeps(Part::Functions, &fingerprint).await? {
                return Ok("already run");
            }
            let port = self.port(Part::Functions, &step)?;
            let config = functions::config(&build, &environments, port, root);
            let dir = self.checkout.local("functions");
            let mut started = functions::start(&config, &dir, &self.checkout.log("functions"))?;
            // Written down before it is waited for: an interrupted `up` leaves nothing that `down` does not know.
            self.record(Part::Functions, &started, &fingerprint)?;
            functions::ready(&mut started, port).await?;
            Ok("started")
        }
        .await;
        let port = self.state.ports.get(&Part::Functions).copied().unwrap_or_default();
        step.end(result, |what| format!("{what} on port {port}")).map(drop)
    }

    async fn migrate(&mut self) -> Result<()> {
        let step = Step::begin("migrations");
        let port = self.known_port(Part::Functions)?;
        let migrated = self.first_call(port, "admin", json!({"op": "migrate"})).await;
        step.end(migrated, |answer| match answer["applied"].as_array().map_or(0, Vec::len) {
            0 => format!("schema is at version {}", answer["version"]),
            applied => format!("{applied} applied, schema is at version {}", answer["version"]),
        })
        .map(drop)
    }

    /// The first request to a function waits until it has started; better here than in somebody's question.
    async fn warm_up(&mut self) -> Result<()> {
        let step = Step::begin("first request");
        let port = self.known_port(Part::Functions)?;
        let result = async {
            self.first_call(port, "ingest", json!({"Records": []})).await?;
            let url = format!("{}/healthz", functions::http_url(port, "query"));
            let client = reqwest::Client::builder().no_proxy().timeout(WARM_UP_LIMIT).build()?;
            let answer =
                client.get(&url).send().await.map_err(|error| self.silent("query").context(error))?;
            let status = answer.status();
            if !status.is_success() {
                return Err(self.silent("query").context(format!("{url} answered {status}")));
            }
            Ok(())
        }
        .await;
        step.end(result, |()| "ingest and query answer".to_owned())
    }

    async fn first_call(
        &self,
        port: u16,
        function: &str,
        event: serde_json::Value,
    ) -> Result<serde_json::Value> {
        let invoker = Invoker::new(&functions::invocation_url(port, function))?;
        match tokio::time::timeout(WARM_UP_LIMIT, invoker.invoke(&event)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(error.context(self.silent(function).to_string())),
            Err(_) => Err(self.silent(function)),
        }
    }

    fn silent(&self, function: &str) -> anyhow::Error {
        let log = self.checkout.log("functions");
        advice::error(
            format!("the function {function} does not work; the log ends with:\n{}", files::tail(&log, 8)),
            format!("read {}", self.checkout.relative(&log)),
        )
    }

    async fn bridge(&mut self, queue_url: &str) -> Result<()> {
        let step = Step::begin("bridge from the queue to ingest");
        let ingest_url = functions::invocation_url(self.known_port(Part::Functions)?, "ingest");
        let result = async {
            let fingerprint = format!("{queue_url} {ingest_url}");
            if self.keeps(Part::Bridge, &fingerprint).await? {
                return Ok("already runs");
            }
            let endpoint = emulator::endpoint(self.known_port(Part::Emulator)?);
            let mut command = Command::new(super::process::this_program()?);
            command.args(["local", "bridge", "--endpoint", &endpoint, "--queue-url", queue_url]);
            command.args(["--function-url", &ingest_url]);
            let started = Background::start(&mut command, &self.checkout.log("bridge"))?;
            self.record(Part::Bridge, &started, &fingerprint)?;
            Ok("started")
        }
        .await;
        step.end(result, |what| (*what).to_owned()).map(drop)
    }

    /// Whether a part runs as it should; one that runs otherwise is stopped, to be started anew.
    async fn keeps(&mut self, part: Part, fingerprint: &str) -> Result<bool> {
        match self.state.alive(part) {
            Some(running) if running.fingerprint == fingerprint => Ok(true),
            Some(_) => {
                stop(self.checkout, &mut self.state, part).await?;
                Ok(false)
            }
            None => Ok(false),
        }
    }

    fn port(&mut self, part: Part, step: &Step) -> Result<u16> {
        let wanted = self.state.ports.get(&part).copied();
        let port = process::free_port(wanted)?;
        if let Some(wanted) = wanted.filter(|wanted| *wanted != port) {
            step.note(format!("port {wanted} is taken by another program; using {port}"));
        }
        self.state.ports.insert(part, port);
        Ok(port)
    }

    fn known_port(&self, part: Part) -> Result<u16> {
        self.state.ports.get(&part).copied().with_context(|| format!("{} has no port", part.name()))
    }

    fn record(&mut self, part: Part, started: &Background, fingerprint: &str) -> Result<()> {
        let running = Running { process: started.started.clone(), fingerprint: fingerprint.to_owned() };
        self.state.running.insert(part, running);
        self.started.insert(part);
        self.state.write(self.checkout)
    }

    fn aws_variables(&self) -> Result<BTreeMap<String, String>> {
        let pairs = [
            ("AWS_ENDPOINT_URL", emulator::endpoint(self.known_port(Part::Emulator)?)),
            ("AWS_REGION", LOCAL_REGION.to_owned()),
            ("AWS_ACCESS_KEY_ID", LOCAL_ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", LOCAL_ACCESS_KEY.to_owned()),
        ];
        Ok(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Each function gets the secret of its own role; admin, which sets their passwords, those of all.
    fn function_environments(&self) -> Result<BTreeMap<&'static str, BTreeMap<String, String>>> {
        let database = ("VOUCH_DATABASE_CA_FILE", self.home.certificates()?.ca.display().to_string());
        let embedder = [
            ("VOUCH_EMBEDDER", "local".to_owned()),
            ("VOUCH_MODEL_DIR", self.tools.model.display().to_string()),
        ];
        let secret = |name, id: &str| (name, id.to_owned());
        let ingest =
            [secret("VOUCH_INGEST_SECRET", "vouch/ingest"), ("VOUCH_BUCKET", emulator::BUCKET.to_owned())];
        let query = [
            secret("VOUCH_QUERY_SECRET", "vouch/query"),
            ("VOUCH_JWT_ISSUER", ISSUER.to_owned()),
            ("VOUCH_JWT_AUDIENCE", AUDIENCE.to_owned()),
            ("VOUCH_JWT_JWKS_FILE", self.keys.jwks.display().to_string()),
        ];
        let admin = [
            secret("VOUCH_OWNER_SECRET", "vouch/owner"),
            secret("VOUCH_INGEST_SECRET", "vouch/ingest"),
            secret("VOUCH_QUERY_SECRET", "vouch/query"),
        ];
        let aws = self.aws_variables()?;
        let with_common = |own: &[(&str, String)]| {
            let mut variables = aws.clone();
            let all = own.iter().chain(&embedder).chain([&database]);
            variables.extend(all.map(|(name, value)| ((*name).to_owned(), value.clone())));
            variables
        };
        Ok(BTreeMap::from([
            ("ingest", with_common(&ingest)),
            ("query", with_common(&query)),
            ("admin", with_common(&admin)),
        ]))
    }

    /// The variables of all three functions together: `cargo lambda watch` has one file for whatever it runs.
    fn write_functions_env(&self) -> Result<()> {
        let all = self.function_environments()?.into_values().flatten().collect();
        let file = self.checkout.functions_env();
        match env_file::render_for_cargo_lambda(&all) {
            Ok(text) => files::write_secret(&file, &text),
            // The stack itself does not need it.
            Err(error) => {
                let _ = std::fs::remove_file(&file);
                eprintln!("  {} is not written: {error}", self.checkout.relative(&file));
                Ok(())
            }
        }
    }

    /// What programs need in order to use the stack.
    fn variables(&self, queue_url: &str) -> Result<BTreeMap<String, String>> {
        let (functions, database) = (self.known_port(Part::Functions)?, self.known_port(Part::Postgres)?);
        let ca = self.home.certificates()?.ca.display().to_string();
        let database_url = |role: &str, password: &str| {
            format!(
                "postgresql://{role}:{password}@127.0.0.1:{database}/vouch?sslmode=verify-full&sslrootcert={ca}"
            )
        };
        let mut variables = self.aws_variables()?;
        let pairs = [
            ("VOUCH_URL", functions::http_url(functions, "query")),
            ("VOUCH_ADMIN_URL", functions::invocation_url(functions, "admin")),
            ("VOUCH_INGEST_URL", functions::invocation_url(functions, "ingest")),
            ("VOUCH_BUCKET", emulator::BUCKET.to_owned()),
            ("VOUCH_QUEUE_URL", queue_url.to_owned()),
            ("VOUCH_CA_FILE", ca.clone()),
            ("VOUCH_MODEL_DIR", self.tools.model.display().to_string()),
            ("DATABASE_URL_OWNER", database_url("vouch_owner", &self.credentials.owner)),
            ("DATABASE_URL_INGEST", database_url("vouch_ingest", &self.credentials.ingest)),
            ("DATABASE_URL_QUERY", database_url("vouch_query", &self.credentials.query)),
        ];
        variables.extend(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)));
        Ok(variables)
    }
}
