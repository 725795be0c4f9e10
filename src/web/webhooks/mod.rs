//! The webhook worker: a thread that begins the calls which are due, each on a thread of its own and one a player at a
//! time, and records how they end.
//!
//! No call waits for another player's: a program that does not answer holds up its own calls alone, and programs that
//! failed last can take only a part of the places. What is due, when a failed call is retried and when a webhook is paused
//! is decided by the service (`service/notice/webhooks.rs`).

mod public_address;
mod send;
mod url;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use chrono::{DateTime, Utc};

pub(super) use url::{MAX_URL, check_url};

use crate::config::Config;
use crate::message;
use crate::service::{CallFailure, DueCall};
use crate::store::{self, NodeName, PlayerId, Store, Transaction};
use crate::world::World;
use send::Poster;

/// The most calls under way.
const MAX_CALLS: usize = 32;
/// The most calls under way to webhooks whose last call failed.
const MAX_FAILING_CALLS: usize = 16;
/// The longest wait between two checks for due calls.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// The shortest wait.
const SHORTEST_WAIT: Duration = Duration::from_millis(50);

/// What the worker waits for.
enum Event {
    /// Turns may have come.
    Turns,
    /// A call has ended.
    Ended(EndedCall),
    /// The program stops.
    Stop,
}

/// A call that has ended, and how.
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
    /// Starts the worker, with a database connection of its own; `recorded` is called when the ends of calls are recorded.
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

    /// Tells the worker that turns may have come.
    pub fn notify(&self) {
        // Fails only after a panic of the worker, which joining reports.
        let _ = self.events.send(Event::Turns);
    }

    /// Stops the worker after the calls in progress.
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
    /// Who calls: webhooks are leased to it.
    node: NodeName,
    world: World,
    poster: Arc<Poster>,
    events: Sender<Event>,
    /// The players whose programs are being called, and whether the call before failed.
    under_way: HashMap<PlayerId, bool>,
    /// Calls that ended and are not yet recorded; until then they are under way.
    ended: Vec<EndedCall>,
    /// Called when the ends of calls are recorded.
    recorded: Box<dyn Fn() + Send>,
}

impl Worker {
    fn run(&mut self, events: &Receiver<Event>) {
        let mut stopping = false;
        while !(stopping && self.under_way.is_empty()) {
            let worked = self.record().and_then(|()| if stopping { Ok(()) } else { self.begin_due_calls() });
            if let Err(error) = &worked {
                tracing::error!(%error, "webhooks cannot be processed; they are retried");
                if stopping {
                    return;
                }
            }
            // Not at once: what failed is likely to fail again.
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

    /// Records the calls that have ended.
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

    /// Begins the calls that are due, as far as there are places.
    fn begin_due_calls(&mut self) -> store::Result<()> {
        let now = self.now();
        for call in self.lease(now)? {
            self.under_way.insert(call.player(), call.failing);
            self.begin(call, now);
        }
        // Those that were not worth a call.
        self.record()
    }

    /// Leases the webhooks of calls that are due and find a place.
    fn lease(&mut self, now: DateTime<Utc>) -> store::Result<Vec<DueCall>> {
        let Worker { config, store, node, under_way, world, .. } = self;
        // Most calls find nothing, and must not make other writers wait.
        if choose(config, *world, under_way, &store.read()?, node, now)?.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = store.write()?;
        let chosen = choose(config, *world, under_way, &tx, node, now)?;
        config.service(*world).lease_webhooks(&mut tx, &chosen, node, now)?;
        tx.commit()?;
        Ok(chosen)
    }

    /// Begins a call, which reports its end to the worker.
    fn begin(&mut self, call: DueCall, now: DateTime<Utc>) {
        let Some(post) = call.post.clone() else {
            self.ended.push(EndedCall { call, result: Ok(()) });
            return;
        };
        let (poster, events, done) = (Arc::clone(&self.poster), self.events.clone(), call.clone());
        let send = move || {
            let sent = catch_unwind(AssertUnwindSafe(|| poster.send(&post, now)));
            let result = sent.unwrap_or_else(|_| Err(CallFailure::Failed(message!("client.webhook-panicked"))));
            // Fails only after a panic of the worker.
            let _ = events.send(Event::Ended(EndedCall { call: done, result }));
        };
        if let Err(error) = thread::Builder::new().name("webhook".to_owned()).spawn(send) {
            tracing::error!(%error, "a webhook cannot be called; it is retried");
            self.under_way.remove(&call.player());
        }
    }

    /// How long to wait for the next call. The end of a call is an event of its own.
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

/// The calls that are due, are not under way, and find a place.
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
    // The calls under way are still due.
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
