//! Bodies and query strings into requests whose values are all in range.

use time::OffsetDateTime;
use vouch_shared::config::Limits;
use vouch_shared::ids::DocumentId;

use super::HttpRequest;
use super::fields::Fields;
use crate::error::Error;

/// Most documents that a filter may name.
pub const MAX_DOCUMENT_IDS: usize = 100;

/// Longest prefix of a source, in characters: an S3 key has at most 1,024 bytes, a bucket's name 63.
pub const MAX_PREFIX_CHARS: usize = 1_100;

/// Longest cursor accepted, in characters; ours are shorter.
const MAX_CURSOR_CHARS: usize = 4_096;

/// Documents of a page whose caller names no number.
const DEFAULT_PAGE: usize = 50;

/// Most documents of a page.
pub const MAX_PAGE: usize = 200;

/// What narrows a search. Everything that is set must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// The document's source begins with this.
    pub source_prefix: Option<String>,
    /// The version became the active one at this instant or later.
    pub since: Option<OffsetDateTime>,
    /// The version became the active one before this instant.
    pub until: Option<OffsetDateTime>,
    /// Search the versions that were active at this instant, not the present ones.
    pub as_of: Option<OffsetDateTime>,
    /// The document is one of these.
    pub document_ids: Option<Vec<DocumentId>>,
}

/// Which arms search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Both.
    #[default]
    Hybrid,
    /// By embedding only.
    Dense,
    /// By BM25 only.
    Lexical,
}

/// `POST /v1/search`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchRequest {
    /// The words to search for.
    pub query: String,
    /// What narrows the search.
    pub filters: Filters,
    /// How many hits at most.
    pub top_k: usize,
    /// Which arms search.
    pub mode: Mode,
}

/// `POST /v1/ask`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskRequest {
    /// The question.
    pub question: String,
    /// What narrows the search.
    pub filters: Filters,
    /// How many hits at most to draw on.
    pub top_k: usize,
}

/// `GET /v1/documents`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// The source begins with this.
    pub prefix: Option<String>,
    /// The document is in this state.
    pub state: Option<&'static str>,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// How many at most.
    pub limit: usize,
}

/// The states that a document can be in.
pub const STATES: [&str; 5] = ["ingesting", "active", "superseded", "deleted", "failed"];

/// Reads `POST /v1/ask`.
///
/// # Errors
/// [`Error`] of the body or of one of its fields.
pub fn ask(request: &HttpRequest, limits: Limits, default_top_k: usize) -> Result<AskRequest, Error> {
    let mut fields = body(request, limits)?;
    let question = fields.required_text("question", limits.max_question_chars)?;
    let filters = filters(&mut fields)?;
    let top_k = fields.count("top_k", limits.max_top_k)?.unwrap_or(default_top_k.min(limits.max_top_k));
    fields.finish()?;
    Ok(AskRequest { question, filters, top_k })
}

/// Reads `POST /v1/search`.
///
/// # Errors
/// [`Error`] of the body or of one of its fields.
pub fn search(request: &HttpRequest, limits: Limits, default_top_k: usize) -> Result<SearchRequest, Error> {
    let mut fields = body(request, limits)?;
    let query = fields.required_text("query", limits.max_question_chars)?;
    let filters = filters(&mut fields)?;
    let top_k = fields.count("top_k", limits.max_top_k)?.unwrap_or(default_top_k.min(limits.max_top_k));
    let modes = [("hybrid", Mode::Hybrid), ("dense", Mode::Dense), ("lexical", Mode::Lexical)];
    let mode = fields.choice("mode", &modes)?.unwrap_or_default();
    fields.finish()?;
    Ok(SearchRequest { query, filters, top_k, mode })
}

/// Reads `GET /v1/documents`.
///
/// # Errors
/// [`Error::Invalid`] of one of its parameters.
pub fn list(request: &HttpRequest) -> Result<ListRequest, Error> {
    let mut fields = Fields::of_parameters(&request.parameters)?;
    let list = ListRequest {
        prefix: fields.text("prefix", MAX_PREFIX_CHARS)?,
        state: fields.choice("state", &STATES.map(|state| (state, state)))?,
        cursor: fields.text("cursor", MAX_CURSOR_CHARS)?,
        limit: fields.count("limit", MAX_PAGE)?.unwrap_or(DEFAULT_PAGE),
    };
    fields.finish()?;
    Ok(list)
}

/// Reads the parameter `as_of`, the only one of `GET /v1/chunks/{id}`.
///
/// # Errors
/// [`Error::Invalid`] of it.
pub fn as_of(request: &HttpRequest) -> Result<Option<OffsetDateTime>, Error> {
    let mut fields = Fields::of_parameters(&request.parameters)?;
    let as_of = fields.instant("as_of")?;
    fields.finish()?;
    Ok(as_of)
}

fn body(request: &HttpRequest, limits: Limits) -> Result<Fields, Error> {
    if request.body.len() > limits.max_body_bytes {
        return Err(Error::TooLarge { limit_bytes: limits.max_body_bytes });
    }
    Fields::of_body(&request.body)
}

fn filters(fields: &mut Fields) -> Result<Filters, Error> {
    let mut fields = fields.object("filters")?;
    let filters = Filters {
        source_prefix: fields.text("source_prefix", MAX_PREFIX_CHARS)?,
        since: fields.instant("since")?,
        until: fields.instant("until")?,
        as_of: fields.instant("as_of")?,
        document_ids: fields.ids("document_ids", MAX_DOCUMENT_IDS)?,
    };
    fields.finish()?;
    if let (Some(since), Some(until)) = (filters.since, filters.until)
        && since >= until
    {
        return Err(Error::invalid("filters.until", "must be later than filters.since"));
    }
    Ok(filters)
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::{Value, json};

    use super::*;

    const LIMITS: Limits = Limits { max_question_chars: 20, max_top_k: 50, max_body_bytes: 500 };

    fn request(body: &[u8], parameters: &[(&str, &str)]) -> HttpRequest {
        HttpRequest {
            method: Method::POST,
            path: "/".into(),
            parameters: parameters.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            body: body.to_vec(),
            authorization: None,
            verified_claims: None,
            request_id: "r".into(),
            deadline: None,
        }
    }

    fn search_of(body: &Value) -> Result<SearchRequest, Error> {
        search(&request(body.to_string().as_bytes(), &[]), LIMITS, 8)
    }

    fn refused(body: &Value) -> String {
        match search_of(body) {
            Err(Error::Invalid { field, .. }) => field,
            other => panic!("{body} gave {other:?}"),
        }
    }

    #[test]
    fn what_is_not_given_has_a_default() {
        let read = search_of(&json!({"query": " leave  "})).unwrap();
        assert_eq!(
            read,
            SearchRequest {
                query: "leave".into(),
                filters: Filters::default(),
                top_k: 8,
                mode: Mode::Hybrid
            }
        );
        assert_eq!(search_of(&json!({"query": "a", "filters": null, "top_k": null})).unwrap().top_k, 8);
    }

    #[test]
    fn every_filter_is_read() {
        let id = "8d3c1b1e-7b1c-5d39-9b9a-2b3c4d5e6f70";
        let filters = json!({"source_prefix": "s3://b/acme/", "since": "2026-01-01T00:00:00Z", "until": "2026-02-01T00:00:00+01:00",
            "as_of": "2026-03-01T00:00:00Z", "document_ids": [id]});
        let read =
            search_of(&json!({"query": "a", "filters": filters, "mode": "dense", "top_k": 50})).unwrap();
        assert_eq!(read.filters.document_ids.unwrap(), [id.parse().unwrap()]);
        assert!(read.filters.since.unwrap() < read.filters.until.unwrap());
        assert_eq!(read.mode, Mode::Dense);
    }

    #[test]
    fn a_field_that_is_refused_is_named_by_its_path() {
        let query = |more: Value| {
            let mut body = json!({"query": "a"});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        assert_eq!(refused(&json!({})), "query");
        assert_eq!(refused(&json!({"query": " \n "})), "query");
        assert_eq!(refused(&json!({"query": 7})), "query");
        assert_eq!(refused(&json!({"query": "a\u{0}b"})), "query");
        assert_eq!(refused(&json!({"query": "x".repeat(21)})), "query");
        assert_eq!(refused(&query(json!({"top_k": 0}))), "top_k");
        assert_eq!(refused(&query(json!({"top_k": 51}))), "top_k");
        assert_eq!(refused(&query(json!({"top_k": 1.5}))), "top_k");
        assert_eq!(refused(&query(json!({"mode": "fuzzy"}))), "mode");
        assert_eq!(refused(&query(json!({"tenant": "other"}))), "tenant");
        assert_eq!(refused(&query(json!({"filters": []}))), "filters");
        assert_eq!(refused(&query(json!({"filters": {"scope": "board"}}))), "filters.scope");
        assert_eq!(refused(&query(json!({"filters": {"since": "yesterday"}}))), "filters.since");
        assert_eq!(refused(&query(json!({"filters": {"document_ids": []}}))), "filters.document_ids");
        assert_eq!(refused(&query(json!({"filters": {"document_ids": ["x"]}}))), "filters.document_ids");
        let reversed = json!({"since": "2026-02-01T00:00:00Z", "until": "2026-01-01T00:00:00Z"});
        assert_eq!(refused(&query(json!({"filters": reversed}))), "filters.until");
    }

    #[test]
    fn a_body_that_is_no_json_object_is_malformed_and_a_large_one_too_large() {
        for body in ["", "{", "[]", "7", "{\"query\": \"a\"} x"] {
            let read = search(&request(body.as_bytes(), &[]), LIMITS, 8);
            assert!(matches!(read, Err(Error::Malformed { .. })), "{body}");
        }
        let not_utf8 = search(&request(b"{\"query\": \"\xff\"}", &[]), LIMITS, 8);
        assert!(matches!(not_utf8, Err(Error::Malformed { .. })));
        let large = search(&request(&[b' '; 501], &[]), LIMITS, 8);
        assert!(matches!(large, Err(Error::TooLarge { limit_bytes: 500 })));
    }

    #[test]
    fn a_question_is_measured_in_characters_not_bytes() {
        assert!(search_of(&json!({"query": "ü".repeat(20)})).is_ok());
    }

    #[test]
    fn the_parameters_of_a_listing_are_read_and_refused_by_name() {
        let read =
            list(&request(b"", &[("prefix", "s3://b/"), ("state", "failed"), ("limit", "3")])).unwrap();
        assert_eq!(
            read,
            ListRequest { prefix: Some("s3://b/".into()), state: Some("failed"), cursor: None, limit: 3 }
        );
        for (name, value) in
            [("state", "gone"), ("limit", "0"), ("limit", "many"), ("limit", "201"), ("page", "2")]
        {
            let refused = list(&request(b"", &[(name, value)]));
            assert!(matches!(refused, Err(Error::Invalid { field, .. }) if field == name), "{name}={value}");
        }
        let twice = list(&request(b"", &[("limit", "1"), ("limit", "2")]));
        assert!(matches!(twice, Err(Error::Invalid { field, .. }) if field == "limit"));
    }
}
