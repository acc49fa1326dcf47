//! Passwords of the local database's roles: made once at random, readable by their owner alone.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::files;
use crate::advice::Advise;
use crate::checkout::Checkout;

/// One password a role.
#[derive(Clone, Serialize, Deserialize)]
pub struct Credentials {
    /// Of `postgres`, the superuser.
    pub superuser: String,
    /// Of `vouch_owner`.
    pub owner: String,
    /// Of `vouch_ingest`.
    pub ingest: String,
    /// Of `vouch_query`.
    pub query: String,
}

impl Credentials {
    /// New ones.
    #[must_use]
    pub fn random() -> Self {
        // A version 4 UUID holds 122 random bits from the operating system: more than any password needs.
        let password = || Uuid::new_v4().simple().to_string();
        Self { superuser: password(), owner: password(), ingest: password(), query: password() }
    }

    /// Those of a checkout, made on first use.
    ///
    /// # Errors
    /// When they can be neither read nor written.
    pub fn of(checkout: &Checkout) -> Result<Self> {
        let path = checkout.local("credentials.json");
        if !path.exists() {
            let credentials = Self::random();
            files::write_secret(&path, &serde_json::to_string_pretty(&credentials)?)?;
            return Ok(credentials);
        }
        let text = std::fs::read_to_string(&path)?;
        serde_json::from_str(&text).advise(
            format!("{} is damaged", path.display()),
            "run `make down`, delete .local/credentials.json and .local/postgres/data, and start again",
        )
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials")
    }
}
