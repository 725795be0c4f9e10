//! Periods in which clocks are stopped.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sql::{Cells, Name, Named, Row, Time, all, one, params, run, run_one};
use super::{PlayerId, Result, Transaction};

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

impl Named for StopCause {
    const NAMES: &'static [(Self, &'static str)] = &[
        (StopCause::Vacation, "vacation"),
        (StopCause::Off, "off"),
        (StopCause::Held, "held"),
        (StopCause::Paused, "paused"),
        (StopCause::Maintenance, "maintenance"),
    ];
}

/// A period in which a clock is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The beginning.
    pub from: DateTime<Utc>,
    /// The end (exclusive); `None` while it lasts.
    pub until: Option<DateTime<Utc>>,
    /// The reason for the stop.
    pub cause: StopCause,
    /// The administrator's explanation for the players; empty if none was given.
    pub reason: String,
}

const STOPS: &str = "SELECT from_at, until_at, 'vacation', '' FROM vacations WHERE player = ?1 \
     UNION ALL SELECT began_at, ended_at, cause, reason FROM standstills \
     WHERE ended_at IS NULL OR id = (SELECT max(id) FROM standstills) ORDER BY 1";

fn stop(row: &Row<'_>) -> Result<Stop> {
    let mut cells = Cells::of(row);
    let (from, until, Name(cause)) = (cells.time()?, cells.time_if_any()?, cells.take()?);
    Ok(Stop { from, until, cause, reason: cells.take()? })
}

/// Standstills: periods in which all clocks are stopped. Each cause has at most one current standstill.
impl Transaction<'_> {
    /// Lists the stops of a player's clocks by their beginning: vacations, current standstills, and the newest
    /// standstill.
    pub fn stops(&self, player: PlayerId) -> Result<Vec<Stop>> {
        self.read_once(STOPS, params![player.0], stop)
    }

    /// Lists all standstills, in the order in which they were added.
    pub fn standstills(&self) -> Result<Vec<Stop>> {
        let sql = "SELECT began_at, ended_at, cause, reason FROM standstills ORDER BY id";
        all(self.db(), sql, &[], stop)
    }

    /// Returns the current standstill with this cause.
    pub fn lasting(&self, cause: StopCause) -> Result<Option<Stop>> {
        let sql = "SELECT began_at, ended_at, cause, reason FROM standstills WHERE ended_at IS NULL AND cause = ?1";
        one(self.db(), sql, params![Name(cause)], stop)
    }

    /// Adds a current or ended standstill.
    pub fn add_standstill(&mut self, stop: &Stop) -> Result<()> {
        let sql = "INSERT INTO standstills (began_at, ended_at, cause, reason) VALUES (?1, ?2, ?3, ?4)";
        let params = params![Time(stop.from), stop.until.map(Time), Name(stop.cause), stop.reason];
        run(self.writable()?, sql, params).map(drop)
    }

    /// Ends the current standstill with this cause; `None` deletes it.
    pub fn end_standstill(&mut self, cause: StopCause, at: Option<DateTime<Utc>>) -> Result<()> {
        let db = self.writable()?;
        match at {
            Some(at) => {
                let sql = "UPDATE standstills SET ended_at = ?2 WHERE ended_at IS NULL AND cause = ?1";
                run(db, sql, params![Name(cause), Time(at)])
            }
            None => {
                let sql = "DELETE FROM standstills WHERE ended_at IS NULL AND cause = ?1";
                run(db, sql, params![Name(cause)])
            }
        }
        .map(drop)
    }

    /// Returns when a server last recorded that it was running.
    pub fn clocks_seen_at(&self) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT clocks_seen_at FROM server";
        Ok(one(self.db(), sql, &[], |row| row.get::<Option<Time>>(0))?.flatten().map(|time| time.0))
    }

    /// Records that a server is running.
    pub fn set_clocks_seen_at(&mut self, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE server SET clocks_seen_at = ?1";
        run_one(self.writable()?, sql, params![Time(at)], "there is no server")
    }
}
