//! One type for each kind of id, and how ids are derived.
//!
//! Document and chunk ids are functions of what they name, so that a replay of an upload writes the same rows
//! and a citation stays valid.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Namespace of every derived id: a random UUID, fixed for ever, since changing it would change all ids.
const NAMESPACE: Uuid = Uuid::from_u128(0x6f0d_3f0e_52c1_4f7b_9b5e_71a3_c2d8_40e6);

/// Why a text is not an id.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum IdError {
    /// The text is not a tenant slug.
    #[error("a tenant is 1 to 63 characters of a-z, 0-9, '-' and '_', and starts with a letter or a digit")]
    Tenant,
    /// The text is not a UUID.
    #[error("an id is a UUID such as 67e55044-10b1-426f-9247-bb680e5fe0c8")]
    Uuid,
    /// The text is not the name of an embedding space.
    #[error("an embedding space is 1 to 41 characters of a-z, 0-9 and '_', and starts with a letter")]
    Space,
}

/// An organisation whose documents are kept apart from all others': the first segment of its object keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct TenantId(String);

impl TenantId {
    /// Accepts what `vouch.tenants` accepts.
    ///
    /// # Errors
    /// [`IdError::Tenant`] when the text is not a slug.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let inner = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-' || c == b'_';
        let bytes = text.as_bytes();
        let first = bytes.first().is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        if first && bytes.len() <= 63 && bytes.iter().copied().all(inner) {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError::Tenant)
        }
    }

    /// The slug.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of an embedding space, safe to stand in the name of its table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct SpaceId(String);

impl SpaceId {
    /// Accepts what `vouch.embedding_spaces` accepts.
    ///
    /// # Errors
    /// [`IdError::Space`] when the text could not be part of a table's name.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let inner = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
        let bytes = text.as_bytes();
        let first = bytes.first().is_some_and(u8::is_ascii_lowercase);
        if first && bytes.len() <= 41 && bytes.iter().copied().all(inner) {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError::Space)
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The table of the space's vectors, with its schema.
    #[must_use]
    pub fn table(&self) -> String {
        format!("vouch.embeddings_{}", self.0)
    }
}

impl fmt::Display for SpaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// The UUID, as the database holds it.
            #[must_use]
            pub fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                Uuid::try_parse(text).map(Self).map_err(|_| IdError::Uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

uuid_id! {
    /// One version of one source object.
    DocumentId
}
uuid_id! {
    /// One chunk of one document version.
    ChunkId
}

impl DocumentId {
    /// UUIDv5 (RFC 9562) of tenant, source URI and source version. The parts are separated by a NUL, which
    /// none of them can hold, so that no two triples share a name.
    #[must_use]
    pub fn derive(tenant: &TenantId, source_uri: &str, source_version: &str) -> Self {
        let name = format!("document\0{tenant}\0{source_uri}\0{source_version}");
        Self(Uuid::new_v5(&NAMESPACE, name.as_bytes()))
    }
}

impl ChunkId {
    /// UUIDv5 (RFC 9562) of the document, the version of the chunking rules and the chunk's position.
    #[must_use]
    pub fn derive(document: DocumentId, chunker_version: u32, ordinal: u32) -> Self {
        let name = format!("chunk\0{chunker_version}\0{ordinal}");
        Self(Uuid::new_v5(&document.0, name.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_object_version_always_has_the_same_id() {
        let acme = TenantId::parse("acme").unwrap();
        let id = DocumentId::derive(&acme, "s3://b/acme/a.md", "v1");
        assert_eq!(id.to_string(), "2e45f199-0597-589e-a5cd-21e5da915e96", "ids already stored would change");
        assert_eq!(id, DocumentId::derive(&acme, "s3://b/acme/a.md", "v1"));
        assert_ne!(id, DocumentId::derive(&acme, "s3://b/acme/a.md", "v2"));
        assert_ne!(id, DocumentId::derive(&TenantId::parse("acm").unwrap(), "s3://b/acme/a.md", "v1"));
        assert_ne!(ChunkId::derive(id, 1, 0), ChunkId::derive(id, 1, 1));
        assert_ne!(ChunkId::derive(id, 1, 11), ChunkId::derive(id, 11, 1));
    }

    #[test]
    fn a_tenant_is_a_slug() {
        for good in ["a", "acme", "acme-2", "0_x", &"a".repeat(63)] {
            assert!(TenantId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "Acme", "-a", "_a", "a b", "ä", "a/b", &"a".repeat(64)] {
            assert_eq!(TenantId::parse(bad), Err(IdError::Tenant), "{bad}");
        }
    }

    #[test]
    fn a_space_can_stand_in_a_table_name() {
        assert_eq!(SpaceId::parse("minilm_384").unwrap().table(), "vouch.embeddings_minilm_384");
        for bad in ["", "1a", "a-b", "a;drop", "A", &"a".repeat(42)] {
            assert_eq!(SpaceId::parse(bad), Err(IdError::Space), "{bad}");
        }
    }
}
