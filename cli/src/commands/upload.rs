//! `vouch upload`: files to the bucket, under keys that begin with the tenant.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::primitives::ByteStream;
use serde_json::json;
use tokio::task::JoinSet;

use crate::advice::{self, Advise};
use crate::args::UploadArgs;
use crate::aws;
use crate::output;
use crate::service::Service;

/// Uploads in flight at once.
const PARALLEL: usize = 8;

/// A file and the key that it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// Where it is.
    pub path: PathBuf,
    /// `<tenant>/<path>`.
    pub key: String,
}

pub(super) async fn run(args: &UploadArgs, json: bool) -> Result<()> {
    let service = Service::locate()?;
    let uploads = collect(&args.paths, &args.tenant)?;
    let bucket = service.require("VOUCH_BUCKET")?.to_owned();
    let bar = output::bar(uploads.len() as u64);
    let s3 = client(&service).await;
    let sent = send_all(&s3, &bucket, &uploads, args.scope.as_deref(), |done| bar.set_position(done)).await;
    bar.finish_and_clear();
    sent?;
    if json {
        let keys: Vec<_> = uploads.iter().map(|upload| &upload.key).collect();
        super::print_json(&json!({"bucket": bucket, "uploaded": keys}));
    } else {
        let first = uploads.first().map(|upload| upload.key.as_str()).unwrap_or_default();
        let more = if uploads.len() > 1 { ", …" } else { "" };
        println!(
            "uploaded {} to s3://{bucket}/ ({first}{more}); they can be found once they are ingested",
            uploads.len()
        );
    }
    Ok(())
}

/// A client for the service's bucket.
pub async fn client(service: &Service) -> aws_sdk_s3::Client {
    let config = match service.get("AWS_ENDPOINT_URL").filter(|_| service.is_local) {
        Some(endpoint) => aws::for_emulator(endpoint).await,
        None => aws::from_environment().await,
    };
    aws::s3(&config)
}

/// Every file under the paths, with its key. A directory keeps its name; hidden files are passed over.
///
/// # Errors
/// When a path does not exist, or there is no file at all.
pub fn collect(paths: &[PathBuf], tenant: &str) -> Result<Vec<Upload>> {
    let mut uploads = Vec::new();
    for path in paths {
        let path =
            path.canonicalize().advise(format!("{} cannot be read", path.display()), "check the path")?;
        let base = path.parent().unwrap_or(Path::new("/")).to_owned();
        visit(&path, &mut |file| {
            let relative = file.strip_prefix(&base)?.to_str().with_context(|| {
                format!("{} is not named in UTF-8, which object keys are", file.display())
            })?;
            uploads.push(Upload { path: file.to_owned(), key: format!("{tenant}/{relative}") });
            Ok(())
        })?;
    }
    if uploads.is_empty() {
        return Err(advice::error(
            "there is no file under the given paths",
            "name a file, or a directory with files",
        ));
    }
    uploads.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(uploads)
}

fn visit(path: &Path, found: &mut impl FnMut(&Path) -> Result<()>) -> Result<()> {
    if !path.is_dir() {
        return found(path);
    }
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            visit(&entry.path(), found)?;
        }
    }
    Ok(())
}

/// Uploads all, several at once; `progress` hears how many are done.
///
/// # Errors
/// The first upload that fails; those before it stay uploaded.
pub async fn send_all(
    s3: &aws_sdk_s3::Client,
    bucket: &str,
    uploads: &[Upload],
    scope: Option<&str>,
    progress: impl Fn(u64),
) -> Result<()> {
    let mut waiting = uploads.iter();
    let mut running = JoinSet::new();
    let mut done = 0;
    loop {
        while running.len() < PARALLEL
            && let Some(upload) = waiting.next()
        {
            running.spawn(send(s3.clone(), bucket.to_owned(), upload.clone(), scope.map(str::to_owned)));
        }
        let Some(result) = running.join_next().await else { return Ok(()) };
        result??;
        done += 1;
        progress(done);
    }
}

async fn send(s3: aws_sdk_s3::Client, bucket: String, upload: Upload, scope: Option<String>) -> Result<()> {
    let body = ByteStream::from_path(&upload.path)
        .await
        .advise(format!("{} cannot be read", upload.path.display()), "check its permissions")?;
    let mut put = s3.put_object().bucket(&bucket).key(&upload.key).body(body);
    if let Some(media_type) = media_type(&upload.path) {
        put = put.content_type(media_type);
    }
    if let Some(scope) = scope {
        put = put.metadata("access-scope", scope);
    }
    let sent = put.send().await.map_err(|error| anyhow::anyhow!("{}", DisplayErrorContext(&error)));
    sent.advise(
        format!("{} could not be uploaded", upload.key),
        "check the bucket's name and your AWS credentials; for the local stack, `vouch local status` says what runs",
    )?;
    Ok(())
}

fn media_type(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "md" | "markdown" => Some("text/markdown"),
        "txt" => Some("text/plain"),
        "html" | "htm" => Some("text/html"),
        "json" => Some("application/json"),
        "csv" => Some("text/csv"),
        "pdf" => Some("application/pdf"),
        _ => None,
    }
}

/// Removes every object under `prefix` that is not among `keep`. Returns how many.
///
/// # Errors
/// When the bucket refuses.
pub async fn remove_others(
    s3: &aws_sdk_s3::Client,
    bucket: &str,
    prefix: &str,
    keep: &[Upload],
) -> Result<usize> {
    let mut removed = 0;
    let mut pages = s3.list_objects_v2().bucket(bucket).prefix(prefix).into_paginator().send();
    while let Some(page) = pages.next().await {
        for object in page?.contents() {
            let key = object.key().unwrap_or_default();
            if !keep.iter().any(|upload| upload.key == key) {
                s3.delete_object().bucket(bucket).key(key).send().await?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_keeps_its_name_and_hidden_files_stay_home() {
        let root = std::env::temp_dir().join(format!("vouch-upload-{}", uuid::Uuid::new_v4()));
        for file in ["notes/a.md", "notes/deep/b.md", "notes/.git/config", "single.md"] {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        let keys: Vec<_> = collect(&[root.join("notes/"), root.join("single.md")], "acme")
            .unwrap()
            .into_iter()
            .map(|upload| upload.key)
            .collect();
        assert_eq!(keys, ["acme/notes/a.md", "acme/notes/deep/b.md", "acme/single.md"]);
        std::fs::remove_dir_all(root).unwrap();
    }
}
