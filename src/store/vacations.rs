//! Players' vacations.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Time, params, run};
use super::{PlayerId, Result, Transaction};
use crate::clock::Span;

pub(crate) const OF_PLAYER: &str = "SELECT from_at, until_at FROM vacations WHERE player = ?1 ORDER BY from_at";

/// Players' vacations, during which their clocks are stopped.
impl Transaction<'_> {
    /// Lists a player's vacations, by time.
    pub fn vacations(&self, player: PlayerId) -> Result<Vec<Span>> {
        self.read_once(OF_PLAYER, params![player.0], |row| {
            let mut cells = Cells::of(row);
            Ok(Span { from: cells.time()?, until: cells.time()? })
        })
    }

    /// Adds a vacation. If another one begins at the same time, only the longer one is stored.
    pub fn add_vacation(&mut self, player: PlayerId, span: &Span) -> Result<()> {
        let sql = "INSERT INTO vacations (player, from_at, until_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (player, from_at) DO UPDATE SET until_at = CASE WHEN vacations.until_at > excluded.until_at THEN vacations.until_at ELSE excluded.until_at END";
        run(self.writable()?, sql, params![player.0, Time(span.from), Time(span.until)])?;
        Ok(())
    }

    /// Ends the current vacation at `now`, and deletes later ones.
    pub fn cut_vacation(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        let params = params![player.0, Time(now)];
        run(db, "DELETE FROM vacations WHERE player = ?1 AND from_at >= ?2", params)?;
        run(db, "UPDATE vacations SET until_at = ?2 WHERE player = ?1 AND until_at > ?2", params)?;
        Ok(())
    }
}
