//! What arrives: bucket events in any of the wrappings in which AWS delivers them.
//!
//! The parse is pure and never fails as a whole. What cannot concern a document becomes [`Item::Ignored`] with the
//! reason, so that one odd record holds up nothing.

mod envelope;
mod key;
mod sequencer;

pub use envelope::parse;
pub use key::{KeyError, ObjectKey};
pub use sequencer::Sequencer;

/// One invocation's payload, unwrapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Messages of a queue: each can fail by itself and come again by itself.
    Queue(Vec<Message>),
    /// Sent by S3, SNS or EventBridge straight to the function: it fails or succeeds as a whole.
    Direct(Vec<Item>),
}

/// One message of a queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The queue's id of the message, by which a failure is reported.
    pub id: String,
    /// The records in it.
    pub items: Vec<Item>,
}

/// One record, or what stood where one was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An object of a tenant changed.
    Event(BucketEvent),
    /// Nothing to do, for this reason.
    Ignored(Ignored),
}

/// Why a record is passed over. [`Ignored::code`] stands in the log and in the metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Ignored {
    /// S3 tests a new notification configuration.
    #[error("a test event of S3")]
    TestEvent,
    /// Not JSON, or without anything that looks like a bucket event.
    #[error("not a bucket event")]
    NotABucketEvent,
    /// A kind of event that says nothing about an object's content or access.
    #[error("an event of a kind that changes no document")]
    OtherKind,
    /// An empty object whose key ends in a slash, as consoles make to show a folder.
    #[error("a folder placeholder")]
    Folder,
    /// The key names no tenant and path, or is not text.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Ignored {
    /// A stable code for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::TestEvent => "test_event",
            Self::NotABucketEvent => "not_a_bucket_event",
            Self::OtherKind => "other_kind",
            Self::Folder => "folder",
            Self::Key(KeyError::NotUtf8) => "key_not_utf8",
            Self::Key(KeyError::ControlCharacter) => "key_control_character",
            Self::Key(KeyError::NoTenant) => "key_without_tenant",
        }
    }
}

/// What happened to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its content, metadata or tags were written.
    Created,
    /// It, or one version of it, was removed.
    Removed,
}

/// One object changed. The event says *that* something happened; the bucket says what is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketEvent {
    /// The bucket's name.
    pub bucket: String,
    /// The key, decoded.
    pub key: ObjectKey,
    /// What happened.
    pub kind: Kind,
    /// The version that it happened to, in a bucket that keeps versions.
    pub version_id: Option<String>,
    /// The event's place among those of its object; tagging events have none.
    pub sequencer: Option<Sequencer>,
    /// S3's name of the event, such as `ObjectCreated:Put`.
    pub event_name: String,
    /// When it happened, RFC 3339, as S3 wrote it; for the log only.
    pub event_time: String,
}

impl BucketEvent {
    /// The URI under which the object's documents are kept.
    #[must_use]
    pub fn source_uri(&self) -> String {
        format!("s3://{}/{}", self.bucket, self.key.as_str())
    }
}
