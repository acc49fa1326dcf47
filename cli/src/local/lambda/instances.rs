//! Instances of one function: started when invocations find none idle, ended by themselves or by force.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use hyper::body::Bytes;
use tokio::process::Command;
use tokio::sync::watch;

use super::config::Function;
use super::queue::{Invocation, Outcome, Queue};

/// Memory that the functions are told they have, as in the deployed stack.
const MEMORY_MEGABYTES: &str = "1769";

struct Instance {
    has_asked: bool,
    /// Dropping it, with the instance, ends the process and its wait for work.
    alive: watch::Sender<()>,
    /// Whether it ends as soon as it asks for more work, because newer code is there.
    is_outdated: bool,
}

#[derive(Default)]
struct Running {
    next_id: u64,
    instances: HashMap<u64, Instance>,
}

/// One function with its queue and its processes.
pub struct Instances {
    name: String,
    function: Function,
    runtime_api: String,
    queue: Queue,
    running: Mutex<Running>,
}

impl Instances {
    /// A function of which nothing runs yet. `authority` is where the Runtime API listens.
    #[must_use]
    pub fn new(name: &str, function: Function, authority: &str) -> Arc<Self> {
        Arc::new(Self {
            name: name.to_owned(),
            function,
            // With the scheme: without it the runtime's client drops the path.
            runtime_api: format!("http://{authority}/runtime/{name}"),
            queue: Queue::default(),
            running: Mutex::default(),
        })
    }

    /// The function's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its program.
    #[must_use]
    pub fn binary(&self) -> &PathBuf {
        &self.function.binary
    }

    /// Invokes the function and waits for the outcome, or for the end of its time.
    pub async fn invoke(self: &Arc<Self>, event: Bytes) -> Outcome {
        let timeout = self.function.timeout();
        let (id, outcome) = self.queue.submit(event, timeout);
        self.start_as_needed();
        match tokio::time::timeout(timeout, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Outcome::error("Runtime.ExitError", "the emulator dropped the invocation"),
            Err(_) => {
                // As Lambda: an instance that overran is ended, for nobody knows what it is at.
                if let Some(instance) = self.queue.give_up(id) {
                    self.lock().instances.remove(&instance);
                }
                let seconds = self.function.timeout_seconds;
                Outcome::error("Sandbox.Timedout", &format!("Task timed out after {seconds}.00 seconds"))
            }
        }
    }

    /// An instance asks for its next invocation; none when the instance is to end.
    pub async fn next(&self, instance: u64) -> Option<Invocation> {
        let mut alive = {
            let mut running = self.lock();
            let asking = running.instances.get_mut(&instance)?;
            if asking.is_outdated {
                running.instances.remove(&instance);
                return None;
            }
            asking.has_asked = true;
            asking.alive.subscribe()
        };
        tokio::select! {
            biased;
            _ = alive.changed() => None,
            invocation = self.queue.next(instance) => Some(invocation),
        }
    }

    /// An instance ends an invocation. Whether it was in work.
    pub fn finish(&self, id: uuid::Uuid, outcome: Outcome) -> bool {
        self.queue.finish(id, outcome)
    }

    /// Lets every instance end: at once those that are idle, the others after what they work on.
    pub fn retire_all(&self) {
        for instance in self.lock().instances.values_mut() {
            instance.is_outdated = true;
        }
        let idle: Vec<u64> =
            self.lock().instances.keys().copied().filter(|id| !self.queue.is_working(*id)).collect();
        for id in idle {
            self.lock().instances.remove(&id);
        }
    }

    fn start_as_needed(self: &Arc<Self>) {
        let mut running = self.lock();
        let starting = running.instances.values().filter(|instance| !instance.has_asked).count();
        let wanted = self.queue.unserved().saturating_sub(starting);
        let allowed = self.function.concurrency.saturating_sub(running.instances.len());
        for _ in 0..wanted.min(allowed) {
            running.next_id += 1;
            let id = running.next_id;
            let (alive, stopped) = watch::channel(());
            running.instances.insert(id, Instance { has_asked: false, alive, is_outdated: false });
            tokio::spawn(Arc::clone(self).run(id, stopped));
        }
    }

    async fn run(self: Arc<Self>, id: u64, stopped: watch::Receiver<()>) {
        let ended = self.run_process(id, stopped).await;
        let has_asked = self.lock().instances.remove(&id).is_none_or(|instance| instance.has_asked);
        let outcome = Outcome::error("Runtime.ExitError", &format!("{} ended: {ended}", self.name));
        self.queue.instance_ended(id, has_asked, &outcome);
        // What waits behind it needs another instance; one that never came up would only end again.
        if has_asked {
            self.start_as_needed();
        }
    }

    async fn run_process(&self, id: u64, mut stopped: watch::Receiver<()>) -> String {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let spawned = Command::new(&self.function.binary)
            .envs(&self.function.environment)
            .env("AWS_LAMBDA_RUNTIME_API", format!("{}/{id}", self.runtime_api))
            .env("AWS_LAMBDA_FUNCTION_NAME", &self.name)
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", MEMORY_MEGABYTES)
            .env("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
            .env("AWS_LAMBDA_LOG_GROUP_NAME", format!("/aws/lambda/{}", self.name))
            .env("AWS_LAMBDA_LOG_STREAM_NAME", format!("{now}/[$LATEST]{id}"))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => return format!("{} cannot be run: {error}", self.function.binary.display()),
        };
        tokio::select! {
            status = child.wait() => status.map_or_else(|error| error.to_string(), |status| status.to_string()),
            _ = stopped.changed() => {
                let _ = child.kill().await;
                "it was stopped".to_owned()
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        // Every change above is complete before it can panic, so a poisoned state is still a good one.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
