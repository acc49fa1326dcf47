//! The function that answers questions with checked citations.
//!
//! Modules stand in the order in which a request flows; each uses only earlier ones. `keyword_filter`, `fusion`
//! and `answer` (but for the answerers that ask a model) are pure: no IO, no clock, no environment. AWS's types stop at
//! `http::lambda`.

pub mod error;
pub mod timings;
pub mod http;
pub mod authenticate;
pub mod reconnect;
pub mod keyword_filter;
pub mod fusion;
pub mod candidates;
pub mod neighbours;
pub mod retrieve;
pub mod search;
pub mod answer;
pub mod similarity;
pub mod ask;
pub mod documents;
pub mod chunks;
pub mod health;
pub mod openapi;
pub mod deadline;
pub mod pipeline;
