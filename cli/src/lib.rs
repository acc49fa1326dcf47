//! `vouch`, the command that people type: the local stack, uploads, questions and the operator's calls.
//!
//! Modules follow the order of use: what a command prints, where the service is, how it is called, and the
//! local stack that stands in for AWS. `commands` holds one file a command and no logic of the stack.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a command's product is what it prints

pub mod advice;
pub mod output;
pub mod checkout;
pub mod env_file;
pub mod service;
pub mod aws;
pub mod api_client;
pub mod token;
pub mod local;
pub mod args;
pub mod commands;
