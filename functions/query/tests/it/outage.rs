//! The database goes away and comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::{Method, header};
use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use vouch_shared::db::{Credentials, Database};

use crate::world::{Caller, Document, World};

/// Stands between the service and the database, and can be cut.
struct Wire {
    port: u16,
    up: Arc<AtomicBool>,
    cut: Arc<Notify>,
}

impl Wire {
    async fn to(host: String, port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let wire = Self {
            port: listener.local_addr().unwrap().port(),
            up: Arc::new(AtomicBool::new(true)),
            cut: Arc::new(Notify::new()),
        };
        let (up, cut) = (Arc::clone(&wire.up), Arc::clone(&wire.cut));
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                if !up.load(Ordering::SeqCst) {
                    continue;
                }
                let (host, cut) = (host.clone(), Arc::clone(&cut));
                tokio::spawn(async move {
                    let mut far = TcpStream::connect((host, port)).await.unwrap();
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        () = cut.notified() => {}
                    }
                });
            }
        });
        wire
    }

    fn cut(&self) {
        self.up.store(false, Ordering::SeqCst);
        self.cut.notify_waiters();
    }

    fn mend(&self) {
        self.up.store(true, Ordering::SeqCst);
    }
}

#[tokio::test]
async fn without_its_database_the_service_says_when_to_come_back_and_recovers() {
    let world = World::of(&["acme"], &[Document::new("acme", "a.md", &["alpha beta"])]).await;
    let mut credentials = world.db.credentials("vouch_query", "only-for-tests");
    let wire = Wire::to(credentials.host.clone(), credentials.port).await;
    (credentials.host, credentials.port) = ("127.0.0.1".into(), wire.port);
    let db = Database::with_credentials(Credentials::Fixed(credentials), world.db.ca_pem(), 2).unwrap();
    let service = world.service_over(db);
    let caller = Caller::of("acme", &[]);
    let query = json!({"query": "alpha"});
    let search =
        async || caller.send(&service, Method::POST, "/v1/search", query.to_string().as_bytes()).await;

    assert_eq!(search().await.status, 200);
    wire.cut();
    for target in ["/healthz", "/v1/documents", "/v1/chunks/00000000-0000-4000-8000-000000000000"] {
        assert_eq!(caller.send(&service, Method::GET, target, b"").await.status, 503, "{target}");
    }
    let refused = search().await;
    assert_eq!(refused.status, 503);
    let retry_after = refused.headers.iter().find(|(name, _)| *name == header::RETRY_AFTER).unwrap();
    assert_eq!(retry_after.1, "5");
    for internal in ["127.0.0.1", "vouch_query", "tcp", "onnection"] {
        assert!(!refused.body.contains(internal), "{}", refused.body);
    }
    wire.mend();
    assert_eq!(search().await.status, 200);
}

#[tokio::test]
async fn a_start_waits_for_a_database_that_is_waking_up() {
    let world = World::new(&[]).await;
    let mut credentials = world.db.credentials("vouch_query", "only-for-tests");
    let wire = Wire::to(credentials.host.clone(), credentials.port).await;
    (credentials.host, credentials.port) = ("127.0.0.1".into(), wire.port);
    let db = Database::with_credentials(Credentials::Fixed(credentials), world.db.ca_pem(), 2).unwrap();
    wire.cut();
    let (woken, ()) = tokio::join!(biased; query::health::when_awake(&db), async { wire.mend() });
    woken.unwrap();
    let wrong = world.db.connect("vouch_query", "wrong");
    assert!(
        query::health::when_awake(&wrong).await.is_err(),
        "a wrong password does not come right by waiting"
    );
}

#[tokio::test]
async fn a_connection_that_died_while_idle_costs_no_request() {
    let world = World::of(&["acme"], &[Document::new("acme", "a.md", &["alpha beta"])]).await;
    let (service, caller) = (world.service(), Caller::of("acme", &[]));
    for _ in 0..3 {
        assert_eq!(caller.post(&service, "/v1/search", &json!({"query": "alpha"})).await.0, 200);
        let ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'vouch_query' AND datname = current_database()";
        world.root.batch_execute(ended).await.unwrap();
        assert_eq!(caller.get(&service, "/v1/documents").await.0, 200);
        world.root.batch_execute(ended).await.unwrap();
    }
}
