//! The emulator of bucket, queue and secrets, and what the stack needs to exist in it.
//!
//! It keeps everything in memory and writes its state to disk when it is asked to end, so a second
//! `make up` finds the bucket as it was. After a crash the bucket's objects are still there, queue and
//! secrets are not; everything is made again here, each step doing nothing where nothing is missing.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use aws_config::SdkConfig;
use aws_sdk_s3::error::{DisplayErrorContext, ProvideErrorMetadata};
use aws_sdk_s3::types::{
    BucketVersioningStatus, Event, NotificationConfiguration, QueueConfiguration, VersioningConfiguration,
};
use aws_sdk_sqs::types::QueueAttributeName;
use serde_json::json;

use super::credentials::Credentials;
use super::process::Background;
use super::{files, tools::Tools};
use crate::aws;

/// The bucket of documents.
pub const BUCKET: &str = "vouch-documents";
const QUEUE: &str = "vouch-ingest";
const DEAD_LETTERS: &str = "vouch-ingest-dlq";
/// Deliveries of one message before it goes to the dead letters, as in the deployed stack.
const MAX_RECEIVES: u32 = 5;
/// How long a message stays hidden after a delivery. The bridge prolongs it while a function works.
pub const VISIBILITY_SECONDS: i32 = 60;
const START_LIMIT: Duration = Duration::from_secs(30);

/// Starts the emulator and waits until it answers.
///
/// # Errors
/// When it does not come up.
pub async fn start(tools: &Tools, state: &Path, port: u16, log: &Path) -> Result<Background> {
    files::private_dir(state)?;
    let mut command = Command::new("python3");
    command
        .args(["-m", "ministack"])
        .env("PYTHONPATH", &tools.emulator)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("GATEWAY_PORT", port.to_string())
        .env("BIND_HOST", "127.0.0.1") // without it, it listens on every interface
        .env("IOT_MTLS_ENABLED", "0") // a second listener that nothing here uses
        .env("PERSIST_STATE", "1")
        .env("STATE_DIR", state.join("state"))
        .env("S3_PERSIST", "1")
        .env("S3_DATA_DIR", state.join("objects"))
        .env_remove("AWS_ENDPOINT_URL");
    let mut emulator = Background::start(&mut command, log)?;
    emulator.wait_until("the AWS emulator", START_LIMIT, async || answers(port).await).await?;
    Ok(emulator)
}

/// Whether the emulator answers.
pub async fn answers(port: u16) -> bool {
    let url = format!("http://127.0.0.1:{port}/_ministack/health");
    let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(2)).build();
    match client {
        Ok(client) => client.get(url).send().await.is_ok_and(|response| response.status().is_success()),
        Err(_) => false,
    }
}

/// The emulator's address.
#[must_use]
pub fn endpoint(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

/// Makes bucket, queues, notifications and secrets. Returns the queue's address.
///
/// # Errors
/// When the emulator refuses a call.
pub async fn provision(port: u16, database_port: u16, credentials: &Credentials) -> Result<String> {
    let config = aws::for_emulator(&endpoint(port)).await;
    let (queue_url, queue_arn) = queues(&config).await?;
    bucket(&config, &queue_arn).await?;
    let roles = [
        ("vouch/owner", "vouch_owner", &credentials.owner),
        ("vouch/ingest", "vouch_ingest", &credentials.ingest),
        ("vouch/query", "vouch_query", &credentials.query),
    ];
    for (name, role, password) in roles {
        // The shape that RDS writes.
        let value = json!({
            "engine": "postgres", "host": "127.0.0.1", "port": database_port, "dbname": "vouch",
            "username": role, "password": password,
        });
        secret(&config, name, &value.to_string()).await?;
    }
    Ok(queue_url)
}

async fn queues(config: &SdkConfig) -> Result<(String, String)> {
    let sqs = aws_sdk_sqs::Client::new(config);
    let (_, dead_letters_arn) = queue(&sqs, DEAD_LETTERS, BTreeMap::new()).await?;
    let redrive =
        json!({"deadLetterTargetArn": dead_letters_arn, "maxReceiveCount": MAX_RECEIVES.to_string()});
    let attributes = BTreeMap::from([
        (QueueAttributeName::VisibilityTimeout, VISIBILITY_SECONDS.to_string()),
        (QueueAttributeName::RedrivePolicy, redrive.to_string()),
    ]);
    queue(&sqs, QUEUE, attributes).await
}

async fn queue(
    sqs: &aws_sdk_sqs::Client,
    name: &str,
    attributes: BTreeMap<QueueAttributeName, String>,
) -> Result<(String, String)> {
    let created = sqs.create_queue().queue_name(name).set_attributes(Some(attributes.into_iter().collect()));
    let url =
        created.send().await.with_context(|| format!("queue {name}"))?.queue_url.context("no queue URL")?;
    let asked = sqs.get_queue_attributes().queue_url(&url).attribute_names(QueueAttributeName::QueueArn);
    let attributes = asked.send().await?.attributes.unwrap_or_default();
    let arn = attributes.get(&QueueAttributeName::QueueArn).cloned().context("the queue has no ARN")?;
    Ok((url, arn))
}

async fn bucket(config: &SdkConfig, queue_arn: &str) -> Result<()> {
    let s3 = aws::s3(config);
    if let Err(error) = s3.create_bucket().bucket(BUCKET).send().await {
        let there_already = ["BucketAlreadyOwnedByYou", "BucketAlreadyExists"];
        let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
        anyhow::ensure!(
            code.is_some_and(|code| there_already.contains(&code)),
            "bucket {BUCKET}: {}",
            DisplayErrorContext(&error)
        );
    }
    let versioning = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
    s3.put_bucket_versioning().bucket(BUCKET).versioning_configuration(versioning).send().await?;
    let to_queue = QueueConfiguration::builder()
        .queue_arn(queue_arn)
        .events(Event::from("s3:ObjectCreated:*"))
        .events(Event::from("s3:ObjectRemoved:*"))
        .build()?;
    let notifications = NotificationConfiguration::builder().queue_configurations(to_queue).build();
    s3.put_bucket_notification_configuration()
        .bucket(BUCKET)
        .notification_configuration(notifications)
        .send()
        .await?;
    Ok(())
}

async fn secret(config: &SdkConfig, name: &str, value: &str) -> Result<()> {
    let secrets = aws_sdk_secretsmanager::Client::new(config);
    let Err(error) = secrets.create_secret().name(name).secret_string(value).send().await else {
        return Ok(());
    };
    let exists = error.as_service_error().is_some_and(|error| error.is_resource_exists_exception());
    anyhow::ensure!(exists, "secret {name}: {}", DisplayErrorContext(&error));
    secrets.put_secret_value().secret_id(name).secret_string(value).send().await?;
    Ok(())
}

/// Messages in the ingest queue: those waiting and those being worked on.
///
/// # Errors
/// When the queue does not answer.
pub async fn queued_messages(config: &SdkConfig, queue_url: &str) -> Result<u64> {
    let counts = [
        QueueAttributeName::ApproximateNumberOfMessages,
        QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
    ];
    let asked = aws_sdk_sqs::Client::new(config)
        .get_queue_attributes()
        .queue_url(queue_url)
        .set_attribute_names(Some(counts.to_vec()));
    let attributes = asked.send().await?.attributes.unwrap_or_default();
    Ok(counts.iter().filter_map(|name| attributes.get(name)?.parse::<u64>().ok()).sum())
}
