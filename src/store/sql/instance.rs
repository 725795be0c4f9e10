//! The server's own keys, and the games of boards for metrics.

use super::{Db, Session, one, params};
use crate::numbers::BoardNumber;
use crate::store::{InstanceKeys, Result, StoreError};
use crate::token::Key;

const SERVER_ID: &str = "SELECT server_id FROM server";
const REPLY_KEY: &str = "SELECT reply_key FROM server WHERE reply_key IS NOT NULL";
const GAME: &str = "SELECT game FROM boards WHERE number = ?1";

/// Returns the game of each board.
pub(in crate::store) fn games(db: Db<'_>, boards: &[BoardNumber]) -> Result<Vec<String>> {
    boards.iter().filter_map(|board| one(db, GAME, params![board], |row| row.get(0)).transpose()).collect()
}

impl<S: Session> InstanceKeys for S {
    fn server_id(&self) -> Result<String> {
        let found = self.read_once(SERVER_ID, &[], |row| row.get(0))?.pop();
        found.ok_or_else(|| StoreError::Failed("the database has lost its server id".to_owned()))
    }

    fn reply_key(&self) -> Result<Key> {
        let found = self.read_once(REPLY_KEY, &[], |row| row.get::<[u8; 32]>(0))?.pop();
        found
            .map(Key::new)
            .ok_or_else(|| StoreError::Failed("the database has lost its key of reply tokens".to_owned()))
    }
}
