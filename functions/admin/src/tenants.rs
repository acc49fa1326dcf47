//! Adding and counting tenants.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio_postgres::types::Type;
use vouch_shared::auth::{AuthContext, EVERYONE, OperatorContext, ScopeSet};
use vouch_shared::db::{Database, Sql};
use vouch_shared::ids::TenantId;

use crate::error::AdminError;

const CREATE: Sql = Sql::fixed(include_str!("tenants/create.sql"));
const LIST: Sql = Sql::fixed(include_str!("tenants/list.sql"));
const COUNT: Sql = Sql::fixed(include_str!("tenants/count.sql"));
const EXISTS: Sql = Sql::fixed(include_str!("tenants/exists.sql"));

/// Adds a tenant. A second time it changes the default scope, when one is given, and nothing else.
///
/// # Errors
/// [`AdminError::Request`] when the slug or a scope is not valid; [`AdminError::Database`].
pub async fn create(
    database: &Database,
    slug: &str,
    default_scope: Option<Vec<String>>,
) -> Result<Value, AdminError> {
    let tenant = parse(slug)?;
    let given = default_scope.is_some();
    let wanted = default_scope.unwrap_or_else(|| vec![EVERYONE.to_owned()]);
    let scopes = wanted.iter().cloned().collect::<ScopeSet>().to_vec();
    if scopes.len() != wanted.len() {
        return Err(AdminError::Request(
            "default_scope repeats a scope, or holds one that is empty, longer than 128 bytes or not printable".into(),
        ));
    }
    let session = database.begin_as_operator(&OperatorContext::for_admin_function()).await?;
    let rows = session
        .query(&CREATE, &[(&tenant.as_str(), Type::TEXT), (&scopes, Type::TEXT_ARRAY), (&given, Type::BOOL)])
        .await?;
    session.commit().await?;
    let row = rows.first().ok_or_else(|| AdminError::State("the tenant was removed meanwhile".into()))?;
    let (created, default_scope): (bool, Vec<String>) = (row.try_get(0)?, row.try_get(1)?);
    Ok(json!({"tenant": tenant, "created": created, "default_scope": default_scope}))
}

/// All tenants with their active documents and live chunks.
///
/// # Errors
/// [`AdminError::Database`].
pub async fn list(database: &Database) -> Result<Value, AdminError> {
    let session = database.begin_as_operator(&OperatorContext::for_admin_function()).await?;
    let rows = session.query(&LIST, &[]).await?;
    session.commit().await?;
    let mut tenants = Vec::with_capacity(rows.len());
    for row in rows {
        let (slug, default_scope): (String, Vec<String>) = (row.try_get(0)?, row.try_get(1)?);
        let counts = count(database, &parse(&slug)?).await?;
        tenants.push(json!({
            "tenant": slug,
            "default_scope": default_scope,
            "documents": counts.documents.get("active").copied().unwrap_or(0),
            "chunks": counts.chunks,
        }));
    }
    Ok(json!({ "tenants": tenants }))
}

/// One tenant's documents by state, and its live chunks.
///
/// # Errors
/// [`AdminError::NoTenant`]; [`AdminError::Request`]; [`AdminError::Database`].
pub async fn stats(database: &Database, slug: &str) -> Result<Value, AdminError> {
    let tenant = parse(slug)?;
    let session = database.begin_as_operator(&OperatorContext::for_admin_function()).await?;
    let known = session.query(&EXISTS, &[(&tenant.as_str(), Type::TEXT)]).await?;
    session.commit().await?;
    if known.is_empty() {
        return Err(AdminError::NoTenant(slug.to_owned()));
    }
    let counts = count(database, &tenant).await?;
    Ok(json!({"tenant": tenant, "documents": counts.documents, "chunks": counts.chunks}))
}

struct Counts {
    documents: BTreeMap<String, i64>,
    chunks: i64,
}

async fn count(database: &Database, tenant: &TenantId) -> Result<Counts, AdminError> {
    let auth = AuthContext::for_writer(tenant.clone());
    let mut counts = Counts { documents: BTreeMap::new(), chunks: 0 };
    for row in database.read(&auth, None, &COUNT, &[]).await? {
        let (state, documents, chunks): (String, i64, i64) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        counts.documents.insert(state, documents);
        counts.chunks += chunks;
    }
    Ok(counts)
}

fn parse(slug: &str) -> Result<TenantId, AdminError> {
    TenantId::parse(slug).map_err(|error| AdminError::Request(error.to_string()))
}
