//! One command at a time starts or stops the stack of a checkout.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};

use anyhow::Result;

use super::files;
use crate::advice;
use crate::checkout::Checkout;

/// Held while the stack is being changed. The kernel lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub struct StackLock {
    _file: File,
}

impl StackLock {
    /// Takes the lock, or says who has it.
    ///
    /// # Errors
    /// When another process holds it.
    pub fn take(checkout: &Checkout) -> Result<Self> {
        files::passable_dir(&checkout.local(""))?;
        let path = checkout.local("lock");
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                file.rewind()?;
                write!(file, "{}", std::process::id())?;
                Ok(Self { _file: file })
            }
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder)?;
                // Between taking the lock and writing its id, a holder is nameless for an instant.
                let holder = if holder.is_empty() { String::new() } else { format!(" (process {holder})") };
                Err(advice::error(
                    format!("another vouch command{holder} is starting or stopping this checkout's stack"),
                    "wait for it to end, then run the command again",
                ))
            }
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_taker_is_told_who_holds_the_lock() {
        let root = std::env::temp_dir().join(format!("vouch-lock-{}", uuid::Uuid::new_v4()));
        let checkout = Checkout::at(&root);
        let first = StackLock::take(&checkout).unwrap();
        let refused = StackLock::take(&checkout).unwrap_err().to_string();
        assert!(refused.contains(&std::process::id().to_string()), "{refused}");
        drop(first);
        StackLock::take(&checkout).unwrap();
        std::fs::remove_dir_all(root).unwrap();
    }
}
