//! Players, with their settings and vacations.

use chrono::{DateTime, Utc};

use super::sql::{Db, Nocase, Texts, all, cell, from_fields, params, run, run_one, stored_as};
use super::{Result, Transaction};
use crate::clock::Span;
use crate::command::Settings;

/// A player's key in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(pub i64);

/// A reference to a player: key and userid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerRef {
    /// The key in the database.
    pub id: PlayerId,
    /// The public name.
    pub userid: String,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The key in the database.
    pub id: PlayerId,
    /// The userid as typed at sign-up or when the player was renamed. Userids are unique regardless of case.
    pub userid: String,
    /// The argon2 hash in PHC format; empty after the player has left.
    pub password_hash: String,
    /// The time of the sign-up.
    pub created_at: DateTime<Utc>,
    /// The player's settings.
    pub settings: Settings,
    /// An unconfirmed request to leave.
    pub signoff: Option<Signoff>,
    /// When the player left.
    pub left_at: Option<DateTime<Utc>>,
    /// When an administrator blocked the player. A blocked player can do nothing and gets no letters.
    pub blocked_at: Option<DateTime<Utc>>,
    /// When the player last became reachable by mail again.
    pub back_in_reach_at: Option<DateTime<Utc>>,
}

/// A player's unconfirmed request to leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signoff {
    /// The code for confirmation.
    pub code: String,
    /// When the code was sent.
    pub given_at: DateTime<Utc>,
}

const COLUMNS: &str = "SELECT p.id, p.userid, p.password_hash, p.created_at, p.settings, p.signoff_code, \
     p.signoff_at, p.left_at, p.blocked_at, p.back_in_reach_at FROM players p";
/// The tables with a player's private data.
const OWN: [&str; 16] = [
    "addresses", "tokens", "webhooks", "preferences", "entrants", "followers", "puzzle_readers", "solved_puzzles",
    "muted_boards", "turn_letters", "notes", "sessions", "browsers", "login_links", "blocks", "calendars",
];
pub(crate) const REMOVE_TOKENS: &str = "DELETE FROM tokens WHERE player = ?1";
const NOBODY: &str = "there is no such player";

pub(crate) const UNCONFIRMED: &str = "SELECT DISTINCT a.player FROM addresses a \
     WHERE a.confirmed_at IS NULL AND (a.added_at < ?1 \
         OR a.added_at >= ?2 AND a.id < (SELECT max(id) FROM addresses WHERE added_at < ?1)) AND NOT EXISTS \
         (SELECT 1 FROM addresses o WHERE o.player = a.player AND o.confirmed_at IS NOT NULL) ORDER BY a.player";

/// All characters of userids sort before the tilde, so `?1 || '~'` is an upper bound for a prefix.
pub(crate) const USERIDS: &str = "SELECT userid FROM players WHERE lower(userid) >= ?1 AND lower(userid) < ?1 || '~' \
     ORDER BY lower(userid) LIMIT ?2";

/// Builds the statement for the first players by userid.
pub(crate) fn first_sql() -> String {
    format!("{COLUMNS} WHERE p.left_at IS NULL ORDER BY lower(p.userid) LIMIT ?1")
}

pub(crate) fn by_userid_sql() -> String {
    format!("{COLUMNS} WHERE lower(p.userid) = ?1")
}

pub(crate) fn by_address_sql() -> String {
    format!("{COLUMNS} JOIN addresses a ON a.player = p.id WHERE lower(a.address) = ?1 AND a.confirmed_at IS NOT NULL")
}

/// Builds the statement for [`Transaction::names_among`]. With `EXISTS (…) OR EXISTS (…)`, PostgreSQL would scan the
/// tables completely.
pub(crate) fn names_sql(db: Db<'_>) -> String {
    let words = db.texts("?1");
    format!(
        "SELECT lower(userid) FROM players WHERE lower(userid) IN ({words}) \
         UNION SELECT lower(name) FROM events WHERE lower(name) IN ({words}) \
         UNION SELECT lower(address) FROM addresses WHERE lower(address) IN ({words}) AND confirmed_at IS NOT NULL"
    )
}

stored_as!(i64: PlayerId);
from_fields! {
    Player { id, userid, password_hash, created_at, settings, signoff, left_at, blocked_at, back_in_reach_at }
}
from_fields!(PlayerRef { id, userid });
from_fields!(Option<PlayerRef { id, userid }>);
from_fields!(Option<Signoff { code, given_at }>);

/// Players and their passwords.
///
/// Userids are unique regardless of case.
impl Transaction<'_> {
    /// Finds a player by userid, ignoring case.
    pub fn player(&self, userid: &str) -> Result<Option<Player>> {
        let is_it = |known: &Player| known.userid.eq_ignore_ascii_case(userid);
        let read = || Ok(self.read_once(&by_userid_sql(), params![Nocase(userid)])?.pop());
        self.known().players.get(is_it, read)
    }

    /// Returns those of the given words that are userids or confirmed addresses of players, or names of events. The
    /// words must be in lower case.
    pub fn names_among(&self, words: Vec<String>) -> Result<Vec<String>> {
        all(self.db(), &names_sql(self.db()), params![Texts(words)])
    }

    /// Finds a player by key.
    pub fn player_by_id(&self, id: PlayerId) -> Result<Option<Player>> {
        let read = || Ok(self.read_once(&format!("{COLUMNS} WHERE p.id = ?1"), params![id])?.pop());
        self.known().players.get(|known: &Player| known.id == id, read)
    }

    /// Lists every player, by userid.
    pub fn players(&self) -> Result<Vec<Player>> {
        all(self.db(), &format!("{COLUMNS} ORDER BY lower(p.userid)"), &[])
    }

    /// Lists at most `most` current players, by userid.
    pub fn first_players(&self, most: u32) -> Result<Vec<Player>> {
        all(self.db(), &first_sql(), params![most])
    }

    /// Lists at most `most` userids with this prefix, in order.
    pub fn userids(&self, beginning: &str, most: u32) -> Result<Vec<String>> {
        all(self.db(), USERIDS, params![Nocase(beginning), most])
    }

    /// Adds a player. Fails if the userid exists.
    pub fn add_player(&mut self, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId> {
        let sql = "INSERT INTO players (userid, password_hash, created_at) VALUES (?1, ?2, ?3) RETURNING id";
        cell(self.writable()?, sql, params![userid, password_hash, now])
    }

    /// Replaces the password hash, and deletes the player's tokens.
    pub fn set_password(&mut self, id: PlayerId, password_hash: &str) -> Result<()> {
        let db = self.writable()?;
        let sql = "UPDATE players SET password_hash = ?2 WHERE id = ?1";
        run_one(db, sql, params![id, password_hash], NOBODY)?;
        // An attacker who knew the old password may have created a token.
        run(db, REMOVE_TOKENS, params![id]).map(drop)
    }

    /// Lists the players who added an address before the time span `waits` and have not confirmed any address. An
    /// address dated after `waits`, because the clock was ahead, is included if a later address is old enough.
    pub fn unconfirmed_players(&self, waits: &Span) -> Result<Vec<PlayerId>> {
        all(self.db(), UNCONFIRMED, params![waits.from, waits.until])
    }

    /// Removes a player who has never had a board or an open challenge, or taken part in an event; returns false for
    /// other players.
    pub fn remove_player(&mut self, id: PlayerId) -> Result<bool> {
        let db = self.writable()?;
        let played = "SELECT EXISTS (SELECT 1 FROM seats WHERE player = ?1) \
             OR EXISTS (SELECT 1 FROM challenges WHERE challenger = ?1) \
             OR EXISTS (SELECT 1 FROM boards WHERE ?1 IN (challenger, declined_by)) \
             OR EXISTS (SELECT 1 FROM comments WHERE player = ?1) \
             OR EXISTS (SELECT 1 FROM participants WHERE player = ?1)";
        if cell(db, played, params![id])? {
            return Ok(false);
        }
        for table in OWN.into_iter().chain(["vacations"]) {
            run(db, &format!("DELETE FROM {table} WHERE player = ?1"), params![id])?;
        }
        run(db, "DELETE FROM blocks WHERE blocked = ?1", params![id])?;
        // Keep the player's notices, but remove their recipient. Other notices of the same letter may refer to them.
        let sql = "UPDATE outbox SET player = NULL, address = coalesce(address, 'nobody'), due_at = NULL, held = false \
             WHERE player = ?1";
        run(db, sql, params![id])?;
        run(db, "UPDATE inbox SET author = NULL WHERE author = ?1", params![id])?;
        run(db, "DELETE FROM acts WHERE ?1 IN (player, by_player)", params![id])?;
        run_one(db, "DELETE FROM players WHERE id = ?1", params![id], NOBODY)?;
        Ok(true)
    }

    /// Replaces a player's settings.
    pub fn set_settings(&mut self, id: PlayerId, settings: &Settings) -> Result<()> {
        let sql = "UPDATE players SET settings = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id, settings], NOBODY)
    }

    /// Sets [`Player::blocked_at`].
    pub fn set_blocked(&mut self, id: PlayerId, blocked_at: Option<DateTime<Utc>>) -> Result<()> {
        let sql = "UPDATE players SET blocked_at = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id, blocked_at], NOBODY)
    }

    /// Sets when a player became reachable again.
    pub fn set_back_in_reach(&mut self, id: PlayerId, at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE players SET back_in_reach_at = ?2 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id, at], NOBODY)
    }

    /// Stores the code with which a player confirms leaving.
    pub fn begin_signoff(&mut self, id: PlayerId, code: &str, now: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE players SET signoff_code = ?2, signoff_at = ?3 WHERE id = ?1";
        run_one(self.writable()?, sql, params![id, code, now], NOBODY)
    }

    // Vacations remain, because clock times in the past depend on them.
    /// Removes the data of a player who leaves: password, addresses, tokens, webhook, preferences, notes, sessions,
    /// subscriptions, blocks and muted boards. The userid, vacations and boards remain.
    pub fn leave(&mut self, id: PlayerId, now: DateTime<Utc>) -> Result<()> {
        for standing in self.standings_of(id)? {
            self.count_rating(&standing.game, id, -1)?;
        }
        let db = self.writable()?;
        let sql = "UPDATE players SET password_hash = '', signoff_code = NULL, signoff_at = NULL, left_at = ?2 \
             WHERE id = ?1";
        run_one(db, sql, params![id, now], NOBODY)?;
        for table in OWN {
            run(db, &format!("DELETE FROM {table} WHERE player = ?1"), params![id])?;
        }
        run(db, "DELETE FROM blocks WHERE blocked = ?1", params![id])?;
        Ok(())
    }
}

pub(crate) const VACATIONS: &str = "SELECT from_at, until_at FROM vacations WHERE player = ?1 ORDER BY from_at";

from_fields!(Span { from, until });

/// Players' vacations, during which their clocks are stopped.
impl Transaction<'_> {
    /// Lists a player's vacations, by time.
    pub fn vacations(&self, player: PlayerId) -> Result<Vec<Span>> {
        self.read_once(VACATIONS, params![player])
    }

    /// Adds a vacation. If another one begins at the same time, only the longer one is stored.
    pub fn add_vacation(&mut self, player: PlayerId, span: &Span) -> Result<()> {
        let sql = "INSERT INTO vacations (player, from_at, until_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (player, from_at) DO UPDATE SET until_at = CASE WHEN vacations.until_at > excluded.until_at THEN vacations.until_at ELSE excluded.until_at END";
        run(self.writable()?, sql, params![player, span.from, span.until]).map(drop)
    }

    /// Ends the current vacation at `now`, and deletes later ones.
    pub fn cut_vacation(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()> {
        let db = self.writable()?;
        let params = params![player, now];
        run(db, "DELETE FROM vacations WHERE player = ?1 AND from_at >= ?2", params)?;
        run(db, "UPDATE vacations SET until_at = ?2 WHERE player = ?1 AND until_at > ?2", params).map(drop)
    }
}
