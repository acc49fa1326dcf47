//! The ledger of bucket events, and what stands for an object.

use time::OffsetDateTime;
use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, DbError, Session, Sql};
use vouch_shared::ids::{DocumentId, SpaceId};

use super::PublishError;
use crate::event::Sequencer;

/// What is known of an object before the bucket is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Scopes of a document whose object names none.
    pub default_scope: Vec<String>,
    /// The ledger's row; `None` when no event of the object was applied yet.
    pub seen: Option<Seen>,
    /// The version that stands, if one does.
    pub current: Option<Current>,
}

/// The newest event that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its sequencer, padded.
    pub sequencer: String,
    /// When it was applied; it differs from one publication to the next.
    pub applied_at: OffsetDateTime,
}

/// How the version that stands, stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It answers.
    Active,
    /// It could not be read.
    Failed,
}

/// The version that stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// Its id.
    pub id: DocumentId,
    /// As on [`super::Version`].
    pub source_version: String,
    /// As on [`super::Version`].
    pub content_sha: Option<Vec<u8>>,
    /// As on [`super::Version`].
    pub content_type: String,
    /// As on [`super::Version`].
    pub chunker_version: i32,
    /// Who may read it.
    pub scopes: Vec<String>,
    /// How it stands.
    pub state: State,
    /// Whether each of its chunks has a vector in the space asked about.
    pub is_embedded: bool,
}

impl Known {
    /// Whether an event with this sequencer came too late. Without a sequencer nothing can be said.
    #[must_use]
    pub fn is_past(&self, sequencer: Option<&Sequencer>) -> bool {
        match (&self.seen, sequencer) {
            (Some(seen), Some(sequencer)) => sequencer.as_str() < seen.sequencer.as_str(),
            _ => false,
        }
    }
}

/// Looks an object up; `None` when the tenant does not exist.
///
/// # Errors
/// [`DbError`].
pub async fn look(
    db: &Database,
    auth: &AuthContext,
    source_uri: &str,
    space: &SpaceId,
) -> Result<Option<Known>, DbError> {
    let sql = Sql::in_space(include_str!("look.sql"), space);
    let rows = db.read(auth, None, &sql, &[(&source_uri, Type::TEXT)]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let seen = match (row.try_get(1)?, row.try_get(2)?) {
        (Some(sequencer), Some(applied_at)) => Some(Seen { sequencer, applied_at }),
        _ => None,
    };
    let current = match row.try_get::<_, Option<Uuid>>(3)? {
        None => None,
        Some(id) => Some(Current {
            id: id.into(),
            source_version: row.try_get(4)?,
            chunker_version: row.try_get(5)?,
            scopes: row.try_get(6)?,
            state: if row.try_get::<_, &str>(7)? == "failed" { State::Failed } else { State::Active },
            is_embedded: row.try_get(8)?,
            content_sha: row.try_get(9)?,
            content_type: row.try_get(10)?,
        }),
    };
    Ok(Some(Known { default_scope: row.try_get(0)?, seen, current }))
}

/// The right to publish an object, to be claimed first in a transaction that publishes.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    /// The object.
    pub source_uri: &'a str,
    /// The event's sequencer, if it has one.
    pub sequencer: Option<&'a Sequencer>,
    /// The event's name.
    pub event_name: &'a str,
    /// The ledger's row as it was before the bucket was asked.
    pub seen: Option<&'a Seen>,
}

/// Claims; the object's row in the ledger is then locked to the end of the transaction.
///
/// # Errors
/// [`PublishError::Overtaken`] when somebody published since.
pub async fn claim(session: &Session, claim: Claim<'_>) -> Result<(), PublishError> {
    if claim.seen.is_none() {
        lock_unseen(session, claim.source_uri).await?;
    }
    let sequencer = claim.sequencer.map(Sequencer::as_str);
    let seen = claim.seen.map(|seen| seen.applied_at);
    let params: [vouch_shared::db::Param<'_>; 4] = [
        (&claim.source_uri, Type::TEXT),
        (&sequencer, Type::TEXT),
        (&claim.event_name, Type::TEXT),
        (&seen, Type::TIMESTAMPTZ),
    ];
    match session.query_opt(&Sql::fixed(include_str!("claim.sql")), &params).await? {
        Some(_) => Ok(()),
        None => Err(PublishError::Overtaken),
    }
}

/// Makes sure, to the end of the transaction, that nobody published the object since it was looked at. What is begun
/// under this is seen by whoever publishes next, and so is cleared away by them, whatever becomes of the beginner.
///
/// # Errors
/// [`PublishError::Overtaken`] when somebody published since.
pub async fn hold(session: &Session, source_uri: &str, seen: Option<&Seen>) -> Result<(), PublishError> {
    if seen.is_none() {
        lock_unseen(session, source_uri).await?;
    }
    let seen = seen.map(|seen| seen.applied_at);
    let params: [vouch_shared::db::Param<'_>; 2] = [(&source_uri, Type::TEXT), (&seen, Type::TIMESTAMPTZ)];
    match session.query_opt(&Sql::fixed(include_str!("hold.sql")), &params).await? {
        Some(_) => Ok(()),
        None => Err(PublishError::Overtaken),
    }
}

/// An object without a row in the ledger has nothing to lock but its name.
async fn lock_unseen(session: &Session, source_uri: &str) -> Result<(), PublishError> {
    session.query(&Sql::fixed(include_str!("lock_unseen.sql")), &[(&source_uri, Type::TEXT)]).await?;
    Ok(())
}
