//! A transaction bound to one principal.

use std::pin::pin;
use std::task::{Context, Waker};

use deadpool::managed::Object;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, CopyInSink, Row};

use super::connect::Connector;
use super::{DbError, Param, Sql};
use crate::auth::{AuthContext, OperatorContext};

const BIND: &str = include_str!("bind.sql");

/// An open transaction. [`Session::commit`] ends it; dropping it rolls back.
pub struct Session {
    transaction: Transaction,
}

impl Session {
    pub(super) async fn begin(
        client: Object<Connector>,
        auth: &AuthContext,
        as_of: Option<OffsetDateTime>,
    ) -> Result<Self, DbError> {
        let transaction = Transaction { client: Some(client) };
        let binding = Binding::of(auth, as_of)?;
        let (begun, bound) = tokio::join!(
            biased;
            transaction.client()?.batch_execute("BEGIN"),
            binding.bind(transaction.client()?),
        );
        begun?;
        bound?;
        Ok(Self { transaction })
    }

    /// Runs a statement and gives its rows.
    ///
    /// # Errors
    /// [`DbError`]; the transaction is then of no more use.
    pub async fn query(&self, sql: &Sql, params: &[Param<'_>]) -> Result<Vec<Row>, DbError> {
        Ok(self.transaction.client()?.query_typed(sql.as_str(), &typed(params)).await?)
    }

    /// Runs a statement that gives at most one row.
    ///
    /// # Errors
    /// [`DbError`]; the transaction is then of no more use.
    pub async fn query_opt(&self, sql: &Sql, params: &[Param<'_>]) -> Result<Option<Row>, DbError> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// Runs a statement that gives one row.
    ///
    /// # Errors
    /// [`DbError`], also when it gives none; the transaction is then of no more use.
    pub async fn query_one(&self, sql: &Sql, params: &[Param<'_>]) -> Result<Row, DbError> {
        let row = self.query_opt(sql, params).await?;
        row.ok_or_else(|| DbError::Invalid("a statement that must give a row gave none".into()))
    }

    /// Runs a statement and gives the number of rows it touched.
    ///
    /// # Errors
    /// [`DbError`]; the transaction is then of no more use.
    pub async fn execute(&self, sql: &Sql, params: &[Param<'_>]) -> Result<u64, DbError> {
        Ok(self.transaction.client()?.execute_typed(sql.as_str(), &typed(params)).await?)
    }

    /// Starts a `COPY … FROM STDIN`.
    ///
    /// # Errors
    /// [`DbError`]; the transaction is then of no more use.
    pub async fn copy_in<T>(&self, sql: &Sql) -> Result<CopyInSink<T>, DbError>
    where
        T: bytes::Buf + 'static + Send,
    {
        Ok(self.transaction.client()?.copy_in(sql.as_str()).await?)
    }

    /// Makes what was done last.
    ///
    /// # Errors
    /// [`DbError`]; whether it lasts is then unknown when the connection broke, and it does not otherwise.
    pub async fn commit(self) -> Result<(), DbError> {
        self.transaction.commit().await
    }
}

/// An open transaction of the operator.
pub struct OperatorSession {
    transaction: Transaction,
}

impl OperatorSession {
    pub(super) async fn begin(client: Object<Connector>, _: &OperatorContext) -> Result<Self, DbError> {
        let transaction = Transaction { client: Some(client) };
        transaction.client()?.batch_execute("BEGIN").await?;
        Ok(Self { transaction })
    }

    /// Runs a statement and gives its rows.
    ///
    /// # Errors
    /// [`DbError`]; the transaction is then of no more use.
    pub async fn query(&self, sql: &Sql, params: &[Param<'_>]) -> Result<Vec<Row>, DbError> {
        Ok(self.transaction.client()?.query_typed(sql.as_str(), &typed(params)).await?)
    }

    /// Runs a file of statements, such as a migration.
    ///
    /// # Errors
    /// [`DbError`]; the transaction is then of no more use.
    pub async fn run_file(&self, sql: &Sql) -> Result<(), DbError> {
        Ok(self.transaction.client()?.batch_execute(sql.as_str()).await?)
    }

    /// Makes what was done last.
    ///
    /// # Errors
    /// [`DbError`].
    pub async fn commit(self) -> Result<(), DbError> {
        self.transaction.commit().await
    }
}

/// One statement between begin and commit, all sent at once. A failing statement turns the commit into a
/// rollback; settings that could not be bound leave nothing visible.
pub(super) async fn read(
    client: &Client,
    auth: &AuthContext,
    as_of: Option<OffsetDateTime>,
    sql: &Sql,
    params: &[Param<'_>],
) -> Result<Vec<Row>, DbError> {
    let binding = Binding::of(auth, as_of)?;
    let params = typed(params);
    let (begun, bound, rows, committed) = tokio::join!(
        biased;
        client.batch_execute("BEGIN READ ONLY"),
        binding.bind(client),
        client.query_typed(sql.as_str(), &params),
        client.batch_execute("COMMIT"),
    );
    begun?;
    bound?;
    let rows = rows?;
    committed?;
    Ok(rows)
}

/// The settings that row-level security reads.
struct Binding {
    tenant: String,
    scopes: Vec<String>,
    as_of: String,
}

impl Binding {
    fn of(auth: &AuthContext, as_of: Option<OffsetDateTime>) -> Result<Self, DbError> {
        let as_of = as_of.map(|t| t.format(&Rfc3339)).transpose();
        Ok(Self {
            tenant: auth.tenant().as_str().to_owned(),
            scopes: auth.scopes().to_vec(),
            as_of: as_of.map_err(|error| DbError::Invalid(error.to_string()))?.unwrap_or_default(),
        })
    }

    async fn bind(&self, client: &Client) -> Result<(), tokio_postgres::Error> {
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&self.tenant, Type::TEXT), (&self.scopes, Type::TEXT_ARRAY), (&self.as_of, Type::TEXT)];
        client.execute_typed(BIND, &params).await.map(|_| ())
    }
}

fn typed<'a>(params: &[Param<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    params.to_vec()
}

/// A connection inside a transaction. It goes back to the pool only with the end of the transaction sent.
struct Transaction {
    client: Option<Object<Connector>>,
}

impl Transaction {
    fn client(&self) -> Result<&Client, DbError> {
        self.client.as_deref().ok_or_else(|| DbError::Invalid("the transaction has ended".into()))
    }

    async fn commit(mut self) -> Result<(), DbError> {
        let Some(client) = self.client.take() else { return Ok(()) };
        let ended = client.batch_execute("COMMIT").await;
        if ended.is_err() {
            // The server may still hold the transaction open: such a connection is not lent again.
            drop(Object::take(client));
        }
        Ok(ended?)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        // The first poll queues the message on the connection, ahead of whatever its next user sends.
        let queued = pin!(client.batch_execute("ROLLBACK")).poll(&mut Context::from_waker(Waker::noop()));
        drop(queued);
    }
}
