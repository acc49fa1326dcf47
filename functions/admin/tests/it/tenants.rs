use admin::error::AdminError;
use admin::tenants;
use serde_json::json;

use crate::database;

#[tokio::test]
async fn a_tenant_is_added_once_and_its_default_scope_changes_only_when_given() {
    let db = database().await.owner();
    let scope = |s: &[&str]| Some(s.iter().map(|s| (*s).to_owned()).collect());
    let first = tenants::create(&db, "acme", None).await.unwrap();
    assert_eq!(first, json!({"tenant": "acme", "created": true, "default_scope": ["everyone"]}));
    let second = tenants::create(&db, "acme", None).await.unwrap();
    assert_eq!(second, json!({"tenant": "acme", "created": false, "default_scope": ["everyone"]}));
    let third = tenants::create(&db, "acme", scope(&["hr"])).await.unwrap();
    assert_eq!(third["default_scope"], json!(["hr"]));
    assert_eq!(tenants::create(&db, "acme", None).await.unwrap()["default_scope"], json!(["hr"]));
}

#[tokio::test]
async fn what_is_not_a_tenant_or_a_scope_is_refused() {
    let db = database().await.owner();
    for slug in ["", "Acme", "a/b", "a b"] {
        let error = tenants::create(&db, slug, None).await.unwrap_err();
        assert!(matches!(error, AdminError::Request(_)), "{slug}");
    }
    let error = tenants::create(&db, "acme", Some(vec!["hr".into(), String::new()])).await.unwrap_err();
    assert!(matches!(error, AdminError::Request(_)), "{error}");
}

#[tokio::test]
async fn tenants_are_listed_and_counted() {
    let db = database().await.owner();
    tenants::create(&db, "beta", None).await.unwrap();
    tenants::create(&db, "acme", None).await.unwrap();
    let list = tenants::list(&db).await.unwrap();
    let expected = |t: &str| json!({"tenant": t, "default_scope": ["everyone"], "documents": 0, "chunks": 0});
    assert_eq!(list, json!({"tenants": [expected("acme"), expected("beta")]}));
    let stats = tenants::stats(&db, "acme").await.unwrap();
    assert_eq!(stats, json!({"tenant": "acme", "documents": {}, "chunks": 0}));
    assert!(matches!(tenants::stats(&db, "gamma").await, Err(AdminError::NoTenant(_))));
}
