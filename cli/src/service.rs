//! Which service a command talks to: the one that the environment names, else the local stack.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::advice::{self, Advise};
use crate::checkout::Checkout;
use crate::env_file;

/// Addresses and names of a running service.
#[derive(Debug, Clone)]
pub struct Service {
    variables: BTreeMap<String, String>,
    /// Whether it is the local stack, whose signing key is at hand.
    pub is_local: bool,
}

impl Service {
    /// With `VOUCH_URL` in the environment, everything comes from the environment; otherwise everything
    /// comes from the local stack, so that the two are never mixed.
    ///
    /// # Errors
    /// When the environment names no service and no local stack runs.
    pub fn locate() -> Result<Self> {
        if std::env::var("VOUCH_URL").is_ok_and(|url| !url.is_empty()) {
            return Ok(Self { variables: std::env::vars().collect(), is_local: false });
        }
        let file = Checkout::find()?.stack_env();
        let text = std::fs::read_to_string(&file).advise(
            "no service is named and no local stack is running",
            "start the stack with `make up`, or set VOUCH_URL",
        )?;
        Ok(Self { variables: env_file::parse(&text), is_local: true })
    }

    /// A service known by its variables.
    #[must_use]
    pub fn of(variables: BTreeMap<String, String>) -> Self {
        Self { variables, is_local: true }
    }

    /// A variable that may be absent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A variable that the command cannot do without.
    ///
    /// # Errors
    /// When it is absent.
    pub fn require(&self, name: &str) -> Result<&str> {
        self.get(name).ok_or_else(|| {
            advice::error(
                format!("{name} is not set"),
                format!("set {name} in the environment, or unset VOUCH_URL to use the local stack"),
            )
        })
    }
}
