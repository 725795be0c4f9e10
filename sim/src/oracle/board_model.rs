//! The model of a board.

use anyhow::{Context, ensure};
use chrono::{DateTime, Utc};

use super::clock_model::ClockModel;
use turnpost::numbers::EntryNumber;
use turnpost::rules::{Options, Play, Seat, catalogue};
use turnpost::store::{Board, Entry, EntryKind};

pub(crate) struct BoardModel {
    /// The board in the database at the last check.
    pub(crate) board: Board,
    pub(crate) play: Box<dyn Play>,
    /// The moves on the board, without moves that were undone.
    standing: Vec<String>,
    /// The moves that each seat's player has ever prepared or submitted.
    pub(crate) prepared: [Vec<String>; 2],
    pub(crate) clock: ClockModel,
    pub(crate) began_at: DateTime<Utc>,
    pub(crate) ended_at: Option<DateTime<Utc>>,
    /// How the game ended, even if an event annulled it later.
    pub(crate) end: Option<End>,
    /// The time at which an event annulled the game.
    pub(crate) annulled_at: Option<DateTime<Utc>>,
    /// The number of the last step in which the board began, ended or was annulled.
    pub(crate) step: u64,
}

/// How a game ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) at: DateTime<Utc>,
    /// The number of the step in which the game ended.
    pub(crate) step: u64,
    /// `None` for a draw.
    pub(crate) winner: Option<Seat>,
    /// Whether the loser lost on time.
    pub(crate) on_time: bool,
    /// Whether an event ended the board before the clock did.
    pub(crate) by_event: bool,
}

impl BoardModel {
    pub(crate) fn new(board: Board, (now, step): (DateTime<Utc>, u64), exact: bool) -> anyhow::Result<BoardModel> {
        let play = start(&board)?;
        let clock = ClockModel::new(&board, now, exact);
        let board = Board { entries: EntryNumber::START, to_move: play.to_move(), ..board };
        let (standing, prepared) = (Vec::new(), [Vec::new(), Vec::new()]);
        Ok(BoardModel {
            board,
            play,
            standing,
            prepared,
            clock,
            began_at: now,
            ended_at: None,
            end: None,
            annulled_at: None,
            step,
        })
    }

    /// Stops comparing the modelled clock with the stored clock.
    pub(crate) fn forget_clock(&mut self) {
        self.clock.exact = false;
    }

    /// Applies an entry to the model according to the rules of the game.
    pub(crate) fn follow(&mut self, entry: &Entry) -> anyhow::Result<()> {
        let number = self.board.number;
        match entry.kind {
            EntryKind::Move => {
                let turn = self.play.to_move();
                ensure!(entry.seat == turn, "entry {} of board {number} is out of turn", entry.entry);
                let played = self.play.play(&entry.text);
                let played = played.map_err(|refusal| anyhow::anyhow!("board {number}: {} {refusal:?}", entry.text))?;
                ensure!(played.text == entry.text, "board {number}: {} is not canonical", entry.text);
                self.standing.push(entry.text.clone());
            }
            EntryKind::Undo => {
                self.standing.truncate(entry.ply.0 as usize);
                self.play = start(&self.board)?;
                for text in &self.standing {
                    self.play.play(text).map_err(|refusal| anyhow::anyhow!("board {number}: {text} {refusal:?}"))?;
                }
            }
            _ => {}
        }
        ensure!(entry.ply.0 as usize == self.standing.len(), "board {number}: ply {} has the wrong number", entry.ply);
        Ok(())
    }

    /// Returns the result according to the rules and the last entry of the record: the winner, `Some(None)` for a draw,
    /// and `None` if the game has not ended.
    pub(crate) fn result(&self, last: Option<&Entry>) -> Option<Option<Seat>> {
        match last.map(|entry| (entry.kind, entry.seat)) {
            Some((EntryKind::Resign | EntryKind::Forfeit, seat)) => Some(seat.map(Seat::other)),
            Some((EntryKind::Draw, _)) => Some(None),
            _ => self.play.outcome().map(|outcome| outcome.winner),
        }
    }
}

fn start(board: &Board) -> anyhow::Result<Box<dyn Play>> {
    let game = catalogue::find(&board.game).context("the game of a board is unknown")?;
    game.start(&Options::from_canonical(&board.options)).map_err(|refusal| anyhow::anyhow!("{refusal:?}"))
}
