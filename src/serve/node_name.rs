//! The name of this process among the nodes that share a database.

use crate::store::NodeName;
use crate::world::World;

/// Generates a unique name, which also helps administrators find the machine and the process.
pub(crate) fn new_name(world: World) -> NodeName {
    let system = rustix::system::uname();
    let host = system.nodename().to_string_lossy();
    NodeName(format!("{host}-{}-{}", std::process::id(), world.letters(4)))
}
