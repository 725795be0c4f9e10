//! Counts that describe the state of the whole server.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::sql::{Db, Texts, all, cell, from_fields, params};
use super::{Result, Transaction, boards, outbox, seats, webhooks};

/// The state of the whole server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The number of boards in progress for each game.
    pub boards: Vec<(String, u32)>,
    /// The boards awaiting a move, and the start of the longest wait.
    pub turns: Queue,
    /// Registered players, without computer players.
    pub players: u32,
    /// Challenges that anyone can accept.
    pub open_challenges: u32,
    /// Unprocessed messages, and the time at which the oldest arrived.
    pub messages_waiting: Queue,
    /// Due letters, and the earliest due time.
    pub letters_due: Queue,
    /// Failed letters awaiting a retry, and the time at which the oldest was created.
    pub letters_retried: Queue,
    /// When the administrator paused all letters; `None` if letters are not paused.
    pub letters_held_at: Option<DateTime<Utc>>,
    /// Letters that the server no longer tries to send.
    pub letters_given_up: u32,
    /// Addresses whose letters are paused.
    pub addresses_paused: u32,
    /// Quarantined messages.
    pub messages_quarantined: u32,
    /// The size of the database in bytes.
    pub database_bytes: u64,
}

/// The length of a queue, and the time of its oldest item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// The number of items.
    pub count: u32,
    /// The time since which the oldest item has been waiting.
    pub oldest: Option<DateTime<Utc>>,
}

/// The time of the oldest work in each queue. The time of scheduled work can be in the future.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldestWork {
    /// The time at which the oldest unprocessed message arrived.
    pub mail: Option<DateTime<Utc>>,
    /// The earliest time at which a clock is due.
    pub clock: Option<DateTime<Utc>>,
    /// The earliest time at which a letter is due; `None` while the administrator has paused all letters.
    pub letter: Option<DateTime<Utc>>,
    /// The earliest time at which a webhook call is due.
    pub webhook_call: Option<DateTime<Utc>>,
    /// The earliest time of the last entry of a board on which a computer player must move or answer a proposal, or the
    /// time at which the oldest unfinished analysis was requested, whichever is earlier.
    pub robot: Option<DateTime<Utc>>,
}

pub(crate) const BOARDS: &str = "SELECT game, count(*) FROM boards WHERE ended_at IS NULL AND declined_at IS NULL \
     GROUP BY game ORDER BY game";
pub(crate) const TURNS: &str =
    "SELECT count(*), min(moved_at) FROM boards WHERE ended_at IS NULL AND declined_at IS NULL AND to_move IS NOT NULL";
pub(crate) const OPEN: &str = "SELECT count(*) FROM challenges WHERE closed_at IS NULL";
pub(crate) const WAITING: &str = "SELECT count(*), min(received_at) FROM inbox WHERE verdict IS NULL";
pub(crate) const DUE: &str = "SELECT count(DISTINCT coalesce(letter, id)), min(due_at) FROM outbox WHERE due_at <= ?1";
pub(crate) const RETRIED: &str = "SELECT count(DISTINCT coalesce(letter, id)), min(created_at) FROM outbox \
     WHERE due_at > ?1 AND error IS NOT NULL";
pub(crate) const GIVEN_UP: &str =
    "SELECT count(*) FROM outbox WHERE sent_at IS NULL AND due_at IS NULL AND NOT held AND letter = id";
// These statements scan whole tables, but there are few players, addresses and quarantined messages.
const PLAYERS: &str = "SELECT count(*) FROM players WHERE left_at IS NULL \
     AND (password_hash <> '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA' \
         OR lower(userid) NOT LIKE 'robot-%' AND rtrim(lower(userid), '0123456789') <> 'robot')";
const PAUSED: &str = "SELECT count(*) FROM addresses WHERE paused_at IS NOT NULL";
const QUARANTINED: &str = "SELECT count(*) FROM quarantine";
const BYTES: [&str; 2] = [
    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "SELECT pg_database_size(current_database())",
];

/// Builds the statement for the time of the oldest work in each queue. It is a single statement because it runs every
/// few seconds.
pub(crate) fn oldest_work_sql(db: Db<'_>) -> String {
    format!(
        "SELECT (SELECT min(received_at) FROM inbox WHERE verdict IS NULL), ({}), \
         CASE WHEN (SELECT letters_held_at FROM server) IS NULL THEN ({}) END, ({}), \
         (SELECT min(since) FROM (SELECT min(moved_at) AS since FROM boards WHERE number IN ({}) \
             UNION ALL SELECT min(asked_at) FROM analyses WHERE analysis IS NULL) AS parts)",
        seats::NEXT,
        outbox::NEXT_DUE,
        webhooks::NEXT,
        boards::waiting_for_any_sql(db)
    )
}

from_fields!(Queue { count, oldest });
from_fields!(OldestWork { mail, clock, letter, webhook_call, robot });

/// Counts of the whole server.
impl Transaction<'_> {
    /// Returns the state of the server at `now`.
    pub fn counts(&self, now: DateTime<Utc>) -> Result<Counts> {
        Ok(Counts {
            boards: all(self.db(), BOARDS, &[])?,
            turns: cell(self.db(), TURNS, &[])?,
            players: cell(self.db(), PLAYERS, &[])?,
            open_challenges: cell(self.db(), OPEN, &[])?,
            messages_waiting: cell(self.db(), WAITING, &[])?,
            letters_due: cell(self.db(), DUE, params![now])?,
            letters_retried: cell(self.db(), RETRIED, params![now])?,
            letters_held_at: self.letters_held_at()?,
            letters_given_up: cell(self.db(), GIVEN_UP, &[])?,
            addresses_paused: cell(self.db(), PAUSED, &[])?,
            messages_quarantined: cell(self.db(), QUARANTINED, &[])?,
            database_bytes: cell::<i64>(self.db(), self.db().by_dialect(BYTES[0], BYTES[1]), &[])?.unsigned_abs(),
        })
    }

    /// Returns the time of the oldest work in each queue; `robots` are the userids of the computer players.
    pub fn oldest_work(&self, robots: &[String]) -> Result<OldestWork> {
        let robots = Texts(robots.iter().map(|userid| userid.to_ascii_lowercase()).collect());
        cell(self.db(), &oldest_work_sql(self.db()), params![robots])
    }
}
