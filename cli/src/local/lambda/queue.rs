//! Invocations of one function: those that wait for an instance, and those that an instance works on.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use hyper::body::Bytes;
use tokio::sync::{Notify, oneshot};
use uuid::Uuid;

/// What came of an invocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The function's answer.
    Answer(Bytes),
    /// The function's error, or the emulator's in its name: Lambda's error object.
    Error(Bytes),
}

impl Outcome {
    /// An error in Lambda's words.
    #[must_use]
    pub fn error(kind: &str, message: &str) -> Self {
        Self::Error(serde_json::json!({"errorType": kind, "errorMessage": message}).to_string().into())
    }
}

/// An invocation as an instance receives it.
#[derive(Debug)]
pub struct Invocation {
    /// Its id.
    pub id: Uuid,
    /// The event.
    pub event: Bytes,
    /// When its time is up.
    pub deadline: SystemTime,
}

struct InWork {
    instance: u64,
    reply: oneshot::Sender<Outcome>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Invocation, oneshot::Sender<Outcome>)>,
    in_work: HashMap<Uuid, InWork>,
    idle: usize,
}

/// The invocations of one function.
#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    arrived: Notify,
}

/// Counts an instance as idle for as long as it waits, even if the wait is abandoned.
struct Idle<'a>(&'a Queue);

impl<'a> Idle<'a> {
    fn begin(queue: &'a Queue) -> Self {
        queue.lock().idle += 1;
        Self(queue)
    }
}

impl Drop for Idle<'_> {
    fn drop(&mut self) {
        self.0.lock().idle -= 1;
    }
}

impl Queue {
    /// Adds an invocation. Its outcome comes by the receiver.
    pub fn submit(&self, event: Bytes, timeout: Duration) -> (Uuid, oneshot::Receiver<Outcome>) {
        let (reply, outcome) = oneshot::channel();
        let invocation = Invocation { id: Uuid::new_v4(), event, deadline: SystemTime::now() + timeout };
        let id = invocation.id;
        self.lock().waiting.push_back((invocation, reply));
        self.arrived.notify_one();
        (id, outcome)
    }

    /// The next invocation for an instance, once there is one.
    pub async fn next(&self, instance: u64) -> Invocation {
        let _idle = Idle::begin(self);
        loop {
            if let Some(invocation) = self.take(instance) {
                return invocation;
            }
            self.arrived.notified().await;
        }
    }

    fn take(&self, instance: u64) -> Option<Invocation> {
        let mut state = self.lock();
        while let Some((invocation, reply)) = state.waiting.pop_front() {
            // A caller that is gone wants no answer.
            if !reply.is_closed() {
                state.in_work.insert(invocation.id, InWork { instance, reply });
                if !state.waiting.is_empty() {
                    self.arrived.notify_one();
                }
                return Some(invocation);
            }
        }
        None
    }

    /// Ends an invocation. Whether it was in work.
    pub fn finish(&self, id: Uuid, outcome: Outcome) -> bool {
        let in_work = self.lock().in_work.remove(&id);
        in_work.map(|work| work.reply.send(outcome)).is_some()
    }

    /// Gives up an invocation whose time is up. Returns the instance that works on it, if one does.
    pub fn give_up(&self, id: Uuid) -> Option<u64> {
        let mut state = self.lock();
        state.waiting.retain(|(invocation, _)| invocation.id != id);
        state.in_work.remove(&id).map(|work| work.instance)
    }

    /// An instance has ended: what it worked on fails, and if it never asked for work, the first that waits
    /// fails in its place, since another instance would end the same way.
    pub fn instance_ended(&self, instance: u64, has_asked: bool, outcome: &Outcome) {
        let mut state = self.lock();
        let lost: Vec<Uuid> =
            state.in_work.iter().filter(|(_, work)| work.instance == instance).map(|(id, _)| *id).collect();
        let mut replies: Vec<_> =
            lost.iter().filter_map(|id| state.in_work.remove(id)).map(|work| work.reply).collect();
        if !has_asked {
            replies.extend(state.waiting.pop_front().map(|(_, reply)| reply));
        }
        for reply in replies {
            let _ = reply.send(outcome.clone());
        }
    }

    /// Invocations that no idle instance is there for.
    #[must_use]
    pub fn unserved(&self) -> usize {
        let state = self.lock();
        state.waiting.len().saturating_sub(state.idle)
    }

    /// Whether an instance works on something.
    #[must_use]
    pub fn is_working(&self, instance: u64) -> bool {
        self.lock().in_work.values().any(|work| work.instance == instance)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Every change above is complete before it can panic, so a poisoned state is still a good one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn an_answer_reaches_the_caller_of_its_invocation() {
        let queue = Queue::default();
        let (_, first) = queue.submit("1".into(), TIMEOUT);
        let (_, second) = queue.submit("2".into(), TIMEOUT);
        let (one, two) = (queue.next(1).await, queue.next(2).await);
        assert!(queue.finish(two.id, Outcome::Answer("two".into())));
        assert!(queue.finish(one.id, Outcome::Answer("one".into())));
        assert!(!queue.finish(one.id, Outcome::Answer("again".into())));
        assert_eq!(first.await.unwrap(), Outcome::Answer("one".into()));
        assert_eq!(second.await.unwrap(), Outcome::Answer("two".into()));
    }

    #[tokio::test]
    async fn an_instance_that_dies_fails_what_it_worked_on_and_nothing_else() {
        let queue = Queue::default();
        let (_, lost) = queue.submit("1".into(), TIMEOUT);
        let (_, waiting) = queue.submit("2".into(), TIMEOUT);
        queue.next(1).await;
        queue.instance_ended(1, true, &Outcome::error("Runtime.ExitError", "it ended"));
        assert!(matches!(lost.await.unwrap(), Outcome::Error(_)));
        let next = queue.next(2).await;
        assert!(queue.finish(next.id, Outcome::Answer("ok".into())));
        assert_eq!(waiting.await.unwrap(), Outcome::Answer("ok".into()));
    }

    #[tokio::test]
    async fn an_instance_that_never_came_up_fails_one_that_waits() {
        let queue = Queue::default();
        let (_, waiting) = queue.submit("1".into(), TIMEOUT);
        queue.instance_ended(1, false, &Outcome::error("Runtime.ExitError", "it ended"));
        assert!(matches!(waiting.await.unwrap(), Outcome::Error(_)));
    }

    #[tokio::test]
    async fn an_abandoned_wait_leaves_no_idle_instance_behind() {
        let queue = Queue::default();
        let wait = tokio::time::timeout(Duration::from_millis(10), queue.next(1)).await;
        assert!(wait.is_err());
        let _caller = queue.submit("1".into(), TIMEOUT);
        assert_eq!(queue.unserved(), 1);
    }

    #[tokio::test]
    async fn a_caller_that_left_is_passed_over() {
        let queue = Queue::default();
        drop(queue.submit("1".into(), TIMEOUT));
        let (id, _caller) = queue.submit("2".into(), TIMEOUT);
        assert_eq!(queue.next(1).await.id, id);
    }
}
