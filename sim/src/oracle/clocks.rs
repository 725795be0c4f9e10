//! Thinking time, reminders and forfeits.

use anyhow::{Context, ensure};
use chrono::TimeDelta;

use super::days::{self, Days};
use super::model::Oracle;
use super::notices::NewNotice;
use super::seen::Seen;
use turnpost::clock::{Span, Zone};
use turnpost::command::Reminders;
use turnpost::store::{Board, PlayerId, Transaction};

impl Oracle {
    /// Checks that no reminder was sent too early, to the wrong player, or against the player's settings.
    pub(crate) fn reminders(&self, seen: Seen<'_>, new: &[NewNotice]) -> anyhow::Result<()> {
        for notice in new.iter().filter(|notice| notice.kind == "reminder") {
            let Some(model) = notice.board.and_then(|number| self.boards.get(&number)) else { continue };
            let (board, Some(seat)) = (&model.board, model.board.to_move) else { continue };
            let player = board.players[seat.index()].id;
            // A reminded player may have moved in the same step.
            if notice.entry != Some(board.entries) {
                continue;
            }
            ensure!(
                notice.player == Some(player),
                "a reminder for board {} was sent to the wrong player",
                board.number
            );
            if !model.clock.exact {
                continue;
            }
            let days = &self.days[seen.index(player)?];
            let thinking_time = model.clock.thinking_time(days, seen.now);
            let times = days::reminders(&board.terms.time_control, model.clock.used[seat.index()]);
            let settings = seen.tx.player_by_id(player)?.context("a player is missing from the database")?.settings;
            // The reminder may have been sent before or after a change of the player's settings in this step. If either
            // settings allow earlier reminders, the reminder is not too early.
            let due = match [days.reminders, settings.reminders] {
                [Reminders::Last, Reminders::Last] => times.last(),
                _ => times.first(),
            };
            let early = due.is_some_and(|due| thinking_time < *due);
            ensure!(!early, "a reminder for board {} was sent after {thinking_time}, before {due:?}", board.number);
        }
        Ok(())
    }

    /// Updates the calendars of these players.
    pub(crate) fn calendars(&mut self, seen: Seen<'_>, of: impl Fn(usize) -> bool) -> anyhow::Result<()> {
        for (index, player) in seen.players.iter().enumerate().filter(|(index, _)| of(*index)) {
            let mut days = read_days(seen.tx, player.id, &self.standstills.spans)?;
            if let Some(old) = self.days.get(index) {
                let back = old.out_of_reach && !days.out_of_reach;
                days.back_in_reach = if back { Some(seen.now) } else { old.back_in_reach };
            }
            if index == self.days.len() {
                self.days.push(days);
            } else if self.days[index] != days {
                let old = std::mem::replace(&mut self.days[index], days);
                let waits = |board: &Board| board.to_move.map(|seat| board.players[seat.index()].id);
                for model in self.boards.values_mut().filter(|model| waits(&model.board) == Some(player.id)) {
                    model.clock.count_up(&old, seen.now);
                }
            }
        }
        Ok(())
    }

    /// Checks that no due reminder and no due forfeit is missing on any board.
    pub(crate) fn due_clocks(&self, seen: Seen<'_>) -> anyhow::Result<()> {
        let stored = seen.tx.boards(None, None, true)?;
        self.boards.values().filter(|model| model.ended_at.is_none()).try_for_each(|model| {
            let at = stored.binary_search_by_key(&model.board.number, |board| board.number);
            let board = &stored[at.ok().context("a board is missing from the database")?];
            model.clock.check_due(&self.days, seen, board)
        })
    }
}

/// Returns the times at which a player's clocks run.
fn read_days(tx: &Transaction<'_>, player: PlayerId, standstills: &[Span]) -> anyhow::Result<Days> {
    let settings = tx.player_by_id(player)?.context("a player is missing from the database")?.settings;
    let reminders = settings.reminders;
    let zone = Zone::named(&settings.zone).with_context(|| format!("{} is not a time zone", settings.zone))?;
    let mut off = tx.vacations(player)?;
    let addresses = tx.addresses(player)?;
    let confirmed: Vec<_> = addresses.iter().filter(|address| address.confirmed_at.is_some()).collect();
    let pauses: Vec<_> = confirmed.iter().filter_map(|address| Some(address.paused.as_ref()?.since)).collect();
    let out_of_reach = !confirmed.is_empty() && pauses.len() == confirmed.len();
    if out_of_reach {
        let from = pauses.into_iter().max().context("an unreachable player has no paused address")?;
        off.push(Span { from, until: from + TimeDelta::days(36_500) });
    }
    off.extend(standstills);
    Ok(Days { zone, weekend: settings.weekend, off, out_of_reach, back_in_reach: None, reminders })
}
