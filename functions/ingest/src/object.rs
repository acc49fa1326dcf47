//! The bucket: what it holds under a key now. The SDK's types stop here.
//!
//! An event only says that something happened to an object. What is read is the object's current version, so that an
//! event which was overtaken by another leads to the same state as that other. The answer itself names the version that
//! it is of; tags are then read of exactly that version.

use std::sync::Arc;

use async_trait::async_trait;
use aws_sdk_s3::Client;
use aws_sdk_s3::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_s3::operation::get_object::GetObjectOutput;
use aws_sdk_s3::operation::head_object::HeadObjectOutput;
use aws_sdk_s3::primitives::ByteStream;
use vouch_shared::auth::ScopeSet;

use crate::text::Rejected;

/// Name of the metadata field, and of the tag, that holds a document's scopes.
const ACCESS_SCOPE: &str = "access-scope";

/// Why the bucket could not be asked. Trying again later may help; the object says nothing about itself here.
#[derive(Debug, thiserror::Error)]
#[error("the bucket did not answer as it should while {doing}: {detail}")]
pub struct ObjectError {
    /// What was asked.
    doing: &'static str,
    /// The SDK's chain of causes.
    detail: String,
}

/// What is under a key.
#[derive(Debug)]
pub enum Found {
    /// Nothing, or a delete marker.
    Gone,
    /// An object.
    Object(Box<Object>),
}

/// An object whose body has not been read yet.
#[derive(Debug)]
pub struct Object {
    /// Its versionId, in a bucket that keeps versions.
    pub version_id: Option<String>,
    /// Its entity tag; empty when the bucket gave none.
    pub e_tag: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// The Content-Type that it was uploaded with; empty when none.
    pub content_type: String,
    /// The scopes that its metadata or else its tags name; `None` when neither does.
    pub scopes: Option<ScopeSet>,
    body: Body,
}

#[derive(Debug)]
enum Body {
    Stream(ByteStream),
    /// It lies in an archive, from which it would have to be restored first.
    Archived,
}

/// A bucket that can be asked for the current version of an object. Anything but S3 is a model of it, for tests.
#[async_trait]
pub trait Store: std::fmt::Debug + Send + Sync {
    /// Opens the current version of an object.
    async fn open(&self, bucket: &str, key: &str) -> Result<Found, ObjectError>;
}

/// Reads objects.
#[derive(Debug, Clone)]
pub struct Objects {
    store: Arc<dyn Store>,
}

impl Objects {
    /// A reader of S3 with this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self::of(Arc::new(S3 { client }))
    }

    /// A reader of any store.
    #[must_use]
    pub fn of(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Opens the current version of an object.
    ///
    /// # Errors
    /// [`ObjectError`] when the bucket cannot be asked. Without `s3:ListBucket` it answers "access denied" for an
    /// object that does not exist, which is such an error: a missing permission must not delete documents.
    pub async fn open(&self, bucket: &str, key: &str) -> Result<Found, ObjectError> {
        self.store.open(bucket, key).await
    }
}

#[derive(Debug)]
struct S3 {
    client: Client,
}

#[async_trait]
impl Store for S3 {
    async fn open(&self, bucket: &str, key: &str) -> Result<Found, ObjectError> {
        let answer = self.client.get_object().bucket(bucket).key(key).send().await;
        let mut object = match answer {
            Ok(output) => from_get(output),
            Err(error) if is_absent(&error) => return Ok(Found::Gone),
            Err(error) if error.code() == Some("InvalidObjectState") => {
                let head = self.client.head_object().bucket(bucket).key(key).send().await;
                match head {
                    Ok(output) => from_head(&output),
                    Err(error) if is_absent(&error) => return Ok(Found::Gone),
                    Err(error) => return Err(unanswered("asking for the object's head", &error)),
                }
            }
            Err(error) => return Err(unanswered("reading the object", &error)),
        };
        if object.scopes.is_none() {
            object.scopes = self.scopes_of_tags(bucket, key, object.version_id.as_deref()).await?;
        }
        Ok(Found::Object(Box::new(object)))
    }
}

impl S3 {
    async fn scopes_of_tags(
        &self,
        bucket: &str,
        key: &str,
        version_id: Option<&str>,
    ) -> Result<Option<ScopeSet>, ObjectError> {
        let request = self.client.get_object_tagging().bucket(bucket).key(key);
        match request.set_version_id(version_id.map(str::to_owned)).send().await {
            Ok(output) => {
                let tag = output.tag_set().iter().find(|tag| tag.key() == ACCESS_SCOPE);
                Ok(tag.map(|tag| ScopeSet::parse(tag.value())))
            }
            // It vanished since it was opened; that has an event of its own.
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(unanswered("reading the object's tags", &error)),
        }
    }
}

impl Object {
    /// An object whose body is at hand.
    #[must_use]
    pub fn held(
        version_id: Option<String>,
        content_type: String,
        scopes: Option<ScopeSet>,
        body: Vec<u8>,
    ) -> Self {
        Self {
            version_id,
            e_tag: String::new(),
            size_bytes: body.len() as u64,
            content_type,
            scopes,
            body: Body::Stream(ByteStream::from(body)),
        }
    }

    /// Whether this is what consoles make to show a folder.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size_bytes == 0
    }

    /// Reads the body, of at most `limit_bytes`.
    ///
    /// # Errors
    /// [`ObjectError`] when the transfer breaks. An object that is too large or archived is no error but a rejection.
    pub async fn read(self, limit_bytes: u64) -> Result<Result<Vec<u8>, Rejected>, ObjectError> {
        let Body::Stream(mut stream) = self.body else {
            let reason = "the object is archived: restore it, then upload it again under its key";
            return Ok(Err(Rejected::new("archived", reason)));
        };
        if self.size_bytes > limit_bytes {
            let reason =
                format!("the file is too large: {} bytes, the limit is {limit_bytes}", self.size_bytes);
            return Ok(Err(Rejected::new("too_large", reason)));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.size_bytes).unwrap_or(0));
        loop {
            match stream.try_next().await {
                Ok(Some(part)) if (bytes.len() + part.len()) as u64 > limit_bytes => {
                    let reason = format!("the file is too large: more than the limit of {limit_bytes} bytes");
                    return Ok(Err(Rejected::new("too_large", reason)));
                }
                Ok(Some(part)) => bytes.extend_from_slice(&part),
                Ok(None) => return Ok(Ok(bytes)),
                Err(error) => {
                    return Err(ObjectError {
                        doing: "reading the object's body",
                        detail: error.to_string(),
                    });
                }
            }
        }
    }
}

fn from_get(output: GetObjectOutput) -> Object {
    Object {
        version_id: real_version(output.version_id()),
        e_tag: output.e_tag().unwrap_or_default().trim_matches('"').to_owned(),
        size_bytes: output.content_length().and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
        content_type: output.content_type().unwrap_or_default().to_owned(),
        scopes: output
            .metadata()
            .and_then(|fields| fields.get(ACCESS_SCOPE))
            .map(|text| ScopeSet::parse(text)),
        body: Body::Stream(output.body),
    }
}

fn from_head(output: &HeadObjectOutput) -> Object {
    Object {
        version_id: real_version(output.version_id()),
        e_tag: output.e_tag().unwrap_or_default().trim_matches('"').to_owned(),
        size_bytes: output.content_length().and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
        content_type: output.content_type().unwrap_or_default().to_owned(),
        scopes: output
            .metadata()
            .and_then(|fields| fields.get(ACCESS_SCOPE))
            .map(|text| ScopeSet::parse(text)),
        body: Body::Archived,
    }
}

/// A bucket whose versioning is suspended calls its one unversioned object "null", whatever it holds.
fn real_version(version_id: Option<&str>) -> Option<String> {
    version_id.filter(|v| !v.is_empty() && *v != "null").map(str::to_owned)
}

fn is_absent<E: ProvideErrorMetadata>(error: &SdkError<E>) -> bool {
    let code = error.as_service_error().and_then(ProvideErrorMetadata::code);
    let status = error.raw_response().map(|response| response.status().as_u16());
    match code {
        Some("NoSuchKey" | "NoSuchVersion" | "NotFound") => true,
        // A bucket that is not there is a wrong setting, not a deleted object.
        Some("NoSuchBucket") => false,
        _ => status == Some(404),
    }
}

fn unanswered<E>(doing: &'static str, error: &SdkError<E>) -> ObjectError
where
    SdkError<E>: std::error::Error,
{
    ObjectError { doing, detail: DisplayErrorContext(error).to_string() }
}
