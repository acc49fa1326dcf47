//! The database server: where it may live, who runs it, and how a cluster is made and started.
//!
//! Postgres refuses to run as root. Root therefore runs it as `nobody`, which has a line in every passwd
//! file (the server looks its user up) and must be able to reach the server's directory.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use std::io::Write;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::certificates::Certificates;
use super::process::{self, Background};
use super::{credentials::Credentials, files};
use crate::advice::{self, Advise};
use crate::checkout::Checkout;

/// The server's version as its directory is named inside the release.
const VERSION: &str = "18.1.0";
/// The user `nobody`.
const NOBODY: u32 = 65534;
/// How long a server may take to accept connections; recovery after a crash is the slow case.
const START_LIMIT: Duration = Duration::from_secs(60);

/// The server's directory and the user who runs it.
#[derive(Debug, Clone)]
pub struct Home {
    dir: PathBuf,
    runs_as_nobody: bool,
    /// Why the directory is not in the checkout, if it is not.
    pub elsewhere: Option<String>,
}

impl Home {
    /// `.local/postgres`, or for root a directory outside if `nobody` cannot reach the checkout.
    ///
    /// # Errors
    /// When no directory can be made.
    pub fn choose(checkout: &Checkout) -> Result<Self> {
        let runs_as_nobody = rustix::process::geteuid().is_root();
        let inside = checkout.shared("postgres");
        let barrier = checkout.root().ancestors().find(|dir| runs_as_nobody && !others_may_pass(dir));
        let (dir, elsewhere) = match barrier {
            None => (inside, None),
            Some(barrier) => {
                let dir = outside(checkout);
                let why = format!(
                    "Postgres lives in {}, because {} is closed to the user nobody that runs it",
                    dir.display(),
                    barrier.display()
                );
                (dir, Some(why))
            }
        };
        if elsewhere.is_none() {
            files::passable_dir(&checkout.shared(""))?;
        }
        files::passable_dir(&dir)?;
        let owner = fs::symlink_metadata(&dir)?;
        ensure!(
            owner.is_dir() && owner.uid() == rustix::process::geteuid().as_raw(),
            "{} belongs to somebody else",
            dir.display()
        );
        Ok(Self { dir, runs_as_nobody, elsewhere })
    }

    /// Where the server's programs are or will be.
    #[must_use]
    pub fn installation(&self) -> PathBuf {
        self.dir.join(format!("server-{VERSION}"))
    }

    /// The certificates of every server of this checkout.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn certificates(&self) -> Result<Certificates> {
        let certificates = Certificates::ensure(&self.dir.join("certificates"))?;
        self.give(&certificates.key)?;
        Ok(certificates)
    }

    /// Unpacks the server from the release's program. pgvector comes with its first start only, so it is
    /// started once, under a name of its own, and dropped.
    ///
    /// # Errors
    /// When the program fails.
    pub fn install(&self, pg0: &Path) -> Result<()> {
        let unpacking = self.own_dir("unpacking")?;
        let program = unpacking.join("pg0");
        fs::copy(pg0, &program)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        let port = process::free_port(None)?.to_string();
        let run = |arguments: &[&str]| -> Result<()> {
            let output = self.as_user(&program).args(arguments).env("HOME", &unpacking).output()?;
            let said = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            ensure!(output.status.success(), "pg0 {} failed: {}", arguments.join(" "), said.trim());
            Ok(())
        };
        run(&["start", "--name", "unpack", "--port", &port]).advise(
            "PostgreSQL could not be unpacked",
            "check that the disk has 200 MB free; as root, that `setpriv` is installed (package util-linux)",
        )?;
        run(&["drop", "--name", "unpack", "--force"])?;
        let server = unpacking.join(".pg0/installation").join(VERSION);
        ensure!(server.join("bin/postgres").is_file(), "the release holds no server {VERSION}");
        fs::rename(server, self.installation())?;
        Ok(fs::remove_dir_all(unpacking)?)
    }

    /// A cluster of this checkout by its directory's name.
    #[must_use]
    pub fn cluster(&self, name: &str) -> Cluster<'_> {
        Cluster { home: self, data: self.dir.join(name) }
    }

    /// An empty directory that belongs to the server's user.
    fn own_dir(&self, name: &str) -> Result<PathBuf> {
        let dir = self.dir.join(name);
        let _ = fs::remove_dir_all(&dir);
        files::private_dir(&dir)?;
        self.give(&dir)?;
        Ok(dir)
    }

    fn give(&self, path: &Path) -> Result<()> {
        if self.runs_as_nobody {
            chown(path, Some(NOBODY), Some(NOBODY))?;
        }
        Ok(())
    }

    /// A command that runs as the server's user.
    fn as_user(&self, program: &Path) -> Command {
        if !self.runs_as_nobody {
            return Command::new(program);
        }
        let id = NOBODY.to_string();
        let mut command = Command::new("setpriv");
        command
            .args([&format!("--reuid={id}"), &format!("--regid={id}"), "--clear-groups", "--"])
            .arg(program);
        // A directory closed to nobody cannot be the working directory.
        command.current_dir("/");
        command
    }
}

fn others_may_pass(dir: &Path) -> bool {
    fs::metadata(dir).is_ok_and(|metadata| metadata.permissions().mode() & 0o001 != 0)
}

fn outside(checkout: &Checkout) -> PathBuf {
    let hash = Sha256::digest(checkout.root().as_os_str().as_encoded_bytes());
    let name: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    PathBuf::from(format!("/var/tmp/vouch-{name}"))
}

/// How much a server may lose when the machine stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing: the local stack's database.
    Kept,
    /// Everything: a test's database.
    Throwaway,
}

/// One database cluster.
#[derive(Debug)]
pub struct Cluster<'a> {
    home: &'a Home,
    data: PathBuf,
}

impl Cluster<'_> {
    /// Makes the cluster unless it is there.
    ///
    /// # Errors
    /// When `initdb` fails.
    pub fn ensure(&self, superuser_password: &str) -> Result<()> {
        if self.data.is_dir() {
            return Ok(());
        }
        let name = self.data.file_name().context("a cluster has a name")?.to_string_lossy();
        let partial = self.home.own_dir(&format!("{name}.partial"))?;
        let password_file = self.home.dir.join(format!("{name}.password"));
        files::write_secret(&password_file, superuser_password)?;
        self.home.give(&password_file)?;
        let output = self
            .home
            .as_user(&self.program("initdb"))
            .args([
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--auth=scram-sha-256",
                "--no-sync",
            ])
            .arg(format!("--pwfile={}", password_file.display()))
            .arg("--pgdata")
            .arg(&partial)
            .env("LD_LIBRARY_PATH", self.libraries())
            .output();
        fs::remove_file(&password_file)?;
        let output = output.advise(
            "initdb cannot be run",
            "as root, install `setpriv` (package util-linux), or run the command as another user",
        )?;
        ensure!(output.status.success(), "initdb failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        // Passwords over TLS from this machine, and no other way in.
        fs::write(partial.join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256\n")?;
        Ok(fs::rename(partial, &self.data)?)
    }

    /// Starts the server and waits until it accepts connections.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn start(&self, port: u16, durability: Durability, log: &Path) -> Result<Background> {
        let certificates = self.home.certificates()?;
        let mut command = self.home.as_user(&self.program("postgres"));
        command.arg("-D").arg(&self.data).env("LD_LIBRARY_PATH", self.libraries());
        let mut set = |name: &str, value: &str| {
            command.arg("-c").arg(format!("{name}={value}"));
        };
        set("listen_addresses", "127.0.0.1");
        set("port", &port.to_string());
        set("unix_socket_directories", "");
        set("ssl", "on");
        set("ssl_cert_file", &certificates.certificate.display().to_string());
        set("ssl_key_file", &certificates.key.display().to_string());
        set("max_connections", "200");
        set("shared_buffers", "256MB");
        if durability == Durability::Throwaway {
            set("fsync", "off");
            set("synchronous_commit", "off");
            set("full_page_writes", "off");
        }
        let mut server = Background::start(&mut command, log)?;
        server.wait_until("Postgres", START_LIMIT, async || self.is_ready(port)).await?;
        Ok(server)
    }

    /// Whether a server accepts connections.
    #[must_use]
    pub fn is_ready(&self, port: u16) -> bool {
        Command::new(self.program("pg_isready"))
            .args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()])
            .env("LD_LIBRARY_PATH", self.libraries())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Makes the owner's role, the database and the extension, and sets the owner's password.
    ///
    /// # Errors
    /// When the server refuses a statement.
    pub fn prepare(&self, port: u16, credentials: &Credentials) -> Result<()> {
        let mut psql = Command::new(self.program("psql"))
            .args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"])
            .args(["--host=127.0.0.1", "--username=postgres", "--dbname=postgres", "--file=-"])
            .arg(format!("--port={port}"))
            .env("PGPASSWORD", &credentials.superuser)
            .env("PGSSLMODE", "verify-full")
            .env("PGSSLROOTCERT", self.home.certificates()?.ca)
            .env("VOUCH_OWNER_PASSWORD", &credentials.owner)
            .env("LD_LIBRARY_PATH", self.libraries())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        psql.stdin.take().context("psql has no input")?.write_all(include_bytes!("cluster.sql"))?;
        let output = psql.wait_with_output()?;
        if output.status.success() {
            return Ok(());
        }
        Err(advice::error(
            format!("the database could not be prepared: {}", String::from_utf8_lossy(&output.stderr).trim()),
            "if .local/credentials.json was deleted, the database has other passwords: \
             run `make down`, delete .local/postgres/data and start again",
        ))
    }

    /// Forgets a server that is known to have ended without saying so. Postgres itself keeps off a pid that
    /// another process of the same user has by now.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn forget_dead(&self, pid: u32) -> Result<()> {
        let file = self.data.join("postmaster.pid");
        let written = fs::read_to_string(&file).unwrap_or_default();
        if written.lines().next() == Some(&pid.to_string()) {
            fs::remove_file(file)?;
        }
        Ok(())
    }

    /// Whether the cluster has been made.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.data.exists()
    }

    /// Deletes the cluster's files. The server must have ended.
    ///
    /// # Errors
    /// When they cannot be deleted.
    pub fn delete(&self) -> Result<()> {
        Ok(fs::remove_dir_all(&self.data)?)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.home.installation().join("bin").join(name)
    }

    fn libraries(&self) -> PathBuf {
        self.home.installation().join("lib")
    }
}
