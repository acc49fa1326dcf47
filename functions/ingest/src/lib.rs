//! The function that brings bucket events into the database.
//!
//! Modules stand in the order in which data flows; each uses only earlier ones.

pub mod event;
pub mod text;
pub mod chunk;
pub mod passage;
