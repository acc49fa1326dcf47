//! The order of the steps for one object, and nothing else:
//! event → ledger → object → text → chunks → vectors → publication.

use std::time::Instant;

use sha2::{Digest, Sha256};
use vouch_shared::auth::AuthContext;
use vouch_shared::db::{Database, DbError};
use vouch_shared::embedder::{EmbedError, Embedder};
use vouch_shared::ids::{ChunkId, DocumentId};
use vouch_shared::tuning::Tuning;

use crate::chunk::Settings;
use crate::event::BucketEvent;
use crate::object::{Found, Object, ObjectError, Objects};
use crate::prepare::{Prepared, prepare};
use crate::publish::{self, Claim, Current, Known, Lexemes, PublishError, State, Version};
use crate::report::{Outcome, Report, Skipped};
use crate::rows::{self, RowMaker};
use crate::text::{Format, Rejected, Source};
use crate::vectors::VectorError;

/// How often work on one object starts anew because somebody else published it meanwhile. Each time somebody
/// else did get on, so more than a few in a row means that something is wrong.
const MAX_ROUNDS: usize = 6;

/// Chunks that are embedded and written at a time: what is lost when the function is killed, and what memory holds.
const BATCH_CHUNKS: usize = 32;

/// A fault that says nothing about the document: the event is to come again.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The bucket did not answer.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The database did not do as asked.
    #[error(transparent)]
    Database(DbError),
    /// The embedding model did not.
    #[error(transparent)]
    Embed(#[from] VectorError),
    /// Others kept publishing the same object.
    #[error("the object was published by others again and again")]
    Overtaken,
}

impl From<DbError> for Fault {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Conflict(_) => Self::Overtaken,
            error => Self::Database(error),
        }
    }
}

impl From<PublishError> for Fault {
    fn from(error: PublishError) -> Self {
        match error {
            PublishError::Overtaken => Self::Overtaken,
            PublishError::Database(error) => error.into(),
        }
    }
}

/// Everything that work on an object needs, made once at start.
#[derive(Clone)]
pub struct Pipeline {
    /// The database, as the role that writes.
    pub db: Database,
    /// The embedding model.
    pub embedder: Embedder,
    /// The bucket's reader.
    pub objects: Objects,
    /// The only bucket whose events are accepted.
    pub bucket: String,
    /// Objects above this many bytes are refused.
    pub max_object_bytes: u64,
    /// How text is cut: the shipped numbers, but where numbers are compared.
    pub tuning: &'static Tuning,
}

impl Pipeline {
    /// Makes the database equal the bucket for the object of an event.
    ///
    /// # Errors
    /// [`Fault`]; whatever was done so far is seen by nobody and is taken up by the next attempt.
    pub async fn converge(&self, event: &BucketEvent, report: &mut Report) -> Result<Outcome, Fault> {
        if event.bucket != self.bucket {
            return Ok(Outcome::Skipped(Skipped::OtherBucket));
        }
        let mut begun = None;
        for _ in 0..MAX_ROUNDS {
            let round =
                Round { pipeline: self, event, auth: AuthContext::for_writer(event.key.tenant().clone()) };
            match round.run(report, &mut begun).await {
                Err(Fault::Overtaken) => report.rounds += 1,
                done => return done,
            }
        }
        Err(Fault::Overtaken)
    }
}

/// One attempt, from looking at the ledger to publication.
struct Round<'a> {
    pipeline: &'a Pipeline,
    event: &'a BucketEvent,
    auth: AuthContext,
}

impl Round<'_> {
    async fn run(&self, report: &mut Report, begun: &mut Option<DocumentId>) -> Result<Outcome, Fault> {
        let Pipeline { db, embedder, objects, .. } = self.pipeline;
        let source_uri = self.event.source_uri();
        let Some(known) = publish::look(db, &self.auth, &source_uri, &embedder.space().id).await? else {
            return Ok(Outcome::Skipped(Skipped::UnknownTenant));
        };
        if known.is_past(self.event.sequencer.as_ref()) {
            self.abandon(*begun).await?;
            return Ok(Outcome::Skipped(Skipped::Stale));
        }

        let started = Instant::now();
        let object = match objects.open(&self.event.bucket, self.event.key.as_str()).await? {
            Found::Object(object) if !(object.is_empty() && self.event.key.ends_in_slash()) => object,
            Found::Object(_) | Found::Gone => return self.retire(&known).await,
        };
        let mut version = self.version(&object, &known);
        if let Some(outcome) = self.settle(&known, &version).await? {
            return Ok(outcome);
        }
        let content_type = object.content_type.clone();
        let has_version_id = object.version_id.is_some();
        let bytes = object.read(self.pipeline.max_object_bytes).await?;
        report.ms.object = millis(started);
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(rejected) => return self.fail(&known, &version, rejected).await,
        };
        report.bytes = bytes.len();
        let sha: [u8; 32] = Sha256::digest(&bytes).into();
        version.content_sha = Some(sha);
        if !has_version_id {
            self.name(&mut version, sha.iter().map(|b| format!("{b:02x}")).collect());
        }
        let file_name = self.event.key.file_name().to_owned();
        let source = Source { bytes: &bytes, name: &file_name, content_type: &content_type };
        if let Some(current) = known.current.as_ref().filter(|current| is_content(current, &sha, source)) {
            // Uploaded again as it was: it stays the version in which it was first seen.
            self.name(&mut version, current.source_version.clone());
            if let Some(outcome) = self.settle(&known, &version).await? {
                return Ok(outcome);
            }
        }

        let started = Instant::now();
        let prepared = prepare(bytes, file_name, content_type, embedder.clone(), self.settings()).await;
        report.ms.text = millis(started);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(rejected) => return self.fail(&known, &version, rejected).await,
        };
        version.title.clone_from(&prepared.title);
        prepared.extracted.content_type.clone_into(&mut version.content_type);
        report.chunks = prepared.chunks.len();
        report.tokens = prepared.chunks.iter().map(|chunk| chunk.tokens).sum();
        *begun = Some(version.id);
        match self.publish(&known, &version, &prepared, report).await {
            Err(Fault::Embed(VectorError::Embed(EmbedError::Rejected { reason }))) => {
                let reason = format!("a passage of the text cannot be embedded: {reason}");
                self.fail(&known, &version, Rejected::new("unreadable", reason)).await
            }
            other => other,
        }
    }

    /// The version under its key, as far as it is known before its body is read.
    fn version(&self, object: &Object, known: &Known) -> Version {
        let scopes =
            object.scopes.as_ref().map_or_else(|| known.default_scope.clone(), |scopes| scopes.to_vec());
        let source_uri = self.event.source_uri();
        // A body that is never read has no hash; its entity tag then stands for it.
        let source_version = object.version_id.clone().unwrap_or_else(|| format!("etag-{}", object.e_tag));
        Version {
            id: DocumentId::derive(self.auth.tenant(), &source_uri, &source_version),
            source_uri,
            source_version,
            content_sha: None,
            title: self.event.key.file_name().to_owned(),
            content_type: object.content_type.clone(),
            size_bytes: i64::try_from(object.size_bytes).unwrap_or(i64::MAX),
            scopes,
            chunker_version: i32::try_from(self.settings().version(self.pipeline.tuning)).unwrap_or(i32::MAX),
        }
    }

    fn name(&self, version: &mut Version, source_version: String) {
        version.id = DocumentId::derive(self.auth.tenant(), &version.source_uri, &source_version);
        version.source_version = source_version;
    }

    fn settings(&self) -> Settings {
        Settings::for_model(self.pipeline.tuning, self.pipeline.embedder.max_tokens())
    }

    /// Where the version stands already there is nothing to read: at most its scopes changed.
    async fn settle(&self, known: &Known, version: &Version) -> Result<Option<Outcome>, Fault> {
        let Some(current) = known.current.as_ref().filter(|current| is_same(current, version)) else {
            return Ok(None);
        };
        let session = self.pipeline.db.begin(&self.auth).await?;
        publish::claim(&session, self.claim(known, &version.source_uri)).await?;
        // What others had begun, when the bucket held something else, is not coming any more.
        publish::supersede_others(&session, version).await?;
        let outcome = if current.scopes == version.scopes {
            Outcome::Unchanged
        } else {
            publish::rescope(&session, current.id, &version.scopes).await?;
            Outcome::Rescoped
        };
        session.commit().await?;
        Ok(Some(outcome))
    }

    async fn publish(
        &self,
        known: &Known,
        version: &Version,
        prepared: &Prepared,
        report: &mut Report,
    ) -> Result<Outcome, Fault> {
        let Pipeline { db, embedder, .. } = self.pipeline;
        let space = &embedder.space().id;
        let chunk_ids = rows::ids(version, prepared.chunks.len());
        let cut_anew = known.current.as_ref().is_some_and(|current| {
            current.id == version.id
                && current.state == State::Active
                && (current.chunker_version != version.chunker_version
                    || current.content_type != version.content_type)
        });
        if !cut_anew {
            self.begin(known, version, &chunk_ids).await?;
        }

        let mut maker = RowMaker {
            db,
            auth: &self.auth,
            embedder,
            prepared,
            ids: &chunk_ids,
            lexemes: Lexemes::default(),
        };
        let mut waiting = Vec::new();
        for from in (0..chunk_ids.len()).step_by(BATCH_CHUNKS) {
            let started = Instant::now();
            let made = maker.rows(from..chunk_ids.len().min(from + BATCH_CHUNKS)).await?;
            report.embedded += made.embedded;
            report.ms.vectors += millis(started);
            if cut_anew {
                waiting.extend(made.rows);
                continue;
            }
            let started = Instant::now();
            let session = db.begin(&self.auth).await?;
            publish::stage(&session, version.id, space, &made.rows).await?;
            session.commit().await?;
            report.ms.publish += millis(started);
        }

        let started = Instant::now();
        let session = db.begin(&self.auth).await?;
        publish::claim(&session, self.claim(known, &version.source_uri)).await?;
        if cut_anew {
            // The same ordinals cannot be there twice, so the new cut takes the old one's place all at once.
            publish::drop_other_cut(&session, version.id, &chunk_ids).await?;
            for batch in waiting.chunks(BATCH_CHUNKS) {
                publish::stage(&session, version.id, space, batch).await?;
            }
        }
        publish::activate(&session, version, space, prepared.chunks.len(), &maker.lexemes).await?;
        session.commit().await?;
        report.folded = publish::fold(db, &self.auth).await?;
        report.ms.publish += millis(started);
        Ok(Outcome::Published)
    }

    async fn begin(&self, known: &Known, version: &Version, chunks: &[ChunkId]) -> Result<(), Fault> {
        let session = self.pipeline.db.begin(&self.auth).await?;
        publish::hold(&session, &version.source_uri, known.seen.as_ref()).await?;
        let is_new = publish::begin(&session, version).await?;
        // An active version is only completed, where vectors of a new space are lacking.
        if !is_new && known.current.as_ref().is_none_or(|current| current.id != version.id) {
            return Err(Fault::Overtaken);
        }
        publish::drop_other_cut(&session, version.id, chunks).await?;
        session.commit().await?;
        Ok(())
    }

    async fn fail(&self, known: &Known, version: &Version, rejected: Rejected) -> Result<Outcome, Fault> {
        let session = self.pipeline.db.begin(&self.auth).await?;
        publish::claim(&session, self.claim(known, &version.source_uri)).await?;
        publish::fail(&session, version, &rejected.reason).await?;
        session.commit().await?;
        publish::fold(&self.pipeline.db, &self.auth).await?;
        Ok(Outcome::Failed(rejected))
    }

    async fn retire(&self, known: &Known) -> Result<Outcome, Fault> {
        let source_uri = self.event.source_uri();
        let session = self.pipeline.db.begin(&self.auth).await?;
        publish::claim(&session, self.claim(known, &source_uri)).await?;
        let versions = publish::retire(&session, &source_uri).await?;
        session.commit().await?;
        if versions > 0 {
            publish::fold(&self.pipeline.db, &self.auth).await?;
        }
        Ok(Outcome::Retired)
    }

    async fn abandon(&self, begun: Option<DocumentId>) -> Result<(), Fault> {
        let Some(document) = begun else { return Ok(()) };
        let session = self.pipeline.db.begin(&self.auth).await?;
        publish::abandon(&session, document).await?;
        session.commit().await?;
        Ok(())
    }

    fn claim<'c>(&'c self, known: &'c Known, source_uri: &'c str) -> Claim<'c> {
        Claim {
            source_uri,
            sequencer: self.event.sequencer.as_ref(),
            event_name: &self.event.event_name,
            seen: known.seen.as_ref(),
        }
    }
}

/// Whether the version that stands is this one, made by the same rules, with all its vectors.
fn is_same(current: &Current, version: &Version) -> bool {
    current.source_version == version.source_version
        && current.chunker_version == version.chunker_version
        && current.is_embedded
}

/// Whether the version that answers was made of these bytes, read as the same format. One that could not be read is
/// tried again when it is uploaded again.
fn is_content(current: &Current, sha: &[u8], source: Source<'_>) -> bool {
    current.state == State::Active
        && current.content_sha.as_deref() == Some(sha)
        && Format::of(source).is_ok_and(|format| format.media_type() == current.content_type)
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
