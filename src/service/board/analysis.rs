//! Analyses: what the computer player thinks of the positions of a finished board.
//!
//! An analysis is made once for a board's record, off the way of every request, and kept. It follows from the record alone:
//! each position is thought about equally long, with a seed that is made of the record's hash.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, Ply};
use crate::player::{Effort, Stop, judge};
use crate::rules::{Play, Seat, catalogue};
use crate::service::board::replay::{ReplayedBoard, standing_moves};
use crate::store::{self, Board, Entry, StoreError, StoredAnalysis, Transaction};

/// How hard each position is thought about: about as hard as the eighth computer player thinks.
const EFFORT: Effort = Effort { playouts: 10_240, tactics: true, threads: 1, memory: Effort::MEMORY };
/// A move by which so many thousandths of the chance are lost, or more, is a mistake if the computer player would have made
/// another one. A smaller drop may be chance.
const MISTAKE: u16 = 100;
/// How many moves of an expected line are told.
const LINE: usize = 5;

/// A finished board as the computer player sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoardAnalysis {
    /// The board's number.
    pub number: BoardNumber,
    /// Title of the game.
    pub game: String,
    /// Userids: first seat, second seat.
    pub players: [String; 2],
    /// How many moves stand.
    pub plies: Ply,
    /// Whether it was asked for, and is not made yet.
    pub waits: bool,
    /// Whether a letter brings it to the asker.
    #[serde(default)]
    pub by_letter: bool,
    /// The analysis, once it is made.
    pub analysis: Option<Analysis>,
}

/// What the computer player thinks of the positions of a board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// How many games it played out from each position, where the end was not in sight.
    pub playouts: u32,
    /// The chance of winning of the player of the first seat, from 0 to 1: at the start, and after each ply.
    pub chances: Vec<f64>,
    /// The moves that were mistakes, in order.
    pub mistakes: Vec<Mistake>,
}

/// A move after which the chance of whoever made it was at least 0.1 smaller than before, where the computer player would
/// have made another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mistake {
    /// Its ply, from 1.
    pub ply: Ply,
    /// The userid of the player who made it.
    pub userid: String,
    /// The move.
    #[serde(rename = "move")]
    pub text: String,
    /// The player's chance of winning before it, from 0 to 1.
    pub before: f64,
    /// The player's chance of winning after it.
    pub after: f64,
    /// The better move, and what is expected to follow it; at most 5 moves.
    pub better: Vec<String>,
}

/// An analysis as it is stored.
#[derive(Debug, Serialize, Deserialize)]
struct Judgement {
    playouts: u32,
    /// Of the start, and of the position after each ply.
    positions: Vec<Judged>,
}

/// What is thought of one position.
#[derive(Debug, Serialize, Deserialize)]
struct Judged {
    /// The chance of the player of the first seat, in thousandths.
    chance: u16,
    /// What is expected to follow, the best move first; empty at the end of a game.
    line: Vec<String>,
}

/// An analysis that is being made.
pub struct AnalysisTask {
    pub(in crate::service) board: BoardNumber,
    /// The hash of the record's last entry.
    pub(in crate::service) head: String,
    /// From the start on.
    positions: Vec<Box<dyn Play>>,
    judged: Vec<Judged>,
}

impl AnalysisTask {
    /// The task of analysing a board.
    ///
    /// # Errors
    /// The board does not replay.
    pub fn new(board: &Board, entries: &[Entry]) -> store::Result<AnalysisTask> {
        let mut replayed = ReplayedBoard::before(board, &[])?;
        let mut positions = vec![replayed.position().boxed_clone()];
        for entry in standing_moves(entries) {
            replayed.append(entry)?;
            positions.push(replayed.position().boxed_clone());
        }
        Ok(AnalysisTask { board: board.number, head: board.head.clone(), positions, judged: Vec::new() })
    }

    /// The board that is analysed.
    pub fn board(&self) -> BoardNumber {
        self.board
    }

    /// Thinks about the next position; tells whether there was one. What is thought after `stop` has said so counts for
    /// nothing.
    pub fn go_on(&mut self, stop: Stop<'_>) -> bool {
        let Some(position) = self.positions.get(self.judged.len()) else { return false };
        // The record's hash: the same game is judged alike everywhere.
        let of_record = self.head.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
        let judged = judged(&**position, of_record.wrapping_add(self.judged.len() as u64), stop);
        if !stop() {
            self.judged.push(judged);
        }
        true
    }

    /// The analysis as it is stored, of all positions.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub(in crate::service) fn to_json(&self) -> store::Result<String> {
        let positions = self.judged.iter().map(|judged| Judged { chance: judged.chance, line: judged.line.clone() });
        let judgement = Judgement { playouts: EFFORT.playouts, positions: positions.collect() };
        serde_json::to_string(&judgement)
            .map_err(|error| StoreError::Failed(format!("an analysis cannot be written: {error}")))
    }

    /// The analysis of the board as a reader sees it.
    ///
    /// # Errors
    /// It cannot be read again.
    pub fn shown(&self, board: &Board, entries: &[Entry]) -> store::Result<BoardAnalysis> {
        let analysis = read(&self.to_json()?, board, entries);
        Ok(BoardAnalysis { analysis, ..BoardAnalysis::none(board) })
    }
}

/// What is thought of a position.
fn judged(position: &dyn Play, seed: u64, stop: Stop<'_>) -> Judged {
    let thousandths = |chance: f32, seat: Seat| {
        let chance = if seat == Seat::First { chance } else { 1.0 - chance };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 1000")]
        let thousandths = (chance.clamp(0.0, 1.0) * 1_000.0).round() as u16;
        thousandths
    };
    if let Some(outcome) = position.outcome() {
        let chance = outcome.winner.map_or(500, |winner| thousandths(1.0, winner));
        return Judged { chance, line: Vec::new() };
    }
    match (position.to_move(), judge(position, EFFORT, seed, stop)) {
        (Some(seat), Some(thought)) => {
            Judged { chance: thousandths(thought.chance, seat), line: thought.line.into_iter().take(LINE).collect() }
        }
        _ => Judged { chance: 500, line: Vec::new() },
    }
}

impl BoardAnalysis {
    /// A board that was never analysed.
    fn none(board: &Board) -> BoardAnalysis {
        let title = catalogue::find(&board.game).map_or(board.game.clone(), |game| game.title().to_owned());
        let players = board.players.clone().map(|seated| seated.userid);
        BoardAnalysis {
            number: board.number,
            game: title,
            players,
            plies: board.plies,
            waits: false,
            by_letter: false,
            analysis: None,
        }
    }

    /// What is known of a board.
    pub(in crate::service) fn of(tx: &Transaction<'_>, board: &Board) -> store::Result<BoardAnalysis> {
        let none = BoardAnalysis::none(board);
        let Some(stored) = fresh(tx, board)? else { return Ok(none) };
        Ok(match &stored.analysis {
            None => BoardAnalysis { waits: true, ..none },
            Some(json) => BoardAnalysis { analysis: read(json, board, &tx.entries(board.number)?), ..none },
        })
    }
}

/// What is stored of a board's record as it is now.
pub(in crate::service) fn fresh(tx: &Transaction<'_>, board: &Board) -> store::Result<Option<StoredAnalysis>> {
    Ok(tx.analysis(board.number)?.filter(|stored| stored.head == board.head))
}

/// A stored analysis; none when it is not one of this version's.
fn read(json: &str, board: &Board, entries: &[Entry]) -> Option<Analysis> {
    let Judgement { playouts, positions } = serde_json::from_str(json).ok()?;
    let moves = standing_moves(entries);
    if positions.len() != moves.len() + 1 {
        return None;
    }
    let part = |thousandths: u16| f64::from(thousandths) / 1_000.0;
    let mut mistakes = Vec::new();
    for ((pair, played), ply) in positions.windows(2).zip(&moves).zip(1..) {
        let [before, after] = pair else { continue };
        let Some(seat) = played.seat else { continue };
        let own = |judged: &Judged| if seat == Seat::First { judged.chance } else { 1_000 - judged.chance };
        let other = before.line.first().is_some_and(|best| *best != played.text);
        if other && own(before).saturating_sub(own(after)) >= MISTAKE {
            mistakes.push(Mistake {
                ply: Ply(ply),
                userid: board.players[seat.index()].userid.clone(),
                text: played.text.clone(),
                before: part(own(before)),
                after: part(own(after)),
                better: before.line.clone(),
            });
        }
    }
    Some(Analysis { playouts, chances: positions.iter().map(|judged| part(judged.chance)).collect(), mistakes })
}
