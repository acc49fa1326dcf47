use tokio_postgres::types::Type;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{DbError, Sql};
use vouch_shared::ids::TenantId;
use vouch_shared::test_db::TestDb;

use crate::space;

const TENANT: Sql = Sql::fixed("SELECT vouch.current_tenant(), vouch.current_scopes()");
const INSERT: Sql = Sql::fixed(
    "INSERT INTO vouch.documents (tenant_id, document_id, source_uri, source_version, state, valid_from, access_scope)
     VALUES ($1, gen_random_uuid(), 's3://b/' || $1 || '/a', '1', 'active', now(), '{everyone}')",
);
const COUNT: Sql = Sql::fixed("SELECT count(*) FROM vouch.documents");

fn principal(tenant: &str) -> AuthContext {
    AuthContext::for_test(TenantId::parse(tenant).unwrap(), &["everyone"])
}

async fn count(db: &vouch_shared::db::Database, tenant: &str) -> i64 {
    db.read(&principal(tenant), None, &COUNT, &[]).await.unwrap()[0].get(0)
}

#[tokio::test]
async fn a_session_acts_for_its_principal_and_the_next_one_inherits_nothing() {
    let db = TestDb::with_space(&space()).await;
    let query = db.connect("vouch_query", "only-for-tests");
    let auth = AuthContext::for_test(TenantId::parse("acme").unwrap(), &["hr", "a,b {c}\"\\"]);
    let row = query.begin(&auth).await.unwrap().query_one(&TENANT, &[]).await.unwrap();
    assert_eq!(row.get::<_, String>(0), "acme");
    assert_eq!(row.get::<_, Vec<String>>(1), ["a,b {c}\"\\", "hr"]);
    let rows = query
        .read(&AuthContext::for_writer(TenantId::parse("beta").unwrap()), None, &TENANT, &[])
        .await
        .unwrap();
    assert_eq!(rows[0].get::<_, String>(0), "beta");
    assert_eq!(rows[0].get::<_, Vec<String>>(1), Vec::<String>::new());
}

#[tokio::test]
async fn a_dropped_session_leaves_nothing_behind() {
    let db = TestDb::with_space(&space()).await;
    let acme = db.tenant("acme").await;
    let (ingest, query) = (db.ingest(), db.query());
    for _ in 0..10 {
        let session = ingest.begin(&acme).await.unwrap();
        session.execute(&INSERT, &[(&"acme", Type::TEXT)]).await.unwrap();
        drop(session);
    }
    assert_eq!(count(&query, "acme").await, 0);
    let session = ingest.begin(&acme).await.unwrap();
    session.execute(&INSERT, &[(&"acme", Type::TEXT)]).await.unwrap();
    session.commit().await.unwrap();
    assert_eq!(count(&query, "acme").await, 1);
    assert_eq!(count(&query, "beta").await, 0);
}

#[tokio::test]
async fn a_writer_of_one_tenant_cannot_write_another_tenants_rows() {
    let db = TestDb::with_space(&space()).await;
    let acme = db.tenant("acme").await;
    db.tenant("beta").await;
    let session = db.ingest().begin(&acme).await.unwrap();
    let error = session.execute(&INSERT, &[(&"beta", Type::TEXT)]).await.unwrap_err();
    assert!(matches!(error, DbError::Denied(_)), "{error:?}");
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let db = TestDb::with_space(&space()).await;
    db.tenant("acme").await;
    let session = db.query().begin(&principal("acme")).await.unwrap();
    let error = session.execute(&INSERT, &[(&"acme", Type::TEXT)]).await.unwrap_err();
    assert!(matches!(error, DbError::Denied(_)), "{error:?}");
}

#[tokio::test]
async fn a_failed_statement_of_a_single_read_does_not_spoil_the_connection() {
    let db = TestDb::with_space(&space()).await;
    let query = db.query();
    for _ in 0..3 {
        let bad = query.read(&principal("acme"), None, &Sql::fixed("SELECT 1 / 0"), &[]).await;
        assert!(matches!(bad, Err(DbError::Unexpected(_))), "{bad:?}");
        assert_eq!(count(&query, "acme").await, 0);
    }
}

#[tokio::test]
async fn a_killed_connection_is_replaced() {
    let db = TestDb::with_space(&space()).await;
    let query = db.query();
    assert_eq!(count(&query, "acme").await, 0);
    let kill = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'vouch_query' AND datname = current_database()";
    db.superuser().await.execute(kill, &[]).await.unwrap();
    // The pool may lend the dead connection once more; what it may not do is to fail otherwise, or for ever.
    for attempt in 0.. {
        match query.read(&principal("acme"), None, &COUNT, &[]).await {
            Ok(_) => break,
            Err(error) => assert!(error.is_transient() && attempt < 4, "{error:?}"),
        }
    }
}
