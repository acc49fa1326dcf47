//! The database: what is known of an object, and how a version of it comes to stand.
//!
//! Chunks and vectors of a version are written while it is `ingesting`, when nobody sees them. One short transaction
//! then takes the object's row in the ledger, lets the old version go and the new one stand. The ledger's row is
//! taken only if nobody published since it was looked at, which was before the bucket was asked: so what is published
//! was read after whatever was published before, and the last word is the bucket's.

mod version;
mod ledger;
mod statistics;
mod stage;
mod activate;
mod rescope;
mod fail;
mod retire;

use vouch_shared::db::{DbError, Session, Sql};
use vouch_shared::ids::SpaceId;

pub use activate::{activate, supersede_others};
pub use fail::fail;
pub use ledger::{Claim, Current, Known, Seen, State, claim, hold, look};
pub use rescope::rescope;
pub use retire::{abandon, retire};
pub use stage::{Row, begin, drop_other_cut, stage};
pub use statistics::{Lexemes, fold};
pub use version::Version;

/// Why a version was not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// Somebody else published the object, or retired the version, since it was looked at: start anew.
    #[error("the object was published by somebody else meanwhile")]
    Overtaken,
    /// The database did not do as asked.
    #[error(transparent)]
    Database(#[from] DbError),
}

impl From<tokio_postgres::Error> for PublishError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Database(error.into())
    }
}

/// Every space that may hold vectors of a document.
async fn spaces(session: &Session) -> Result<Vec<SpaceId>, DbError> {
    let rows = session.query(&Sql::fixed(include_str!("spaces.sql")), &[]).await?;
    let mut spaces = Vec::with_capacity(rows.len());
    for row in rows {
        let id: &str = row.try_get(0)?;
        spaces.push(SpaceId::parse(id).map_err(|error| DbError::Invalid(error.to_string()))?);
    }
    Ok(spaces)
}
