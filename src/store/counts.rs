//! The state of the whole server in numbers.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Result;

/// The state of the whole server in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Boards in progress: the names of the games that are played, and how many there are of each.
    pub boards: Vec<(String, u32)>,
    /// The boards on which a move is waited for, and when the longest such wait began.
    pub turns: Queue,
    /// Players who have not left.
    pub players: u32,
    /// Challenges that anybody may accept.
    pub open_challenges: u32,
    /// Mails that wait to be processed, and when the oldest of them came.
    pub mails_waiting: Queue,
    /// Letters that are due, and since when the first of them is.
    pub letters_due: Queue,
    /// Letters that failed and will be tried again, and when the oldest of them was written.
    pub letters_retried: Queue,
    /// Since when the administrator lets no letter leave.
    pub letters_held_at: Option<DateTime<Utc>>,
    /// Letters that were given up.
    pub letters_given_up: u32,
    /// Addresses to which nothing is sent.
    pub addresses_paused: u32,
    /// Mails that were set aside.
    pub mails_set_aside: u32,
    /// The size of the database's file.
    pub database_bytes: u64,
}

/// What waits, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// How many there are.
    pub count: u32,
    /// Since when the oldest waits.
    pub oldest: Option<DateTime<Utc>>,
}

/// For each queue, the time of its oldest work, which may be in the future where work becomes due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OldestWork {
    /// The arrival of the oldest incoming mail.
    pub mail: Option<DateTime<Utc>>,
    /// When the first clock is due.
    pub clock: Option<DateTime<Utc>>,
    /// When the first letter is due, unless the administrator holds all letters.
    pub letter: Option<DateTime<Utc>>,
    /// When the first webhook call is due.
    pub webhook_call: Option<DateTime<Utc>>,
    /// The last move on the board that has waited longest for a computer player, or the oldest request for an analysis.
    pub robot: Option<DateTime<Utc>>,
}

/// Counting everything.
pub trait Counting {
    /// The state of the server at `now`.
    fn counts(&self, now: DateTime<Utc>) -> Result<Counts>;
    /// Returns the oldest work of each queue; `robots` are the userids of the computer players.
    fn oldest_work(&self, robots: &[String]) -> Result<OldestWork>;
}
