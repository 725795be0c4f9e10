//! Open challenges, which anyone can accept, and players' preferences for opponents.

use chrono::{DateTime, Utc};

use super::sql::{all, from_fields, next_board, one, params, run, run_one};
use super::{PlayerId, PlayerRef, Result, Seat, Transaction};
use crate::command::Terms;
use crate::numbers::BoardNumber;

/// An open challenge. Open challenges and boards share one sequence of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenChallenge {
    /// The number, which the board will have too; 0 before the challenge is stored.
    pub number: BoardNumber,
    /// The game's name in the catalogue.
    pub game: String,
    /// The options in canonical form.
    pub options: String,
    /// The terms of the board.
    pub terms: Terms,
    /// The player who made the challenge.
    pub challenger: PlayerRef,
    /// The challenger's seat.
    pub seat: Seat,
    /// The challenger's comment.
    pub comment: Option<String>,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
    /// The time of acceptance or withdrawal.
    pub closed_at: Option<DateTime<Utc>>,
}

const COLUMNS: &str = "SELECT o.number, o.game, o.options, o.terms, o.challenger, p.userid, o.seat, o.comment, \
     o.created_at, o.closed_at FROM challenges o JOIN players p ON p.id = o.challenger";

from_fields!(OpenChallenge { number, game, options, terms, challenger, seat, comment, created_at, closed_at });

pub(crate) fn by_number_sql() -> String {
    format!("{COLUMNS} WHERE o.number = ?1")
}

/// Builds the statement that lists the challenges that were not accepted or withdrawn, optionally only those of a game.
pub(crate) fn open_sql(game: bool) -> String {
    let condition = if game { " AND o.game = ?1" } else { " AND CAST(?1 AS TEXT) IS NULL" };
    format!("{COLUMNS} WHERE o.closed_at IS NULL{condition} ORDER BY o.number")
}

/// Open challenges.
impl Transaction<'_> {
    /// Adds an open challenge and returns its number. Ignores the fields `number` and `closed_at` of the argument.
    pub fn add_open_challenge(&mut self, new: &OpenChallenge) -> Result<BoardNumber> {
        let db = self.writable()?;
        let sql = "INSERT INTO challenges (number, game, options, terms, challenger, seat, comment, created_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let OpenChallenge { game, options, terms, challenger, seat, comment, created_at, .. } = new;
        let number = next_board(db)?;
        run(db, sql, params![number, game, options, terms, challenger.id, seat, comment, created_at])?;
        Ok(number)
    }

    /// Finds an open challenge by its number, even if it was accepted or withdrawn.
    pub fn open_challenge(&self, number: BoardNumber) -> Result<Option<OpenChallenge>> {
        Ok(self.read_once(&by_number_sql(), params![number])?.pop())
    }

    /// Lists the open challenges that were not accepted or withdrawn, by number; if `game` is given, only those of that
    /// game.
    pub fn open_challenges(&self, game: Option<&str>) -> Result<Vec<OpenChallenge>> {
        all(self.db(), &open_sql(game.is_some()), params![game])
    }

    /// Records that a challenge was accepted or withdrawn at `now`. Fails if this is already recorded.
    pub fn close_open_challenge(&mut self, number: BoardNumber, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE challenges SET closed_at = ?2 WHERE number = ?1 AND closed_at IS NULL";
        run_one(self.writable()?, sql, params![number, now], &format!("there is no open challenge {number}"))
    }
}

/// A player's preferences for a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GamePreferences {
    /// The number of opponents wanted.
    pub seeks: u32,
    /// The maximum number of simultaneous boards; `None` for any number.
    pub most: Option<u32>,
}

/// A player who is looking for opponents in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeker {
    /// The player.
    pub player: PlayerRef,
    /// The number of opponents wanted.
    pub seeks: u32,
}

pub(crate) const OF_PLAYER: &str = "SELECT seeks, most FROM preferences WHERE player = ?1 AND game = ?2";
pub(crate) const SEEKERS: &str = "SELECT w.player, p.userid, w.seeks FROM preferences w JOIN players p ON p.id = w.player \
     WHERE w.game = ?1 AND w.seeks > 0 AND p.blocked_at IS NULL ORDER BY lower(p.userid)";

from_fields!(GamePreferences { seeks, most });
from_fields!(Seeker { player, seeks });

/// Players' preferences for each game.
impl Transaction<'_> {
    /// Returns a player's preferences for a game, or the defaults.
    pub fn game_preferences(&self, player: PlayerId, game: &str) -> Result<GamePreferences> {
        Ok(one(self.db(), OF_PLAYER, params![player, game])?.unwrap_or_default())
    }

    /// Replaces a player's preferences for a game.
    pub fn set_game_preferences(&mut self, player: PlayerId, game: &str, preferences: &GamePreferences) -> Result<()> {
        let sql = "INSERT INTO preferences (player, game, seeks, most) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT (player, game) DO UPDATE SET seeks = excluded.seeks, most = excluded.most";
        run(self.writable()?, sql, params![player, game, preferences.seeks, preferences.most]).map(drop)
    }

    /// Lists the players who are looking for opponents in a game, by userid.
    pub fn seekers(&self, game: &str) -> Result<Vec<Seeker>> {
        all(self.db(), SEEKERS, params![game])
    }
}
