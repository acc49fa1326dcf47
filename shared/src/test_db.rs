//! A migrated database per test, on the real Postgres that `vouch local test` starts for the run.
//!
//! The first test to come makes a template from the shipped migrations; every test gets a copy of it. The server
//! is thrown away after the run, so databases are not dropped one by one.

#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a test that has no database fails at once"
)]

use std::sync::OnceLock;

use secrecy::SecretString;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::auth::{AuthContext, OperatorContext};
use crate::aws::DatabaseCredentials;
use crate::db::{Credentials, Database, Sql};
use crate::embedding::Space;
use crate::ids::TenantId;
use crate::migrations;

/// Password of the roles of the test server, which listens on loopback and lives for one run.
const PASSWORD: &str = "only-for-tests";

/// Connections each test's pools may open.
const POOL: usize = 4;

#[derive(Deserialize)]
struct Server {
    host: String,
    port: u16,
    ca_file: String,
    superuser: String,
    password: SecretString,
}

/// A database of one test's own.
pub struct TestDb {
    name: String,
    space: Space,
    ca: Vec<u8>,
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let json = std::env::var("VOUCH_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!("VOUCH_TEST_POSTGRES is not set: run the tests by `make test`, or one crate's by `cargo run -p vouch -- local test -- cargo test -p CRATE`")
        });
        serde_json::from_str(&json).unwrap_or_else(|e| panic!("VOUCH_TEST_POSTGRES is malformed: {e}"))
    })
}

impl TestDb {
    /// A migrated database whose active space is `space`.
    ///
    /// # Panics
    /// When there is no test server, or it does not do as told.
    pub async fn with_space(space: &Space) -> Self {
        let server = server();
        let ca = std::fs::read(&server.ca_file).unwrap_or_else(|e| panic!("{}: {e}", server.ca_file));
        let root = superuser("postgres", &ca).await;
        let template = template(&root, &ca).await;
        let name = format!("t_{}", Uuid::new_v4().simple());
        // The names are made here, of letters and digits.
        run(
            &root,
            &format!("CREATE DATABASE {name} TEMPLATE {template} OWNER vouch_owner STRATEGY file_copy"),
        )
        .await;
        let db = Self { name, space: space.clone(), ca };
        let owner =
            db.owner().begin_as_operator(&OperatorContext::for_admin_function()).await.expect("owner");
        let dimension = i32::try_from(space.dimension).expect("dimension");
        let make = Sql::fixed(
            "SELECT vouch.create_embedding_space($1, $2, $3, $4), vouch.activate_embedding_space($1)",
        );
        let params: [crate::db::Param<'_>; 4] = [
            (&space.id.as_str(), Type::TEXT),
            (&space.model, Type::TEXT),
            (&dimension, Type::INT4),
            (&space.element_type.as_str(), Type::TEXT),
        ];
        owner.query(&make, &params).await.expect("space");
        owner.commit().await.expect("commit");
        db
    }

    /// The active space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The database as its owner.
    #[must_use]
    pub fn owner(&self) -> Database {
        self.connect("vouch_owner", PASSWORD)
    }

    /// The database as the role that writes.
    #[must_use]
    pub fn ingest(&self) -> Database {
        self.connect("vouch_ingest", PASSWORD)
    }

    /// The database as the role that reads.
    #[must_use]
    pub fn query(&self) -> Database {
        self.connect("vouch_query", PASSWORD)
    }

    /// The database as any role, with that role's password.
    ///
    /// # Panics
    /// When the test server's CA is not usable.
    #[must_use]
    pub fn connect(&self, role: &str, password: &str) -> Database {
        Database::with_credentials(Credentials::Fixed(self.credentials(role, password)), &self.ca, POOL)
            .expect("pool")
    }

    /// What a secret for this database would hold.
    #[must_use]
    pub fn credentials(&self, role: &str, password: &str) -> DatabaseCredentials {
        credentials(&self.name, role, password)
    }

    /// The authorities' certificates, as PEM.
    #[must_use]
    pub fn ca_pem(&self) -> &[u8] {
        &self.ca
    }

    /// A client as superuser, whom row-level security does not bind; for looking at what is really stored.
    ///
    /// # Panics
    /// When it cannot connect.
    pub async fn superuser(&self) -> Client {
        superuser(&self.name, &self.ca).await
    }

    /// Adds a tenant with the default scope `everyone`.
    ///
    /// # Panics
    /// When the tenant exists or the name is not a tenant's.
    pub async fn tenant(&self, slug: &str) -> AuthContext {
        let tenant = TenantId::parse(slug).expect("tenant");
        let owner =
            self.owner().begin_as_operator(&OperatorContext::for_admin_function()).await.expect("owner");
        let sql = Sql::fixed("INSERT INTO vouch.tenants (tenant_id) VALUES ($1)");
        owner.query(&sql, &[(&tenant.as_str(), Type::TEXT)]).await.expect("tenant");
        owner.commit().await.expect("commit");
        AuthContext::for_writer(tenant)
    }
}

fn credentials(database: &str, role: &str, password: &str) -> DatabaseCredentials {
    DatabaseCredentials {
        host: server().host.clone(),
        port: server().port,
        dbname: database.to_owned(),
        username: role.to_owned(),
        password: password.to_owned().into(),
    }
}

async fn superuser(database: &str, ca: &[u8]) -> Client {
    use secrecy::ExposeSecret;
    let server = server();
    let authority = native_tls::Certificate::from_pem(ca).expect("CA");
    let tls = native_tls::TlsConnector::builder().add_root_certificate(authority).build().expect("TLS");
    let (client, connection) = tokio_postgres::Config::new()
        .host(&server.host)
        .port(server.port)
        .user(&server.superuser)
        .password(server.password.expose_secret())
        .dbname(database)
        .ssl_mode(tokio_postgres::config::SslMode::Require)
        .connect(postgres_native_tls::MakeTlsConnector::new(tls))
        .await
        .unwrap_or_else(|e| panic!("the test server does not answer: {e}"));
    tokio::spawn(connection);
    client
}

/// The template's name; made by whoever comes first, while others wait on an advisory lock.
async fn template(root: &Client, ca: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(include_str!("migrations/prepare.sql"));
    for migration in migrations::ALL {
        hash.update(migration.sql);
    }
    let hash: String = hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect();
    let name = format!("template_{hash}");
    run(root, "SELECT pg_advisory_lock(7340033)").await;
    let exists = root
        .query_typed("SELECT FROM pg_database WHERE datname = $1 AND datistemplate", &[(&name, Type::TEXT)])
        .await
        .expect("catalogue");
    if exists.is_empty() {
        run(root, &format!("DROP DATABASE IF EXISTS {name}")).await;
        run(root, "DO $$ BEGIN CREATE ROLE vouch_owner LOGIN CREATEROLE; EXCEPTION WHEN duplicate_object THEN NULL; END $$").await;
        run(root, &format!("ALTER ROLE vouch_owner PASSWORD '{PASSWORD}'")).await;
        run(root, &format!("CREATE DATABASE {name} OWNER vouch_owner")).await;
        let inside = superuser(&name, ca).await;
        run(&inside, "CREATE EXTENSION vector").await;
        let owner = Credentials::Fixed(credentials(&name, "vouch_owner", PASSWORD));
        let owner = Database::with_credentials(owner, ca, 1).expect("pool");
        migrations::apply(&owner).await.unwrap_or_else(|e| panic!("{}", crate::telemetry::chain(&e)));
        owner.close();
        for role in ["vouch_ingest", "vouch_query"] {
            run(&inside, &format!("ALTER ROLE {role} PASSWORD '{PASSWORD}'")).await;
        }
        drop(inside);
        run(root, &format!("ALTER DATABASE {name} IS_TEMPLATE true ALLOW_CONNECTIONS false")).await;
    }
    run(root, "SELECT pg_advisory_unlock(7340033)").await;
    name
}

async fn run(client: &Client, sql: &str) {
    if let Err(error) = client.batch_execute(sql).await {
        panic!("{sql}\n{}", crate::telemetry::chain(&error));
    }
}
