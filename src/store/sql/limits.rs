//! What limits count: wrong passwords and other tries in vain, letters to strangers, refusals in a row.

use chrono::{DateTime, Utc};

use super::{Cells, Db, Name, Nocase, Session, Time, all, cell, one, params, run};
use crate::clock::Span;
use crate::store::limits::KEPT;
use crate::store::{CountedAct, Limits, Refusals, Result};

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
pub(super) const REFUSALS: &str = "SELECT in_a_row, answered_at FROM refusals_in_a_row WHERE lower(address) = ?1";
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

impl<S: Session> Limits for S {
    fn count_wrong_password(&mut self, of: &str, source: &str, now: DateTime<Utc>) -> Result<()> {
        forget(self.writable()?, OLD_WRONG_PASSWORDS, now)?;
        let sql = "INSERT INTO wrong_passwords (of, source, given_at) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![of, source, Time(now)]).map(drop)
    }

    fn wrong_passwords(&self, of: Option<&str>, source: &str, time: &Span) -> Result<u32> {
        match of {
            Some(of) => {
                cell(self.db(), WRONG_PASSWORDS_OF, params![Nocase(source), of, Time(time.from), Time(time.until)])
            }
            None => cell(self.db(), WRONG_PASSWORDS_FROM, params![Nocase(source), Time(time.from), Time(time.until)]),
        }
    }

    fn count_letter(&mut self, address: &str, source: &str, now: DateTime<Utc>) -> Result<()> {
        forget(self.writable()?, OLD_LETTERS, now)?;
        let sql = "INSERT INTO letters_to_strangers (address, source, asked_at) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![address, source, Time(now)]).map(drop)
    }

    fn letters_to(&self, address: &str, time: &Span) -> Result<u32> {
        cell(self.db(), LETTERS_TO, params![Nocase(address), Time(time.from), Time(time.until)])
    }

    fn letters_from(&self, source: &str, time: &Span) -> Result<u32> {
        cell(self.db(), LETTERS_FROM, params![Nocase(source), Time(time.from), Time(time.until)])
    }

    fn refusals(&self, address: &str) -> Result<Option<Refusals>> {
        one(self.db(), REFUSALS, params![Nocase(address)], |row| {
            let mut cells = Cells::of(row);
            Ok(Refusals { in_a_row: cells.take()?, answered_at: cells.time()? })
        })
    }

    fn set_refusals(&mut self, address: &str, refusals: Option<Refusals>) -> Result<()> {
        let db = self.writable_shared()?;
        let Some(Refusals { in_a_row, answered_at }) = refusals else {
            return run(db, "DELETE FROM refusals_in_a_row WHERE lower(address) = ?1", params![Nocase(address)])
                .map(drop);
        };
        let sql = "INSERT INTO refusals_in_a_row (address, in_a_row, answered_at) VALUES (?1, ?2, ?3) \
             ON CONFLICT (lower(address)) DO UPDATE SET in_a_row = excluded.in_a_row, answered_at = excluded.answered_at";
        run(db, sql, params![address, in_a_row, Time(answered_at)]).map(drop)
    }

    fn all_refusals(&self) -> Result<Vec<(String, Refusals)>> {
        let sql = "SELECT address, in_a_row, answered_at FROM refusals_in_a_row ORDER BY lower(address)";
        all(self.db(), sql, &[], |row| {
            let mut cells = Cells::of(row);
            Ok((cells.take()?, Refusals { in_a_row: cells.take()?, answered_at: cells.time()? }))
        })
    }

    fn counted_acts(&self, time: &Span) -> Result<Vec<CountedAct>> {
        all(self.db(), COUNTED, params![Time(time.from), Time(time.until)], |row| {
            let mut cells = Cells::of(row);
            let Name(kind) = cells.take()?;
            Ok(CountedAct { kind, of: cells.take()?, source: cells.take()?, at: cells.time()? })
        })
    }

    fn forget_counted(&mut self, name: &str) -> Result<()> {
        let db = self.writable()?;
        for sql in [
            "DELETE FROM wrong_passwords WHERE lower(of) = ?1 OR lower(source) = ?1",
            "DELETE FROM letters_to_strangers WHERE lower(address) = ?1 OR lower(source) = ?1",
            "DELETE FROM refusals_in_a_row WHERE lower(address) = ?1",
            "DELETE FROM password_requests WHERE lower(source) = ?1",
            "DELETE FROM login_links WHERE player IN (SELECT id FROM players WHERE lower(userid) = ?1)",
        ] {
            run(db, sql, params![Nocase(name)])?;
        }
        Ok(())
    }
}
