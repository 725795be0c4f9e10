//! Another node on the same database: a worker of the inbox, with its own connection and memory.
//!
//! It hashes passwords in separate threads. While a password is hashed, its message waits, and the pass processes other
//! mail. The first node may process the waiting message before the next pass. After each pass, the node waits until all
//! hashes are computed, so that the speed of the threads does not affect the simulation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::faults::Faults;
use crate::setup::{configuration, open_store};
use crate::world::WORLD;
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::mail::inbound::{InboxContext, InboxWorker};
use turnpost::store::{Location, Store};

pub(crate) struct Node(Mutex<Parts>);

struct Parts {
    config: Config,
    composer: Composer,
    store: Box<dyn Store>,
    worker: InboxWorker,
}

impl Node {
    /// Starts the node on the database at this location.
    pub(crate) fn start(location: &Location, faults: &Arc<Faults>) -> anyhow::Result<Node> {
        let (config, composer) = configuration()?;
        let (store, worker) = (open_store(location, faults)?, InboxWorker::new(Arc::new(|| {})));
        Ok(Node(Mutex::new(Parts { config, composer, store, worker })))
    }

    /// Processes the inbox in this many passes. Returns the number of messages that got a verdict.
    pub(crate) fn work(&self, passes: usize) -> anyhow::Result<usize> {
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Parts { config, composer, store, worker } = &mut *parts;
        let (service, now) = (config.service(WORLD), (WORLD.now)());
        let inbox = InboxContext { service: &service, server_address: &config.address, composer, now };
        let mut tx = store.write()?;
        service.see_clocks(&mut tx, now)?;
        tx.commit()?;
        let mut closed = 0;
        for _ in 0..passes {
            let done = worker.process(&mut **store, &inbox, &mut |_| {});
            while worker.wait(Duration::MAX) {}
            closed += done?;
        }
        Ok(closed)
    }
}
