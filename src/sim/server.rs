//! The server that is simulated: the real service, store, inbox, outbox and clocks in one process that can die.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::faults::{Faults, Fired};
use super::postbox::Postbox;
use super::world::WORLD;
use crate::compose::Composer;
use crate::config::Config;
use crate::mail::inbound::receive;
use crate::serve::Instance;
use crate::store::{self, MailSource, Store, StoreFaults, Transaction};

/// The server's own address.
pub(super) const ADDRESS: &str = "turnpost@server.example";

/// The server.
pub(super) struct Server {
    data: PathBuf,
    pub(super) faults: Arc<Faults>,
    pub(super) postbox: Arc<Postbox>,
    /// Nothing only while it starts again.
    instance: Option<Instance>,
}

impl Server {
    /// Makes an empty server in a directory of its own, in memory where the system has a place for that.
    pub(super) fn new(seed: u64) -> anyhow::Result<Server> {
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let data = parent.join(format!("turnpost-sim-{}-{seed}", std::process::id()));
        let _ = fs::remove_dir_all(&data);
        fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
        store::create(data.join("turnpost.db"), WORLD)?;
        let faults = Arc::new(Faults::none());
        let postbox = Arc::new(Postbox::new(seed, Arc::clone(&faults)));
        let mut server = Server { data, faults, postbox, instance: None };
        let config = Config { address: ADDRESS.to_owned(), ..Config::default() };
        server.open((config, Composer::new(None, None)?))?;
        Ok(server)
    }

    fn open(&mut self, parts: (Config, Composer)) -> anyhow::Result<()> {
        let faults: Arc<dyn StoreFaults> = self.faults.clone();
        let store = store::open_failing(&self.data.join("turnpost.db"), &faults)?;
        self.instance = Some(Instance::local(&self.data, store, parts, self.postbox.clone(), WORLD));
        Ok(())
    }

    /// The process ends, and another one starts: nothing is left but the files.
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        let Instance { config, composer, .. } = self.instance.take().context("there is an instance")?;
        self.open((config, composer))
    }

    fn instance(&mut self) -> &mut Instance {
        self.instance.as_mut().expect("it is open but while it starts again")
    }

    /// Gives the server a mail; true when it has acknowledged it. A process that died starts again.
    pub(super) fn receive(&mut self, mail: &[u8]) -> anyhow::Result<bool> {
        let instance = self.instance();
        let now = (instance.world.now)();
        let stored = receive(&mut instance.store, mail, MailSource::Pipe, now).is_ok();
        let died = self.faults.disarm() == Fired::Died;
        if died {
            self.restart()?;
        }
        Ok(stored && !died)
    }

    /// Processes everything that is due; true when nothing failed. A process that died starts again.
    pub(super) fn work(&mut self) -> anyhow::Result<Work> {
        let done = self.instance().process_all();
        let fired = self.faults.disarm();
        if fired == Fired::Died {
            self.restart()?;
        }
        Ok(match (fired, done) {
            (Fired::Died, _) => Work::Died,
            (Fired::Nothing, Ok(())) => Work::Done,
            (Fired::Failed, Ok(())) => Work::Failed("it was noticed and told to nobody".to_owned()),
            (_, Err(error)) => Work::Failed(format!("{error:#}")),
        })
    }

    /// Reads the database, at a moment when nothing fails.
    pub(super) fn read<T>(&mut self, look: impl FnOnce(&dyn Transaction) -> anyhow::Result<T>) -> anyhow::Result<T> {
        look(&*self.instance().store.read()?)
    }

    /// Changes the database beside the service, to set the scene.
    pub(super) fn write(&mut self, act: impl FnOnce(&mut dyn Transaction) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let mut tx = self.instance().store.write()?;
        act(&mut *tx)?;
        Ok(tx.commit()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.instance = None;
        // What is left of it is in memory, and has a name of its own.
        let _ = fs::remove_dir_all(&self.data);
    }
}

/// How processing ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Nothing is due any more.
    Done,
    /// An error; it is tried again.
    Failed(String),
    /// The process died.
    Died,
}
