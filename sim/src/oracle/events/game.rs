//! A game of an edition, as its players see it.

use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};

use crate::oracle::board_model::{BoardModel, End};
use crate::oracle::seen::Seen;
use turnpost::clock::Span;
use turnpost::numbers::BoardNumber;
use turnpost::store::{NoResult, ResultReason};

#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) number: BoardNumber,
    /// The players; the first one moves first.
    pub(crate) players: [usize; 2],
    pub(crate) created_at: DateTime<Utc>,
    /// The total extra time that players got after standstills.
    pub(crate) given: TimeDelta,
    /// The number of moves.
    pub(crate) moves: usize,
    /// Whether the game was removed from play, except by agreement of the players.
    pub(crate) removed: bool,
    /// The player who resigned the game.
    pub(crate) resigned_by: Option<usize>,
    /// The last step in which the game began, ended or was annulled.
    pub(crate) step: u64,
    /// The end of the game, even if the game was annulled later.
    pub(crate) end: Option<End>,
    pub(crate) annulled_at: Option<DateTime<Utc>>,
    /// The seconds that each player has used.
    pub(crate) used: [i64; 2],
}

/// The outcome of a game that was not annulled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// This player has won.
    Won(usize),
    /// The game was drawn.
    Drawn,
}

impl Game {
    pub(crate) fn read(model: &BoardModel, seen: Seen<'_>) -> anyhow::Result<Game> {
        let of = |seat: usize| seen.index(model.board.players[seat].id).context("cannot find a player of an event");
        let players = [of(0)?, of(1)?];
        let resigned = model.board.result.as_ref().filter(|result| result.reason == ResultReason::Resignation);
        let winner = resigned.and_then(|result| result.winner);
        Ok(Game {
            number: model.board.number,
            players,
            moves: model.board.plies.0 as usize,
            removed: model.board.no_result.is_some_and(|why| why != NoResult::Abandoned),
            resigned_by: winner.map(|winner| players[winner.other().index()]),
            created_at: model.board.created_at,
            given: model.clock.given,
            step: model.step,
            end: model.end,
            annulled_at: model.annulled_at,
            used: [0, 1].map(|seat| model.board.seats[seat].used.num_seconds()),
        })
    }

    /// Returns the time at which the game must end at the latest. It is `longest` after the beginning, plus standstills
    /// and extra time.
    pub(crate) fn latest_end(&self, longest: TimeDelta, standstills: &[Span]) -> DateTime<Utc> {
        let mut end = self.created_at + longest + self.given;
        for span in standstills.iter().filter(|span| span.until > self.created_at) {
            if span.from < end {
                end += span.until - span.from.max(self.created_at);
            }
        }
        end
    }

    /// Returns whether the game has ended in any way.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some() || self.annulled_at.is_some()
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let end = self.end.filter(|_| self.annulled_at.is_none())?;
        Some(end.winner.map_or(Outcome::Drawn, |seat| Outcome::Won(self.players[seat.index()])))
    }

    /// Returns the opponent of a player; `None` if the player is not in this game.
    pub(crate) fn opponent(&self, player: usize) -> Option<usize> {
        let seat = self.players.iter().position(|of| *of == player)?;
        Some(self.players[1 - seat])
    }

    /// Returns a player's score in half points: 2 for a win and 1 for a draw. Returns `None` unless the game has ended
    /// and was not annulled.
    pub(crate) fn half_points(&self, player: usize) -> Option<u32> {
        self.opponent(player)?;
        Some(match self.outcome()? {
            Outcome::Won(winner) if winner == player => 2,
            Outcome::Won(_) => 0,
            Outcome::Drawn => 1,
        })
    }

    /// Returns whether a player has scored in the game. A game in which nobody moved, and which was decided only by a
    /// missing first move, does not count.
    pub(crate) fn gives_title(&self, player: usize) -> bool {
        (self.moves > 0 || !self.removed) && self.half_points(player).is_some_and(|points| points > 0)
    }

    /// Returns whether a player has made a move, or resigned.
    pub(crate) fn was_played_by(&self, player: usize) -> bool {
        self.players.iter().position(|of| *of == player).is_some_and(|seat| self.moves > seat)
            || self.resigned_by == Some(player)
    }

    /// Returns whether a player has lost the game on time.
    pub(crate) fn was_lost_on_time_by(&self, player: usize) -> bool {
        self.end.is_some_and(|end| end.on_time) && self.half_points(player) == Some(0)
    }
}
