//! An open data directory, and the name of its process among the nodes that share a database.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use chrono::{DateTime, Utc};

use super::clock_monitor::ClockMonitor;
use super::control_socket::Waker;
use super::engine::Engines;
use super::progress::Progress;
use crate::compose::Composer;
use crate::config::Config;
use crate::mail::inbound::InboxWorker;
use crate::mail::outbound;
use crate::store::{self, Location, NodeName, Store, StoreError};
use crate::world::World;

/// An open data directory: its configuration, templates and database.
pub struct Instance {
    /// The data directory.
    pub data: PathBuf,
    /// The configuration.
    pub config: Config,
    /// The templates.
    pub composer: Composer,
    /// The database.
    pub store: Box<dyn Store>,
    pub(crate) read_only: bool,
    /// Time and randomness.
    pub world: World,
    pub(crate) inbox: InboxWorker,
    /// The number of processed items since the last checkpoint of the store.
    pub(crate) since_checkpoint: usize,
    /// The time at which the next board's clock is due, as last read from the database.
    pub(crate) next_clock: Option<DateTime<Utc>>,
    /// The progress of all workers of this process.
    pub(crate) progress: Arc<Progress>,
    /// The name of this node among those that share the database.
    pub(crate) node: NodeName,
    /// The state of the checks of the system clock; `None` until it is read from its file. Only one process at a time
    /// checks the clock.
    pub(crate) clock_monitor: Option<ClockMonitor>,
    /// When this process last found or wrote a recent record of a running process in the database.
    pub(crate) clocks_seen_at: Option<DateTime<Utc>>,
    /// The external engines. `None` except in a server's worker for computer players, because one-shot commands do not
    /// wait for engines.
    pub(crate) engines: Option<Engines>,
    /// Further database connections for composing letters on several cores, in the worker of a server. Empty in
    /// one-shot commands.
    pub(crate) composing: Vec<Box<dyn Store>>,
    /// The mail transport; `None` until the first letter is due, because most commands need no mail server.
    pub(crate) transport: Option<outbound::Transport>,
}

/// A function that opens a database.
type OpenStore = fn(Location, World) -> store::Result<Box<dyn Store>>;

/// The database does not exist.
#[derive(Debug, thiserror::Error)]
pub enum NoDatabase {
    /// The data directory has no database file.
    #[error(
        "there is no database in {}: mount it, correct --data or TURNPOST_DATA, or sign up the first player there \
         (turnpost signup USERID PASSWORD ADDRESS), which creates a new server", .0.display()
    )]
    InDirectory(PathBuf),
    /// The PostgreSQL database at this address has no tables.
    #[error(
        "the database {0} is empty: restore it, correct `database` in turnpost.toml, or sign up the first player \
         (turnpost signup USERID PASSWORD ADDRESS), which creates a new server"
    )]
    OnServer(String),
}

/// A template is invalid.
#[derive(Debug, thiserror::Error)]
#[error("{0:#}")]
pub struct WrongTemplates(pub anyhow::Error);

impl Instance {
    /// Creates the data directory (accessible only to its owner) and an empty database, if they do not exist. In
    /// PostgreSQL, creates the tables in an empty database. Returns whether it created the database.
    ///
    /// # Errors
    /// The directory or the database cannot be created.
    pub fn create(data: &Path, world: World) -> anyhow::Result<bool> {
        create_directory(data)?;
        Ok(store::create(Config::read(data)?.location(data), world)?)
    }

    /// Creates the data directory like [`Instance::create`], and a database with the content that `fill` writes. An
    /// error of `fill` leaves no database file. Returns `None` if a database file exists.
    ///
    /// # Errors
    /// The error of `fill`, or the directory or the database cannot be created.
    pub fn create_filled<T>(
        data: &Path,
        world: World,
        fill: impl FnOnce(&mut dyn Store) -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        create_directory(data)?;
        store::create_filled(&Config::read(data)?.location(data), world, fill)
    }

    /// Opens a data directory.
    ///
    /// # Errors
    /// [`NoDatabase`]; or the configuration, a template or the database cannot be read.
    pub fn open(data: &Path, world: World) -> anyhow::Result<Instance> {
        Instance::open_by(store::open, data, world)
    }

    /// Opens a data directory with a read-only database.
    ///
    /// # Errors
    /// Like [`Instance::open`]; or the database needs an upgrade.
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

    /// Creates an instance for the simulation, with this store and a mail server in this process. The instance hashes
    /// passwords without separate threads.
    pub fn local(
        data: &Path,
        store: Box<dyn Store>,
        parts: (Config, Composer),
        server: Arc<dyn outbound::LocalServer>,
        world: World,
    ) -> Instance {
        let transport = Some(outbound::Transport::local(server, data));
        let node = NodeName("local".to_owned());
        Instance { transport, ..Instance::with(store, parts, data, world, InboxWorker::without_threads(), node) }
    }

    /// Opens the configuration and the templates with an empty in-memory database, for commands that need no server.
    ///
    /// # Errors
    /// The configuration or a template cannot be read.
    pub fn without_database(data: &Path, world: World) -> anyhow::Result<Instance> {
        Instance::on(store::in_memory(world)?, Config::read(data)?, data, world)
    }

    fn on(store: Box<dyn Store>, config: Config, data: &Path, world: World) -> anyhow::Result<Instance> {
        let composer = Composer::new(config.templates.as_deref(), config.web.url.as_deref()).map_err(WrongTemplates)?;
        let inbox = InboxWorker::new(Waker::of(data).callback().into());
        Ok(Instance::with(store, (config, composer), data, world, inbox, new_name(world)))
    }

    fn with(
        store: Box<dyn Store>,
        (config, composer): (Config, Composer),
        data: &Path,
        world: World,
        inbox: InboxWorker,
        node: NodeName,
    ) -> Instance {
        Instance {
            data: data.to_owned(),
            config,
            composer,
            store,
            read_only: false,
            world,
            inbox,
            progress: Arc::default(),
            node,
            since_checkpoint: 0,
            next_clock: None,
            clock_monitor: None,
            clocks_seen_at: None,
            engines: None,
            composing: Vec::new(),
            transport: None,
        }
    }

    /// Checks that all templates are valid.
    ///
    /// # Errors
    /// [`WrongTemplates`].
    pub fn check_templates(&self) -> Result<(), WrongTemplates> {
        self.composer.check().map_err(WrongTemplates)
    }

    /// Opens the same data directory again, for a worker of this process.
    ///
    /// # Errors
    /// Like [`Instance::open`].
    pub(crate) fn another(&self) -> anyhow::Result<Instance> {
        let (node, progress) = (self.node.clone(), Arc::clone(&self.progress));
        let opened = if self.read_only { Instance::open_read_only } else { Instance::open };
        let mut another = Instance { node, progress, ..opened(&self.data, self.world)? };
        another.config.web.listen = self.config.web.listen;
        Ok(another)
    }

    /// Opens another connection to the database, for a worker.
    pub(crate) fn open_store(&self) -> store::Result<Box<dyn Store>> {
        let open: OpenStore = if self.read_only { store::open_read_only } else { store::open };
        open(self.config.location(&self.data), self.world)
    }

    /// Returns the socket for waking the server of this instance.
    pub(crate) fn waker(&self) -> Waker {
        Waker::of(&self.data)
    }
}

fn create_directory(data: &Path) -> anyhow::Result<()> {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(data);
    created.with_context(|| format!("cannot create the data directory {}", data.display()))
}

/// Generates a unique name. It contains the host name and the process id, to help administrators find the process.
fn new_name(world: World) -> NodeName {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    NodeName(format!("{host}-{}-{}", std::process::id(), world.letters(4)))
}

/// Returns the total size in bytes of all files in the data directory: database, log, letters, mail, backups. Skips
/// unreadable files and does not follow links.
pub fn data_bytes(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => data_bytes(&entry.path()),
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => 0,
    };
    entries.flatten().map(size).sum()
}
