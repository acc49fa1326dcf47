use vouch_shared::migrations;
use vouch_shared::test_db::TestDb;

use crate::space;

#[tokio::test]
async fn migrating_twice_applies_nothing_the_second_time() {
    let db = TestDb::with_space(&space()).await;
    assert_eq!(migrations::apply(&db.owner()).await.unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn an_edited_or_unknown_migration_is_refused() {
    let db = TestDb::with_space(&space()).await;
    let root = db.superuser().await;
    root.batch_execute("UPDATE vouch.migrations SET sha = 'x' WHERE version = 2").await.unwrap();
    assert!(migrations::apply(&db.owner()).await.unwrap_err().to_string().contains("edited"));
    root.batch_execute("UPDATE vouch.migrations SET version = 99 WHERE version = 2").await.unwrap();
    assert!(migrations::apply(&db.owner()).await.unwrap_err().to_string().contains("newer build"));
}

#[tokio::test]
async fn every_table_and_column_says_what_it_means() {
    let db = TestDb::with_space(&space()).await;
    let silent = db
        .superuser()
        .await
        .query(
            "SELECT c.relname || coalesce('.' || a.attname, '')
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             CROSS JOIN LATERAL (SELECT 0::smallint AS attnum, NULL::name AS attname
                                 UNION ALL SELECT a.attnum, a.attname FROM pg_attribute a
                                 WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) a
             WHERE n.nspname = 'vouch' AND c.relkind IN ('r', 'p') AND col_description(c.oid, a.attnum) IS NULL
               AND NOT (a.attnum = 0 AND obj_description(c.oid, 'pg_class') IS NOT NULL)",
            &[],
        )
        .await
        .unwrap();
    let silent: Vec<String> = silent.iter().map(|row| row.get(0)).collect();
    assert_eq!(silent, Vec::<String>::new());
}

#[tokio::test]
async fn every_table_of_the_schema_forces_row_level_security() {
    let db = TestDb::with_space(&space()).await;
    let open = db
        .superuser()
        .await
        .query(
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'vouch'::regnamespace AND relkind IN ('r', 'p')
             AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1",
            &[],
        )
        .await
        .unwrap();
    let open: Vec<String> = open.iter().map(|row| row.get(0)).collect();
    // Neither holds anything of a tenant; this list may only shrink.
    assert_eq!(open, ["embedding_spaces", "migrations"]);
}

#[tokio::test]
async fn in_a_migrated_database_nobody_but_its_owner_makes_temporary_tables() {
    let db = TestDb::with_space(&space()).await;
    // A copy of a database does not inherit its privileges, so it is the migrated template that is looked at.
    let templates = db
        .superuser()
        .await
        .query(
            "SELECT has_database_privilege('vouch_query', oid, 'TEMPORARY'),
                    has_database_privilege('vouch_ingest', oid, 'TEMPORARY'),
                    has_database_privilege('vouch_owner', oid, 'TEMPORARY')
             FROM pg_database WHERE datistemplate AND starts_with(datname, 'template_')",
            &[],
        )
        .await
        .unwrap();
    let able: Vec<(bool, bool, bool)> = templates.iter().map(|r| (r.get(0), r.get(1), r.get(2))).collect();
    assert!(!able.is_empty() && able.iter().all(|a| *a == (false, false, true)), "{able:?}");
}
