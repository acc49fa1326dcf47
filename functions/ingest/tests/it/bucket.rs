//! A model of a bucket, in memory, and a way to kill work at any of its steps.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;

use async_trait::async_trait;
use ingest::event::{BucketEvent, Kind, ObjectKey, Sequencer};
use ingest::object::{Found, Object, ObjectError, Store};
use vouch_shared::auth::ScopeSet;

/// What an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    pub body: String,
    pub content_type: &'static str,
    pub scopes: Option<&'static str>,
}

/// A version of an object; without content it is a delete marker.
#[derive(Debug, Clone)]
struct Version {
    id: u64,
    content: Option<Content>,
}

#[derive(Debug, Default)]
struct State {
    keys: BTreeMap<String, Vec<Version>>,
    clock: u64,
}

/// A bucket of one name.
#[derive(Debug)]
pub struct Bucket {
    name: String,
    keeps_versions: bool,
    state: Mutex<State>,
}

impl Bucket {
    pub fn new(name: &str, keeps_versions: bool) -> Self {
        Self {
            name: name.to_owned(),
            keeps_versions,
            state: Mutex::new(State { clock: 0xE0, ..State::default() }),
        }
    }

    pub fn put(&self, key: &str, content: Content) -> BucketEvent {
        self.push(key, Some(content), Kind::Created, "ObjectCreated:Put")
    }

    /// Without a versionId: a marker, or, where no versions are kept, the end of it.
    pub fn delete(&self, key: &str) -> BucketEvent {
        if self.keeps_versions {
            return self.push(key, None, Kind::Removed, "ObjectRemoved:DeleteMarkerCreated");
        }
        self.state.lock().expect("state").keys.remove(key);
        self.event(key, None, Kind::Removed, "ObjectRemoved:Delete")
    }

    /// Removes a version, or a marker, for good.
    pub fn delete_version(&self, key: &str, nth: usize) -> Option<BucketEvent> {
        let id = {
            let mut state = self.state.lock().expect("state");
            let versions = state.keys.get_mut(key).filter(|versions| !versions.is_empty())?;
            let at = nth % versions.len();
            versions.remove(at).id
        };
        Some(self.event(key, Some(id), Kind::Removed, "ObjectRemoved:Delete"))
    }

    /// Takes the delete marker away that hides the object, if one does.
    pub fn undelete(&self, key: &str) -> Option<BucketEvent> {
        let at = {
            let state = self.state.lock().expect("state");
            let versions = state.keys.get(key)?;
            versions.last().filter(|version| version.content.is_none())?;
            versions.len() - 1
        };
        self.delete_version(key, at)
    }

    /// Copies an older version over the current one.
    pub fn restore(&self, key: &str, nth: usize) -> Option<BucketEvent> {
        let content = {
            let state = self.state.lock().expect("state");
            let contents: Vec<_> = state.keys.get(key)?.iter().filter_map(|v| v.content.clone()).collect();
            contents.get(nth % contents.len().max(1))?.clone()
        };
        Some(self.push(key, Some(content), Kind::Created, "ObjectCreated:Copy"))
    }

    /// Changes the scopes of the current version in place. Such events carry no sequencer.
    pub fn tag(&self, key: &str, scopes: Option<&'static str>) -> Option<BucketEvent> {
        let id = {
            let mut state = self.state.lock().expect("state");
            let version = state.keys.get_mut(key)?.last_mut()?;
            version.content.as_mut()?.scopes = scopes;
            version.id
        };
        let event = self.event(key, Some(id), Kind::Created, "ObjectTagging:Put");
        Some(BucketEvent { sequencer: None, ..event })
    }

    /// What the bucket holds now.
    pub fn contents(&self) -> BTreeMap<String, Content> {
        let state = self.state.lock().expect("state");
        let current = |(key, versions): (&String, &Vec<Version>)| {
            Some((key.clone(), versions.last()?.content.clone()?))
        };
        state.keys.iter().filter_map(current).collect()
    }

    fn push(&self, key: &str, content: Option<Content>, kind: Kind, name: &str) -> BucketEvent {
        let id = {
            let mut state = self.state.lock().expect("state");
            let id = state.clock;
            let versions = state.keys.entry(key.to_owned()).or_default();
            if !self.keeps_versions {
                versions.clear();
            }
            versions.push(Version { id, content });
            id
        };
        self.event(key, Some(id), kind, name)
    }

    fn event(&self, key: &str, version: Option<u64>, kind: Kind, name: &str) -> BucketEvent {
        let mut state = self.state.lock().expect("state");
        state.clock += 1;
        BucketEvent {
            bucket: self.name.clone(),
            key: ObjectKey::from_decoded(key).expect("key"),
            kind,
            version_id: version.filter(|_| self.keeps_versions).map(|id| id.to_string()),
            sequencer: Sequencer::parse(&format!("{:X}", state.clock)),
            event_name: name.to_owned(),
            event_time: String::new(),
        }
    }
}

#[async_trait]
impl Store for Bucket {
    async fn open(&self, bucket: &str, key: &str) -> Result<Found, ObjectError> {
        assert_eq!(bucket, self.name);
        let current = {
            let state = self.state.lock().expect("state");
            state.keys.get(key).and_then(|versions| versions.last().cloned())
        };
        // Others get on between the question and the answer.
        tokio::task::yield_now().await;
        let Some(Version { id, content: Some(content) }) = current else { return Ok(Found::Gone) };
        Ok(Found::Object(Box::new(Object::held(
            self.keeps_versions.then(|| id.to_string()),
            content.content_type.to_owned(),
            content.scopes.map(ScopeSet::parse),
            content.body.into_bytes(),
        ))))
    }
}

/// What the work gives, unless it takes more than so many steps: then it is dropped where it stands.
pub async fn killed_after<T>(polls: usize, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        let polled = work.as_mut().poll(context);
        if left == 0 && polled.is_pending() { Poll::Ready(None) } else { polled.map(Some) }
    })
    .await
}
