//! Properties of the database itself, and periods in which all clocks are stopped.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sql::{all, from_fields, one, params, run, run_one, stored_as_name};
use super::{PlayerId, Result, StoreError, Transaction};
use crate::text::hex;
use crate::token::Key;
use crate::world::World;

/// The server id and the key of a new database.
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
    /// Returns the random digits that identify this database in Message-IDs.
    pub fn server_id(&self) -> Result<String> {
        let found = self.read_once(SERVER_ID, &[])?.pop();
        found.ok_or_else(|| StoreError::Failed("the database does not contain its server id".to_owned()))
    }

    /// Returns the key that signs reply tokens. The key is never logged, and exports contain it only encrypted with a
    /// passphrase.
    pub fn reply_key(&self) -> Result<Key> {
        let found = self.read_once::<[u8; 32]>(REPLY_KEY, &[])?.pop();
        found
            .map(Key::new)
            .ok_or_else(|| StoreError::Failed("the database does not contain its key of reply tokens".to_owned()))
    }

    /// Replaces the server id, and the reply key if one is given.
    pub fn set_keys(&mut self, server_id: &str, reply_key: Option<&Key>) -> Result<()> {
        let sql = "UPDATE server SET server_id = ?1, reply_key = coalesce(?2, reply_key)";
        let params = params![server_id, reply_key.map(Key::expose)];
        run_one(self.writable()?, sql, params, "the database does not contain its server id")
    }

    /// Records that the server has moved to another database. This database can then neither be opened nor written to.
    pub fn set_moved_to(&mut self, there: &str) -> Result<()> {
        run_one(self.writable()?, "UPDATE server SET moved_to = ?1", params![there], "the row of the server is missing")
    }
}

/// The reason why a clock is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StopCause {
    /// The player is on vacation.
    Vacation,
    /// The server was not running.
    Off,
    /// The administrator has paused all letters.
    Held,
    /// The administrator has paused all clocks.
    Paused,
    /// The server is under maintenance.
    Maintenance,
}

/// A period in which a clock is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// When the clock stops.
    pub from: DateTime<Utc>,
    /// When the clock starts again; `None` if this is not known yet.
    pub until: Option<DateTime<Utc>>,
    /// The reason for the stop.
    pub cause: StopCause,
    /// The administrator's explanation for the players; empty if none was given.
    pub reason: String,
}

const STOPS: &str = "SELECT from_at, until_at, 'vacation', '' FROM vacations WHERE player = ?1 \
     UNION ALL SELECT began_at, ended_at, cause, reason FROM standstills \
     WHERE ended_at IS NULL OR id = (SELECT max(id) FROM standstills) ORDER BY 1";

stored_as_name!(StopCause);
from_fields!(Stop { from, until, cause, reason });

/// Standstills: periods in which all clocks are stopped. Each cause has at most one current standstill.
impl Transaction<'_> {
    /// Lists the stops of a player's clocks in the order of their beginnings: vacations, current standstills, and the
    /// newest standstill, even if it has ended.
    pub fn stops(&self, player: PlayerId) -> Result<Vec<Stop>> {
        self.read_once(STOPS, params![player])
    }

    /// Lists all standstills, in the order in which they were added.
    pub fn standstills(&self) -> Result<Vec<Stop>> {
        let sql = "SELECT began_at, ended_at, cause, reason FROM standstills ORDER BY id";
        all(self.db(), sql, &[])
    }

    /// Returns the current standstill with this cause.
    pub fn lasting(&self, cause: StopCause) -> Result<Option<Stop>> {
        let sql = "SELECT began_at, ended_at, cause, reason FROM standstills WHERE ended_at IS NULL AND cause = ?1";
        one(self.db(), sql, params![cause])
    }

    /// Adds a current or ended standstill.
    pub fn add_standstill(&mut self, stop: &Stop) -> Result<()> {
        let sql = "INSERT INTO standstills (began_at, ended_at, cause, reason) VALUES (?1, ?2, ?3, ?4)";
        let params = params![stop.from, stop.until, stop.cause, stop.reason];
        run(self.writable()?, sql, params).map(drop)
    }

    /// Ends the current standstill with this cause at the time `at`; if `at` is `None`, deletes the standstill.
    pub fn end_standstill(&mut self, cause: StopCause, at: Option<DateTime<Utc>>) -> Result<()> {
        let db = self.writable()?;
        match at {
            Some(at) => {
                let sql = "UPDATE standstills SET ended_at = ?2 WHERE ended_at IS NULL AND cause = ?1";
                run(db, sql, params![cause, at])
            }
            None => {
                let sql = "DELETE FROM standstills WHERE ended_at IS NULL AND cause = ?1";
                run(db, sql, params![cause])
            }
        }
        .map(drop)
    }

    /// Returns when a server last recorded that it was running.
    pub fn clocks_seen_at(&self) -> Result<Option<DateTime<Utc>>> {
        Ok(one(self.db(), "SELECT clocks_seen_at FROM server", &[])?.flatten())
    }

    /// Records that a server is running.
    pub fn set_clocks_seen_at(&mut self, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE server SET clocks_seen_at = ?1";
        run_one(self.writable()?, sql, params![at], "the row of the server is missing")
    }
}
