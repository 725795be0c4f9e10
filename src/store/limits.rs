//! The acts that rate limits count, such as failed attempts, letters to strangers, requests for new passwords, and
//! consecutive refusals.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Db, Nocase, all, cell, from_fields, params, run, run_later, stored_as_name};
use super::{Result, Transaction};
use crate::clock::Span;

/// How long counted acts are stored. Refusals are stored until a command from the address succeeds, or until the
/// retention period of messages ends.
const KEPT: TimeDelta = TimeDelta::days(7);

/// The kinds of counted acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountedKind {
    /// A wrong password, or another rejected attempt, such as the use of an invalid link.
    #[serde(rename = "wrong password")]
    WrongPassword,
    /// A letter to an address, with the source that caused it.
    Letter,
    /// A request for a new password from a source.
    #[serde(rename = "password request")]
    PasswordRequest,
    /// A refusal in answer to mail from an address. A successful command from the address deletes all its refusals.
    Refusal,
    /// A challenge to a player whom the challenger has not played yet.
    Challenge,
    /// A message of a player to another one.
    Message,
    /// A report of a player about another one.
    Report,
    /// A change of a player's weekend, night or time zone.
    Calendar,
    /// A link for a new password, sent to a player. Stored in a separate table, like a login link.
    #[serde(rename = "password link")]
    PasswordLink,
    /// A login link, sent to a player.
    #[serde(rename = "login link")]
    LoginLink,
    /// An answer to mail from an address. Stored as a notice.
    Answer,
}

/// Selects counted acts, ignoring case.
#[derive(Clone, Copy, Debug)]
pub enum CountedBy<'a> {
    /// Acts about this userid or address.
    Of(&'a str),
    /// Acts of this source.
    Source(&'a str),
    /// Acts of this source about this userid or address.
    Both {
        /// The userid or address.
        of: &'a str,
        /// The source.
        source: &'a str,
    },
}

/// The consecutive refusals sent in answer to mail from an address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    /// The number of consecutive refusals.
    pub in_a_row: u32,
    /// The time of the last refusal in the requested time span.
    pub answered_at: Option<DateTime<Utc>>,
}

/// A counted act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedAct {
    /// The kind.
    pub kind: CountedKind,
    /// The userid or address that the act was about, or empty.
    pub of: String,
    /// The source of the act: a network address, a mail address, a userid or the shell; empty for refusals, changes of
    /// a calendar, mailed links and answers.
    pub source: String,
    /// The time of the act.
    pub at: DateTime<Utc>,
}

pub(crate) const COUNT_OF: &str =
    "SELECT count(*) FROM rate_limits WHERE what = ?1 AND lower(of) = ?2 AND at >= ?3 AND at < ?4";
pub(crate) const COUNT_FROM: &str =
    "SELECT count(*) FROM rate_limits WHERE what = ?1 AND lower(source) = ?2 AND at >= ?3 AND at < ?4";
pub(crate) const COUNT_BOTH: &str = "SELECT count(*) FROM rate_limits \
     WHERE what = ?1 AND lower(source) = ?2 AND at >= ?3 AND at < ?4 AND lower(of) = ?5";
pub(crate) const OLD: &str = "DELETE FROM rate_limits WHERE (at < ?1 OR at >= ?2) AND what <> 'refusal'";
pub(crate) const REFUSALS: &str = "SELECT count(*), max(at) FILTER (WHERE at >= ?2 AND at < ?3) FROM rate_limits \
     WHERE what = 'refusal' AND lower(of) = ?1";
pub(crate) const END_REFUSALS: &str = "DELETE FROM rate_limits WHERE what = 'refusal' AND lower(of) = ?1";
pub(crate) const FORGET: &str = "DELETE FROM rate_limits WHERE lower(of) = ?1 OR lower(source) = ?1";
/// The statements that rename a userid ?1. A source is a userid only for these kinds.
const RENAME: [&str; 2] = [
    "UPDATE rate_limits SET of = ?2 WHERE lower(of) = ?1",
    "UPDATE rate_limits SET source = ?2 WHERE lower(source) = ?1 AND what IN ('challenge', 'message', 'report')",
];
const COUNTED: &str = "SELECT what, of, source, at FROM rate_limits WHERE at >= ?1 AND at < ?2 AND what <> 'refusal' \
     UNION ALL SELECT l.purpose || ' link', p.userid, '', l.asked_at FROM login_links l JOIN players p ON p.id = l.player \
     WHERE l.asked_at >= ?1 AND l.asked_at < ?2 \
     UNION ALL SELECT 'answer', address, '', created_at FROM outbox \
     WHERE kind = 'answer' AND created_at >= ?1 AND created_at < ?2";

/// Deletes the counted acts about a userid or an address, or of a source.
pub(crate) fn forget(db: Db<'_>, name: &str) -> Result<()> {
    run(db, FORGET, params![Nocase(name)]).map(drop)
}

stored_as_name!(CountedKind);
from_fields!(Refusals { in_a_row, answered_at });
from_fields!(CountedAct { kind, of, source, at });

/// Acts that rate limits count.
impl Transaction<'_> {
    /// Counts an act. `of` is the userid or the address that the act is about, or empty. Deletes acts that are older
    /// than a week or dated in the future, except refusals.
    pub fn count(&mut self, kind: CountedKind, of: &str, source: &str, now: DateTime<Utc>) -> Result<()> {
        let (db, kept) = (self.writable()?, Span::last(KEPT, now));
        run(db, OLD, params![kept.from, kept.until])?;
        let sql = "INSERT INTO rate_limits (what, of, source, at) VALUES (?1, ?2, ?3, ?4)";
        run(db, sql, params![kind, of, source, now]).map(drop)
    }

    /// Counts acts in this time span. Acts are stored for a week.
    pub fn counted(&self, kind: CountedKind, by: CountedBy<'_>, time: &Span) -> Result<u32> {
        let (db, from, until) = (self.db(), time.from, time.until);
        match by {
            CountedBy::Of(of) => cell(db, COUNT_OF, params![kind, Nocase(of), from, until]),
            CountedBy::Source(source) => cell(db, COUNT_FROM, params![kind, Nocase(source), from, until]),
            CountedBy::Both { of, source } => {
                cell(db, COUNT_BOTH, params![kind, Nocase(source), from, until, Nocase(of)])
            }
        }
    }

    /// Returns the number of consecutive refusals of an address, and the time of the last one in this time span.
    pub fn refusals(&self, address: &str, time: &Span) -> Result<Refusals> {
        let params = params![Nocase(address), time.from, time.until];
        cell(self.db(), REFUSALS, params)
    }

    /// Deletes the refusals of an address, after a successful command from it.
    pub fn end_refusals(&mut self, address: &str) -> Result<()> {
        run_later(self.writable_queue()?, END_REFUSALS, params![Nocase(address)])
    }

    /// Lists the addresses with consecutive refusals, in order. The result for each address is that of
    /// [`Transaction::refusals`].
    pub fn all_refusals(&self, time: &Span) -> Result<Vec<(String, Refusals)>> {
        let sql = "SELECT min(of), count(*), max(at) FILTER (WHERE at >= ?1 AND at < ?2) FROM rate_limits \
             WHERE what = 'refusal' GROUP BY lower(of) ORDER BY lower(of)";
        all(self.db(), sql, params![time.from, time.until])
    }

    /// Lists the acts counted in this time span, except refusals.
    pub fn counted_acts(&self, time: &Span) -> Result<Vec<CountedAct>> {
        all(self.db(), COUNTED, params![time.from, time.until])
    }

    /// Transfers the counted acts of a userid to another one, so that the next player with the first userid does not
    /// inherit them.
    pub fn rename_counted(&mut self, userid: &str, new: &str) -> Result<()> {
        let db = self.writable()?;
        for sql in RENAME {
            run(db, sql, params![Nocase(userid), new])?;
        }
        Ok(())
    }

    /// Deletes the counted acts of a userid, an address or a network address. If it is a userid, also invalidates the
    /// player's mailed links.
    pub fn forget_counted(&mut self, name: &str) -> Result<()> {
        let db = self.writable()?;
        forget(db, name)?;
        let sql = "DELETE FROM login_links WHERE player IN (SELECT id FROM players WHERE lower(userid) = ?1)";
        run(db, sql, params![Nocase(name)]).map(drop)
    }
}
