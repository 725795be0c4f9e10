//! Checks the record, the turn and the result of each board.

use anyhow::{Context, bail, ensure};

use super::board_model::{BoardModel, End};
use super::days::Days;
use super::letter_book::Letters;
use super::model::{Oracle, command_of};
use super::notices::NewNotice;
use super::seen::{Claim, Seen};
use crate::mail::Meant;
use turnpost::numbers::BoardNumber;
use turnpost::rules::Seat;
use turnpost::service::check_board;
use turnpost::store::{Board, Channel, EditionRef, Entry, EntryKind, NoResult};

impl Oracle {
    /// Records the replies that players prepared in this step. The model cannot read them from the database later.
    pub(crate) fn prepared(&mut self, seen: Seen<'_>, claims: &[Claim]) -> anyhow::Result<()> {
        for Claim { intent, .. } in claims {
            let Some(model) = self.boards.get_mut(&intent.board) else { continue };
            let player = &seen.players[intent.player];
            let sits = |seat: &Seat| model.board.players[seat.index()].id == player.id;
            let Some(seat) = Seat::BOTH.into_iter().find(sits) else {
                bail!("{} acted on board {} without a seat", player.userid, intent.board)
            };
            if let Meant::Prepare(texts) = &intent.meant {
                model.prepared[seat.index()].extend(texts.iter().cloned());
            }
        }
        Ok(())
    }

    /// Checks the boards that have changed.
    pub(crate) fn changed_boards(
        &mut self,
        seen: Seen<'_>,
        claims: &mut [Claim],
        new: &[NewNotice],
    ) -> anyhow::Result<()> {
        let changes = seen.tx.changes_since(self.last_change, u32::MAX)?;
        let mut begun = 0;
        for change in changes {
            self.last_change = change.seq;
            let Some(board) = seen.tx.board(change.board)? else {
                begun += self.record_challenge(seen, change.board)?;
                continue;
            };
            if !self.boards.contains_key(&board.number) {
                // Boards of an event that have no challenger were started by the event and not requested by a message.
                let is_begun = board.event.is_none() || board.challenger.is_some();
                let was_open = self.open_challenges.remove(&board.number).is_some();
                begun += usize::from(is_begun && (!was_open || board.entries.0 == 0));
                let exact = self.inexact_until.is_none();
                self.boards.insert(board.number, BoardModel::new(board.clone(), (seen.now, self.step), exact)?);
            }
            self.changed(seen, board, claims, new)?;
        }
        let asked = claims.iter().filter(|claim| claim.intent.meant == Meant::Begin).count();
        ensure!(begun <= asked, "{begun} boards and open challenges were created, but {asked} were requested");
        Ok(())
    }

    /// Records an open challenge. Returns 1 if it is new, and otherwise 0.
    fn record_challenge(&mut self, seen: Seen<'_>, number: BoardNumber) -> anyhow::Result<usize> {
        let Some(challenge) = seen.tx.open_challenge(number)? else { return Ok(0) };
        if challenge.closed_at.is_some() {
            self.open_challenges.remove(&number);
            return Ok(0);
        }
        Ok(usize::from(self.open_challenges.insert(number, challenge.game).is_none()))
    }

    fn changed(&mut self, seen: Seen<'_>, board: Board, claims: &mut [Claim], new: &[NewNotice]) -> anyhow::Result<()> {
        let number = board.number;
        let model = self.boards.get_mut(&number).context("a changed board has no model")?;
        let entries = seen.tx.entries(number)?;
        ensure!(entries.len() == board.entries.0 as usize, "board {number} has lost entries");
        let known = model.board.entries.0 as usize;
        ensure!(known <= entries.len(), "the record of board {number} got shorter");
        for entry in &entries[known..] {
            let is_annulled = entry.kind == EntryKind::Void && board.event.is_some();
            if is_annulled {
                if model.end.is_none() && has_lapsed(new, number) {
                    let before = Board { entries: entry.entry.previous(), ..board.clone() };
                    model.end = Some(lapsed(model, &self.days, &self.letters, seen, &before, self.step)?);
                }
                (model.annulled_at, model.step) = (Some(seen.now), self.step);
            } else {
                allowed(model, seen, &board, entry, claims)?;
            }
            let leaves = entry.kind == EntryKind::Resign && entry.via == Channel::Clock;
            let mut by_event = leaves;
            if entry.kind == EntryKind::Forfeit {
                let seat = entry.seat.context("a forfeit has no seat")?;
                let reminder = self.letters.reminder(number, entry.entry.previous());
                match model.clock.check_forfeit(&self.days, seen, &board, seat, reminder) {
                    Err(_) if board.event.is_some() => by_event = true,
                    checked => checked?,
                }
            }
            if let (EntryKind::Move, Some(seat)) = (entry.kind, entry.seat) {
                // The server answers a later message with this move as already done, even if the move was played by a
                // prepared reply or a confirmation.
                let player = seen.index(board.players[seat.index()].id)?;
                self.carried_out.insert(command_of(player, number, &Meant::Move(entry.text.clone())));
            }
            model.clock.entry(&self.days, seen, &board, model.play.to_move().filter(|_| model.end.is_none()))?;
            model.follow(entry)?;
            if let Some(winner) = model.result(Some(entry)).filter(|_| !is_annulled) {
                let on_time = entry.kind == EntryKind::Forfeit;
                let step = self.step;
                model.end = Some(End { at: seen.now, step, winner, on_time, by_event });
                model.step = step;
            }
            check_notified(seen, &board, entry, new)?;
        }
        let ended = board.result.is_some() || board.no_result.is_some();
        let expected = if ended || model.result(entries.last()).is_some() { None } else { model.play.to_move() };
        ensure!(board.to_move == expected, "board {number} awaits a move of {:?}, not of {expected:?}", board.to_move);
        if let Some(result) = &board.result {
            ensure!(
                model.result(entries.last()) == Some(result.winner),
                "board {number} has the wrong result: {result:?}"
            );
        }
        if let Some(difference) = check_board(seen.tx, &board)?.first() {
            bail!("the check of board {number} finds: {difference}");
        }
        if board.no_result.is_some() && model.board.no_result.is_none() && model.annulled_at.is_none() {
            // An expired board was removed by the clock and not by a message, so the messages of this step are ignored.
            let claims: &[Claim] = if board.no_result == Some(NoResult::Expired) { &[] } else { claims };
            let removed = removed(model, &self.days, &self.letters, seen, &board, claims);
            match &board.event {
                Some(event) => {
                    model.end = Some(lost(seen, event, &board, (self.step, removed.is_err()))?);
                    model.step = self.step;
                }
                None => removed?,
            }
        }
        if ended && model.ended_at.is_none() {
            model.ended_at = Some(seen.now);
        }
        model.clock.compare(&self.days, seen, &board)?;
        model.board = board;
        Ok(())
    }
}

/// Checks that an authorized player requested or prepared an entry, or that it is due to the clock.
fn allowed(
    model: &BoardModel,
    seen: Seen<'_>,
    board: &Board,
    entry: &Entry,
    claims: &mut [Claim],
) -> anyhow::Result<()> {
    let place = format!("entry {} of board {} ({:?} {})", entry.entry, board.number, entry.kind, entry.text);
    let seat = entry.seat.with_context(|| format!("{place} has no seat"))?;
    let player = seen.index(board.players[seat.index()].id)?;
    let prepared = &model.prepared[seat.index()];
    match entry.via {
        Channel::Mail => {
            let asks = |claim: &Claim| {
                let intent = &claim.intent;
                let here = intent.player == player && intent.board == board.number && !claim.used;
                match (entry.kind, &intent.meant) {
                    (EntryKind::Resign, Meant::Leave) => intent.player == player,
                    (EntryKind::Move, Meant::Move(text)) => here && *text == entry.text,
                    // A move queued during the player's turn is played immediately.
                    (EntryKind::Move, Meant::Prepare(texts)) => here && texts.contains(&entry.text),
                    (EntryKind::Move, Meant::Confirm) => here && prepared.contains(&entry.text),
                    (EntryKind::Resign, Meant::Resign) | (EntryKind::Undo | EntryKind::Draw, Meant::Accept) => here,
                    _ => false,
                }
            };
            // If one message prepares a move and another message plays it, the entry is attributed to the second one.
            let prepares = |claim: &Claim| matches!(claim.intent.meant, Meant::Prepare(_));
            let claim = claims.iter_mut().filter(|claim| asks(claim)).min_by_key(|claim| prepares(claim));
            let claim = claim.with_context(|| format!("no permitted player requested {place}"))?;
            claim.used = true;
            let stale = claim.intent.token_of.is_some_and(|of| of != entry.entry.previous());
            ensure!(!stale, "{place} was requested with the token of an old letter: {:?}", claim.intent);
        }
        Channel::Plan => {
            let text = if entry.kind == EntryKind::Resign { "resign" } else { &entry.text };
            ensure!(prepared.iter().any(|prepared| prepared == text), "no player has prepared {place}");
        }
        Channel::Clock => {
            // In an event, the clock also creates resignations of players who have left.
            let leaves = entry.kind == EntryKind::Resign && board.event.is_some();
            ensure!(leaves || entry.kind == EntryKind::Forfeit, "the clock created {place}, which is not a forfeit");
        }
        other => bail!("{place} has the wrong channel {other:?}"),
    }
    Ok(())
}

/// Checks that the opponent is notified of an entry. If the clock created the entry, both players must be notified.
fn check_notified(seen: Seen<'_>, board: &Board, entry: &Entry, new: &[NewNotice]) -> anyhow::Result<()> {
    for seat in Seat::BOTH {
        if entry.seat == Some(seat) && entry.via != Channel::Clock {
            continue;
        }
        let player = board.players[seat.index()].id;
        let has = new.iter().any(|notice| {
            notice.player == Some(player) && notice.board == Some(board.number) && notice.entry >= Some(entry.entry)
        });
        let left = seen.tx.player_by_id(player)?.is_none_or(|player| player.left_at.is_some());
        let userid = &board.players[seat.index()].userid;
        ensure!(has || left, "{userid} is not notified of entry {} of board {}", entry.entry, board.number);
    }
    Ok(())
}

/// Returns the end of an event's board that was removed from play. The event counts it as a loss of one player.
fn lost(seen: Seen<'_>, event: &EditionRef, board: &Board, (step, by_event): (u64, bool)) -> anyhow::Result<End> {
    let id = seen.tx.event(&event.name)?.context("the event of a board does not exist")?.id;
    let boards = seen.tx.event_boards(id, event.edition)?;
    let row = boards.iter().find(|row| row.number == board.number).context("a board is missing from its event")?;
    let loser = Seat::BOTH.into_iter().find(|seat| row.declined_by == Some(row.players[seat.index()].id));
    let loser = loser.with_context(|| format!("board {} was removed without a loser", board.number))?;
    let on_time = board.no_result == Some(NoResult::Expired);
    Ok(End { at: seen.now, step, winner: Some(loser.other()), on_time, by_event })
}

/// Returns whether a notice says that a board was removed because a player did not make their first move.
fn has_lapsed(new: &[NewNotice], board: BoardNumber) -> bool {
    new.iter().any(|notice| notice.board == Some(board) && notice.kind == "lapse")
}

/// Returns the end of an event's board that was removed and then annulled in the same step. The player to move lost it
/// before it was annulled.
fn lapsed(
    model: &BoardModel,
    days: &[Days],
    letters: &Letters,
    seen: Seen<'_>,
    board: &Board,
    step: u64,
) -> anyhow::Result<End> {
    let loser = model.play.to_move().context("an ended board was removed")?;
    let by_event = removed(model, days, letters, seen, board, &[]).is_err();
    Ok(End { at: seen.now, step, winner: Some(loser.other()), on_time: true, by_event })
}

/// Checks the reason for a removal: a player declined the board or left, or the player to move ran out of time.
fn removed(
    model: &BoardModel,
    days: &[Days],
    letters: &Letters,
    seen: Seen<'_>,
    board: &Board,
    claims: &[Claim],
) -> anyhow::Result<()> {
    let asked = claims.iter().any(|claim| {
        let player = seen.players[claim.intent.player].id;
        let here = board.players.iter().any(|seated| seated.id == player);
        here && match claim.intent.meant {
            Meant::Leave => true,
            Meant::Resign => claim.intent.board == board.number,
            _ => false,
        }
    });
    if asked {
        return Ok(());
    }
    let seat = model.play.to_move().context("an ended board was removed")?;
    let reminder = letters.reminder(board.number, board.entries);
    let before = Board { seats: model.board.seats.clone(), ..board.clone() };
    model.clock.check_forfeit(days, seen, &before, seat, reminder)
}
