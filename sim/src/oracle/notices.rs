//! Reads the notices of each step, and checks at the end that each notice became a letter.

use anyhow::{Context, bail, ensure};

use super::letter_book::Letters;
use super::seen::Seen;
use turnpost::command::{Rhythm, UnsolicitedLetters};
use turnpost::numbers::{BoardNumber, EntryNumber};
use turnpost::service::{Notice, read_notices};
use turnpost::store::{InboxId, OutboxNotice, PlayerId, Transaction};

/// The minimum number of attempts before the server abandons a letter.
const LEAST_ATTEMPTS: u32 = 8;

/// The model of the outbox.
#[derive(Default)]
pub(crate) struct Notices {
    last: i64,
}

/// A notice that the server has written in this step.
#[derive(Clone, Debug)]
pub(crate) struct NewNotice {
    pub(crate) player: Option<PlayerId>,
    pub(crate) board: Option<BoardNumber>,
    pub(crate) entry: Option<EntryNumber>,
    pub(crate) kind: String,
    /// The content of the notice, if it is about an event.
    pub(crate) event: Option<Notice>,
    /// The message that caused the notice.
    pub(crate) cause: Option<InboxId>,
}

impl NewNotice {
    /// Returns whether the notice reports results of this event.
    pub(crate) fn is_report_of(&self, name: &str) -> bool {
        matches!(&self.event, Some(Notice::EventReport(facts)) if facts.name == name)
    }

    /// Returns whether the notice announces an edition of this event.
    pub(crate) fn begins(&self, name: &str) -> bool {
        matches!(&self.event, Some(Notice::EventBegin(facts)) if facts.name == name)
    }
}

impl Notices {
    /// Returns the notices written since the last call, in order.
    pub(crate) fn read_new(&mut self, tx: &Transaction<'_>) -> anyhow::Result<Vec<NewNotice>> {
        let mut most = 4;
        let mut rows = loop {
            let rows = tx.outbox(most)?;
            if rows.len() < most as usize || rows.last().is_some_and(|row| row.id.0 <= self.last) {
                break rows;
            }
            most *= 4;
        };
        rows.retain(|row| row.id.0 > self.last);
        self.last = rows.first().map_or(self.last, |row| row.id.0);
        let new = |row: OutboxNotice| {
            let is_of_event = row.kind.starts_with("event-");
            let event = is_of_event.then(|| read_notices(std::slice::from_ref(&row))).transpose()?;
            Ok(NewNotice {
                event: event.and_then(|mut read| read.pop()).map(|read| read.notice),
                player: row.player.map(|player| player.id),
                board: row.board,
                entry: row.entry,
                kind: row.kind,
                cause: tx.causing_mail(row.id)?,
            })
        };
        rows.into_iter().rev().map(new).collect()
    }

    /// Checks that the mail server accepted a letter with each notice, unless the notice may wait or be abandoned.
    pub(crate) fn finish(&self, seen: Seen<'_>, letters: &Letters, jumped: bool) -> anyhow::Result<()> {
        for row in seen.tx.outbox(u32::MAX)? {
            let id = row.id.0;
            if row.sent_at.is_some() {
                let letter = row.letter.with_context(|| format!("notice {id} was sent but is not part of a letter"))?;
                ensure!(
                    letters.was_taken(letter),
                    "notice {id} is marked as sent, but no letter with it was accepted: {row:?}"
                );
                continue;
            }
            ensure!(row.due_at.is_none_or(|due| due > seen.now), "notice {id} is due but was not sent: {row:?}");
            if row.due_at.is_none() {
                may_wait(seen, &row, jumped)?;
            }
        }
        Ok(())
    }
}

/// Checks that there is a reason why a notice was not sent. Either its recipient does not want it yet or at all, or
/// cannot be reached, or the server abandoned it after days of attempts or a permanent error.
fn may_wait(seen: Seen<'_>, row: &OutboxNotice, jumped: bool) -> anyhow::Result<()> {
    let id = row.id.0;
    let unreachable = match &row.player {
        Some(player) => seen.tx.out_of_reach(player.id)?.is_some(),
        None => false,
    };
    if let Some(error) = &row.error {
        // If the server's clock jumped, five days may have passed for the server within a minute. If the recipient is
        // unreachable, the server may have paused the address after temporary errors.
        let lasting = error.contains("5.1.1") || error.contains("no confirmed address");
        let may = lasting || jumped || unreachable || row.attempts >= LEAST_ATTEMPTS;
        ensure!(may, "notice {id} was abandoned too soon: {row:?}");
        return Ok(());
    }
    let Some(player) = &row.player else { bail!("notice {id} to a stranger is not sent: {row:?}") };
    let Some(player) = seen.tx.player_by_id(player.id)? else { bail!("notice {id} has no recipient") };
    let quiet = player.settings.rhythm != Rhythm::Each || player.settings.letters != UnsolicitedLetters::All;
    let unreachable = unreachable || player.left_at.is_some();
    ensure!(quiet || unreachable, "notice {id} to {} waits without a reason: {row:?}", player.userid);
    Ok(())
}
