//! `vouch-eval squad`: questions about paragraphs, about half of which the paragraphs do not answer (SQuAD 2.0's form).
//! Measures the answer alone: no database, no bucket.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::Args;
use query::answer::extractive::Extractive;
use query::answer::{Answerer, Evidence, Floor, Passage, settle};
use query::similarity::EmbedderSimilarity;
use serde::Deserialize;
use vouch_shared::embedder::{Embedder, LocalModel};
use vouch_shared::embedding::Embedding;
use vouch_shared::ids::{ChunkId, DocumentId, TenantId};
use vouch_shared::tuning::Tuning;

use super::Said;

/// What to measure.
#[derive(Debug, Args)]
pub struct Options {
    /// File in SQuAD 2.0's form
    pub file: PathBuf,
    /// Ask every so manieth question
    #[arg(long, default_value_t = 10)]
    pub every: usize,
}

#[derive(Deserialize)]
struct Squad {
    data: Vec<Article>,
}

#[derive(Deserialize)]
struct Article {
    title: String,
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    context: String,
    qas: Vec<Asked>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    is_impossible: bool,
    answers: Vec<Gold>,
}

#[derive(Deserialize)]
struct Gold {
    text: String,
}

/// What came of the questions.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Counts {
    answerable: usize,
    answered: usize,
    right: usize,
    unanswerable: usize,
    refused: usize,
}

/// A question with the passages that an answer may draw on.
struct Case<'a> {
    asked: &'a Asked,
    passages: Vec<Passage>,
}

/// Answers and counts.
///
/// # Errors
/// When the file or the model cannot be read.
pub async fn run(options: &Options) -> Result<Said> {
    let model_dir = std::env::var("VOUCH_MODEL_DIR").context("run it behind `vouch local test --`")?;
    let embedder = Embedder::Local(Arc::new(LocalModel::load(Path::new(&model_dir))?));
    let file = std::fs::read(&options.file).with_context(|| format!("reading {}", options.file.display()))?;
    let squad: Squad = serde_json::from_slice(&file).context("parsing the questions")?;
    let cases = cases(&squad, options.every.max(1), &embedder).await?;
    let answerer = Extractive::new(EmbedderSimilarity::new(embedder));
    let counts = count(&cases, &answerer).await?;
    let Counts { answerable, answered, right, unanswerable, refused } = counts;
    let text = format!(
        "answerable questions answered    {answered} of {answerable}\n\
         answers that hold the right one  {right} of {answered}\n\
         unanswerable questions refused   {refused} of {unanswerable}\n"
    );
    Ok(Said { text, good: true })
}

async fn count(cases: &[Case<'_>], answerer: &dyn Answerer) -> Result<Counts> {
    let floor = Floor::from(&Tuning::shipped().evidence);
    let mut counts = Counts::default();
    for Case { asked, passages } in cases {
        let evidence = Evidence::measure(&asked.question, passages, |_| None);
        let answer = match floor.admit(&evidence) {
            Ok(()) => {
                let outcome = settle(&answerer.answer(&asked.question, passages).await?, passages);
                outcome.reason().is_none().then(|| outcome.text().to_owned())
            }
            Err(_) => None,
        };
        if asked.is_impossible {
            counts.unanswerable += 1;
            counts.refused += usize::from(answer.is_none());
        } else {
            counts.answerable += 1;
            counts.answered += usize::from(answer.is_some());
            let is_right = |answer: &String| asked.answers.iter().any(|gold| answer.contains(&gold.text));
            counts.right += usize::from(answer.as_ref().is_some_and(is_right));
        }
    }
    Ok(counts)
}

/// Each question with the paragraphs of its article that lie nearest, as a search would give them.
async fn cases<'a>(squad: &'a Squad, every: usize, embedder: &Embedder) -> Result<Vec<Case<'a>>> {
    let top_k = Tuning::shipped().retrieval.top_k;
    let mut cases = Vec::new();
    let mut at = 0;
    for article in &squad.data {
        let texts: Vec<String> =
            article.paragraphs.iter().map(|p| format!("{}\n{}", article.title, p.context)).collect();
        let vectors = embedder.embed_passages(&texts).await?;
        for asked in article.paragraphs.iter().flat_map(|paragraph| &paragraph.qas) {
            at += 1;
            if at % every != 0 {
                continue;
            }
            let question = embedder.embed_query(&asked.question).await?;
            cases.push(Case { asked, passages: nearest(article, &vectors, &question, top_k)? });
        }
    }
    Ok(cases)
}

fn nearest(
    article: &Article,
    vectors: &[Embedding],
    question: &Embedding,
    top_k: usize,
) -> Result<Vec<Passage>> {
    let tenant = TenantId::parse("eval")?;
    let mut ranked: Vec<(usize, f32)> = vectors.iter().map(|v| question.cosine(v)).enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let passages = ranked.iter().take(top_k).zip(1..).map(|(&(index, cosine), rank)| {
        let document_id = DocumentId::derive(&tenant, &article.title, "1");
        let ordinal = u32::try_from(index).unwrap_or(u32::MAX);
        Passage {
            number: rank,
            document_id,
            chunk_id: ChunkId::derive(document_id, 1, ordinal),
            ordinal,
            title: article.title.replace('_', " "),
            source_uri: article.title.clone(),
            source_version: "1".to_owned(),
            heading_path: Vec::new(),
            page: None,
            content: article.paragraphs[index].context.clone(),
            cosine: Some(cosine),
            bm25: None,
            fused_rank: rank,
        }
    });
    Ok(passages.collect())
}
