//! The webhook worker: a thread that starts due calls to webhooks and records their results. Each call runs in a
//! separate thread, with at most one call per player.
//!
//! Calls to different players do not wait for each other. A program that does not respond delays only its own calls,
//! and programs whose last call failed share a limited number of places. The service decides which calls are due, when
//! to retry, and when to pause a webhook (`service/notice/webhooks.rs`).

mod send;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chrono::{DateTime, Utc};

pub(crate) use send::{MAX_URL, check_url};

use crate::config::Config;
use crate::message;
use crate::service::{CallFailure, DueCall};
use crate::store::{self, NodeName, PlayerId, Store, Transaction};
use crate::world::World;
use send::Poster;

/// The maximum number of concurrent calls.
const MAX_CALLS: usize = 32;
/// The maximum number of concurrent calls to webhooks whose last call failed.
const MAX_FAILING_CALLS: usize = 16;
/// The longest interval between checks for due calls.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The shortest interval between checks.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

/// An event for the worker.
enum Event {
    /// There may be new turns.
    Turns,
    /// A call has ended.
    Ended(EndedCall),
    /// The program is stopping.
    Stop,
}

/// A finished call with its result.
struct EndedCall {
    call: DueCall,
    result: Result<(), CallFailure>,
}

/// The running webhook worker.
pub struct Webhooks {
    events: Sender<Event>,
    thread: JoinHandle<()>,
}

impl Webhooks {
    /// Starts the worker with a separate database connection. It calls `recorded` after recording results.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        config: Config,
        store: Box<dyn Store>,
        node: NodeName,
        world: World,
        recorded: Box<dyn Fn() + Send>,
    ) -> anyhow::Result<Webhooks> {
        let (events, received) = mpsc::channel();
        let poster = Arc::new(Poster::new(config.web.private_webhooks));
        let (under_way, ended, sender) = (HashMap::new(), Vec::new(), events.clone());
        let mut worker = Worker { config, store, node, world, poster, events: sender, under_way, ended, recorded };
        let thread = thread::Builder::new().name("webhooks".to_owned()).spawn(move || worker.run(&received))?;
        Ok(Webhooks { events, thread })
    }

    /// Notifies the worker of possible new turns.
    pub fn notify(&self) {
        // This fails only if the worker has panicked. `stop` reports the panic.
        let _ = self.events.send(Event::Turns);
    }

    /// Stops the worker after the pending calls.
    pub fn stop(self) {
        let _ = self.events.send(Event::Stop);
        if self.thread.join().is_err() {
            tracing::error!("the webhook worker panicked");
        }
    }
}

struct Worker {
    config: Config,
    store: Box<dyn Store>,
    /// This node, which owns the leases of the webhooks that it calls.
    node: NodeName,
    world: World,
    poster: Arc<Poster>,
    events: Sender<Event>,
    /// The players with a running webhook call, and whether their previous call failed.
    under_way: HashMap<PlayerId, bool>,
    /// Finished calls whose results are not yet recorded. In the database, these calls are still pending.
    ended: Vec<EndedCall>,
    /// Called after results are recorded.
    recorded: Box<dyn Fn() + Send>,
}

impl Worker {
    fn run(&mut self, events: &Receiver<Event>) {
        let mut stopping = false;
        while !(stopping && self.under_way.is_empty()) {
            let worked = self.record().and_then(|()| if stopping { Ok(()) } else { self.begin_due_calls() });
            if let Err(error) = &worked {
                tracing::error!(%error, "cannot process webhooks; retrying");
                if stopping {
                    return;
                }
            }
            // After a failure, wait for the longest interval, because an immediate retry is likely to fail too.
            let wait = if worked.is_err() { LONGEST_WAIT } else { self.wait() };
            let mut next = events.recv_timeout(wait).ok();
            while let Some(event) = next {
                match event {
                    Event::Turns => {}
                    Event::Ended(ended) => self.ended.push(ended),
                    Event::Stop => stopping = true,
                }
                next = events.try_recv().ok();
            }
        }
    }

    fn now(&self) -> DateTime<Utc> {
        (self.world.now)()
    }

    /// Records the finished calls.
    fn record(&mut self) -> store::Result<()> {
        if self.ended.is_empty() {
            return Ok(());
        }
        let (service, now) = (self.config.service(self.world), self.now());
        let mut tx = self.store.write()?;
        for EndedCall { call, result } in &self.ended {
            service.record_webhook_call(&mut tx, call, result.clone(), &self.node, now)?;
        }
        tx.commit()?;
        (self.recorded)();
        for EndedCall { call, .. } in self.ended.drain(..) {
            self.under_way.remove(&call.player());
        }
        Ok(())
    }

    /// Starts due calls, up to the limits.
    fn begin_due_calls(&mut self) -> store::Result<()> {
        let now = self.now();
        for call in self.lease(now)? {
            self.under_way.insert(call.player(), call.failing);
            self.begin(call, now);
        }
        // Record the calls that need not be sent.
        self.record()
    }

    /// Leases the webhooks of due calls, up to the limits.
    fn lease(&mut self, now: DateTime<Utc>) -> store::Result<Vec<DueCall>> {
        let Worker { config, store, node, under_way, world, .. } = self;
        // Usually no call is due, so check first without blocking other writers.
        if choose(config, *world, under_way, &store.read()?, node, now)?.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = store.write()?;
        let chosen = choose(config, *world, under_way, &tx, node, now)?;
        config.service(*world).lease_webhooks(&mut tx, &chosen, node, now)?;
        tx.commit()?;
        Ok(chosen)
    }

    /// Starts a call in a new thread, which sends the result to the worker.
    fn begin(&mut self, call: DueCall, now: DateTime<Utc>) {
        let Some(post) = call.post.clone() else {
            self.ended.push(EndedCall { call, result: Ok(()) });
            return;
        };
        let (poster, events, done) = (Arc::clone(&self.poster), self.events.clone(), call.clone());
        let send = move || {
            let sent = catch_unwind(AssertUnwindSafe(|| poster.send(&post, now)));
            let result = sent.unwrap_or_else(|_| Err(CallFailure::Failed(message!("client.webhook-panicked"))));
            // This fails only if the worker has panicked.
            let _ = events.send(Event::Ended(EndedCall { call: done, result }));
        };
        if let Err(error) = thread::Builder::new().name("webhook".to_owned()).spawn(send) {
            tracing::error!(%error, "cannot call a webhook; retrying");
            self.under_way.remove(&call.player());
        }
    }

    /// Returns how long to wait for the next due call. The end of a running call wakes the worker earlier.
    fn wait(&mut self) -> Duration {
        if !self.under_way.is_empty() {
            return LONGEST_WAIT;
        }
        let (service, now) = (self.config.service(self.world), self.now());
        let due = self.store.read().and_then(|tx| service.next_webhook_call(&tx)).ok().flatten();
        let wait = due.and_then(|due| (due - now).to_std().ok()).unwrap_or(LONGEST_WAIT);
        wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)
    }
}

/// Chooses due calls that are not running yet, up to the limits.
fn choose(
    config: &Config,
    world: World,
    under_way: &HashMap<PlayerId, bool>,
    tx: &Transaction<'_>,
    node: &NodeName,
    now: DateTime<Utc>,
) -> store::Result<Vec<DueCall>> {
    let mut failing = under_way.values().filter(|failing| **failing).count();
    let mut places = MAX_CALLS.saturating_sub(under_way.len());
    // The database still lists running calls as due, so read that many more.
    let most = MAX_CALLS + under_way.len();
    let mut due = config.service(world).due_webhook_calls(tx, config.web.url.as_deref(), most as u32, node, now)?;
    due.retain(|call| {
        let chosen =
            places > 0 && !(call.failing && failing >= MAX_FAILING_CALLS) && !under_way.contains_key(&call.player());
        failing += usize::from(chosen && call.failing);
        places -= usize::from(chosen);
        chosen
    });
    Ok(due)
}
