use vouch_shared::db::{Credentials, Database, DbError, Role};
use vouch_shared::test_db::TestDb;

use crate::space;

async fn refusal(db: &TestDb, role: &str, of: Role) -> String {
    match db.connect(role, "only-for-tests").refuse_unsafe_role(of).await {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn only_roles_that_row_level_security_binds_may_start_a_function() {
    let db = TestDb::with_space(&space()).await;
    assert_eq!(refusal(&db, "vouch_ingest", Role::Ingest).await, "");
    assert_eq!(refusal(&db, "vouch_query", Role::Query).await, "");
    assert!(refusal(&db, "vouch_owner", Role::Query).await.contains("owns tables"));
    assert!(refusal(&db, "vouch_owner", Role::Ingest).await.contains("owns tables"));
    assert!(refusal(&db, "vouch_ingest", Role::Query).await.contains("can write"));

    let name = format!("r_{}", uuid::Uuid::new_v4().simple());
    let root = db.superuser().await;
    for (attributes, expected) in [
        ("BYPASSRLS", "BYPASSRLS"),
        ("SUPERUSER", "superuser"),
        ("NOSUPERUSER IN ROLE vouch_owner", "owns tables"),
    ] {
        root.batch_execute(&format!("CREATE ROLE {name} LOGIN {attributes} PASSWORD 'only-for-tests'"))
            .await
            .unwrap();
        assert!(refusal(&db, &name, Role::Query).await.contains(expected), "{attributes}");
        root.batch_execute(&format!("DROP ROLE {name}")).await.unwrap();
    }
}

#[tokio::test]
async fn a_table_without_forced_row_level_security_is_noticed() {
    let db = TestDb::with_space(&space()).await;
    let root = db.superuser().await;
    root.batch_execute("CREATE TABLE vouch.extra (x int); GRANT SELECT ON vouch.extra TO vouch_query")
        .await
        .unwrap();
    assert!(refusal(&db, "vouch_query", Role::Query).await.contains("not forced"));
}

#[tokio::test]
async fn a_server_that_another_authority_vouches_for_is_not_talked_to() {
    let db = TestDb::with_space(&space()).await;
    let other = include_bytes!("other_ca.pem");
    let credentials = db.credentials("vouch_query", "only-for-tests");
    let database = Database::with_credentials(Credentials::Fixed(credentials), other, 1).unwrap();
    let error = database.ping().await.unwrap_err();
    assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
    assert!(vouch_shared::telemetry::chain(&error).contains("certificate"), "{error:?}");
}

#[tokio::test]
async fn a_server_under_another_name_is_not_talked_to() {
    let db = TestDb::with_space(&space()).await;
    let mut credentials = db.credentials("vouch_query", "only-for-tests");
    // The same server by an address that its certificate does not name.
    credentials.host = "127.0.0.2".into();
    let database = Database::with_credentials(Credentials::Fixed(credentials), db.ca_pem(), 1).unwrap();
    assert!(matches!(database.ping().await.unwrap_err(), DbError::Unavailable(_)));
}

#[tokio::test]
async fn a_wrong_password_is_denied_not_retried_for_ever() {
    let db = TestDb::with_space(&space()).await;
    let error = db.connect("vouch_query", "wrong").ping().await.unwrap_err();
    assert!(matches!(error, DbError::Denied(_)), "{error:?}");
    assert!(!error.is_transient());
}
