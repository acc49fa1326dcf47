//! Where the checkout is, and where in it the local stack keeps its files.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::advice;

/// Names a second stack of the same checkout, with state of its own; the end-to-end test uses it.
const INSTANCE_VARIABLE: &str = "VOUCH_INSTANCE";

/// A checkout of Vouch, and one stack of it. Everything that the stack writes is under `.local`.
#[derive(Debug, Clone)]
pub struct Checkout {
    root: PathBuf,
    instance: Option<String>,
}

impl Checkout {
    /// The checkout that holds the current directory.
    ///
    /// # Errors
    /// When no directory upward is a checkout.
    pub fn find() -> Result<Self> {
        let here = std::env::current_dir()?;
        let root = here.ancestors().find(|dir| is_checkout(dir)).ok_or_else(|| {
            advice::error(
                format!("{} is not inside a checkout of Vouch", here.display()),
                "change into the checkout, or set VOUCH_URL and VOUCH_TOKEN to call a deployed service",
            )
        })?;
        let instance = std::env::var(INSTANCE_VARIABLE).ok().filter(|name| !name.is_empty());
        Ok(Self { root: root.to_owned(), instance })
    }

    /// A checkout at a known place.
    #[must_use]
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned(), instance: None }
    }

    /// The checkout's own directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path under the stack's own directory: `.local`, or `.local/<instance>`.
    #[must_use]
    pub fn local(&self, path: &str) -> PathBuf {
        match &self.instance {
            None => self.shared(path),
            Some(instance) => self.shared(instance).join(path),
        }
    }

    /// A path under `.local`, for what every stack of the checkout uses: tools and model.
    #[must_use]
    pub fn shared(&self, path: &str) -> PathBuf {
        self.root.join(".local").join(path)
    }

    /// The second stack's name, if this is one.
    #[must_use]
    pub fn instance(&self) -> Option<&str> {
        self.instance.as_deref()
    }

    /// The log file of one part of the stack.
    #[must_use]
    pub fn log(&self, part: &str) -> PathBuf {
        self.local("logs").join(format!("{part}.log"))
    }

    /// The variables of the running stack, for any program to source.
    #[must_use]
    pub fn stack_env(&self) -> PathBuf {
        self.local("stack.env")
    }

    /// The variables of all three functions, for `cargo lambda watch --env-file`.
    #[must_use]
    pub fn functions_env(&self) -> PathBuf {
        self.local("functions.env")
    }

    /// A path as the reader would type it from the checkout.
    #[must_use]
    pub fn relative(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

fn is_checkout(dir: &Path) -> bool {
    dir.join("cli/demo.toml").is_file() && dir.join("Cargo.toml").is_file()
}
