//! The numbered migrations, compiled in, so that whoever runs them runs what was shipped.

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
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use sha2::{Digest, Sha256};

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
        let now: Vec<String> = ALL
            .iter()
            .map(|m| {
                let hash: String = Sha256::digest(m.sql).iter().map(|b| format!("{b:02x}")).collect();
                format!("{hash}  {:04}_{}.sql", m.version, m.name)
            })
            .collect();
        let frozen: Vec<&str> = frozen.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(frozen, now, "write a new migration instead; a new one adds its line to frozen.txt");
    }
}
