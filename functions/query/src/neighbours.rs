//! Reads the hits' text together with the chunks around them, so that a passage does not end in the middle of a thought.

use std::collections::BTreeMap;

use time::OffsetDateTime;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{DbError, Param, Session, Sql};
use vouch_shared::ids::{ChunkId, DocumentId};

static PASSAGES: Sql = Sql::fixed(include_str!("neighbours/passages.sql"));

/// A chunk with what a citation needs of its document.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The chunk.
    pub chunk_id: ChunkId,
    /// The version that it is part of.
    pub document_id: DocumentId,
    /// Its place in the document, from 0.
    pub ordinal: u32,
    /// Its text, as stored.
    pub content: String,
    /// Tokens of the text.
    pub token_count: u32,
    /// Headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// Page, from 1, where the format has pages.
    pub page: Option<u32>,
    /// When its version became the active one.
    pub valid_from: Option<OffsetDateTime>,
    /// The document's title.
    pub title: String,
    /// Where the document came from.
    pub source_uri: String,
    /// Which version of it.
    pub source_version: String,
}

impl Chunk {
    /// The headings as one line; none where there are none.
    #[must_use]
    pub fn heading(&self) -> Option<String> {
        (!self.heading_path.is_empty()).then(|| self.heading_path.join(" > "))
    }

    /// From a row that holds the columns by these names.
    ///
    /// # Errors
    /// [`DbError`] when it does not.
    pub fn from_row(row: &Row) -> Result<Self, DbError> {
        let (chunk, document): (Uuid, Uuid) = (row.try_get("chunk_id")?, row.try_get("document_id")?);
        let ordinal: i32 = row.try_get("ordinal")?;
        let page: Option<i32> = row.try_get("page")?;
        let token_count: i32 = row.try_get("token_count")?;
        Ok(Self {
            chunk_id: chunk.into(),
            document_id: document.into(),
            // The table's checks keep all three from being negative.
            ordinal: ordinal.cast_unsigned(),
            content: row.try_get("content")?,
            token_count: token_count.cast_unsigned(),
            heading_path: row.try_get("heading_path")?,
            page: page.map(i32::cast_unsigned),
            valid_from: row.try_get("valid_from")?,
            title: row.try_get("title")?,
            source_uri: row.try_get("source_uri")?,
            source_version: row.try_get("source_version")?,
        })
    }
}

/// A hit's text and its neighbours'.
#[derive(Clone, Debug, PartialEq)]
pub struct Surroundings {
    /// The hit.
    pub hit: Chunk,
    /// Chunks around it in reading order; none that is a hit itself or stands with a better hit already.
    pub neighbours: Vec<Chunk>,
}

/// Reads the hits and up to `reach` chunks on each side. What has ceased to be visible since it was found is left out.
///
/// # Errors
/// [`DbError`] of the statement.
pub async fn read(
    auth: &AuthContext,
    session: &Session,
    hits: &[ChunkId],
    reach: usize,
    as_of: Option<OffsetDateTime>,
) -> Result<Vec<Surroundings>, DbError> {
    if hits.is_empty() {
        return Ok(Vec::new());
    }
    let tenant = auth.tenant().as_str();
    let scopes = auth.scopes().to_vec();
    let ids: Vec<Uuid> = hits.iter().map(|id| id.as_uuid()).collect();
    let reach = i32::try_from(reach).unwrap_or(i32::MAX);
    let params: [Param<'_>; 5] = [
        (&tenant, Type::TEXT),
        (&scopes, Type::TEXT_ARRAY),
        (&ids, Type::UUID_ARRAY),
        (&reach, Type::INT4),
        (&as_of, Type::TIMESTAMPTZ),
    ];
    let rows = session.query(&PASSAGES, &params).await?;
    let chunks = rows.iter().map(Chunk::from_row).collect::<Result<Vec<_>, _>>()?;
    Ok(arrange(hits, chunks, reach.unsigned_abs()))
}

/// Gives each hit, in the order of `hits`, the chunks around it. Pure.
fn arrange(hits: &[ChunkId], chunks: Vec<Chunk>, reach: u32) -> Vec<Surroundings> {
    let mut by_place: BTreeMap<(DocumentId, u32), Chunk> =
        chunks.into_iter().map(|chunk| ((chunk.document_id, chunk.ordinal), chunk)).collect();
    let places: BTreeMap<ChunkId, (DocumentId, u32)> =
        by_place.values().map(|chunk| (chunk.chunk_id, (chunk.document_id, chunk.ordinal))).collect();
    // Hits are taken out first, so that none of them becomes another's neighbour.
    let found: Vec<Chunk> = hits.iter().filter_map(|id| by_place.remove(places.get(id)?)).collect();
    found
        .into_iter()
        .map(|hit| {
            let around = hit.ordinal.saturating_sub(reach)..=hit.ordinal.saturating_add(reach);
            let neighbours =
                around.filter_map(|ordinal| by_place.remove(&(hit.document_id, ordinal))).collect();
            Surroundings { hit, neighbours }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use vouch_shared::ids::TenantId;

    use super::*;

    fn document(name: &str) -> DocumentId {
        DocumentId::derive(&TenantId::parse("acme").unwrap(), name, "v1")
    }

    fn chunk(name: &str, ordinal: u32) -> Chunk {
        Chunk {
            chunk_id: ChunkId::derive(document(name), 1, ordinal),
            document_id: document(name),
            ordinal,
            content: format!("{name} {ordinal}"),
            token_count: 2,
            heading_path: Vec::new(),
            page: None,
            valid_from: None,
            title: name.to_owned(),
            source_uri: name.to_owned(),
            source_version: "v1".to_owned(),
        }
    }

    fn check(hits: &[(&str, u32)], rows: &[(&str, u32)], reach: u32, expected: &[(u32, &[u32])]) {
        let ids: Vec<ChunkId> = hits.iter().map(|(name, n)| chunk(name, *n).chunk_id).collect();
        let arranged = arrange(&ids, rows.iter().map(|(name, n)| chunk(name, *n)).collect(), reach);
        let found: Vec<(u32, Vec<u32>)> = arranged
            .iter()
            .map(|s| (s.hit.ordinal, s.neighbours.iter().map(|c| c.ordinal).collect()))
            .collect();
        let expected: Vec<(u32, Vec<u32>)> =
            expected.iter().map(|(hit, around)| (*hit, around.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn neighbours_stand_in_reading_order_around_their_hit() {
        check(&[("a", 5)], &[("a", 6), ("a", 4), ("a", 5)], 1, &[(5, &[4, 6])]);
    }

    #[test]
    fn the_first_chunk_has_no_neighbour_before_it() {
        check(&[("a", 0)], &[("a", 0), ("a", 1)], 1, &[(0, &[1])]);
    }

    #[test]
    fn a_chunk_stands_once_with_the_better_hit() {
        check(
            &[("a", 7), ("a", 5)],
            &[("a", 4), ("a", 5), ("a", 6), ("a", 7), ("a", 8)],
            1,
            &[(7, &[6, 8]), (5, &[4])],
        );
    }

    #[test]
    fn a_hit_is_nobodys_neighbour() {
        check(&[("a", 1), ("a", 2)], &[("a", 0), ("a", 1), ("a", 2), ("a", 3)], 1, &[(1, &[0]), (2, &[3])]);
    }

    #[test]
    fn documents_do_not_mix_and_what_vanished_is_left_out() {
        check(&[("a", 1), ("gone", 3), ("b", 1)], &[("a", 1), ("b", 1), ("b", 2)], 1, &[(1, &[]), (1, &[2])]);
    }
}
