//! Notices, the parts of letters.

use chrono::{DateTime, Utc};

use super::sql::{Nocase, Params, all, cell, from_fields, one, params, run, run_later, run_one, stored_as};
use super::{PlayerId, PlayerRef, Result, Transaction};
use crate::clock::Span;
use crate::numbers::{BoardNumber, EntryNumber};

/// The number of an outbox row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxId(pub i64);

/// A notice to add to the outbox.
#[derive(Clone, Debug)]
pub struct NewNotice {
    /// The recipient, if it is a player.
    pub player: Option<PlayerId>,
    /// The only recipient address; `None` for all confirmed addresses of the player.
    pub address: Option<String>,
    /// The name of the templates: `challenge`, `move`, `end`, `reminder`, `answer`, …
    pub kind: String,
    /// The board concerned.
    pub board: Option<BoardNumber>,
    /// The last entry of the board's record when the notice was created.
    pub entry: Option<EntryNumber>,
    /// The facts that the templates show, as JSON.
    pub facts: String,
    /// The Message-ID of the message that the notice answers.
    pub in_reply_to: Option<String>,
    /// The domain of the notice's Message-ID.
    pub domain: String,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
    /// The due time; `None` if the notice is held until the player acts.
    pub due_at: Option<DateTime<Utc>>,
}

/// A notice in the outbox.
#[derive(Clone, Debug)]
pub struct OutboxNotice {
    /// The notice's number.
    pub id: OutboxId,
    /// The recipient, if it is a player.
    pub player: Option<PlayerRef>,
    /// The only recipient address; `None` for all confirmed addresses of the player.
    pub address: Option<String>,
    /// See [`NewNotice::kind`].
    pub kind: String,
    /// The board concerned.
    pub board: Option<BoardNumber>,
    /// The last entry of the board's record when the notice was created.
    pub entry: Option<EntryNumber>,
    /// The facts that the templates show, as JSON.
    pub facts: String,
    /// The Message-ID of the message that the notice answers.
    pub in_reply_to: Option<String>,
    /// The Message-ID of the notice's letter, with angle brackets. If the notice is not part of a letter, the
    /// Message-ID that a letter led by this notice would have.
    pub message_id: String,
    /// The leading notice of the letter, if the notice is part of one.
    pub letter: Option<OutboxId>,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
    /// When the letter was formed, or when it was last released.
    pub bound_at: Option<DateTime<Utc>>,
    /// The number of attempts.
    pub attempts: u32,
    /// The time of the next attempt; `None` if the notice was sent, was abandoned or is held.
    pub due_at: Option<DateTime<Utc>>,
    /// When the transport accepted the letter.
    pub sent_at: Option<DateTime<Utc>>,
    /// The last error.
    pub error: Option<String>,
}

/// The Message-ID depends only on stored values of the leading notice, so it is the same for every attempt and every
/// copy.
pub(crate) const COLUMNS: &str = "SELECT o.id, o.player, p.userid, o.address, o.kind, o.board, o.entry, o.facts, \
     o.in_reply_to, \
     '<' || coalesce(l.id, o.id) || '.' || (SELECT server_id FROM server) \
         || '@' || coalesce(l.domain, o.domain) || '>', \
     o.letter, o.created_at, l.bound_at, o.attempts, o.due_at, o.sent_at, o.error \
     FROM outbox o LEFT JOIN players p ON p.id = o.player LEFT JOIN outbox l ON l.id = o.letter";

// The index has one part for notices without a letter and one for letters. Each inner query reads one part.
pub(crate) const NEXT_DUE: &str = "SELECT min(due_at) FROM \
     (SELECT min(due_at) AS due_at FROM outbox \
         WHERE CASE WHEN letter IS NULL THEN 0 ELSE 1 END = 0 AND due_at IS NOT NULL \
     UNION ALL SELECT min(due_at) FROM outbox \
         WHERE CASE WHEN letter IS NULL THEN 0 ELSE 1 END = 1 AND due_at IS NOT NULL) AS parts";
// A released letter is treated as new. A letter is abandoned after some time, which must not include the time during
// which it was held.
pub(crate) const RELEASE: &str = "UPDATE outbox \
     SET held = false, due_at = ?2, attempts = 0, bound_at = CASE WHEN letter IS NOT NULL THEN ?2 END \
     WHERE player = ?1 AND held";
pub(crate) const HOLD: &str =
    "UPDATE outbox SET held = true, due_at = NULL WHERE id = ?1 AND sent_at IS NULL AND due_at IS NOT NULL";
// A notice that is not part of a letter becomes a letter, so that an administrator can send it again later.
const DROP: &str = "UPDATE outbox \
     SET held = false, due_at = NULL, error = ?2, letter = coalesce(letter, id), bound_at = coalesce(bound_at, ?3) \
     WHERE (id = ?1 OR letter = (SELECT letter FROM outbox WHERE id = ?1)) \
         AND sent_at IS NULL AND (due_at IS NOT NULL OR held)";

pub(crate) const DUE_TO: &str = "SELECT id FROM outbox \
     WHERE CASE WHEN letter IS NULL THEN 0 ELSE 1 END = 0 AND due_at >= ?1 AND due_at < ?2 AND player = ?3 AND board = ?4 ORDER BY id";

/// Builds the statement for the answers to an address. The comparison ignores case.
pub(crate) fn answers_sql() -> String {
    format!(
        "{COLUMNS} WHERE o.kind = 'answer' AND lower(o.address) = ?1 AND o.created_at >= ?2 AND o.created_at < ?3 ORDER BY o.id"
    )
}

/// Builds the statement for due notices without a letter.
pub(crate) fn loose_sql() -> String {
    format!(
        "{COLUMNS} WHERE CASE WHEN o.letter IS NULL THEN 0 ELSE 1 END = 0 AND o.due_at <= ?1 ORDER BY o.due_at, o.id LIMIT ?2"
    )
}

pub(crate) fn reminder_sql() -> String {
    format!("{COLUMNS} WHERE o.kind = 'reminder' AND o.board = ?1 AND o.entry = ?2 ORDER BY o.id DESC LIMIT 1")
}

stored_as!(i64: OutboxId);
from_fields! {
    OutboxNotice {
        id, player, address, kind, board, entry, facts, in_reply_to, message_id, letter, created_at, bound_at, attempts,
        due_at, sent_at, error
    }
}

const INSERT: &str = "INSERT INTO outbox \
     (player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at, held) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Selects the number of the notice that was added last.
const LAST_NOTICE: &str = "(SELECT max(id) FROM outbox)";

/// Passes the parameters of [`INSERT`] for a notice to `run`.
fn insert<T>(new: &NewNotice, run: impl FnOnce(Params<'_>) -> Result<T>) -> Result<T> {
    let NewNotice { player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at } = new;
    let held = due_at.is_none();
    run(params![player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at, held])
}

/// Notices before they become letters, and lists for the administrator.
impl Transaction<'_> {
    /// Adds a notice. Its Message-ID is `<id.server_id@domain>`.
    pub fn add_notice(&mut self, new: &NewNotice) -> Result<OutboxId> {
        let id = insert(new, |params| cell(self.writable_queue()?, &format!("{INSERT} RETURNING id"), params))?;
        self.note_action("notice", new.board, LAST_NOTICE)?;
        Ok(id)
    }

    /// Adds a notice like [`Transaction::add_notice`], but does not wait for its number.
    pub fn write_notice(&mut self, new: &NewNotice) -> Result<()> {
        insert(new, |params| run_later(self.writable_queue()?, INSERT, params))?;
        self.note_action("notice", new.board, LAST_NOTICE)
    }

    /// Lists at most `most` notices due at `now` without a letter, longest due first.
    pub fn loose_notices(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>> {
        all(self.db(), &loose_sql(), params![now, most])
    }

    /// Returns the time at which the next notice or letter is due.
    pub fn next_due(&self) -> Result<Option<DateTime<Utc>>> {
        cell(self.db(), NEXT_DUE, &[])
    }

    /// Holds the pending ones of these notices until [`Transaction::release_held`]. A letter that was already composed
    /// is not composed again: the mail server may have accepted it just before a crash, so it must keep its Message-ID.
    pub fn hold(&mut self, notices: &[OutboxId]) -> Result<()> {
        for OutboxId(id) in notices {
            run(self.writable()?, HOLD, params![id])?;
        }
        Ok(())
    }

    /// Makes a player's held notices due; returns their number.
    pub fn release_held(&mut self, player: PlayerId, due_at: DateTime<Utc>) -> Result<u32> {
        let released = run(self.writable_queue()?, RELEASE, params![player, due_at])?;
        Ok(u32::try_from(released).unwrap_or(u32::MAX))
    }

    /// Lists a player's notices about a board that are due in this time span and not part of a letter.
    pub fn notices_due(&self, player: PlayerId, board: BoardNumber, due: &Span) -> Result<Vec<OutboxId>> {
        let params = params![due.from, due.until, player, board];
        all(self.db(), DUE_TO, params)
    }

    /// Deletes a notice, unless it is part of a letter.
    pub fn remove_notice(&mut self, OutboxId(id): OutboxId) -> Result<()> {
        let db = self.writable_queue()?;
        if run(db, "DELETE FROM outbox WHERE id = ?1 AND letter IS NULL", params![id])? > 0 {
            run(db, "DELETE FROM mail_actions WHERE kind = 'notice' AND item = ?1", params![id])?;
        }
        Ok(())
    }

    /// Abandons an unsent letter, or a notice without a letter, for this reason. Returns `false` if it is neither due
    /// nor held.
    pub fn drop_letter(&mut self, OutboxId(id): OutboxId, why: &str, now: DateTime<Utc>) -> Result<bool> {
        Ok(run(self.writable()?, DROP, params![id, why, now])? > 0)
    }

    /// Returns when the administrator paused all letters; `None` if letters are not paused.
    pub fn letters_held_at(&self) -> Result<Option<DateTime<Utc>>> {
        Ok(one(self.db(), "SELECT letters_held_at FROM server", &[])?.flatten())
    }

    /// Pauses all letters, or resumes them.
    pub fn set_letters_held_at(&mut self, since: Option<DateTime<Utc>>) -> Result<()> {
        run_one(
            self.writable()?,
            "UPDATE server SET letters_held_at = ?1",
            params![since],
            "the row of the server is missing",
        )
    }

    /// Returns the newest reminder about a board that was written when its record ended with this entry.
    pub fn reminder(&self, board: BoardNumber, entry: EntryNumber) -> Result<Option<OutboxNotice>> {
        one(self.db(), &reminder_sql(), params![board, entry])
    }

    /// Lists the `answer` notices to an address in this time span, oldest first.
    pub fn answers(&self, address: &str, time: &Span) -> Result<Vec<OutboxNotice>> {
        all(self.db(), &answers_sql(), params![Nocase(address), time.from, time.until])
    }

    /// Lists at most `most` rows for the administrator, newest first.
    pub fn outbox(&self, most: u32) -> Result<Vec<OutboxNotice>> {
        all(self.db(), &format!("{COLUMNS} ORDER BY o.id DESC LIMIT ?1"), params![most])
    }
}
