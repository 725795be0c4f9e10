//! Withdraws players who leave an event or, in a league, lose two games of an edition on time. Players withdrawn for
//! losses on time, and those who lost on time without a move in the edition, do not play in the next one unless they
//! answer a letter that asks them, or join again.

use chrono::{DateTime, Utc};

use super::boards::Organizer;
use super::views::seat_of;
use crate::command::EventKind;
use crate::store::{self, Edition, EventBoard, NoResult, Participant, PlayerId, ResultReason, Withdrawal};

/// The number of losses on time after which a player is withdrawn from a league.
const MOST_LOST_ON_TIME: usize = 2;

fn lost_on_time(board: &EventBoard, player: PlayerId) -> bool {
    let by_clock = board.reason == Some(ResultReason::Time)
        && board.winner.is_some_and(|winner| seat_of(board, player) == Some(winner.other()));
    by_clock || (board.no_result == Some(NoResult::Expired) && board.declined_by == Some(player))
}

/// Returns how to withdraw a player; `None` if they have not left and, in a league, have not lost twice on time. `own`
/// lists their boards.
fn withdrawal(kind: EventKind, player: PlayerId, own: &[&EventBoard], left: bool) -> Option<Withdrawal> {
    if kind != EventKind::League {
        return left.then_some(Withdrawal::Lost);
    }
    let counted: Vec<&&EventBoard> = own.iter().filter(|board| board.no_result != Some(NoResult::Void)).collect();
    let ended = counted.iter().filter_map(|board| Some((board.ended_at?, !lost_on_time(board, player))));
    let mut ended: Vec<(DateTime<Utc>, bool)> = ended.collect();
    // If several games ended in the same second, those that the player lost on time come first.
    ended.sort_unstable();
    let lost: Vec<usize> = ended.iter().enumerate().filter(|(_, (_, other))| !other).map(|(at, _)| at).collect();
    // The number of games that ended before the loss on time that withdraws the player, or before the player left.
    let finished = lost.get(MOST_LOST_ON_TIME - 1).copied().or(left.then_some(ended.len()))?;
    let annuls = finished * 2 < counted.len() || lost.len() >= MOST_LOST_ON_TIME && lost.len() == counted.len();
    Some(if annuls { Withdrawal::Annulled } else { Withdrawal::Lost })
}

/// Returns whether a player lost on time, and neither moved nor resigned on any board of the edition.
fn has_only_been_absent(player: PlayerId, own: &[&EventBoard]) -> bool {
    let did_something = |board: &&EventBoard| {
        seat_of(board, player).is_some_and(|seat| {
            let has_moved = board.plies.0 as usize > seat.index();
            let resigned = board.reason == Some(ResultReason::Resignation) && board.winner == Some(seat.other());
            has_moved || resigned
        })
    };
    own.iter().any(|board| lost_on_time(board, player)) && !own.iter().any(did_something)
}

impl Organizer<'_, '_> {
    /// Omits the players who lost on time and made no move in an ended edition from the next editions, and asks them
    /// whether they want to play again.
    pub(crate) fn omit_absentees(&mut self, edition: &Edition) -> store::Result<()> {
        let boards = self.tx.event_boards(self.event.id, edition.number)?;
        let entrants = self.tx.entrants(self.event.id)?;
        let plays_on = |of: &Participant| {
            of.withdrawn.is_none()
                && entrants.iter().any(|entrant| entrant.player.id == of.player.id && !entrant.absent)
        };
        for of in self.tx.participants(self.event.id, edition.number)?.iter().filter(|of| plays_on(of)) {
            let player = of.player.id;
            let own: Vec<&EventBoard> = boards.iter().filter(|board| seat_of(board, player).is_some()).collect();
            if has_only_been_absent(player, &own) {
                self.tx.set_absent(self.event.id, player)?;
                self.write_absence(edition, of)?;
            }
        }
        Ok(())
    }

    /// Withdraws the players who have left the event or, in a league, lost twice on time in the edition.
    pub(crate) fn withdraw_absentees(&mut self, edition: &Edition) -> store::Result<()> {
        let entrants = self.tx.entrants(self.event.id)?;
        let (out, players): (Vec<Participant>, Vec<Participant>) =
            self.tx.participants(self.event.id, edition.number)?.into_iter().partition(|of| of.withdrawn.is_some());
        let annulled = out.iter().filter(|of| of.withdrawn == Some(Withdrawal::Annulled));
        let mut annulled: Vec<PlayerId> = annulled.map(|of| of.player.id).collect();
        let mut boards = self.tx.event_boards(self.event.id, edition.number)?;
        for mut of in players {
            let player = of.player.id;
            let is_annulled = |board: &&EventBoard| annulled.iter().any(|of| seat_of(board, *of).is_some());
            let own: Vec<&EventBoard> =
                boards.iter().filter(|board| seat_of(board, player).is_some() && !is_annulled(board)).collect();
            let left = !entrants.iter().any(|entrant| entrant.player.id == player);
            of.withdrawn = withdrawal(self.event.what.kind, player, &own, left);
            if of.withdrawn.is_none() {
                continue;
            }
            annulled.extend((of.withdrawn == Some(Withdrawal::Annulled)).then_some(player));
            self.tx.set_participant(self.event.id, edition.number, &of)?;
            self.end_games_of(&of, &own)?;
            // Mark the player even if they are only blocked: they are still signed up, and could be unblocked later.
            self.tx.set_absent(self.event.id, player)?;
            if !left {
                self.write_absence(edition, &of)?;
            }
            boards = self.tx.event_boards(self.event.id, edition.number)?;
        }
        Ok(())
    }

    fn end_games_of(&mut self, of: &Participant, boards: &[&EventBoard]) -> store::Result<()> {
        let absence = self.absence_of(of.player.id)?;
        for board in boards {
            match seat_of(board, of.player.id) {
                Some(seat) if of.withdrawn == Some(Withdrawal::Annulled) => {
                    self.annul_event_board(board, seat)?;
                }
                Some(seat) => self.lose_event_board(board, seat, absence)?,
                None => {}
            }
        }
        Ok(())
    }
}
