//! Sessions, roles and migrations on a real Postgres.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod local_model;
mod migrations;
mod openai;
mod roles;
mod sessions;

use vouch_shared::embedding::{ElementType, Space};
use vouch_shared::ids::SpaceId;

pub(crate) fn space() -> Space {
    Space {
        id: SpaceId::parse("three").unwrap(),
        model: "three".into(),
        dimension: 3,
        element_type: ElementType::Vector,
    }
}
