//! The function that brings bucket events into the database.
//!
//! Modules stand in the order in which data flows; each uses only earlier ones. [`pipeline`] holds the order of the
//! steps for one object, [`batch`] that of one invocation.

pub mod event;
pub mod object;
pub mod text;
pub mod chunk;
pub mod prepare;
pub mod passage;
pub mod vectors;
pub mod publish;
pub mod rows;
pub mod report;
pub mod pipeline;
pub mod batch;
pub mod start;
