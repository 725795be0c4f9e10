//! The simulated server: the real service, store, inbox, outbox and clocks in one process that can die.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, ensure};

use crate::faults::{Faults, Fired};
use crate::node::Node;
use crate::postbox::Postbox;
use crate::setup::{configuration, open_store};
use crate::world::WORLD;
use turnpost::command::parse;
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::mail::inbound::receive;
use turnpost::serve::Instance;
use turnpost::service::{Channel, Origin, Request};
use turnpost::store::{self, Location, MailSource, PostgresUrl, Transaction};

pub(crate) struct Server {
    data: PathBuf,
    location: Location,
    pub(crate) faults: Arc<Faults>,
    pub(crate) postbox: Arc<Postbox>,
    /// `None` only during a restart.
    instance: Option<Instance>,
    node: Arc<Node>,
}

impl Server {
    /// Creates an empty server in a temporary directory, in memory if the system supports that. Its database is a file
    /// in this directory, or this empty PostgreSQL database.
    pub(crate) fn new(seed: u64, postgres: Option<&PostgresUrl>) -> anyhow::Result<Server> {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let data = parent.join(format!("turnpost-sim-{}-{seed}", std::process::id()));
        let _ = fs::remove_dir_all(&data);
        fs::create_dir_all(&data).with_context(|| format!("cannot create {}", data.display()))?;
        let file = || Location::File(data.join("turnpost.db"));
        let location = postgres.map_or_else(file, |url| Location::Postgres(url.clone()));
        ensure!(store::create(&location, WORLD)?, "{location} is not empty");
        let faults = Arc::new(Faults::none());
        let postbox = Arc::new(Postbox::new(seed, Arc::clone(&faults)));
        let node = Arc::new(Node::start(&location, &faults)?);
        let mut server = Server { data, location, faults, postbox, instance: None, node };
        server.open(configuration()?)?;
        Ok(server)
    }

    fn open(&mut self, parts: (Config, Composer)) -> anyhow::Result<()> {
        let store = open_store(&self.location, &self.faults)?;
        self.instance = Some(Instance::local(&self.data, store, parts, self.postbox.clone(), WORLD));
        Ok(())
    }

    /// Ends the process and starts a new one. All data in memory is lost.
    pub(crate) fn restart(&mut self) -> anyhow::Result<()> {
        let Instance { config, composer, .. } = self.instance.take().context("no instance is running")?;
        self.open((config, composer))
    }

    fn instance(&mut self) -> &mut Instance {
        self.instance.as_mut().expect("the server is open except while it restarts")
    }

    /// Passes a message to the server. Returns whether the server acknowledged it. Restarts the process if it died.
    pub(crate) fn receive(&mut self, mail: &[u8]) -> anyhow::Result<bool> {
        let instance = self.instance();
        let now = (instance.world.now)();
        let stored = receive(&mut *instance.store, mail, MailSource::Pipe, now).is_ok();
        let died = self.faults.disarm() == Fired::Died;
        if died {
            self.restart()?;
        }
        Ok(stored && !died)
    }

    /// Processes all due work. Restarts the process if it died. With `between`, the other node interrupts after this
    /// many transactions and makes this many passes over the inbox. Also returns the number of messages to which the
    /// other node gave a verdict.
    pub(crate) fn work(&mut self, between: Option<(usize, usize)>) -> anyhow::Result<(Work, usize)> {
        if let Some((transactions, passes)) = between {
            let node = Arc::clone(&self.node);
            self.faults.let_in(transactions, Box::new(move || node.work(passes)));
        }
        let done = self.instance().process_all();
        let elsewhere = self.faults.keep_out().context("the other node fails without an injected fault")?;
        let fired = self.faults.disarm();
        if fired == Fired::Died {
            self.restart()?;
        }
        Ok((Work::of(fired, done), elsewhere))
    }

    /// Processes the inbox on the other node, in this many passes. Restarts the node if it died. Also returns the
    /// number of messages that got a verdict.
    pub(crate) fn work_elsewhere(&mut self, passes: usize) -> anyhow::Result<(Work, usize)> {
        let (done, closed) = match self.node.work(passes) {
            Ok(closed) => (Ok(()), closed),
            Err(error) => (Err(error), 0),
        };
        let fired = self.faults.disarm();
        if fired == Fired::Died {
            self.node = Arc::new(Node::start(&self.location, &self.faults)?);
        }
        Ok((Work::of(fired, done), closed))
    }

    /// Runs a command line as a player, as if it came through the API.
    pub(crate) fn say(&mut self, userid: &str, line: &str) -> anyhow::Result<()> {
        let parsed = parse(line).map_err(|error| anyhow::anyhow!("{line}: {error:?}"))?;
        let from = Origin::Known { userid: userid.to_owned(), via: Channel::Api };
        let request = Request { line: parsed, from, comment: None, client: None, now: (WORLD.now)() };
        let Instance { config, store, .. } = self.instance();
        let answer = config.service(WORLD).run(&mut **store, &request)?;
        answer.map(drop).map_err(|refused| anyhow::anyhow!("{line}: {refused:?}"))
    }

    /// Reads the database. No fault may be planned.
    pub(crate) fn read<T>(&mut self, look: impl FnOnce(&Transaction<'_>) -> anyhow::Result<T>) -> anyhow::Result<T> {
        look(&self.instance().store.read()?)
    }

    /// Changes the database directly, to prepare a run.
    pub(crate) fn write(&mut self, act: impl FnOnce(&mut Transaction<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut tx = self.instance().store.write()?;
        act(&mut tx)?;
        Ok(tx.commit()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.instance = None;
        // A failure is harmless, because the directory has a unique name.
        let _ = fs::remove_dir_all(&self.data);
    }
}

/// The result of processing due work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// No due work remains.
    Done,
    /// Processing failed with this error. The work will be retried.
    Failed(String),
    /// The process died.
    Died,
}

impl Work {
    fn of(fired: Fired, done: anyhow::Result<()>) -> Work {
        match (fired, done) {
            (Fired::Died, _) => Work::Died,
            (Fired::Nothing, Ok(())) => Work::Done,
            (Fired::Failed, Ok(())) => Work::Failed("it was noticed and not reported".to_owned()),
            (_, Err(error)) => Work::Failed(format!("{error:#}")),
        }
    }
}
