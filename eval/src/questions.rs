//! Labelled questions, and the check that their labels still name documents.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::corpus::Corpus;

/// What a question tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A name, code or setting, spelt as in the source.
    Exact,
    /// Other words than the source's.
    Paraphrase,
    /// A row of a table or an item of a list.
    Table,
    /// More than one section is needed.
    MultiSection,
    /// The corpus does not say it.
    Unanswerable,
    /// A question of a corpus that knows no kinds.
    Unsorted,
}

/// A question with the documents that answer it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Unique among the questions.
    pub id: String,
    /// What it tests.
    pub kind: Kind,
    /// For an unanswerable question: whether the corpus speaks of nearly the same.
    #[serde(default)]
    pub near_miss: bool,
    /// The question.
    pub question: String,
    /// Paths in the corpus of every document that answers it; empty exactly for an unanswerable question.
    pub sources: Vec<String>,
}

/// Reads and checks the questions of a file in the project's own form.
///
/// # Errors
/// When the file is malformed, or a label is not of the corpus.
pub fn read(path: &Path, corpus: &Corpus) -> Result<Vec<Question>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let questions: Vec<Question> =
        serde_json::from_str(&text).with_context(|| format!("parsing {}", path.display()))?;
    check(&questions, corpus)?;
    Ok(questions)
}

/// Refuses labels that could only measure something else than what they say. All problems are told at once.
///
/// # Errors
/// When an id occurs twice, a source is not in the corpus, or kind and sources contradict each other.
pub fn check(questions: &[Question], corpus: &Corpus) -> Result<()> {
    let mut ids = BTreeSet::new();
    let mut problems = Vec::new();
    for question in questions {
        let id = &question.id;
        if !ids.insert(id) {
            problems.push(format!("{id} occurs twice"));
        }
        if question.sources.is_empty() != (question.kind == Kind::Unanswerable) {
            problems.push(format!("{id} must have sources, or be unanswerable and have none"));
        }
        for source in question.sources.iter().filter(|source| !corpus.contains(source)) {
            problems.push(format!("{id} names {source}, which is not in the corpus"));
        }
    }
    if !problems.is_empty() {
        bail!("the questions' labels are stale:\n  {}", problems.join("\n  "));
    }
    if questions.is_empty() {
        bail!("there are no questions");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(id: &str, kind: Kind, sources: &[&str]) -> Question {
        let sources = sources.iter().map(|s| (*s).to_owned()).collect();
        Question { id: id.into(), kind, near_miss: false, question: "?".into(), sources }
    }

    #[test]
    fn a_label_that_names_no_document_is_told_with_its_question() {
        let corpus = Corpus::of([("a.md", "text")]);
        let good = question("q1", Kind::Exact, &["a.md"]);
        assert!(check(std::slice::from_ref(&good), &corpus).is_ok());
        let stale = question("q2", Kind::Exact, &["moved.md"]);
        let error = check(&[good, stale], &corpus).unwrap_err().to_string();
        assert!(error.contains("q2 names moved.md"), "{error}");
    }

    #[test]
    fn contradictions_and_repetitions_are_refused() {
        let corpus = Corpus::of([("a.md", "text")]);
        assert!(check(&[question("q", Kind::Exact, &[])], &corpus).is_err());
        assert!(check(&[question("q", Kind::Unanswerable, &["a.md"])], &corpus).is_err());
        let twice = [question("q", Kind::Table, &["a.md"]), question("q", Kind::Table, &["a.md"])];
        assert!(check(&twice, &corpus).is_err());
        assert!(check(&[], &corpus).is_err());
    }
}
