//! Notices, and the letters that they become.

use chrono::{DateTime, Utc};

use super::sql::{Cells, Nocase, Row, Time, all, cell, one, params, run, run_one};
use super::{PlayerId, PlayerRef, Result, Transaction};
use crate::clock::Span;
use crate::numbers::{BoardNumber, EntryNumber};

/// The number of an outbox row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxId(pub i64);

/// How many of the newest notices are searched for letters about a board. An index would cost every turn more than this
/// search costs the few replies that need it.
pub(in crate::store) const RECENT_NOTICES: u32 = 20_000;

/// A notice to be added to the outbox.
#[derive(Clone, Debug)]
pub struct NewNotice {
    /// The player whom it is for, if it is for one.
    pub player: Option<PlayerId>,
    /// The one address it goes to, when not to all confirmed addresses of the player.
    pub address: Option<String>,
    /// The name of its templates: `challenge`, `move`, `end`, `reminder`, `answer`, …
    pub kind: String,
    /// The board it is about.
    pub board: Option<BoardNumber>,
    /// The last entry of that board's record then.
    pub entry: Option<EntryNumber>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// The domain of its Message-ID.
    pub domain: String,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it is due; `None`: it is held until the player has done something.
    pub due_at: Option<DateTime<Utc>>,
}

/// A notice of the outbox.
#[derive(Clone, Debug)]
pub struct OutboxNotice {
    /// Its number.
    pub id: OutboxId,
    /// The player whom it is for.
    pub player: Option<PlayerRef>,
    /// The one address, when it does not go to all of the player's.
    pub address: Option<String>,
    /// See [`NewNotice::kind`].
    pub kind: String,
    /// The board it is about.
    pub board: Option<BoardNumber>,
    /// The last entry of that board's record then.
    pub entry: Option<EntryNumber>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// Message-ID of the letter it is part of, with angle brackets; until it is part of one, its own.
    pub message_id: String,
    /// The leading notice of its letter, once it is part of one.
    pub letter: Option<OutboxId>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its letter was bound, which is when that was first to be sent.
    pub bound_at: Option<DateTime<Utc>>,
    /// How many attempts were made at sending it.
    pub attempts: u32,
    /// When it is due (again); `None` when it was sent, given up or is held.
    pub due_at: Option<DateTime<Utc>>,
    /// When the transport took it.
    pub sent_at: Option<DateTime<Utc>>,
    /// The last error.
    pub error: Option<String>,
}

/// The Message-ID is made of stored values of the leading notice, so that every attempt and every copy has the same
/// one.
pub(in crate::store) const COLUMNS: &str = "SELECT o.id, o.player, p.userid, o.address, o.kind, o.board, o.entry, o.facts, \
     o.in_reply_to, \
     '<' || coalesce(l.id, o.id) || '.' || (SELECT server_id FROM server) \
         || '@' || coalesce(l.domain, o.domain) || '>', \
     o.letter, o.created_at, l.bound_at, o.attempts, o.due_at, o.sent_at, o.error \
     FROM outbox o LEFT JOIN players p ON p.id = o.player LEFT JOIN outbox l ON l.id = o.letter";

pub(super) const NEXT_DUE: &str = "SELECT due_at FROM outbox WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1";
// A letter that was bound before is sent as if it were new: the time that it was held is no time of failing.
pub(super) const RELEASE: &str = "UPDATE outbox \
     SET held = false, due_at = ?2, attempts = 0, bound_at = CASE WHEN letter IS NOT NULL THEN ?2 END \
     WHERE player = ?1 AND held";
pub(super) const HOLD: &str =
    "UPDATE outbox SET held = true, due_at = NULL WHERE id = ?1 AND sent_at IS NULL AND due_at IS NOT NULL";
// A notice that is part of no letter becomes one, so that it can be sent after all.
const DROP: &str = "UPDATE outbox \
     SET held = false, due_at = NULL, error = ?2, letter = coalesce(letter, id), bound_at = coalesce(bound_at, ?3) \
     WHERE (id = ?1 OR letter = (SELECT letter FROM outbox WHERE id = ?1)) \
         AND sent_at IS NULL AND (due_at IS NOT NULL OR held)";

pub(super) const DUE_TO: &str = "SELECT id FROM outbox \
     WHERE letter IS NULL AND due_at >= ?1 AND due_at < ?2 AND player = ?3 AND board = ?4 ORDER BY id";

/// The statement for the answers to an address. Addresses are the same in any case.
pub(super) fn answers_sql() -> String {
    format!(
        "{COLUMNS} WHERE o.kind = 'answer' AND lower(o.address) = ?1 AND o.created_at >= ?2 AND o.created_at < ?3 ORDER BY o.id"
    )
}

/// The statement for notices that are due and part of no letter.
pub(super) fn loose_sql(claim: &str) -> String {
    format!("{COLUMNS} WHERE o.letter IS NULL AND o.due_at <= ?1 ORDER BY o.due_at, o.id LIMIT ?2{claim}")
}

/// The statement for the newest reminder.
pub(super) fn reminder_sql() -> String {
    format!("{COLUMNS} WHERE o.kind = 'reminder' AND o.board = ?1 AND o.entry = ?2 ORDER BY o.id DESC LIMIT 1")
}

/// The statement for the administrator's list.
pub(super) fn newest_sql(undelivered_only: bool) -> String {
    let condition = if undelivered_only { " WHERE o.sent_at IS NULL" } else { "" };
    format!("{COLUMNS}{condition} ORDER BY o.id DESC LIMIT ?1")
}

pub(in crate::store) fn notice(row: &Row<'_>) -> Result<OutboxNotice> {
    let mut cells = Cells::of(row);
    Ok(OutboxNotice {
        id: OutboxId(cells.take()?),
        player: cells.player_if_any()?,
        address: cells.take()?,
        kind: cells.take()?,
        board: cells.take()?,
        entry: cells.take()?,
        facts: cells.take()?,
        in_reply_to: cells.take()?,
        message_id: cells.take()?,
        letter: cells.take::<Option<i64>>()?.map(OutboxId),
        created_at: cells.time()?,
        bound_at: cells.time_if_any()?,
        attempts: cells.take()?,
        due_at: cells.time_if_any()?,
        sent_at: cells.time_if_any()?,
        error: cells.take()?,
    })
}

/// Notices, before they become letters and as the administrator sees them.
impl Transaction<'_> {
    /// Adds a notice. Its Message-ID is `<id.server_id@domain>`.
    pub fn add_notice(&mut self, new: &NewNotice) -> Result<OutboxId> {
        let db = self.writable_shared()?;
        let sql = "INSERT INTO outbox \
             (player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at, held) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id";
        let player = new.player.map(|id| id.0);
        let NewNotice { address, kind, board, entry, facts, in_reply_to, domain, .. } = new;
        let (created_at, due_at) = (Time(new.created_at), new.due_at.map(Time));
        let held = new.due_at.is_none();
        let params = params![player, address, kind, board, entry, facts, in_reply_to, domain, created_at, due_at, held];
        cell(db, sql, params).map(OutboxId)
    }

    /// Lists notices due at `now` that are part of no letter, the longest due first, at most `most`. A transaction that
    /// writes beside others leaves out what another is writing, and has what it is given to itself until it ends.
    pub fn loose_notices(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>> {
        all(self.db(), &loose_sql(self.claim()), params![Time(now), most], notice)
    }

    /// When the next notice or letter is due.
    pub fn next_due(&self) -> Result<Option<DateTime<Utc>>> {
        one(self.db(), NEXT_DUE, &[], |row| Ok(row.get::<Time>(0)?.0))
    }

    /// Holds those of these notices that wait to be sent, until [`Transaction::release_held`]. A letter stays bound: it may
    /// have been taken by the mail server just before a crash, and must keep its Message-ID.
    pub fn hold(&mut self, notices: &[OutboxId]) -> Result<()> {
        for OutboxId(id) in notices {
            run(self.writable()?, HOLD, params![id])?;
        }
        Ok(())
    }

    /// Makes the notices held for a player due; returns how many there are.
    pub fn release_held(&mut self, player: PlayerId, due_at: DateTime<Utc>) -> Result<u32> {
        let released = run(self.writable_shared()?, RELEASE, params![player.0, Time(due_at)])?;
        Ok(u32::try_from(released).unwrap_or(u32::MAX))
    }

    /// Lists the notices for a player about a board that are part of no letter and due in this time.
    pub fn notices_due(&self, player: PlayerId, board: BoardNumber, due: &Span) -> Result<Vec<OutboxId>> {
        let params = params![Time(due.from), Time(due.until), player.0, board];
        all(self.db(), DUE_TO, params, |row| row.get(0).map(OutboxId))
    }

    /// Removes a notice, unless it is part of a letter.
    pub fn remove_notice(&mut self, OutboxId(id): OutboxId) -> Result<()> {
        let db = self.writable_shared()?;
        if run(db, "DELETE FROM outbox WHERE id = ?1 AND letter IS NULL", params![id])? > 0 {
            run(db, "DELETE FROM mail_actions WHERE kind = 'notice' AND item = ?1", params![id])?;
        }
        Ok(())
    }

    /// Gives up a letter that was not sent, or a notice that is part of none, for this reason; `false` when there is none
    /// that waits or is held.
    pub fn drop_letter(&mut self, OutboxId(id): OutboxId, why: &str, now: DateTime<Utc>) -> Result<bool> {
        Ok(run(self.writable()?, DROP, params![id, why, Time(now)])? > 0)
    }

    /// Since when the administrator lets no letter leave.
    pub fn letters_held_at(&self) -> Result<Option<DateTime<Utc>>> {
        let sql = "SELECT letters_held_at FROM server";
        Ok(one(self.db(), sql, &[], |row| row.get::<Option<Time>>(0))?.flatten().map(|Time(at)| at))
    }

    /// Lets no letter leave, or lets them leave again.
    pub fn set_letters_held_at(&mut self, since: Option<DateTime<Utc>>) -> Result<()> {
        run_one(
            self.writable()?,
            "UPDATE server SET letters_held_at = ?1",
            params![since.map(Time)],
            "there is no server",
        )
    }

    /// The newest reminder about a board at this entry of its record.
    pub fn reminder(&self, board: BoardNumber, entry: EntryNumber) -> Result<Option<OutboxNotice>> {
        one(self.db(), &reminder_sql(), params![board, entry], notice)
    }

    /// Lists the `answer` notices that were written to an address in this time, the oldest first.
    pub fn answers(&self, address: &str, time: &Span) -> Result<Vec<OutboxNotice>> {
        all(self.db(), &answers_sql(), params![Nocase(address), Time(time.from), Time(time.until)], notice)
    }

    /// Lists rows for the administrator, newest first, at most `most`.
    pub fn outbox(&self, undelivered_only: bool, most: u32) -> Result<Vec<OutboxNotice>> {
        all(self.db(), &newest_sql(undelivered_only), params![most], notice)
    }
}
