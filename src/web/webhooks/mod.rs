//! The webhook worker: a thread that makes the calls which are due, several at a time and one a player.
//!
//! What is due, when a failed call is retried and when a webhook is paused is decided by the service
//! (`service/notice/webhooks.rs`).

mod public_address;
mod send;
mod url;

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle, ScopedJoinHandle};
use std::time::Duration;

use chrono::{DateTime, Utc};

pub(super) use url::check_url;

use crate::config::Config;
use crate::message;
use crate::service::{DueCall, WebhookPost};
use crate::store::{self, Store};
use crate::text::Message;
use crate::world::World;
use send::Poster;

/// Calls made at a time.
const CONCURRENT_CALLS: u32 = 8;
/// The longest wait between two checks for due calls.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The shortest wait.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

/// The running webhook worker.
pub struct Webhooks {
    notify: Sender<()>,
    thread: JoinHandle<()>,
}

impl Webhooks {
    /// Starts the worker, with a database connection of its own.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(config: Config, store: Box<dyn Store>, world: World) -> anyhow::Result<Webhooks> {
        let (notify, notified) = mpsc::channel();
        let poster = Poster::new(config.web.private_webhooks);
        let mut worker = Worker { config, store, world, poster };
        let thread = thread::Builder::new().name("webhooks".to_owned()).spawn(move || worker.run(&notified))?;
        Ok(Webhooks { notify, thread })
    }

    /// Tells the worker that turns may have come.
    pub fn notify(&self) {
        // Fails only after a panic of the worker, which joining reports.
        let _ = self.notify.send(());
    }

    /// Stops the worker after the calls in progress.
    pub fn stop(self) {
        drop(self.notify);
        if self.thread.join().is_err() {
            tracing::error!("the webhook worker panicked");
        }
    }
}

struct Worker {
    config: Config,
    store: Box<dyn Store>,
    world: World,
    poster: Poster,
}

impl Worker {
    fn run(&mut self, notified: &Receiver<()>) {
        loop {
            let worked = self.make_due_calls();
            if let Err(error) = &worked {
                tracing::error!(%error, "webhooks cannot be processed; they are retried");
            }
            // Not at once: what failed is likely to fail again.
            let wait = if worked.is_err() { LONGEST_WAIT } else { self.wait() };
            match notified.recv_timeout(wait) {
                Err(RecvTimeoutError::Disconnected) => return,
                Ok(()) => while notified.try_recv().is_ok() {},
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn now(&self) -> DateTime<Utc> {
        (self.world.now)()
    }

    fn make_due_calls(&mut self) -> store::Result<()> {
        loop {
            let now = self.now();
            let due = self.due(now)?;
            if due.is_empty() {
                return Ok(());
            }
            let results = self.poster.send_all(due.iter().map(|call| call.post.as_ref()), now);
            let (service, now) = (self.config.service(self.world), self.now());
            let mut tx = self.store.write()?;
            for (call, result) in due.iter().zip(results) {
                service.record_webhook_call(&mut *tx, call, result, now)?;
            }
            tx.commit()?;
        }
    }

    fn due(&mut self, now: DateTime<Utc>) -> store::Result<Vec<DueCall>> {
        let (service, pages) = (self.config.service(self.world), self.config.web.url.as_deref());
        service.due_webhook_calls(&*self.store.read()?, pages, CONCURRENT_CALLS, now)
    }

    /// How long to wait for the next call.
    fn wait(&mut self) -> Duration {
        let (service, now) = (self.config.service(self.world), self.now());
        let due = self.store.read().and_then(|tx| service.next_webhook_call(&*tx)).ok().flatten();
        let wait = due.and_then(|due| (due - now).to_std().ok()).unwrap_or(LONGEST_WAIT);
        wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }
}

impl Poster {
    /// Sends all of these at once; `None` is not sent. Returns the results in order.
    fn send_all<'a>(
        &self,
        posts: impl Iterator<Item = Option<&'a WebhookPost>>,
        now: DateTime<Utc>,
    ) -> Vec<Result<(), Message>> {
        thread::scope(|scope| {
            let calls = posts.map(|post| scope.spawn(move || post.map_or(Ok(()), |post| self.send(post, now))));
            let calls: Vec<_> = calls.collect();
            let ended = calls.into_iter().map(ScopedJoinHandle::join);
            ended.map(|ended| ended.unwrap_or_else(|_| Err(message!("client.webhook-panicked")))).collect()
        })
    }
}
