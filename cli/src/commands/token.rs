//! `vouch token`: a bearer token for the local stack, and nothing else on the output.

use anyhow::Result;

use crate::args::TokenArgs;
use crate::checkout::Checkout;
use crate::token::{LocalKeys, Principal};

pub(super) fn run(args: &TokenArgs) -> Result<()> {
    let principal =
        Principal { subject: args.subject.clone(), tenant: args.tenant.clone(), scopes: args.scopes.clone() };
    let lifetime = time::Duration::hours(i64::from(args.hours));
    println!("{}", LocalKeys::of(&Checkout::find()?)?.sign(&principal, lifetime)?);
    Ok(())
}
