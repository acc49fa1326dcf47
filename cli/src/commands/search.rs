//! `vouch search`: the passages that a query finds.

use anyhow::Result;
use serde_json::{Value, json};

use super::ask::place;
use crate::api_client::ApiClient;
use crate::args::SearchArgs;
use crate::output::{bold, dim, wrap};
use crate::service::Service;

/// Characters of a passage that are printed.
const EXCERPT: usize = 240;
/// Columns of printed text.
const WIDTH: usize = 96;

pub(super) async fn run(args: &SearchArgs, json: bool) -> Result<()> {
    let service = Service::locate()?;
    let api = ApiClient::new(service.require("VOUCH_URL")?, super::bearer(&service, &args.caller)?)?;
    let filters = args.source_prefix.as_ref().map(|prefix| json!({"source_prefix": prefix}));
    let query = [
        ("query", Some(json!(args.query))),
        ("top_k", args.top_k.map(Value::from)),
        ("mode", args.mode.as_ref().map(|mode| json!(mode))),
        ("filters", filters),
    ];
    let found = api.search(&super::body(query)).await?;
    if json {
        super::print_json(&found);
        return Ok(());
    }
    let hits = found["hits"].as_array().map(Vec::as_slice).unwrap_or_default();
    if hits.is_empty() {
        println!("  nothing found");
    }
    for (at, hit) in hits.iter().enumerate() {
        let title = hit["title"].as_str().or(hit["document"]["title"].as_str()).unwrap_or_default();
        let uri = hit["source_uri"].as_str().or(hit["document"]["source_uri"].as_str()).unwrap_or_default();
        println!("{} {title} {}", bold(format!("{:2}", at + 1)), dim(place(hit)));
        println!("   {}", dim(uri));
        let excerpt: String = hit["excerpt"].as_str().unwrap_or_default().chars().take(EXCERPT).collect();
        println!("{}", wrap(&excerpt, "   ", WIDTH));
    }
    Ok(())
}
