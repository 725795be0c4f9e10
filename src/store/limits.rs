//! What limits count: wrong passwords and other tries in vain, letters to strangers, refusals in a row.

use chrono::{DateTime, TimeDelta, Utc};

use super::sql::{Cells, Db, Name, Named, Nocase, Time, all, cell, one, params, run};
use super::{Result, Transaction};
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

impl Named for CountedKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (CountedKind::WrongPassword, "wrong password"),
        (CountedKind::Letter, "letter"),
        (CountedKind::PasswordRequest, "password request"),
        (CountedKind::Answer, "answer"),
        (CountedKind::PasswordLink, "password link"),
        (CountedKind::LoginLink, "login link"),
    ];
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

pub(super) const WRONG_PASSWORDS_OF: &str =
    "SELECT count(*) FROM wrong_passwords WHERE lower(source) = ?1 AND of = ?2 AND given_at >= ?3 AND given_at < ?4";
pub(super) const WRONG_PASSWORDS_FROM: &str =
    "SELECT count(*) FROM wrong_passwords WHERE lower(source) = ?1 AND given_at >= ?2 AND given_at < ?3";
pub(super) const OLD_WRONG_PASSWORDS: &str = "DELETE FROM wrong_passwords WHERE given_at < ?1 OR given_at >= ?2";
pub(super) const LETTERS_TO: &str =
    "SELECT count(*) FROM letters_to_strangers WHERE lower(address) = ?1 AND asked_at >= ?2 AND asked_at < ?3";
pub(super) const LETTERS_FROM: &str =
    "SELECT count(*) FROM letters_to_strangers WHERE lower(source) = ?1 AND asked_at >= ?2 AND asked_at < ?3";
pub(super) const OLD_LETTERS: &str = "DELETE FROM letters_to_strangers WHERE asked_at < ?1 OR asked_at >= ?2";
pub(super) const REFUSALS: &str = "SELECT in_a_row, answered_at FROM refusal_streaks WHERE lower(address) = ?1";
const COUNTED: &str = "SELECT 'wrong password', of, source, given_at FROM wrong_passwords WHERE given_at >= ?1 AND given_at < ?2 \
     UNION ALL SELECT 'letter', address, source, asked_at FROM letters_to_strangers WHERE asked_at >= ?1 AND asked_at < ?2 \
     UNION ALL SELECT 'password request', '', source, asked_at FROM password_requests WHERE asked_at >= ?1 AND asked_at < ?2 \
     UNION ALL SELECT l.purpose || ' link', p.userid, '', l.asked_at FROM login_links l JOIN players p ON p.id = l.player \
     WHERE l.asked_at >= ?1 AND l.asked_at < ?2 \
     UNION ALL SELECT 'answer', address, '', created_at FROM outbox \
     WHERE kind = 'answer' AND created_at >= ?1 AND created_at < ?2";

fn forget(db: Db<'_>, sql: &str, now: DateTime<Utc>) -> Result<()> {
    let kept = Span::last(KEPT, now);
    run(db, sql, params![Time(kept.from), Time(kept.until)]).map(drop)
}

/// What limits count. A source is the same in any case, and so is an address.
impl Transaction<'_> {
    /// Counts a wrong password that a source gave for a userid, or what else it tried in vain.
    pub fn count_wrong_password(&mut self, of: &str, source: &str, now: DateTime<Utc>) -> Result<()> {
        forget(self.writable()?, OLD_WRONG_PASSWORDS, now)?;
        let sql = "INSERT INTO wrong_passwords (of, source, given_at) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![of, source, Time(now)]).map(drop)
    }

    /// How many wrong passwords a source gave for a userid, or for any, in this time; they are kept for a week.
    pub fn wrong_passwords(&self, of: Option<&str>, source: &str, time: &Span) -> Result<u32> {
        match of {
            Some(of) => {
                cell(self.db(), WRONG_PASSWORDS_OF, params![Nocase(source), of, Time(time.from), Time(time.until)])
            }
            None => cell(self.db(), WRONG_PASSWORDS_FROM, params![Nocase(source), Time(time.from), Time(time.until)]),
        }
    }

    /// Counts a letter to an address that a source caused.
    pub fn count_letter(&mut self, address: &str, source: &str, now: DateTime<Utc>) -> Result<()> {
        forget(self.writable()?, OLD_LETTERS, now)?;
        let sql = "INSERT INTO letters_to_strangers (address, source, asked_at) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![address, source, Time(now)]).map(drop)
    }

    /// How many such letters were written to an address in this time; they are kept for a week.
    pub fn letters_to(&self, address: &str, time: &Span) -> Result<u32> {
        cell(self.db(), LETTERS_TO, params![Nocase(address), Time(time.from), Time(time.until)])
    }

    /// How many such letters a source caused in this time.
    pub fn letters_from(&self, source: &str, time: &Span) -> Result<u32> {
        cell(self.db(), LETTERS_FROM, params![Nocase(source), Time(time.from), Time(time.until)])
    }

    /// The refusals that an address got in a row.
    pub fn refusals(&self, address: &str) -> Result<Option<Refusals>> {
        one(self.db(), REFUSALS, params![Nocase(address)], |row| {
            let mut cells = Cells::of(row);
            Ok(Refusals { in_a_row: cells.take()?, answered_at: cells.time()? })
        })
    }

    /// Replaces them; `None`: there are none any more.
    pub fn set_refusals(&mut self, address: &str, refusals: Option<Refusals>) -> Result<()> {
        let db = self.writable_shared()?;
        let Some(Refusals { in_a_row, answered_at }) = refusals else {
            return run(db, "DELETE FROM refusal_streaks WHERE lower(address) = ?1", params![Nocase(address)])
                .map(drop);
        };
        let sql = "INSERT INTO refusal_streaks (address, in_a_row, answered_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (lower(address)) DO UPDATE SET in_a_row = excluded.in_a_row, answered_at = excluded.answered_at";
        run(db, sql, params![address, in_a_row, Time(answered_at)]).map(drop)
    }

    /// Lists the addresses with refusals in a row, in order.
    pub fn all_refusals(&self) -> Result<Vec<(String, Refusals)>> {
        let sql = "SELECT address, in_a_row, answered_at FROM refusal_streaks ORDER BY lower(address)";
        all(self.db(), sql, &[], |row| {
            let mut cells = Cells::of(row);
            Ok((cells.take()?, Refusals { in_a_row: cells.take()?, answered_at: cells.time()? }))
        })
    }

    /// Lists what was counted in this time.
    pub fn counted_acts(&self, time: &Span) -> Result<Vec<CountedAct>> {
        all(self.db(), COUNTED, params![Time(time.from), Time(time.until)], |row| {
            let mut cells = Cells::of(row);
            let Name(kind) = cells.take()?;
            Ok(CountedAct { kind, of: cells.take()?, source: cells.take()?, at: cells.time()? })
        })
    }

    /// Forgets what was counted of a userid, an address or a network address. A player's links no longer work.
    pub fn forget_counted(&mut self, name: &str) -> Result<()> {
        let db = self.writable()?;
        for sql in [
            "DELETE FROM wrong_passwords WHERE lower(of) = ?1 OR lower(source) = ?1",
            "DELETE FROM letters_to_strangers WHERE lower(address) = ?1 OR lower(source) = ?1",
            "DELETE FROM refusal_streaks WHERE lower(address) = ?1",
            "DELETE FROM password_requests WHERE lower(source) = ?1",
            "DELETE FROM login_links WHERE player IN (SELECT id FROM players WHERE lower(userid) = ?1)",
        ] {
            run(db, sql, params![Nocase(name)])?;
        }
        Ok(())
    }
}
