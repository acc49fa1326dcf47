//! From the queue to the ingest function, as Lambda's event source mapping does it on AWS.
//!
//! A message is deleted only when the function's answer says that it is done with it. One that failed
//! comes back when its visibility timeout ends, and goes to the dead letters after the last delivery. While
//! the function cannot be reached at all, the batch is held and tried again, which costs no delivery.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use aws_sdk_sqs::types::{
    ChangeMessageVisibilityBatchRequestEntry, DeleteMessageBatchRequestEntry, Message,
    MessageSystemAttributeName, QueueAttributeName,
};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use super::emulator::VISIBILITY_SECONDS;
use super::sqs_event;
use crate::aws::LOCAL_REGION;

/// Batches in delivery at once.
const WORKERS: usize = 2;
/// Messages in one batch: SQS hands out no more at once.
const BATCH: i32 = 10;
/// How long one call for messages waits for the first one. A stop waits for the call, because messages given to a
/// caller who has gone stay hidden from the next one; the queue is on this machine, so a short wait costs nothing.
const POLL_SECONDS: i32 = 1;
/// Lambda's longest timeout; a function that takes longer is stuck.
const INVOCATION_LIMIT: Duration = Duration::from_secs(900);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// One queue and the function that it feeds.
#[derive(Debug, Clone)]
pub struct Bridge {
    sqs: aws_sdk_sqs::Client,
    queue_url: String,
    queue_arn: String,
    http: reqwest::Client,
    function_url: String,
}

/// What became of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivered {
    /// Messages handed to the function.
    pub received: usize,
    /// Messages deleted, because the function was done with them.
    pub done: usize,
}

impl Bridge {
    /// A bridge from `queue_url` to the function at `function_url`.
    ///
    /// # Errors
    /// When the queue does not answer.
    pub async fn new(sqs: aws_sdk_sqs::Client, queue_url: &str, function_url: &str) -> Result<Self> {
        let asked =
            sqs.get_queue_attributes().queue_url(queue_url).attribute_names(QueueAttributeName::QueueArn);
        let attributes = asked.send().await.with_context(|| format!("queue {queue_url}"))?.attributes;
        let queue_arn = attributes.and_then(|mut found| found.remove(&QueueAttributeName::QueueArn));
        Ok(Self {
            sqs,
            queue_url: queue_url.to_owned(),
            queue_arn: queue_arn.context("the queue has no ARN")?,
            http: reqwest::Client::builder().no_proxy().timeout(INVOCATION_LIMIT).build()?,
            function_url: function_url.to_owned(),
        })
    }

    /// Delivers until the process is asked to stop (TERM, Ctrl-C). What was received and is not done with is then
    /// given back to the queue at once.
    ///
    /// # Errors
    /// When signals cannot be listened to.
    pub async fn run(self) -> Result<()> {
        let mut term = signal(SignalKind::terminate())?;
        let (stop, stopping) = watch::channel(false);
        let mut workers = tokio::task::JoinSet::new();
        for _ in 0..WORKERS {
            workers.spawn(self.clone().work(stopping.clone()));
        }
        tokio::select! {
            _ = term.recv() => {}
            interrupted = tokio::signal::ctrl_c() => interrupted?,
        }
        stop.send_replace(true);
        workers.join_all().await;
        Ok(())
    }

    async fn work(self, mut stopping: watch::Receiver<bool>) {
        let mut pause = FIRST_PAUSE;
        while !*stopping.borrow() {
            match self.deliver_until_stopped(&mut stopping).await {
                Ok(None) => pause = FIRST_PAUSE,
                Ok(Some(Delivered { received, done })) => {
                    pause = FIRST_PAUSE;
                    log(&format!("delivered {received}, done with {done}, kept {}", received - done));
                }
                Err(error) => {
                    log(&format!("{error:#}; going on in {} ms", pause.as_millis()));
                    // A stop ends the pause too; the loop's condition sees to the rest.
                    let _ = tokio::time::timeout(pause, stopping.changed()).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    async fn deliver_until_stopped(&self, stopping: &mut watch::Receiver<bool>) -> Result<Option<Delivered>> {
        let messages = self.receive(POLL_SECONDS).await?;
        tokio::select! {
            delivered = self.deliver(&messages) => delivered,
            () = asked_to_stop(stopping) => {
                self.hide(&messages, 0).await?;
                log(&format!("stopping: gave {} back", messages.len()));
                Ok(None)
            }
        }
    }

    /// Delivers one batch; `None` when no message came.
    ///
    /// # Errors
    /// When the queue does not answer or the function fails as a whole; no message is lost by it.
    pub async fn deliver_next(&self, wait_seconds: i32) -> Result<Option<Delivered>> {
        let messages = self.receive(wait_seconds).await?;
        self.deliver(&messages).await
    }

    async fn deliver(&self, messages: &[Message]) -> Result<Option<Delivered>> {
        if messages.is_empty() {
            return Ok(None);
        }
        let event = sqs_event::of_batch(messages, &self.queue_arn, LOCAL_REGION);
        let answer = self.invoke_while_hidden(messages, &event).await?;
        let done = sqs_event::handled(messages, &answer);
        self.delete(&done).await?;
        Ok(Some(Delivered { received: messages.len(), done: done.len() }))
    }

    async fn receive(&self, wait_seconds: i32) -> Result<Vec<Message>> {
        let received = self
            .sqs
            .receive_message()
            .queue_url(&self.queue_url)
            .max_number_of_messages(BATCH)
            .wait_time_seconds(wait_seconds)
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .send()
            .await
            .context("the queue does not answer")?;
        Ok(received.messages.unwrap_or_default())
    }

    async fn invoke_while_hidden(&self, messages: &[Message], event: &Value) -> Result<Value> {
        let invocation = self.invoke_until_reached(event);
        tokio::pin!(invocation);
        let half = Duration::from_secs(u64::from(VISIBILITY_SECONDS.unsigned_abs()) / 2);
        let mut heartbeat = tokio::time::interval(half);
        heartbeat.tick().await;
        loop {
            tokio::select! {
                answer = &mut invocation => return answer,
                _ = heartbeat.tick() => self.hide(messages, VISIBILITY_SECONDS).await?,
            }
        }
    }

    async fn invoke_until_reached(&self, event: &Value) -> Result<Value> {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.http.post(&self.function_url).json(event).send().await {
                Ok(response) => return answer_of(response).await,
                Err(error) if error.is_connect() => {
                    log(&format!("the function cannot be reached; trying again in {} ms", pause.as_millis()));
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Err(error) => return Err(error).context("the function did not answer"),
            }
        }
    }

    /// Hides messages from other callers for so many seconds; 0 gives them back.
    async fn hide(&self, messages: &[Message], seconds: i32) -> Result<()> {
        if messages.is_empty() {
            return Ok(());
        }
        let entries = messages.iter().enumerate().map(|(at, message)| {
            ChangeMessageVisibilityBatchRequestEntry::builder()
                .id(at.to_string())
                .set_receipt_handle(message.receipt_handle.clone())
                .visibility_timeout(seconds)
                .build()
        });
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        let change = self.sqs.change_message_visibility_batch().queue_url(&self.queue_url);
        change
            .set_entries(Some(entries))
            .send()
            .await
            .context("the visibility of messages could not be changed")?;
        Ok(())
    }

    async fn delete(&self, messages: &[&Message]) -> Result<()> {
        if messages.is_empty() {
            return Ok(());
        }
        let entries = messages.iter().enumerate().map(|(at, message)| {
            DeleteMessageBatchRequestEntry::builder()
                .id(at.to_string())
                .set_receipt_handle(message.receipt_handle.clone())
                .build()
        });
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        let delete = self.sqs.delete_message_batch().queue_url(&self.queue_url).set_entries(Some(entries));
        let failed = delete.send().await.context("the messages could not be deleted")?.failed;
        if !failed.is_empty() {
            bail!("{} of {} messages could not be deleted and will come again", failed.len(), messages.len());
        }
        Ok(())
    }
}

async fn asked_to_stop(stopping: &mut watch::Receiver<bool>) {
    // An error means that nobody is left who could ask, which is a stop too.
    drop(stopping.wait_for(|stopped| *stopped).await);
}

/// The function's answer, unless the invocation failed as a whole.
async fn answer_of(response: reqwest::Response) -> Result<Value> {
    let status = response.status();
    let is_error = response.headers().contains_key("x-amz-function-error");
    let text = response.text().await.context("the function's answer broke off")?;
    // Lambda takes an empty answer as success, but not one that cannot be read.
    let parsed = if text.is_empty() { Ok(Value::Null) } else { serde_json::from_str(&text) };
    let is_readable = parsed.is_ok();
    let answer: Value = parsed.unwrap_or_default();
    if !status.is_success() || is_error || !is_readable || answer.get("errorType").is_some() {
        // The message is the function's own and names no document; the text around it might.
        let kind = answer["errorType"].as_str().unwrap_or("error");
        bail!("the invocation failed ({status}, {kind}), so every message of the batch is kept");
    }
    Ok(answer)
}

fn log(text: &str) {
    let now = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
    println!("{now} {text}");
}
