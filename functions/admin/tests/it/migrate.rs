use admin::error::AdminError;
use admin::{roles, spaces};
use vouch_shared::embedder::Embedder;
use vouch_shared::embedding::Space;
use vouch_shared::ids::SpaceId;

use crate::database;

#[tokio::test]
async fn a_role_gets_the_password_of_its_secret_however_it_is_written() {
    let db = database().await;
    // One role for this test alone: roles belong to the whole server.
    let role = format!("r_{}", uuid::Uuid::new_v4().simple());
    let root = db.superuser().await;
    root.batch_execute(&format!("SET ROLE vouch_owner; CREATE ROLE {role} LOGIN; RESET ROLE")).await.unwrap();
    for password in ["plain", "it's \"odd\" \\ $$ %L €", ""] {
        let credentials = db.credentials(&role, password);
        roles::set_password(&db.owner(), &role, &credentials).await.unwrap();
        assert_eq!(db.connect(&role, password).ping().await.is_ok(), !password.is_empty(), "{password}");
    }
    assert!(db.connect(&role, "plain").ping().await.is_err());
    root.batch_execute(&format!("DROP ROLE {role}")).await.unwrap();
}

#[tokio::test]
async fn a_secret_of_another_role_is_refused() {
    let db = database().await;
    let credentials = db.credentials("vouch_query", "x");
    let error = roles::set_password(&db.owner(), "vouch_ingest", &credentials).await.unwrap_err();
    assert!(matches!(error, AdminError::State(_)), "{error}");
}

#[tokio::test]
async fn an_active_space_of_another_model_stays() {
    let db = database().await;
    let active = Embedder::hashing().space().clone();
    assert_eq!(spaces::ensure_active(&db.owner(), &active).await.unwrap(), active);
    let other = Space { id: SpaceId::parse("other").unwrap(), ..active.clone() };
    assert_eq!(spaces::ensure_active(&db.owner(), &other).await.unwrap(), active);
}
