//! Letters, and their deliveries to addresses. A letter is a group of notices; its number is the id of the leading
//! notice.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::leases::latest_end;
use super::outbox::COLUMNS;
use super::sql::{Nocase, all, cell, from_fields, params, run, run_later, run_some_later, stored_as_name};
use super::{NodeName, OutboxId, OutboxNotice, PlayerId, Result, StoreError, Transaction};
use crate::clock::Span;
use crate::numbers::{BoardNumber, EntryNumber};

/// Finds the leading notices of due letters.
const DUE: &str = "SELECT id FROM outbox d \
     WHERE CASE WHEN letter IS NULL THEN 0 ELSE 1 END = 1 AND due_at <= ?1 AND letter = id \
     AND NOT EXISTS (SELECT 1 FROM leases s \
         WHERE s.work = coalesce('letters to ' || d.player, 'letter ' || d.id) AND s.node <> ?3 AND s.expires_at > ?1 AND s.expires_at <= ?4) \
     ORDER BY due_at, id LIMIT ?2";
pub(crate) const SENT: &str = "UPDATE outbox SET attempts = attempts + 1, due_at = NULL, sent_at = ?2, error = NULL, \
     sent_settings = (SELECT settings FROM players p WHERE p.id = outbox.player) \
     WHERE letter = (SELECT letter FROM outbox WHERE id = ?1)";
pub(crate) const FAILED: &str = "UPDATE outbox SET attempts = attempts + 1, due_at = ?3, sent_at = NULL, error = ?2 \
     WHERE letter = (SELECT letter FROM outbox WHERE id = ?1)";
pub(crate) const RESEND: &str = "UPDATE outbox \
     SET attempts = 0, due_at = ?2, sent_at = NULL, error = NULL, held = false \
     WHERE id = ?1 OR letter = (SELECT letter FROM outbox WHERE id = ?1)";
pub(crate) const ABOUT: &str = "SELECT letter FROM outbox \
     WHERE board = ?1 AND entry = ?2 AND player = ?3 AND letter < ?4 ORDER BY id DESC LIMIT ?5";
/// Finds the leading notices of abandoned letters.
pub(crate) const GIVEN_UP: &str = "SELECT id FROM outbox \
     WHERE sent_at IS NULL AND due_at IS NULL AND NOT held AND letter = id ORDER BY id";

/// Finds the leading notices of letters that were sent or abandoned since a given time. The time of an abandoned letter
/// is the time of the last change of its deliveries, or the time at which the letter was formed if there are none.
const SINCE: &str = "SELECT id FROM outbox o WHERE letter = id AND due_at IS NULL AND NOT held \
     AND coalesce(sent_at, (SELECT max(d.at) FROM deliveries d WHERE d.letter = o.id), bound_at, created_at) >= ?1 \
     AND (CAST(?2 AS TEXT) IS NULL OR lower(o.address) = ?2 \
         OR o.player IN (SELECT id FROM players WHERE lower(userid) = ?2 UNION ALL SELECT player FROM addresses WHERE lower(address) = ?2) \
         OR EXISTS (SELECT 1 FROM deliveries d WHERE d.letter = o.id AND lower(d.address) = ?2)) ORDER BY id";

/// Builds the statement for the notices of due letters.
pub(crate) fn due_sql() -> String {
    format!("{COLUMNS} WHERE o.letter IN ({DUE}) ORDER BY l.due_at, l.id, o.id")
}

pub(crate) fn notices_sql() -> String {
    format!("{COLUMNS} WHERE o.letter = ?1 ORDER BY o.id")
}

fn some(changed: u64, letter: OutboxId) -> Result<()> {
    match changed {
        0 => Err(StoreError::Failed(format!("there is no letter {}", letter.0))),
        _ => Ok(()),
    }
}

/// Letters: groups of notices sent together. Any notice identifies its letter; the letter's number is the id of its
/// leading notice.
impl Transaction<'_> {
    /// Groups notices into letters at `now`. The first notice of each group is the leading notice. Fails if a notice is
    /// held or already part of a letter.
    pub fn bind_letters<L: AsRef<[OutboxId]>>(&mut self, letters: &[L], now: DateTime<Utc>) -> Result<()> {
        let db = self.writable_queue()?;
        let sql = "UPDATE outbox SET letter = ?2, bound_at = ?3, due_at = (SELECT due_at FROM outbox WHERE id = ?2) \
             WHERE id = ?1 AND letter IS NULL AND due_at IS NOT NULL";
        for notices in letters.iter().map(AsRef::as_ref) {
            for OutboxId(id) in notices {
                let refused =
                    format!("notice {id} cannot become part of a letter: it is part of one, is held or does not exist");
                run_some_later(db, sql, params![id, notices[0].0, now], &refused)?;
            }
        }
        Ok(())
    }

    /// Lists the notices of at most `most` letters due at `now`, longest due first. If `node` is given, omits letters
    /// that another node has leased.
    pub fn due_letters(
        &self,
        now: DateTime<Utc>,
        most: u32,
        node: Option<&NodeName>,
    ) -> Result<Vec<Vec<OutboxNotice>>> {
        let params = params![now, most, node, latest_end(now)];
        let due: Vec<OutboxNotice> = all(self.db(), &due_sql(), params)?;
        Ok(due.chunk_by(|a, b| a.letter == b.letter).map(<[_]>::to_vec).collect())
    }

    /// Lists the notices of a letter, in order; empty if it does not exist.
    pub fn letter(&self, letter: OutboxId) -> Result<Vec<OutboxNotice>> {
        all(self.db(), &notices_sql(), params![letter])
    }

    /// Lists letters to a player about a board whose last entry was `entry`, newest first. Only letters with smaller
    /// numbers than `before` are listed. Reads at most `most` notices; a letter with several notices about the board is
    /// listed several times.
    pub fn letters_about(
        &self,
        player: PlayerId,
        board: BoardNumber,
        entry: EntryNumber,
        before: OutboxId,
        most: u32,
    ) -> Result<Vec<OutboxId>> {
        let params = params![board, entry, player, before, most];
        all(self.db(), ABOUT, params)
    }

    /// Records that the transport accepted letters.
    pub fn letters_sent(&mut self, letters: &[OutboxId], now: DateTime<Utc>) -> Result<()> {
        let db = self.writable_queue()?;
        for OutboxId(letter) in letters {
            run_some_later(db, SENT, params![letter, now], &format!("there is no letter {letter}"))?;
        }
        Ok(())
    }

    /// Counts a failed attempt to send a letter. The next attempt is due at `retry_at`; `None` abandons the letter.
    pub fn letter_failed(&mut self, letter: OutboxId, error: &str, retry_at: Option<DateTime<Utc>>) -> Result<()> {
        some(run(self.writable()?, FAILED, params![letter, error, retry_at])?, letter)
    }

    /// Lists the abandoned letters, in order.
    pub fn given_up(&self) -> Result<Vec<OutboxId>> {
        all(self.db(), GIVEN_UP, &[])
    }

    /// Lists the letters that were sent or abandoned since this time, in order. If `to` is given, lists only letters to
    /// this userid or address.
    pub fn letters_since(&self, since: DateTime<Utc>, to: Option<&str>) -> Result<Vec<OutboxId>> {
        let to = to.map(str::to_ascii_lowercase);
        all(self.db(), SINCE, params![since, to])
    }

    // The number of attempts becomes 0, so that the first pauses between retries are short.
    /// Makes the letter of a notice due immediately at all addresses, regardless of its state. Returns false if the
    /// notice does not exist.
    pub fn resend(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<bool> {
        let db = self.writable()?;
        run(db, "DELETE FROM deliveries WHERE letter = (SELECT letter FROM outbox WHERE id = ?1)", params![id])?;
        Ok(run(db, RESEND, params![id, now])? > 0)
    }
}

/// The delivery of a letter to one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The address, such as `alice@example.org`.
    pub address: String,
    /// The state of the delivery.
    pub state: DeliveryState,
    /// The time of the last change.
    pub at: DateTime<Utc>,
    /// The error that the receiving server reported.
    pub error: Option<String>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// The transport rejected the letter temporarily.
    Failed,
    /// The transport accepted the letter.
    Sent,
    /// The transport rejected the letter permanently.
    Refused,
    /// The letter was accepted and bounced.
    Bounced,
}

pub(crate) const OF_LETTER: &str =
    "SELECT address, state, at, error FROM deliveries WHERE letter = ?1 ORDER BY lower(address)";
pub(crate) const BOUNCES: &str =
    "SELECT count(*) FROM deliveries WHERE state = 'bounced' AND lower(address) = ?1 AND at >= ?2 AND at < ?3";

stored_as_name!(DeliveryState);
from_fields!(Delivery { address, state, at, error });

/// Deliveries of letters. Comparisons of addresses ignore case.
impl Transaction<'_> {
    /// Lists a letter's deliveries, by address.
    pub fn deliveries(&self, letter: OutboxId) -> Result<Vec<Delivery>> {
        all(self.db(), OF_LETTER, params![letter])
    }

    /// Adds or replaces the state of a letter's delivery to an address.
    pub fn set_delivery(&mut self, letter: OutboxId, delivery: &Delivery) -> Result<()> {
        let sql = "INSERT INTO deliveries (letter, address, state, at, error) VALUES (?1, \
             coalesce((SELECT address FROM deliveries WHERE letter = ?1 AND lower(address) = ?6), ?2), ?3, ?4, ?5) \
             ON CONFLICT (letter, address) DO UPDATE SET state = excluded.state, at = excluded.at, error = excluded.error";
        let Delivery { address, state, at, error } = delivery;
        let params = params![letter, address, state, at, error, Nocase(address)];
        run_later(self.writable_queue()?, sql, params)
    }

    /// Counts the letters to an address that bounced in this time span.
    pub fn bounces(&self, address: &str, time: &Span) -> Result<u32> {
        cell(self.db(), BOUNCES, params![Nocase(address), time.from, time.until])
    }
}
