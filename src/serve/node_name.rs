//! The name of this process among those that share a database.

use crate::store::NodeName;
use crate::world::World;

/// A name that no other process has: people find the machine and the process by it.
pub(super) fn new_name(world: World) -> NodeName {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    NodeName(format!("{host}-{}-{}", std::process::id(), world.letters(4)))
}
