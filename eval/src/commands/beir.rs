//! `vouch-eval beir`: a public data set in BEIR's form (`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use vouch_shared::tuning::Tuning;

use super::{Said, outside};
use crate::corpus::Corpus;
use crate::questions::{Kind, Question};

/// What to measure.
#[derive(Debug, Args)]
pub struct Options {
    /// Directory of the data set
    pub directory: PathBuf,
}

#[derive(Deserialize)]
struct Record {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
}

/// Ingests and measures.
///
/// # Errors
/// When nothing could be measured.
pub async fn run(options: &Options) -> Result<Said> {
    let at = |file: &str| options.directory.join(file);
    let documents: Vec<Record> = lines(&at("corpus.jsonl"))?;
    // Each document as a file of its own: its title is a heading.
    let corpus =
        Corpus::of(documents.iter().map(|d| (path_of(&d.id), format!("# {}\n\n{}\n", d.title, d.text))));
    let queries: Vec<Record> = lines(&at("queries.jsonl"))?;
    let labels = std::fs::read_to_string(at("qrels/test.tsv")).context("reading qrels/test.tsv")?;
    outside::measure(&corpus, &questions(&queries, &labels), Tuning::shipped()).await
}

fn path_of(id: &str) -> String {
    format!("{id}.md")
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let parsed: serde_json::Result<Vec<T>> = text.lines().map(serde_json::from_str).collect();
    parsed.with_context(|| format!("parsing {}", path.display()))
}

/// The queries that have a label above 0. A line is query, document, score; the first line is a heading.
fn questions(queries: &[Record], labels: &str) -> Vec<Question> {
    let mut relevant: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in labels.lines().skip(1) {
        let mut fields = line.split('\t');
        if let (Some(query), Some(document), Some(score)) = (fields.next(), fields.next(), fields.next())
            && score.trim().parse().is_ok_and(|score: i32| score > 0)
        {
            relevant.entry(query).or_default().push(path_of(document));
        }
    }
    let labelled = queries.iter().filter_map(|query| Some((query, relevant.remove(query.id.as_str())?)));
    labelled
        .map(|(query, sources)| Question {
            id: query.id.clone(),
            kind: Kind::Unsorted,
            near_miss: false,
            question: query.text.clone(),
            sources,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_the_documents_that_its_labels_name_and_one_without_labels_is_left_out() {
        let query = |id: &str| Record { id: id.into(), title: String::new(), text: "?".into() };
        let labels = "query-id\tcorpus-id\tscore\n1\t10\t1\n1\t11\t2\n2\t12\t0\n";
        let questions = questions(&[query("1"), query("2"), query("3")], labels);
        assert_eq!(questions.len(), 1);
        assert_eq!(questions[0].sources, ["10.md", "11.md"]);
    }
}
