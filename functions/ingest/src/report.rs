//! What became of an object, for the log. Never a word of its text.

use crate::text::Rejected;

/// Why an event of a document changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// Of another bucket than the configured one.
    OtherBucket,
    /// Of a tenant that does not exist.
    UnknownTenant,
    /// A newer event of the object was applied before.
    Stale,
}

/// What became of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A version of it was published.
    Published,
    /// The version that stands is the bucket's already.
    Unchanged,
    /// Only who may read it changed.
    Rescoped,
    /// It cannot be read, and is recorded as such.
    Failed(Rejected),
    /// The bucket does not hold it any more; nor does the database.
    Retired,
    /// The event was passed over.
    Skipped(Skipped),
}

impl Outcome {
    /// A stable code for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Unchanged => "unchanged",
            Self::Rescoped => "rescoped",
            Self::Failed(_) => "failed",
            Self::Retired => "retired",
            Self::Skipped(_) => "ignored",
        }
    }

    /// Why, where there is a reason.
    #[must_use]
    pub fn reason_code(&self) -> Option<&'static str> {
        match self {
            Self::Failed(rejected) => Some(rejected.code),
            Self::Skipped(Skipped::OtherBucket) => Some("other_bucket"),
            Self::Skipped(Skipped::UnknownTenant) => Some("unknown_tenant"),
            Self::Skipped(Skipped::Stale) => Some("stale"),
            _ => None,
        }
    }
}

/// Milliseconds by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageMillis {
    /// Asking the bucket and reading the object.
    pub object: u64,
    /// Extraction and chunking.
    pub text: u64,
    /// Embedding, and looking up what is embedded already.
    pub vectors: u64,
    /// Writing.
    pub publish: u64,
}

/// What work on an object cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Bytes read from the bucket.
    pub bytes: usize,
    /// Chunks of the version.
    pub chunks: usize,
    /// Tokens of those chunks.
    pub tokens: usize,
    /// Vectors computed; the other chunks reused one.
    pub embedded: usize,
    /// How often work started anew because somebody else published the object.
    pub rounds: usize,
    /// Whether the statistics hold what was published; if not, the next fold adds it.
    pub folded: bool,
    /// Time spent.
    pub ms: StageMillis,
}
