//! What limits count: wrong passwords and other tries in vain, letters to strangers, refusals in a row.

use chrono::{DateTime, TimeDelta, Utc};

use super::Result;
use crate::clock::Span;

/// How long counts are kept: older rows only take room.
pub(super) const KEPT: TimeDelta = TimeDelta::days(7);

/// The refusals that an address got in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusals {
    /// How many, those that were not answered among them.
    pub in_a_row: u32,
    /// When the last one was answered.
    pub answered_at: DateTime<Utc>,
}

/// What is counted by the time of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedKind {
    /// A wrong password, or another try that failed.
    WrongPassword,
    /// A letter to an address that a source caused.
    Letter,
    /// A request of a source for a new password.
    PasswordRequest,
    /// A link for a new password that was sent to a player.
    PasswordLink,
    /// A link to log in that was sent to a player.
    LoginLink,
    /// An answer to mail from an address.
    Answer,
}

/// One that was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedAct {
    /// What it was.
    pub kind: CountedKind,
    /// The userid or address that it was about, or empty.
    pub of: String,
    /// Who caused it, or empty.
    pub source: String,
    /// When it was.
    pub at: DateTime<Utc>,
}

/// What limits count. A source is the same in any case, and so is an address.
pub trait Limits {
    /// Counts a wrong password that a source gave for a userid, or what else it tried in vain.
    fn count_wrong_password(&mut self, of: &str, source: &str, now: DateTime<Utc>) -> Result<()>;
    /// How many wrong passwords a source gave for a userid, or for any, in this time; they are kept for a week.
    fn wrong_passwords(&self, of: Option<&str>, source: &str, time: &Span) -> Result<u32>;
    /// Counts a letter to an address that a source caused.
    fn count_letter(&mut self, address: &str, source: &str, now: DateTime<Utc>) -> Result<()>;
    /// How many such letters were written to an address in this time; they are kept for a week.
    fn letters_to(&self, address: &str, time: &Span) -> Result<u32>;
    /// How many such letters a source caused in this time.
    fn letters_from(&self, source: &str, time: &Span) -> Result<u32>;
    /// The refusals that an address got in a row.
    fn refusals(&self, address: &str) -> Result<Option<Refusals>>;
    /// Replaces them; `None`: there are none any more.
    fn set_refusals(&mut self, address: &str, refusals: Option<Refusals>) -> Result<()>;
    /// Lists the addresses with refusals in a row, in order.
    fn all_refusals(&self) -> Result<Vec<(String, Refusals)>>;
    /// Lists what was counted in this time.
    fn counted_acts(&self, time: &Span) -> Result<Vec<CountedAct>>;
    /// Forgets what was counted of a userid, an address or a network address. A player's links no longer work.
    fn forget_counted(&mut self, name: &str) -> Result<()>;
}
