//! A data directory in use.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use chrono::{DateTime, Utc};

use super::engine::Engines;
use super::looks::Looks;
use super::node_name::new_name;
use super::progress::Progress;
use super::wake::Waker;
use crate::compose::Composer;
use crate::config::Config;
use crate::mail::inbound::InboxWorker;
use crate::mail::outbound;
use crate::store::{self, Location, NodeName, Store, StoreError};
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
    /// Whether the database is only read.
    pub(super) read_only: bool,
    /// Time and randomness.
    pub world: World,
    /// Processes the inbox.
    pub(super) inbox: InboxWorker,
    /// What was processed since the store was settled.
    pub(super) unsettled: usize,
    /// What its workers have finished. The workers of a process share it.
    pub(super) progress: Arc<Progress>,
    /// Its name among those that share the database.
    pub(super) node: NodeName,
    /// What is remembered of looks at the system's clock, once it was read: only one process looks at a time.
    pub(super) looks: Option<Looks>,
    /// When this process last checked that the database knows a recent look at the clocks.
    pub(super) clocks_seen_at: Option<DateTime<Utc>>,
    /// The programs of computer players, in the worker of a server that asks them: a program that runs once waits for none.
    pub(super) engines: Option<Engines>,
    /// Further connections to the database, over which the worker of a server composes letters on several cores; a program
    /// that runs once has none.
    pub(super) composing: Vec<Box<dyn Store>>,
    /// Made when the first letter is due: a command that only reads needs no mail server.
    pub(super) transport: Option<outbound::Transport>,
}

/// How a database is opened.
type OpenStore = fn(Location, World) -> store::Result<Box<dyn Store>>;

/// There is no database where there should be one.
#[derive(Debug, thiserror::Error)]
pub enum NoDatabase {
    /// Not in the data directory.
    #[error(
        "there is no database in {}: mount it, correct --data or TURNPOST_DATA, or sign up the first player there \
         (turnpost signup USERID PASSWORD ADDRESS), which makes a new server", .0.display()
    )]
    InDirectory(PathBuf),
    /// That of PostgreSQL at this address holds no tables.
    #[error(
        "the database {0} is empty: restore it, correct `database` in turnpost.toml, or sign up the first player \
         (turnpost signup USERID PASSWORD ADDRESS), which makes a new server"
    )]
    OnServer(String),
}

/// The templates cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub struct WrongTemplates(pub anyhow::Error);

impl Instance {
    /// Makes an empty database in a data directory that has none, and the directory (for its owner alone) if there is
    /// none; tells whether it did. On a server of PostgreSQL, it makes the tables in a database that has none.
    ///
    /// # Errors
    /// The directory or the database cannot be made.
    pub fn create(data: &Path, world: World) -> anyhow::Result<bool> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(data)
            .with_context(|| format!("cannot make the data directory {}", data.display()))?;
        Ok(store::create(Config::read(data)?.location(data), world)?)
    }

    /// Opens a data directory.
    ///
    /// # Errors
    /// [`NoDatabase`]; or its configuration, a template or the database cannot be read.
    pub fn open(data: &Path, world: World) -> anyhow::Result<Instance> {
        Instance::open_by(store::open, data, world)
    }

    /// Opens a data directory whose database is only read.
    ///
    /// # Errors
    /// As [`Instance::open`], or the database needs an upgrade.
    pub fn open_read_only(data: &Path, world: World) -> anyhow::Result<Instance> {
        Ok(Instance { read_only: true, ..Instance::open_by(store::open_read_only, data, world)? })
    }

    fn open_by(open: OpenStore, data: &Path, world: World) -> anyhow::Result<Instance> {
        let config = Config::read(data)?;
        let store = open(config.location(data), world).map_err(|error| match error {
            StoreError::Missing(_) => anyhow::Error::new(NoDatabase::InDirectory(data.to_owned())),
            StoreError::Empty(address) => anyhow::Error::new(NoDatabase::OnServer(address)),
            other => anyhow::Error::new(other),
        })?;
        Instance::on(store, config, data, world)
    }

    /// An instance on this store, whose letters go to a mail server in this process and whose passwords are hashed in the
    /// thread that processes the mails: for the simulation.
    pub fn local(
        data: &Path,
        store: Box<dyn Store>,
        parts: (Config, Composer),
        server: Arc<dyn outbound::LocalServer>,
        world: World,
    ) -> Instance {
        let (config, composer) = parts;
        let (inbox, transport) = (InboxWorker::without_threads(), Some(outbound::Transport::local(server, data)));
        let (data, node) = (data.to_owned(), NodeName("local".to_owned()));
        Instance {
            data,
            config,
            composer,
            store,
            read_only: false,
            world,
            inbox,
            progress: Arc::default(),
            node,
            unsettled: 0,
            looks: None,
            clocks_seen_at: None,
            engines: None,
            composing: Vec::new(),
            transport,
        }
    }

    /// The same with an empty database in memory, for what is asked of the program and not of a server.
    ///
    /// # Errors
    /// The configuration or a template cannot be read.
    pub fn without_database(data: &Path, world: World) -> anyhow::Result<Instance> {
        Instance::on(store::in_memory(world)?, Config::read(data)?, data, world)
    }

    fn on(store: Box<dyn Store>, config: Config, data: &Path, world: World) -> anyhow::Result<Instance> {
        let composer = Composer::new(config.templates.as_deref(), config.web.url.as_deref()).map_err(WrongTemplates)?;
        let inbox = InboxWorker::new(Waker::of(data).callback().into());
        Ok(Instance {
            data: data.to_owned(),
            config,
            composer,
            store,
            read_only: false,
            world,
            inbox,
            progress: Arc::default(),
            node: new_name(world),
            unsettled: 0,
            looks: None,
            clocks_seen_at: None,
            engines: None,
            composing: Vec::new(),
            transport: None,
        })
    }

    /// Checks that all templates can be used.
    ///
    /// # Errors
    /// [`WrongTemplates`].
    pub fn check_templates(&self) -> Result<(), WrongTemplates> {
        self.composer.check().map_err(WrongTemplates)
    }

    /// Opens the same data directory again, for a worker of this process.
    ///
    /// # Errors
    /// As [`Instance::open`].
    pub(super) fn another(&self) -> anyhow::Result<Instance> {
        let (node, progress) = (self.node.clone(), Arc::clone(&self.progress));
        let opened = if self.read_only { Instance::open_read_only } else { Instance::open };
        let mut another = Instance { node, progress, ..opened(&self.data, self.world)? };
        another.config.web.listen = self.config.web.listen;
        Ok(another)
    }

    /// Opens a further connection to the database, for a worker of its own.
    pub(super) fn open_store(&self) -> store::Result<Box<dyn Store>> {
        let open: OpenStore = if self.read_only { store::open_read_only } else { store::open };
        open(self.config.location(&self.data), self.world)
    }

    /// The socket that wakes the server of this instance.
    pub(super) fn waker(&self) -> Waker {
        Waker::of(&self.data)
    }
}
