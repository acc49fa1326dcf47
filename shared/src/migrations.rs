//! The numbered migrations, compiled in, so that whoever runs them runs what was shipped; and their runner.

use sha2::{Digest, Sha256};
use tokio_postgres::types::Type;

use crate::auth::OperatorContext;
use crate::db::{Database, DbError, Sql};

/// One step of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// Its number, from 1, without gaps.
    pub version: i32,
    /// Its file's name, without number and ending.
    pub name: &'static str,
    /// Its statements.
    pub sql: &'static str,
}

/// All migrations, in order. A shipped one is never edited: `migrations/frozen.txt` holds its hash.
pub const ALL: &[Migration] = &[
    Migration {
        version: 1,
        name: "roles_and_session",
        sql: include_str!("../../migrations/0001_roles_and_session.sql"),
    },
    Migration { version: 2, name: "documents", sql: include_str!("../../migrations/0002_documents.sql") },
    Migration {
        version: 3,
        name: "lexical_statistics",
        sql: include_str!("../../migrations/0003_lexical_statistics.sql"),
    },
    Migration {
        version: 4,
        name: "embedding_spaces",
        sql: include_str!("../../migrations/0004_embedding_spaces.sql"),
    },
    Migration {
        version: 5,
        name: "no_temporary_tables",
        sql: include_str!("../../migrations/0005_no_temporary_tables.sql"),
    },
];

impl Migration {
    /// SHA-256 of the statements, in hexadecimal.
    #[must_use]
    pub fn sha(&self) -> String {
        Sha256::digest(self.sql).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Brings the schema up to date, as its owner, in one transaction: all pending migrations, or none. Two runs at
/// once wait for each other. Gives the names of what was applied.
///
/// # Errors
/// [`DbError::Invalid`] when the database holds a migration that this build does not, or another text under a
/// number that this build knows; any error of a statement.
pub async fn apply(database: &Database) -> Result<Vec<String>, DbError> {
    let session = database.begin_as_operator(&OperatorContext::for_admin_function()).await?;
    session.run_file(&Sql::fixed(include_str!("migrations/prepare.sql"))).await?;
    let rows = session.query(&Sql::fixed(include_str!("migrations/applied.sql")), &[]).await?;
    for row in &rows {
        let (version, sha): (i32, String) = (row.try_get(0)?, row.try_get(1)?);
        match ALL.iter().find(|m| m.version == version) {
            None => {
                return Err(DbError::Invalid(format!(
                    "the database is at migration {version}, this build knows {}: deploy a newer build",
                    ALL.len()
                )));
            }
            Some(known) if known.sha() != sha => {
                return Err(DbError::Invalid(format!(
                    "migration {version} ({}) was applied with another text than this build's: a shipped migration was edited",
                    known.name
                )));
            }
            Some(_) => {}
        }
    }
    let done = rows.len();
    let mut applied = Vec::new();
    for migration in ALL.iter().skip(done) {
        tracing::info!(version = migration.version, name = migration.name, "applying migration");
        session.run_file(&Sql::fixed(migration.sql)).await?;
        let record = Sql::fixed(include_str!("migrations/record.sql"));
        let sha = migration.sha();
        session
            .query(
                &record,
                &[(&migration.version, Type::INT4), (&migration.name, Type::TEXT), (&sha, Type::TEXT)],
            )
            .await?;
        applied.push(format!("{:04}_{}", migration.version, migration.name));
    }
    session.commit().await?;
    Ok(applied)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::ALL;

    fn folder() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations")
    }

    #[test]
    fn every_file_of_the_folder_is_a_migration_and_numbers_have_no_gap() {
        let listed: BTreeSet<String> =
            ALL.iter().map(|m| format!("{:04}_{}.sql", m.version, m.name)).collect();
        let found: BTreeSet<String> = std::fs::read_dir(folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".sql"))
            .collect();
        assert_eq!(listed, found);
        assert!(ALL.iter().zip(1..).all(|(m, n)| m.version == n));
    }

    #[test]
    fn a_shipped_migration_is_never_edited() {
        let frozen = std::fs::read_to_string(folder().join("frozen.txt")).unwrap();
        let now: Vec<String> =
            ALL.iter().map(|m| format!("{}  {:04}_{}.sql", m.sha(), m.version, m.name)).collect();
        let frozen: Vec<&str> = frozen.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(frozen, now, "write a new migration instead; a new one adds its line to frozen.txt");
    }
}
