//! Files written whole or not at all, with the permissions that they need from their first byte.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use anyhow::{Context, Result};

/// Makes a directory that others may pass through but not list; the server's user passes through it.
///
/// # Errors
/// When it cannot be made.
pub fn passable_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("{} cannot be made", path.display()))?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o711))?)
}

/// Makes a directory for its owner alone.
///
/// # Errors
/// When it cannot be made.
pub fn private_dir(path: &Path) -> Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o700))?)
}

/// Writes a file that anybody may read.
///
/// # Errors
/// When it cannot be written.
pub fn write(path: &Path, text: &str) -> Result<()> {
    write_with_mode(path, text, 0o644)
}

/// Writes a file that its owner alone may read.
///
/// # Errors
/// When it cannot be written.
pub fn write_secret(path: &Path, text: &str) -> Result<()> {
    write_with_mode(path, text, 0o600)
}

fn write_with_mode(path: &Path, text: &str, mode: u32) -> Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
    }
    let temporary = path.with_extension(format!("{}.partial", std::process::id()));
    let write = || -> std::io::Result<()> {
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}

/// The last lines of a log, for an error message.
#[must_use]
pub fn tail(path: &Path, lines: usize) -> String {
    let text = fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let all: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}
