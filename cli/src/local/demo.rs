//! `make demo`: from nothing to answers, over the real bucket, queue, functions and HTTP API.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::emulator;
use super::functions::Reload;
use super::stack::{self, Stack};
use crate::advice::{self, Advise};
use crate::api_client::{ApiClient, Invoker};
use crate::checkout::Checkout;
use crate::commands::ask::print_answer;
use crate::commands::upload::{self, Upload};
use crate::output::{Step, bad, bold, dim, good, human_duration};
use crate::token::{LocalKeys, Principal};

/// How long the handbook may take to be ingested: the model reads a dozen chunks a second on one thread,
/// and slower machines than that exist.
const INGESTION_LIMIT: Duration = Duration::from_secs(600);
const POLL: Duration = Duration::from_millis(250);

/// `cli/demo.toml`: what is uploaded and asked. The questions are data, so that they change with the handbook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Demo {
    tenant: String,
    documents: String,
    question: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    shows: String,
    text: String,
    #[serde(flatten)]
    expect: Expectation,
}

/// What a good answer is.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Expectation {
    /// Answered, with a citation whose source ends in one of these.
    CitesOneOf(Vec<String>),
    /// "I don't know", without any citation.
    Refused(bool),
}

/// Runs the demo; the exit code says whether every question came out as it should.
///
/// # Errors
/// When a step before the questions fails.
pub async fn run(checkout: &Checkout) -> Result<ExitCode> {
    let began = Instant::now();
    let demo = Demo::read(checkout)?;
    println!("{}", bold("Vouch demo: a bucket, an upload, four questions"));
    let stack = stack::up(checkout, Reload::Off).await?;
    let token = {
        let principal = Principal {
            subject: "demo".into(),
            tenant: demo.tenant.clone(),
            scopes: vec!["everyone".into()],
        };
        LocalKeys::of(checkout)?.sign(&principal, time::Duration::hours(1))?
    };
    let api = ApiClient::new(stack.service.require("VOUCH_URL")?, token)?;
    create_tenant(&stack, &demo).await?;
    let uploads = upload_documents(checkout, &stack, &demo).await?;
    wait_until_active(&stack, &api, &demo, &uploads).await?;

    let mut failures = 0;
    for (number, question) in demo.question.iter().enumerate() {
        failures += usize::from(!ask(&api, number + 1, question).await?);
    }
    println!();
    let took = human_duration(began.elapsed());
    if failures > 0 {
        println!(
            "{}",
            bad(format!("{failures} of {} questions did not come out as they should", demo.question.len()))
        );
        println!(
            "  read docs/runbooks/wrong-answer.md; logs are in {}",
            checkout.relative(&checkout.local("logs"))
        );
        return Ok(ExitCode::FAILURE);
    }
    println!("{} in {took}", good(format!("all {} questions came out as they should", demo.question.len())));
    println!("  ask your own: target/debug/vouch ask \"How do I delete a document?\"");
    println!("  the stack goes on running; `make down` stops it");
    Ok(ExitCode::SUCCESS)
}

impl Demo {
    fn read(checkout: &Checkout) -> Result<Self> {
        let path = checkout.root().join("cli/demo.toml");
        let text = std::fs::read_to_string(&path)?;
        toml::from_str(&text).advise("cli/demo.toml is not as it should be", "correct the line named")
    }
}

async fn create_tenant(stack: &Stack, demo: &Demo) -> Result<()> {
    let step = Step::begin("tenant");
    let admin = Invoker::new(stack.service.require("VOUCH_ADMIN_URL")?)?;
    let created = admin.invoke(&json!({"op": "tenant_create", "tenant": demo.tenant})).await;
    step.end(created, |answer| {
        let what = if answer["created"] == true { "created" } else { "there already" };
        format!("{} {what}", demo.tenant)
    })
    .map(drop)
}

async fn upload_documents(checkout: &Checkout, stack: &Stack, demo: &Demo) -> Result<Vec<Upload>> {
    let step = Step::begin("upload");
    let result = async {
        let mut uploads = upload::collect(&[checkout.root().join(&demo.documents)], &demo.tenant)?;
        uploads.retain(|upload| upload.path.extension().is_some_and(|extension| extension == "md"));
        let s3 = upload::client(&stack.service).await;
        step.count_to(uploads.len() as u64);
        upload::send_all(&s3, emulator::BUCKET, &uploads, None, |done| step.counted(done)).await?;
        // A page that is gone from the checkout goes from the bucket, too.
        let removed =
            upload::remove_others(&s3, emulator::BUCKET, &format!("{}/", demo.tenant), &uploads).await?;
        Ok((uploads, removed))
    }
    .await;
    let described = |(uploads, removed): &(Vec<Upload>, usize)| {
        let gone = if *removed > 0 { format!(", {removed} removed that are no more") } else { String::new() };
        format!("{} pages of the handbook to s3://{}/{}/{gone}", uploads.len(), emulator::BUCKET, demo.tenant)
    };
    step.end(result, described).map(|(uploads, _)| uploads)
}

/// Waits until the queue is empty and every page has an active version.
async fn wait_until_active(stack: &Stack, api: &ApiClient, demo: &Demo, uploads: &[Upload]) -> Result<()> {
    let step = Step::begin("ingestion");
    step.count_to(uploads.len() as u64);
    let result = async {
        let config = crate::aws::for_emulator(stack.service.require("AWS_ENDPOINT_URL")?).await;
        let queue_url = stack.service.require("VOUCH_QUEUE_URL")?;
        let prefix = format!("s3://{}/{}/", emulator::BUCKET, demo.tenant);
        let deadline = Instant::now() + INGESTION_LIMIT;
        loop {
            // The queue is looked at first: what it has handed over by then shows in the documents.
            let queued = emulator::queued_messages(&config, queue_url).await?;
            let progress = Progress::of(&api.documents(&prefix).await?, uploads);
            step.counted(progress.active as u64);
            if !progress.failed.is_empty() {
                return Err(advice::error(
                    format!(
                        "{} documents could not be ingested:\n    {}",
                        progress.failed.len(),
                        progress.failed.join("\n    ")
                    ),
                    "read docs/runbooks/document-does-not-appear.md",
                ));
            }
            if queued == 0 && progress.active == uploads.len() {
                return Ok(progress);
            }
            if Instant::now() > deadline {
                return Err(advice::error(
                    format!(
                        "after {} s, {} of {} pages are active and {queued} messages are queued",
                        INGESTION_LIMIT.as_secs(),
                        progress.active,
                        uploads.len()
                    ),
                    "read .local/logs/bridge.log and .local/logs/functions.log",
                ));
            }
            tokio::time::sleep(POLL).await;
        }
    }
    .await;
    step.end(result, |progress| format!("{} documents active, {} chunks", progress.active, progress.chunks))
        .map(drop)
}

/// How far the ingestion is.
#[derive(Debug, PartialEq, Eq)]
struct Progress {
    active: usize,
    chunks: u64,
    failed: Vec<String>,
}

impl Progress {
    fn of(documents: &[Value], uploads: &[Upload]) -> Self {
        let mut progress = Self { active: 0, chunks: 0, failed: Vec::new() };
        for upload in uploads {
            let uri = format!("s3://{}/{}", emulator::BUCKET, upload.key);
            let finished = documents.iter().filter(|document| {
                document["source_uri"] == uri.as_str()
                    && (document["state"] == "active" || document["state"] == "failed")
            });
            match finished.max_by_key(|version| created_at(version)) {
                Some(newest) if newest["state"] == "active" => {
                    progress.active += 1;
                    progress.chunks += newest["chunk_count"].as_u64().unwrap_or_default();
                }
                Some(failed) => {
                    let reason = failed["failure_reason"].as_str().unwrap_or("no reason given");
                    progress.failed.push(format!("{uri}: {reason}"));
                }
                None => {}
            }
        }
        progress
    }
}

fn created_at(version: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(version["created_at"].as_str()?, &Rfc3339).ok()
}

/// Asks one question, prints all of it, and says whether the answer is what it should be.
async fn ask(api: &ApiClient, number: usize, question: &Question) -> Result<bool> {
    println!(
        "\n{} {}  {}",
        bold(format!("{number}.")),
        bold(&question.text),
        dim(format!("({})", question.shows))
    );
    let began = Instant::now();
    let answer = api.ask(&json!({"question": question.text})).await?;
    let took = human_duration(began.elapsed());
    print_answer(&answer);
    let verdict = question.expect.judge(&answer);
    match &verdict {
        Ok(()) => println!("  {} {}", good("✓"), dim(took)),
        Err(why) => println!("  {} {} {}", bad("✗"), bad(format!("{why:#}")), dim(took)),
    }
    Ok(verdict.is_ok())
}

impl Expectation {
    fn judge(&self, answer: &Value) -> Result<()> {
        let answered =
            answer["answered"].as_bool().context("the response does not say whether it answers")?;
        let citations = answer["citations"].as_array().context("the response has no list of citations")?;
        match self {
            Self::CitesOneOf(endings) => {
                ensure!(answered, "it was refused");
                let sources: Vec<&str> =
                    citations.iter().filter_map(|citation| citation["source_uri"].as_str()).collect();
                let found =
                    endings.iter().any(|ending| sources.iter().any(|source| source.ends_with(ending)));
                ensure!(found, "none of its sources is {}", endings.join(" or "));
            }
            Self::Refused(_) => {
                ensure!(!answered, "it was answered, and the handbook does not say it");
                ensure!(answer["answer"] == "I don't know.", "the refusal is not worded as one");
                ensure!(citations.is_empty(), "a refusal has citations");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_questions_are_of_four_kinds_and_one_is_refused() {
        let demo: Demo = toml::from_str(include_str!("../../demo.toml")).unwrap();
        assert_eq!(demo.question.len(), 4);
        let refused = demo.question.iter().filter(|question| question.expect == Expectation::Refused(true));
        assert_eq!(refused.count(), 1);
    }

    #[test]
    fn an_answer_must_cite_an_expected_source() {
        let expect = Expectation::CitesOneOf(vec!["docs/limits.md".into()]);
        let answer =
            |uri: &str| json!({"answered": true, "answer": "x [1]", "citations": [{"source_uri": uri}]});
        expect.judge(&answer("s3://b/demo/docs/limits.md")).unwrap();
        expect.judge(&answer("s3://b/demo/docs/other.md")).unwrap_err();
        expect.judge(&json!({"answered": false, "answer": "I don't know.", "citations": []})).unwrap_err();
    }

    #[test]
    fn a_refusal_must_be_worded_as_one_and_cite_nothing() {
        let expect = Expectation::Refused(true);
        expect.judge(&json!({"answered": false, "answer": "I don't know.", "citations": []})).unwrap();
        expect.judge(&json!({"answered": false, "answer": "Perhaps.", "citations": []})).unwrap_err();
        expect
            .judge(&json!({"answered": true, "answer": "42 [1]", "citations": [{"source_uri": "x"}]}))
            .unwrap_err();
    }

    #[test]
    fn the_newest_finished_version_of_a_page_decides() {
        let upload = Upload { path: "x".into(), key: "demo/a.md".into() };
        let version = |state: &str, hour: u8| {
            json!({"source_uri": "s3://vouch-documents/demo/a.md", "state": state, "chunk_count": 2,
                   "created_at": format!("2026-01-01T{hour:02}:00:00Z"), "failure_reason": "unreadable"})
        };
        let of = |documents: &[Value]| Progress::of(documents, std::slice::from_ref(&upload));
        assert_eq!(of(&[version("superseded", 3), version("active", 2)]).active, 1);
        assert_eq!(of(&[version("failed", 1), version("active", 2)]).failed, Vec::<String>::new());
        assert_eq!(of(&[version("failed", 2), version("active", 1)]).failed.len(), 1);
        assert_eq!(of(&[version("ingesting", 2)]), Progress { active: 0, chunks: 0, failed: vec![] });
    }
}
