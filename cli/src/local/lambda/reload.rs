//! Compiles the functions anew when their code changes, and swaps the instances when that succeeds.
//!
//! An invocation in flight ends in the instance that it began in. Code that does not compile changes nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::process::Command;

use super::instances::Instances;
use crate::local::functions;

/// What the functions are compiled from.
const SOURCES: [&str; 5] = ["functions", "shared", "migrations", "Cargo.toml", "Cargo.lock"];
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Watches until the process ends.
pub async fn watch(root: PathBuf, functions: Vec<Arc<Instances>>) {
    let mut built_from = newest(&root);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let now = newest(&root);
        if now == built_from {
            continue;
        }
        built_from = now;
        println!("code has changed; compiling");
        if compile(&root).await {
            functions.iter().for_each(|function| function.retire_all());
            println!("the next requests are served by the new code");
        } else {
            println!("it does not compile; the old code goes on serving");
        }
    }
}

async fn compile(root: &Path) -> bool {
    let mut command = functions::cargo(root);
    command.arg("build");
    for function in functions::FUNCTIONS {
        command.args(["--bin", function]);
    }
    Command::from(command).status().await.is_ok_and(|status| status.success())
}

/// The time of the newest source.
fn newest(root: &Path) -> Option<SystemTime> {
    SOURCES.iter().filter_map(|source| newest_under(&root.join(source))).max()
}

fn newest_under(path: &Path) -> Option<SystemTime> {
    let metadata = std::fs::metadata(path).ok()?;
    let own = metadata.modified().ok();
    if !metadata.is_dir() {
        return own;
    }
    // A directory's own time tells of files that were added or removed.
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| newest_under(&entry.path())).max().max(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_deep_down_is_seen() {
        let root = std::env::temp_dir().join(format!("vouch-reload-{}", uuid::Uuid::new_v4()));
        let file = root.join("shared/src/deep.rs");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "1").unwrap();
        let before = newest(&root).unwrap();
        let later = before + Duration::from_secs(5);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
        assert_eq!(newest(&root), Some(later));
        std::fs::remove_dir_all(root).unwrap();
    }
}
