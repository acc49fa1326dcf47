//! `vouch-eval run`: the project's own questions about the handbook, against the committed baseline.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;

use super::{Numbers, Said};
use crate::baseline::Comparison;
use crate::corpus::Corpus;
use crate::observe::{self, Observation};
use crate::questions;
use crate::report::{Latency, Report, text};
use crate::stand::Stand;

/// Where things are, from the root of the checkout.
#[derive(Debug, Args)]
pub struct Options {
    /// Directory of the corpus
    #[arg(long, default_value = "docs")]
    pub corpus: PathBuf,
    /// File of the questions
    #[arg(long, default_value = "eval/questions.json")]
    pub questions: PathBuf,
    /// File of the baseline
    #[arg(long, default_value = "eval/baseline.json")]
    pub baseline: PathBuf,
    /// Record this run as the new baseline
    #[arg(long)]
    pub update_baseline: bool,
    /// Print what was answered to each question
    #[arg(long)]
    pub answers: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "flattened")]
    pub numbers: Numbers,
    /// Print JSON, for programs
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    report: &'a Report,
    latency_ms: &'a Latency,
}

/// Measures, and compares or records.
///
/// # Errors
/// When nothing could be measured; a drop is no error but a [`Said`] that is not good.
pub async fn run(options: &Options) -> Result<Said> {
    let corpus = Corpus::of_directory(&options.corpus)?;
    let questions = questions::read(&options.questions, &corpus)?;
    let stand = Stand::fill(&corpus, options.numbers.tuning()).await?;
    let observations = observe::ask_all(&stand, &questions).await?;
    let report = Report::of(&observations);
    let latency = Latency::of(&observations);

    let (verdict, good) = if options.update_baseline {
        write(&options.baseline, &report)?;
        (format!("Recorded in {}.\n", options.baseline.display()), true)
    } else {
        let comparison = Comparison::of(&read(&options.baseline)?, &report);
        (comparison.text(), !comparison.is_drop())
    };
    let text = if options.json {
        serde_json::to_string_pretty(&Json { report: &report, latency_ms: &latency })?
    } else {
        let ingested = stand.ingested;
        let corpus = format!(
            "{} documents, {} chunks, ingested in {:.0} s\n\n",
            ingested.documents, ingested.chunks, ingested.seconds
        );
        let said = if options.answers { answers(&observations) } else { String::new() };
        format!("{said}{corpus}{}\n{verdict}", text(&report, &latency))
    };
    Ok(Said { text, good })
}

fn read(path: &Path) -> Result<Report> {
    let file = std::fs::read(path).with_context(|| {
        format!("reading {}: there is none before the first --update-baseline", path.display())
    })?;
    serde_json::from_slice(&file).with_context(|| format!("parsing {}", path.display()))
}

fn write(path: &Path, report: &Report) -> Result<()> {
    let file = serde_json::to_string_pretty(report)? + "\n";
    std::fs::write(path, file).with_context(|| format!("writing {}", path.display()))
}

/// Each question with what was said, for whoever wants to read rather than count.
fn answers(observations: &[Observation]) -> String {
    let mut text = String::new();
    for Observation { question, answer, .. } in observations {
        let Some(answer) = answer else { continue };
        let said =
            answer.refusal.as_ref().map_or_else(|| answer.text.clone(), |code| format!("refused: {code}"));
        text.push_str(&format!("{}: {}\n{said}\n\n", question.id, question.question));
    }
    text
}
