//! Erasing data after their retention period.

use super::sql::{Db, Time, all, params, run};
use super::{Result, Transaction};
use crate::clock::Span;

// These scan whole tables once a day, because indexes for them would slow down every turn. An item with a date in the
// future counts as old as the next item. It is not erased because of its date, because every date is in the future if
// the clock is behind.
const OLD_MAILS: &str = "SELECT id FROM inbox \
     WHERE (closed_at < ?1 OR closed_at >= ?2 AND id < (SELECT max(id) FROM inbox WHERE closed_at < ?1)) \
     AND (sender IS NOT NULL OR author IS NOT NULL OR commands <> '' OR reason <> '' \
         OR id IN (SELECT mail FROM quarantine)) ORDER BY id LIMIT ?3";
const OLD_LETTERS: &str = "SELECT id FROM outbox \
     WHERE letter = id AND due_at IS NULL AND NOT held \
     AND (created_at < ?1 OR created_at >= ?2 AND id < (SELECT max(id) FROM outbox WHERE created_at < ?1)) \
     ORDER BY id LIMIT ?3";

/// What limits have counted, by addresses.
const FORGET_COUNTS: &str = "DELETE FROM rate_limits WHERE at < ?1 OR at >= ?2";
/// Erases a message.
const FORGET_MAIL: [&str; 3] = [
    "DELETE FROM refusals WHERE mail = ?1",
    "DELETE FROM quarantine WHERE mail = ?1",
    "UPDATE inbox SET sender = NULL, author = NULL, commands = '', reason = '' WHERE id = ?1",
];
/// Erases a letter. The leading notice is deleted last, because the others refer to it.
const FORGET_LETTER: [&str; 4] = [
    "DELETE FROM deliveries WHERE letter = ?1",
    "DELETE FROM mail_actions WHERE kind = 'notice' AND item IN (SELECT id FROM outbox WHERE letter = ?1)",
    "DELETE FROM outbox WHERE letter = ?1 AND id <> ?1",
    "DELETE FROM outbox WHERE id = ?1",
];

fn erase_old(db: Db<'_>, which: &str, kept: &Span, most: u32, how: &[&str]) -> Result<u32> {
    let old: Vec<i64> = all(db, which, params![Time(kept.from), Time(kept.until), most], |row| row.get(0))?;
    for id in &old {
        for sql in how {
            run(db, sql, params![id])?;
        }
    }
    Ok(u32::try_from(old.len()).unwrap_or(u32::MAX))
}

/// Erasing data after their retention period. Each call changes a few rows, so that other writers do not wait long.
impl Transaction<'_> {
    /// Erases, of at most `most` mails that were closed before the time `kept`, who sent them, what they said and what they
    /// were refused for, and the text of those that were set aside; returns how many there were. What second copies are
    /// recognized by stays. What limits did not count in that time is deleted as well. A mail that was closed after that time
    /// is erased when one that came later is old.
    pub fn forget_mails(&mut self, kept: &Span, most: u32) -> Result<u32> {
        let db = self.writable()?;
        run(db, FORGET_COUNTS, params![Time(kept.from), Time(kept.until)])?;
        erase_old(db, OLD_MAILS, kept, most, &FORGET_MAIL)
    }

    /// Deletes at most `most` sent or abandoned letters that were written before the time `kept`; returns their number.
    /// A letter with a date after that time is deleted when a later letter is old enough.
    pub fn forget_letters(&mut self, kept: &Span, most: u32) -> Result<u32> {
        erase_old(self.writable()?, OLD_LETTERS, kept, most, &FORGET_LETTER)
    }
}
