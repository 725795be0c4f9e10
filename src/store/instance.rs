//! Properties of the database itself.

use super::sql::{params, run_one};
use super::{Result, StoreError, Transaction};
use crate::text::hex;
use crate::token::Key;
use crate::world::World;

/// The keys of a new database. They are generated with it and never change.
pub(crate) struct NewKeys {
    pub server_id: String,
    pub reply_key: [u8; 32],
}

impl NewKeys {
    pub(crate) fn draw(world: World) -> NewKeys {
        let (mut id, mut reply_key) = ([0; 5], [0; 32]);
        (world.random)(&mut id);
        (world.random)(&mut reply_key);
        NewKeys { server_id: hex(&id), reply_key }
    }
}

const SERVER_ID: &str = "SELECT server_id FROM server";
const REPLY_KEY: &str = "SELECT reply_key FROM server WHERE reply_key IS NOT NULL";

/// The keys of an instance.
impl Transaction<'_> {
    /// Returns the random letters that identify this database in Message-IDs.
    pub fn server_id(&self) -> Result<String> {
        let found = self.read_once(SERVER_ID, &[], |row| row.get(0))?.pop();
        found.ok_or_else(|| StoreError::Failed("the database has lost its server id".to_owned()))
    }

    /// Returns the key that signs reply tokens. It is never logged, and exported only encrypted with a passphrase.
    pub fn reply_key(&self) -> Result<Key> {
        let found = self.read_once(REPLY_KEY, &[], |row| row.get::<[u8; 32]>(0))?.pop();
        found
            .map(Key::new)
            .ok_or_else(|| StoreError::Failed("the database has lost its key of reply tokens".to_owned()))
    }

    /// Replaces the server id, and the key of the instance if there is one.
    pub fn set_keys(&mut self, server_id: &str, reply_key: Option<&Key>) -> Result<()> {
        let sql = "UPDATE server SET server_id = ?1, reply_key = coalesce(?2, reply_key)";
        let params = params![server_id, reply_key.map(Key::expose)];
        run_one(self.writable()?, sql, params, "the database has lost its server id")
    }

    /// Stores where the server has moved. From then on, this database can neither be opened nor written to.
    pub fn set_moved_to(&mut self, there: &str) -> Result<()> {
        run_one(self.writable()?, "UPDATE server SET moved_to = ?1", params![there], "there is no server")
    }
}
