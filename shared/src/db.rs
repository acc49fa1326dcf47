//! The database: a private pool that lends a connection only inside a transaction bound to an [`AuthContext`].
//!
//! Nothing here pins a connection of RDS Proxy or PgBouncer: settings are transaction-local, and statements are
//! unnamed and typed. A query must not return a column of an extension's type (`vector`, `sparsevec`): the
//! driver would look the type up by named statements. Cast such columns to text, and pass such parameters as
//! text with a cast.

mod connect;
mod error;
mod guard;
mod session;
mod sql;

use std::sync::Arc;

use deadpool::managed::{Pool, PoolError, Timeouts};
use time::OffsetDateTime;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row};

pub use connect::{Credentials, read_ca};
pub use error::DbError;
pub use guard::Role;
pub use session::{OperatorSession, Session};
pub use sql::Sql;

use crate::auth::{AuthContext, OperatorContext};
use crate::aws::Secrets;
use crate::config::DatabaseConfig;
use crate::embedding::{ElementType, Space};
use crate::ids::SpaceId;
use connect::Connector;

/// A parameter and its type; a typed statement needs no round trip to prepare it.
pub type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// The database, connected to as one role.
#[derive(Clone)]
pub struct Database {
    pool: Pool<Connector>,
}

impl std::fmt::Debug for Database {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}

/// How long to wait for a connection of the pool to become free.
const WAIT_FOR_FREE: std::time::Duration = std::time::Duration::from_secs(5);

impl Database {
    /// A pool of at most `max_connections` connections, none of which is opened yet.
    ///
    /// # Errors
    /// [`DbError::Invalid`] when the file of authorities cannot be read or is not PEM.
    pub fn new(config: &DatabaseConfig, secrets: Secrets, max_connections: usize) -> Result<Self, DbError> {
        let credentials = Credentials::Secret { id: config.secret_id.clone(), secrets: Arc::new(secrets) };
        Self::with_credentials(credentials, &read_ca(&config.ca_file)?, max_connections)
    }

    /// As [`Database::new`], with credentials that may be fixed.
    ///
    /// # Errors
    /// [`DbError::Invalid`] when the authorities are not PEM.
    pub fn with_credentials(
        credentials: Credentials,
        ca_pem: &[u8],
        max_connections: usize,
    ) -> Result<Self, DbError> {
        let connector = Connector::new(credentials, ca_pem)?;
        let pool = Pool::builder(connector)
            .max_size(max_connections)
            .timeouts(Timeouts { wait: Some(WAIT_FOR_FREE), create: None, recycle: None })
            .runtime(deadpool::Runtime::Tokio1)
            .build()
            .map_err(|error| DbError::Invalid(error.to_string()))?;
        Ok(Self { pool })
    }

    /// Opens a transaction on behalf of `auth`. Dropping the session rolls back.
    ///
    /// # Errors
    /// [`DbError`] when no connection is to be had.
    pub async fn begin(&self, auth: &AuthContext) -> Result<Session, DbError> {
        Session::begin(self.client().await?, auth, None).await
    }

    /// As [`Database::begin`], and versions that were active at `as_of` may be read too.
    ///
    /// # Errors
    /// [`DbError`] when no connection is to be had.
    pub async fn begin_as_of(&self, auth: &AuthContext, as_of: OffsetDateTime) -> Result<Session, DbError> {
        Session::begin(self.client().await?, auth, Some(as_of)).await
    }

    /// One statement in a read-only transaction of its own, in a single round trip: begin, settings, statement
    /// and commit are sent together.
    ///
    /// # Errors
    /// [`DbError`] when no connection is to be had or the statement fails.
    pub async fn read(
        &self,
        auth: &AuthContext,
        as_of: Option<OffsetDateTime>,
        sql: &Sql,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, DbError> {
        session::read(&*self.client().await?, auth, as_of, sql, params).await
    }

    /// Opens a transaction of the operator, who sees the tenants and nothing of theirs.
    ///
    /// # Errors
    /// [`DbError`] when no connection is to be had.
    pub async fn begin_as_operator(&self, operator: &OperatorContext) -> Result<OperatorSession, DbError> {
        OperatorSession::begin(self.client().await?, operator).await
    }

    /// Whether a connection can be had and answers.
    ///
    /// # Errors
    /// [`DbError`] when not.
    pub async fn ping(&self) -> Result<(), DbError> {
        Ok(self.client().await?.batch_execute("").await?)
    }

    /// Refuses a role that row-level security does not bind, that could write where it should only read, or a
    /// server whose pgvector is too old.
    ///
    /// # Errors
    /// [`DbError::Denied`] with what is wrong, or any error of asking.
    pub async fn refuse_unsafe_role(&self, role: Role) -> Result<(), DbError> {
        guard::refuse_unsafe_role(&*self.client().await?, role).await
    }

    /// The space that queries use; none before the first migration made one.
    ///
    /// # Errors
    /// [`DbError`] when the database cannot be asked.
    pub async fn active_space(&self) -> Result<Option<Space>, DbError> {
        let client = self.client().await?;
        let row = client.query_typed(include_str!("db/active_space.sql"), &[]).await?.into_iter().next();
        let Some(row) = row else { return Ok(None) };
        let unknown =
            |what: &str| DbError::Invalid(format!("the active embedding space has no valid {what}"));
        let id: String = row.try_get(0)?;
        let dimension: i32 = row.try_get(2)?;
        let element: String = row.try_get(3)?;
        Ok(Some(Space {
            id: SpaceId::parse(&id).map_err(|_| unknown("name"))?,
            model: row.try_get(1)?,
            dimension: usize::try_from(dimension).map_err(|_| unknown("dimension"))?,
            element_type: ElementType::parse(&element).ok_or_else(|| unknown("element type"))?,
        }))
    }

    /// Closes the pool and its idle connections.
    pub fn close(&self) {
        self.pool.close();
    }

    async fn client(&self) -> Result<deadpool::managed::Object<Connector>, DbError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Timeout(_) => DbError::Busy,
            other @ (PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_)) => {
                DbError::Invalid(other.to_string())
            }
        })
    }
}

/// Whether a connection may be lent again.
fn usable(client: &Client) -> bool {
    !client.is_closed()
}
