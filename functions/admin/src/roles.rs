//! The passwords of the roles that the other functions connect as.

use secrecy::ExposeSecret;
use tokio_postgres::types::Type;
use vouch_shared::auth::OperatorContext;
use vouch_shared::aws::DatabaseCredentials;
use vouch_shared::db::{Database, Sql};

use crate::error::AdminError;

const REMEMBER: Sql = Sql::fixed(include_str!("roles/remember.sql"));
const SET_PASSWORD: Sql = Sql::fixed(include_str!("roles/set_password.sql"));

/// Gives a role the password that its secret holds.
///
/// # Errors
/// [`AdminError::State`] when the secret is for another role than it must be; [`AdminError::Database`].
pub async fn set_password(
    database: &Database,
    role: &str,
    credentials: &DatabaseCredentials,
) -> Result<(), AdminError> {
    if credentials.username != role {
        return Err(AdminError::State(format!(
            "the secret of the role {role} names the user {}: put {role} into its field username",
            credentials.username
        )));
    }
    let session = database.begin_as_operator(&OperatorContext::for_admin_function()).await?;
    // The password travels as a parameter, so that no statement that the server may log holds it.
    session
        .query(&REMEMBER, &[(&role, Type::TEXT), (&credentials.password.expose_secret(), Type::TEXT)])
        .await?;
    session.run_file(&SET_PASSWORD).await?;
    session.commit().await?;
    Ok(())
}
