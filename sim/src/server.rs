//! The simulated server: the real service, store, inbox, outbox and clocks in one process that can die.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use crate::faults::{Faults, Fired};
use crate::node::Node;
use crate::postbox::Postbox;
use crate::setup::{configuration, open_store};
use crate::world::WORLD;
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::mail::inbound::receive;
use turnpost::serve::Instance;
use turnpost::store::{self, MailSource, Store, Transaction};

/// The server.
pub(crate) struct Server {
    data: PathBuf,
    pub(crate) faults: Arc<Faults>,
    pub(crate) postbox: Arc<Postbox>,
    /// `None` only during a restart.
    instance: Option<Instance>,
    node: Arc<Node>,
}

impl Server {
    /// Creates an empty server in a temporary directory, in memory if the system supports that.
    pub(crate) fn new(seed: u64) -> anyhow::Result<Server> {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let data = parent.join(format!("turnpost-sim-{}-{seed}", std::process::id()));
        let _ = fs::remove_dir_all(&data);
        fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
        store::create(data.join("turnpost.db"), WORLD)?;
        let faults = Arc::new(Faults::none());
        let postbox = Arc::new(Postbox::new(seed, Arc::clone(&faults)));
        let node = Arc::new(Node::start(&data.join("turnpost.db"), &faults)?);
        let mut server = Server { data, faults, postbox, instance: None, node };
        server.open(configuration()?)?;
        Ok(server)
    }

    fn open(&mut self, parts: (Config, Composer)) -> anyhow::Result<()> {
        let store = open_store(&self.data.join("turnpost.db"), &self.faults)?;
        self.instance = Some(Instance::local(&self.data, store, parts, self.postbox.clone(), WORLD));
        Ok(())
    }

    /// Ends the process and starts a new one. Only the files remain.
    pub(crate) fn restart(&mut self) -> anyhow::Result<()> {
        let Instance { config, composer, .. } = self.instance.take().context("there is an instance")?;
        self.open((config, composer))
    }

    fn instance(&mut self) -> &mut Instance {
        self.instance.as_mut().expect("it is open but while it starts again")
    }

    /// Passes a message to the server. Returns whether the server acknowledged it. Restarts the process if it died.
    pub(crate) fn receive(&mut self, mail: &[u8]) -> anyhow::Result<bool> {
        let instance = self.instance();
        let now = (instance.world.now)();
        let stored = receive(&mut instance.store, mail, MailSource::Pipe, now).is_ok();
        let died = self.faults.disarm() == Fired::Died;
        if died {
            self.restart()?;
        }
        Ok(stored && !died)
    }

    /// Processes all due work. Restarts the process if it died. `between` is the number of transactions before the
    /// other node interrupts, and the number of its passes. Also returns the number of messages that the other node
    /// closed.
    pub(crate) fn work(&mut self, between: Option<(usize, usize)>) -> anyhow::Result<(Work, usize)> {
        if let Some((transactions, passes)) = between {
            let node = Arc::clone(&self.node);
            self.faults.let_in(transactions, Box::new(move || node.work(passes)));
        }
        let done = self.instance().process_all();
        let elsewhere = self.faults.keep_out().context("the other node fails where nothing is wrong")?;
        let fired = self.faults.disarm();
        if fired == Fired::Died {
            self.restart()?;
        }
        Ok((Work::of(fired, done), elsewhere))
    }

    /// Processes the inbox on the other node, in this many passes. Restarts the node if it died.
    pub(crate) fn work_elsewhere(&mut self, passes: usize) -> anyhow::Result<(Work, usize)> {
        let (done, closed) = match self.node.work(passes) {
            Ok(closed) => (Ok(()), closed),
            Err(error) => (Err(error), 0),
        };
        let fired = self.faults.disarm();
        if fired == Fired::Died {
            self.node = Arc::new(Node::start(&self.data.join("turnpost.db"), &self.faults)?);
        }
        Ok((Work::of(fired, done), closed))
    }

    /// Reads the database while no faults are active.
    pub(crate) fn read<T>(&mut self, look: impl FnOnce(&Transaction<'_>) -> anyhow::Result<T>) -> anyhow::Result<T> {
        look(&self.instance().store.read()?)
    }

    /// Changes the database directly, to prepare a scenario.
    pub(crate) fn write(&mut self, act: impl FnOnce(&mut Transaction<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut tx = self.instance().store.write()?;
        act(&mut tx)?;
        Ok(tx.commit()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.instance = None;
        // The leftovers are in memory, under a unique name.
        let _ = fs::remove_dir_all(&self.data);
    }
}

/// The result of processing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// No due work is left.
    Done,
    /// An error, which will be retried.
    Failed(String),
    /// The process died.
    Died,
}

impl Work {
    fn of(fired: Fired, done: anyhow::Result<()>) -> Work {
        match (fired, done) {
            (Fired::Died, _) => Work::Died,
            (Fired::Nothing, Ok(())) => Work::Done,
            (Fired::Failed, Ok(())) => Work::Failed("it was noticed and told to nobody".to_owned()),
            (_, Err(error)) => Work::Failed(format!("{error:#}")),
        }
    }
}
