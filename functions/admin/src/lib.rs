//! The operator's function: it alone connects as the owner of the schema, and only IAM lets anyone invoke it.
//!
//! JSON in, JSON out; `vouch admin` is its face. Modules stand in the order in which data flows.

pub mod error;
pub mod operation;
pub mod roles;
pub mod spaces;
pub mod migrate;
pub mod tenants;
pub mod health;
pub mod pipeline;
