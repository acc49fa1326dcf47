//! `vouch ask`: one question, its answer and its citations.

use anyhow::Result;
use serde_json::{Value, json};

use crate::api_client::ApiClient;
use crate::args::AskArgs;
use crate::output::{bold, dim, wrap};
use crate::service::Service;

/// Columns of printed text.
const WIDTH: usize = 96;

pub(super) async fn run(args: &AskArgs, json: bool) -> Result<()> {
    let service = Service::locate()?;
    let api = ApiClient::new(service.require("VOUCH_URL")?, super::bearer(&service, &args.caller)?)?;
    let filters = args.source_prefix.as_ref().map(|prefix| json!({"source_prefix": prefix}));
    let question = [
        ("question", Some(json!(args.question))),
        ("top_k", args.top_k.map(Value::from)),
        ("filters", filters),
    ];
    let answer = api.ask(&super::body(question)).await?;
    if json {
        super::print_json(&answer);
    } else {
        print_answer(&answer);
    }
    Ok(())
}

/// Prints an answer as people read it.
pub fn print_answer(answer: &Value) {
    println!("{}", wrap(answer["answer"].as_str().unwrap_or_default(), "  ", WIDTH));
    if let Some(reason) = answer["reason"].as_str() {
        println!("  {}", dim(format!("refused: {reason}")));
    }
    for citation in answer["citations"].as_array().into_iter().flatten() {
        println!(
            "  {} {} {}",
            bold(format!("[{}]", citation["n"])),
            text(&citation["title"]),
            dim(place(citation))
        );
        println!("      {}", dim(text(&citation["source_uri"])));
    }
}

/// Where in its document a passage stands: headings below the title, or the page.
pub fn place(citation: &Value) -> String {
    let path = text(&citation["heading"]);
    let title = text(&citation["title"]);
    let below = path.strip_prefix(title).map_or(path, |rest| rest.trim_start_matches(" > "));
    match (below.is_empty(), citation["page"].as_u64()) {
        (false, _) => format!("› {}", below.replace(" > ", " › ")),
        (true, Some(page)) => format!("page {page}"),
        (true, None) => String::new(),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_the_headings_below_the_title_or_else_the_page() {
        assert_eq!(
            place(&json!({"title": "Limits", "heading": "Limits > Requests > Size", "page": null})),
            "› Requests › Size"
        );
        assert_eq!(place(&json!({"title": "limits.md", "heading": "Requests"})), "› Requests");
        assert_eq!(place(&json!({"title": "Limits", "heading": "Limits", "page": 3})), "page 3");
        assert_eq!(place(&json!({"title": "Limits"})), "");
    }
}
