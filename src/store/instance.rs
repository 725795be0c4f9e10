//! What belongs to the database itself.

use super::Result;
use crate::text::hex;
use crate::token::Key;
use crate::world::World;

/// The keys of a new database. They are drawn when it is made, and kept for good.
pub(super) struct NewKeys {
    pub server_id: String,
    pub reply_key: [u8; 32],
}

impl NewKeys {
    pub(super) fn draw(world: World) -> NewKeys {
        let (mut id, mut reply_key) = ([0; 5], [0; 32]);
        (world.random)(&mut id);
        (world.random)(&mut reply_key);
        NewKeys { server_id: hex(&id), reply_key }
    }
}

/// The keys of an instance.
pub trait InstanceKeys {
    /// Random letters that name this database in Message-IDs.
    fn server_id(&self) -> Result<String>;
    /// The key that signs reply tokens. It is logged nowhere, and exported only sealed by a passphrase.
    fn reply_key(&self) -> Result<Key>;
}
