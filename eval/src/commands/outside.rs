//! `vouch-eval corpus`: labelled questions about somebody else's documents, each arm by itself and both together.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use query::http::request::Mode;
use serde::Deserialize;
use vouch_shared::tuning::{Fusion, RetrievalTuning, Tuning};

use super::{Numbers, Said};
use crate::corpus::Corpus;
use crate::observe::search_all;
use crate::questions::{self, Kind, Question};
use crate::report::{Figures, Latency, table};
use crate::stand::Stand;

/// What to measure.
#[derive(Debug, Args)]
pub struct Options {
    /// Directory of the documents
    pub directory: PathBuf,
    /// JSON list of {"question", "document"}, the document's path being below the directory
    #[arg(long)]
    pub questions: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub numbers: Numbers,
}

#[derive(Deserialize)]
struct Labelled {
    question: String,
    document: String,
}

/// Ingests and measures.
///
/// # Errors
/// When nothing could be measured.
pub async fn run(options: &Options) -> Result<Said> {
    let corpus = Corpus::of_directory(&options.directory)?;
    let file = std::fs::read(&options.questions)
        .with_context(|| format!("reading {}", options.questions.display()))?;
    let labelled: Vec<Labelled> = serde_json::from_slice(&file).context("parsing the questions")?;
    let questions: Vec<Question> = labelled.into_iter().enumerate().map(question).collect();
    measure(&corpus, &questions, options.numbers.tuning()).await
}

fn question((at, Labelled { question, document }): (usize, Labelled)) -> Question {
    Question {
        id: format!("{}", at + 1),
        kind: Kind::Unsorted,
        near_miss: false,
        question,
        sources: vec![document],
    }
}

/// Each arm, and each way to merge them, over one filled database.
pub(super) async fn measure(
    corpus: &Corpus,
    questions: &[Question],
    tuning: &'static Tuning,
) -> Result<Said> {
    questions::check(questions, corpus)?;
    let mut stand = Stand::fill(corpus, tuning).await?;
    let ingested = stand.ingested;
    let chunks_a_second = ingested.chunks as f64 / ingested.seconds.max(f64::MIN_POSITIVE);

    let mut rows = Vec::new();
    let mut latency = None;
    for (name, mode, retrieval) in variants(&tuning.retrieval) {
        stand.retriever = stand.retriever_with(&retrieval);
        let observations = search_all(&stand, questions, mode).await?;
        rows.push((name, Figures::of(observations.iter())));
        latency = Some(Latency::of(&observations));
    }
    let mut text = format!(
        "{} documents, {} chunks, ingested in {:.0} s ({chunks_a_second:.1} chunks/s)\n\n",
        ingested.documents, ingested.chunks, ingested.seconds,
    );
    text.push_str(&table(rows.iter().map(|(name, figures)| (name.clone(), figures))));
    if let Some(Latency { search_p50, search_p95, .. }) = latency {
        text.push_str(&format!("\nsearch p50 {search_p50:.0} ms, p95 {search_p95:.0} ms\n"));
    }
    Ok(Said { text, good: true })
}

/// The arms, the fusions, and how much the weight of the dense arm matters.
fn variants(shipped: &RetrievalTuning) -> Vec<(String, Mode, RetrievalTuning)> {
    let with = |fusion, dense_weight| RetrievalTuning { fusion, dense_weight, ..shipped.clone() };
    let mut variants = vec![
        ("lexical".to_owned(), Mode::Lexical, shipped.clone()),
        ("dense".to_owned(), Mode::Dense, shipped.clone()),
        ("rrf".to_owned(), Mode::Hybrid, with(Fusion::Rrf, shipped.dense_weight)),
    ];
    for dense_weight in [0.3, 0.4, 0.5, 0.6, 0.7] {
        variants.push((format!("min_max {dense_weight}"), Mode::Hybrid, with(Fusion::MinMax, dense_weight)));
    }
    variants
}
