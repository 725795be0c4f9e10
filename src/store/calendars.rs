//! The private addresses of players' calendars.

use super::sql::{one, params, run};
use super::{PlayerId, Result, Transaction};

pub(crate) const OF_PLAYER: &str = "SELECT number FROM calendars WHERE player = ?1";
pub(crate) const OWNER: &str = "SELECT player FROM calendars WHERE number = ?1";

/// Players' calendars.
impl Transaction<'_> {
    /// Returns the number that the address of a player's calendar signs.
    pub fn calendar(&self, player: PlayerId) -> Result<Option<u32>> {
        one(self.db(), OF_PLAYER, params![player.0], |row| row.get(0))
    }

    /// Replaces the number of a player's calendar; `None` removes the calendar. Returns whether the number was free.
    pub fn set_calendar(&mut self, player: PlayerId, number: Option<u32>) -> Result<bool> {
        let db = self.writable()?;
        run(db, "DELETE FROM calendars WHERE player = ?1", params![player.0])?;
        let Some(number) = number else { return Ok(true) };
        let sql = "INSERT INTO calendars (player, number) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        Ok(run(db, sql, params![player.0, number])? > 0)
    }

    /// Returns the owner of the calendar with this number.
    pub fn calendar_owner(&self, number: u32) -> Result<Option<PlayerId>> {
        one(self.db(), OWNER, params![number], |row| Ok(PlayerId(row.get(0)?)))
    }
}
