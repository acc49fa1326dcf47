//! What a version adds to its tenant's lexeme statistics.

use std::collections::BTreeMap;

use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, DbError, Session, Sql};
use vouch_shared::ids::DocumentId;
use vouch_shared::lexical::LexicalVector;

/// In how many chunks of a version each lexeme occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lexemes {
    chunk_counts: BTreeMap<u32, i32>,
    chunk_total: i32,
}

impl Lexemes {
    /// Counts one chunk.
    pub fn add(&mut self, vector: &LexicalVector) {
        for lexeme in vector.lexemes() {
            *self.chunk_counts.entry(lexeme).or_insert(0) += 1;
        }
        self.chunk_total += 1;
    }
}

/// The version is to be counted, and nothing else of it.
pub(super) async fn count(session: &Session, document: DocumentId, lexemes: &Lexemes) -> Result<(), DbError> {
    uncount(session, &[document.as_uuid()]).await?;
    let set_aside = Sql::fixed(include_str!("lexemes_set_aside.sql"));
    session.execute(&set_aside, &[(&document.as_uuid(), Type::UUID)]).await?;
    // Ids are below 1,000,000,000.
    let ids: Vec<i32> =
        lexemes.chunk_counts.keys().map(|id| i32::try_from(*id).unwrap_or(i32::MAX)).collect();
    let counts: Vec<i32> = lexemes.chunk_counts.values().copied().collect();
    let params: [vouch_shared::db::Param<'_>; 4] = [
        (&document.as_uuid(), Type::UUID),
        (&ids, Type::INT4_ARRAY),
        (&counts, Type::INT4_ARRAY),
        (&lexemes.chunk_total, Type::INT4),
    ];
    session.execute(&Sql::fixed(include_str!("lexemes_count.sql")), &params).await?;
    Ok(())
}

/// The versions are not to be counted any more.
pub(super) async fn uncount(session: &Session, documents: &[Uuid]) -> Result<(), DbError> {
    for statement in [include_str!("lexemes_uncount.sql"), include_str!("lexemes_forget.sql")] {
        session.execute(&Sql::fixed(statement), &[(&documents, Type::UUID_ARRAY)]).await?;
    }
    Ok(())
}

/// Brings the tenant's totals up to date; `false` when another session is at it, which then may or may not see what
/// was published last.
///
/// # Errors
/// [`DbError`]; the totals are then as they were, and the next fold does it.
pub async fn fold(db: &Database, auth: &AuthContext) -> Result<bool, DbError> {
    let session = db.begin(auth).await?;
    let folded = session.query_one(&Sql::fixed(include_str!("fold.sql")), &[]).await?.try_get(0)?;
    session.commit().await?;
    Ok(folded)
}
