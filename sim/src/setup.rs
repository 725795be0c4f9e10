//! The common parts of the simulated nodes: the configuration and the database connection.

use std::sync::Arc;

use crate::faults::Faults;
use turnpost::compose::Composer;
use turnpost::config::Config;
use turnpost::service::Policy;
use turnpost::store::{self, Location, Store, StoreFaults};

/// The server's own address.
pub(crate) const ADDRESS: &str = "turnpost@server.example";

/// Opens a connection to the database on which operations fail as planned in `faults`.
pub(crate) fn open_store(location: &Location, faults: &Arc<Faults>) -> store::Result<Box<dyn Store>> {
    let faults: Arc<dyn StoreFaults> = faults.clone();
    store::open_failing(location, &faults)
}

/// Returns the server's configuration and its templates.
pub(crate) fn configuration() -> anyhow::Result<(Config, Composer)> {
    let policy = Policy { player_events: true, ..Policy::default() };
    let config = Config { address: ADDRESS.to_owned(), policy, ..Config::default() };
    Ok((config, Composer::new(None, None)?))
}
