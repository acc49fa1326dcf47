//! Refusing to start as a role that row-level security does not bind.

use tokio_postgres::Client;

use super::DbError;

/// What a function is going to do with its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Write documents, one tenant at a time.
    Ingest,
    /// Read only.
    Query,
}

/// Oldest pgvector that can filter during an index scan (`hnsw.iterative_scan`).
const OLDEST_PGVECTOR: (u32, u32) = (0, 8);

pub(super) async fn refuse_unsafe_role(client: &Client, role: Role) -> Result<(), DbError> {
    let row = client.query_typed_one(include_str!("guard.sql"), &[]).await?;
    let name: String = row.try_get("role")?;
    let findings = [
        ("is_superuser", "is a superuser"),
        ("bypasses_rls", "has BYPASSRLS"),
        ("owns_tables", "owns tables of the schema vouch, or belongs to a role that does"),
        (
            "unforced_tables",
            "would read tables of the schema vouch on which row-level security is not forced",
        ),
    ];
    for (column, finding) in findings {
        if row.try_get(column)? {
            return Err(DbError::Denied(format!(
                "the role {name} {finding}: row-level security would not hold; use vouch_ingest or vouch_query"
            )));
        }
    }
    if role == Role::Query && row.try_get("can_write")? {
        return Err(DbError::Denied(format!(
            "the role {name} can write to tables of the schema vouch: the query function only reads; use vouch_query"
        )));
    }
    let version: Option<String> = row.try_get("pgvector")?;
    refuse_old_pgvector(version.as_deref())
}

fn refuse_old_pgvector(version: Option<&str>) -> Result<(), DbError> {
    let Some(version) = version else {
        return Err(DbError::Invalid("the extension vector is not installed: run the migrations".into()));
    };
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if found < OLDEST_PGVECTOR {
        return Err(DbError::Invalid(format!(
            "pgvector {version} is too old, 0.8 or later is needed: ALTER EXTENSION vector UPDATE"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::refuse_old_pgvector;

    #[test]
    fn pgvector_before_0_8_is_refused() {
        for good in ["0.8.0", "0.8.5", "0.10", "1.0.0"] {
            assert!(refuse_old_pgvector(Some(good)).is_ok(), "{good}");
        }
        for bad in [Some("0.7.4"), Some("0.5"), Some("?"), None] {
            assert!(refuse_old_pgvector(bad).is_err(), "{bad:?}");
        }
    }
}
