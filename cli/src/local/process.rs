//! Background processes: started in a group of their own, known by pid *and* start time, stopped by group.
//!
//! A pid alone may have passed to a stranger since it was written down; a pid with its start time has not.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use std::os::unix::process::CommandExt;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

/// How long a process may take to end after it was asked to, before it is made to.
const GRACE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

/// A process that was started, as it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// Process id; also the id of its group.
    pub pid: u32,
    /// When it started, in the words of the operating system; only compared for equality.
    pub started: String,
}

impl Started {
    /// Whether this very process still runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        start_time(self.pid).is_some_and(|started| started == self.started)
    }

    /// Asks the process and its children to end, waits, and ends them by force if they do not.
    /// Does nothing when the pid belongs to another process by now.
    ///
    /// # Errors
    /// When it still runs at the end.
    pub async fn stop(&self, ask: Signal) -> Result<()> {
        if !self.is_alive() {
            return Ok(());
        }
        self.signal(ask);
        if self.ends_within(GRACE).await {
            return Ok(());
        }
        self.signal(Signal::KILL);
        anyhow::ensure!(
            self.ends_within(GRACE).await,
            "process {} does not end, not even by SIGKILL",
            self.pid
        );
        Ok(())
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid.filter(|_| self.is_alive()) {
            // It may end by itself between the look and the signal: that is what was wanted.
            let _ = kill_process_group(pid, signal);
        }
    }

    async fn ends_within(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        while self.is_alive() {
            if Instant::now() > deadline {
                return false;
            }
            tokio::time::sleep(POLL).await;
        }
        true
    }
}

/// A process just started, and what to look at if it does not come up.
#[derive(Debug)]
pub struct Background {
    /// As it is written down.
    pub started: Started,
    child: Child,
    log: PathBuf,
}

impl Background {
    /// Starts a command in a process group of its own, with both outputs in a new log file.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn start(command: &mut Command, log: &Path) -> Result<Self> {
        if let Some(parent) = log.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let file = OpenOptions::new().create(true).write(true).truncate(true).open(log)?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
        let child = command
            .spawn()
            .with_context(|| format!("{} cannot be run", command.get_program().to_string_lossy()))?;
        let pid = child.id();
        let started = start_time(pid).with_context(|| {
            format!("{} ended at once; see {}", command.get_program().to_string_lossy(), log.display())
        })?;
        Ok(Self { started: Started { pid, started }, child, log: log.to_owned() })
    }

    /// Waits until `ready` says so; an early end of the process or the deadline is an error with the log's tail.
    ///
    /// # Errors
    /// When it does not become ready.
    pub async fn wait_until<F>(
        &mut self,
        what: &str,
        limit: Duration,
        mut ready: impl FnMut() -> F,
    ) -> Result<()>
    where
        F: Future<Output = bool>,
    {
        let deadline = Instant::now() + limit;
        loop {
            if ready().await {
                return Ok(());
            }
            let ended = self.child.try_wait()?;
            let trouble = match ended {
                Some(status) => format!("{what} ended at once ({status})"),
                None if Instant::now() > deadline => {
                    format!("{what} was not ready after {} s", limit.as_secs())
                }
                None => {
                    tokio::time::sleep(POLL).await;
                    continue;
                }
            };
            self.started.stop(Signal::TERM).await?;
            let tail = super::files::tail(&self.log, 5);
            return Err(crate::advice::error(
                format!("{trouble}; its last words were:\n{tail}"),
                format!("read {}, then run the command again", self.log.display()),
            ));
        }
    }
}

/// This program's file, also when a build has replaced it since it was started.
///
/// # Errors
/// When the system does not tell.
pub fn this_program() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    // Linux says so of a file that was replaced; what stands in its place is the newer build.
    let replaced = program.to_str().and_then(|path| path.strip_suffix(" (deleted)"));
    Ok(replaced.map_or_else(|| program.clone(), PathBuf::from))
}

/// When a living process started; none for a dead one and for a zombie.
#[must_use]
pub fn start_time(pid: u32) -> Option<String> {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => start_time_of_stat(&stat),
        Err(_) if Path::new("/proc/self/stat").exists() => None,
        Err(_) => start_time_by_ps(pid),
    }
}

/// Field 22 of `/proc/<pid>/stat`. The name in field 2 may hold spaces and brackets, so counting begins
/// after its last closing bracket; field 3 is then the state.
fn start_time_of_stat(stat: &str) -> Option<String> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

fn start_time_by_ps(pid: u32) -> Option<String> {
    let output = Command::new("ps").args(["-o", "stat=,lstart=", "-p", &pid.to_string()]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (state, started) = text.trim().split_once(char::is_whitespace)?;
    (!state.starts_with('Z')).then(|| started.trim().to_owned())
}

/// A port that nobody listens on: the one wanted if it is free, else any.
///
/// # Errors
/// When the machine has no free port.
pub fn free_port(wanted: Option<u16>) -> Result<u16> {
    let bind = |port| std::net::TcpListener::bind(("127.0.0.1", port));
    let listener = wanted.and_then(|port| bind(port).ok()).map_or_else(|| bind(0), Ok)?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_found_behind_a_name_with_brackets_and_spaces() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 1 0 987654 1000 50";
        assert_eq!(start_time_of_stat(stat).as_deref(), Some("987654"));
    }

    #[test]
    fn a_zombie_counts_as_dead() {
        let stat = "42 (x) Z 1 42 42 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 1 0 987654 1000 50";
        assert_eq!(start_time_of_stat(stat), None);
    }

    #[tokio::test]
    async fn a_stale_pid_never_stops_a_stranger() {
        let mut stranger = Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
        let stale = Started { pid: stranger.id(), started: "some other time".into() };
        assert!(!stale.is_alive());
        stale.stop(Signal::KILL).await.unwrap();
        assert!(stranger.try_wait().unwrap().is_none(), "the stranger was stopped");
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }

    #[tokio::test]
    async fn a_process_and_its_children_are_stopped_together() {
        let log = std::env::temp_dir().join(format!("vouch-process-{}.log", uuid::Uuid::new_v4()));
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 60 & echo $!; wait"]);
        let mut background = Background::start(&mut command, &log).unwrap();
        let child = || std::fs::read_to_string(&log).unwrap().trim().parse::<u32>().ok();
        background.wait_until("sh", Duration::from_secs(5), async || child().is_some()).await.unwrap();
        let child = child().unwrap();
        background.started.stop(Signal::TERM).await.unwrap();
        assert!(!background.started.is_alive());
        let deadline = Instant::now() + Duration::from_secs(5);
        while start_time(child).is_some() && Instant::now() < deadline {
            tokio::time::sleep(POLL).await;
        }
        assert_eq!(start_time(child), None);
        std::fs::remove_file(log).unwrap();
    }

    #[tokio::test]
    async fn a_process_that_ends_early_is_reported_with_its_last_words() {
        let log = std::env::temp_dir().join(format!("vouch-process-{}.log", uuid::Uuid::new_v4()));
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 0.1; echo out of luck; exit 3"]);
        let mut background = Background::start(&mut command, &log).unwrap();
        let error = background.wait_until("it", Duration::from_secs(5), async || false).await.unwrap_err();
        assert!(error.to_string().contains("out of luck"), "{error}");
        std::fs::remove_file(log).unwrap();
    }

    #[test]
    fn an_occupied_port_is_passed_over() {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let taken = listener.local_addr().unwrap().port();
        assert_ne!(free_port(Some(taken)).unwrap(), taken);
    }
}
