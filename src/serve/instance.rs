//! A data directory in use.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::wake::Waker;
use crate::compose::Composer;
use crate::config::Config;
use crate::mail::inbound::InboxWorker;
use crate::mail::outbound;
use crate::store::{self, Store};
use crate::world::World;

/// A data directory in use: its configuration, templates and database.
pub struct Instance {
    /// The data directory.
    pub data: PathBuf,
    /// Its configuration.
    pub config: Config,
    /// Its templates.
    pub composer: Composer,
    /// Its database.
    pub store: Box<dyn Store>,
    /// Time and randomness.
    pub world: World,
    /// Processes the inbox.
    pub(super) inbox: InboxWorker,
    /// What was processed since the store was settled.
    pub(super) unsettled: usize,
    /// Made when the first letter is due: a command that only reads needs no mail server.
    pub(super) transport: Option<outbound::Transport>,
}

impl Instance {
    /// Opens a data directory, and creates it (for its owner alone) if there is none.
    ///
    /// # Errors
    /// The directory, its configuration, a template or the database cannot be created or read.
    pub fn open(data: &Path, world: World) -> anyhow::Result<Instance> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(data)
            .with_context(|| format!("cannot make the data directory {}", data.display()))?;
        let config = Config::read(data)?;
        let composer = Composer::new(config.templates.as_deref(), config.web.url.as_deref())?;
        let store = store::open(&database(data), world)?;
        let inbox = InboxWorker::new(Waker::of(data).callback().into());
        Ok(Instance { data: data.to_owned(), config, composer, store, world, inbox, unsettled: 0, transport: None })
    }

    /// Opens a further connection to the database, for a worker of its own.
    pub(super) fn open_store(&self) -> store::Result<Box<dyn Store>> {
        store::open(&database(&self.data), self.world)
    }

    /// The socket that wakes the server of this instance.
    pub(super) fn waker(&self) -> Waker {
        Waker::of(&self.data)
    }
}

fn database(data: &Path) -> PathBuf {
    data.join("turnpost.db")
}
