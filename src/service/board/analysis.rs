//! Analyses: the computer player's evaluation of the positions of a finished board.
//!
//! An analysis is computed once for a board's record, outside of requests, and stored. It depends only on the record:
//! each position gets the same limits, and the seed is derived from the record's hash.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{BoardNumber, Ply};
use crate::player::{SearchLimits, Stop, evaluate};
use crate::rules::{Play, Seat};
use crate::service::board::replay::{ReplayedBoard, standing_moves};
use crate::store::{self, Board, Entry, StoreError, StoredAnalysis, Transaction};

/// The limits of each search, between those of the computer players `robot10` and `robot12`.
const LIMITS: SearchLimits = SearchLimits { playouts: 10_240, tactics: true, threads: 1, memory: SearchLimits::MEMORY };
/// A move is a mistake if it lowers the chance of winning by at least this many thousandths, and the computer player
/// prefers another one. A smaller loss may be random.
const MISTAKE: u16 = 100;
/// The maximum number of moves to show of an expected continuation.
const LINE: usize = 5;

/// The computer player's view of a finished board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoardAnalysis {
    /// The board's number.
    pub number: BoardNumber,
    /// The name of the game in the catalogue: `marque`.
    pub game: String,
    /// Userids: first seat, second seat.
    pub players: [String; 2],
    /// The number of current plies.
    pub plies: Ply,
    /// Whether the analysis was requested, but is not finished yet.
    pub waits: bool,
    /// Whether a letter will deliver the analysis to the requester.
    #[serde(default)]
    pub by_letter: bool,
    /// The analysis, once it is finished.
    pub analysis: Option<Analysis>,
}

/// The computer player's evaluation of a board's positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// The number of random games from each position, unless its result is proved.
    pub playouts: u32,
    /// The first seat's chance of winning, from 0 to 1: at the start, and after each ply.
    pub chances: Vec<f64>,
    /// The mistakes, in order.
    pub mistakes: Vec<Mistake>,
}

/// A move that reduced its player's chance by at least 0.1, if the computer player prefers another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mistake {
    /// The number of the ply, from 1.
    pub ply: Ply,
    /// The userid of the player who made the move.
    pub userid: String,
    /// The text of the move.
    #[serde(rename = "move")]
    pub text: String,
    /// The player's chance of winning before the move, from 0 to 1.
    pub before: f64,
    /// The player's chance of winning after the move.
    pub after: f64,
    /// The better move and its expected continuation; at most 5 moves.
    pub better: Vec<String>,
}

/// The stored form of an analysis.
#[derive(Debug, Serialize, Deserialize)]
struct Evaluations {
    playouts: u32,
    /// The evaluations of the start position, and of the position after each ply.
    positions: Vec<Evaluation>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Evaluation {
    /// The first seat's chance, in thousandths.
    chance: u16,
    /// The expected continuation, the best move first; empty at the end of a game.
    line: Vec<String>,
}

/// An analysis in progress.
pub struct AnalysisTask {
    pub(crate) board: BoardNumber,
    /// The hash of the record's last entry.
    pub(crate) head: String,
    /// The start position, and the position after each ply.
    positions: Vec<Box<dyn Play>>,
    evaluated: Vec<Evaluation>,
}

impl AnalysisTask {
    /// Creates the task of analysing a board.
    ///
    /// # Errors
    /// If the board's record cannot be replayed.
    pub fn new(board: &Board, entries: &[Entry]) -> store::Result<AnalysisTask> {
        let mut replayed = ReplayedBoard::before(board, &[])?;
        let mut positions = vec![replayed.position().boxed_clone()];
        for entry in standing_moves(entries) {
            replayed.append(entry)?;
            positions.push(replayed.position().boxed_clone());
        }
        Ok(AnalysisTask { board: board.number, head: board.head.clone(), positions, evaluated: Vec::new() })
    }

    /// Returns the number of the board being analysed.
    pub fn board(&self) -> BoardNumber {
        self.board
    }

    /// Evaluates the next position, and returns whether there was one. Discards the evaluation if `stop` returns true.
    pub fn go_on(&mut self, stop: Stop<'_>) -> bool {
        let Some(position) = self.positions.get(self.evaluated.len()) else { return false };
        // The seed is derived from the record's hash, so that every server evaluates the same game identically.
        let of_record = self.head.get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default();
        let evaluation = evaluation(&**position, of_record.wrapping_add(self.evaluated.len() as u64), stop);
        if !stop() {
            self.evaluated.push(evaluation);
        }
        true
    }

    /// Returns the stored form of the analysis of all positions.
    ///
    /// # Errors
    /// If the analysis cannot be written as JSON.
    pub(crate) fn to_json(&self) -> store::Result<String> {
        let positions = self
            .evaluated
            .iter()
            .map(|evaluation| Evaluation { chance: evaluation.chance, line: evaluation.line.clone() });
        let stored = Evaluations { playouts: LIMITS.playouts, positions: positions.collect() };
        serde_json::to_string(&stored)
            .map_err(|error| StoreError::Failed(format!("an analysis cannot be written: {error}")))
    }

    /// Returns a reader's view of the analysis.
    ///
    /// # Errors
    /// If the analysis cannot be written as JSON.
    pub fn shown(&self, board: &Board, entries: &[Entry]) -> store::Result<BoardAnalysis> {
        let analysis = read(&self.to_json()?, board, entries);
        Ok(BoardAnalysis { analysis, ..BoardAnalysis::none(board) })
    }
}

fn evaluation(position: &dyn Play, seed: u64, stop: Stop<'_>) -> Evaluation {
    let thousandths = |chance: f32, seat: Seat| {
        let chance = if seat == Seat::First { chance } else { 1.0 - chance };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 1000")]
        let thousandths = (chance.clamp(0.0, 1.0) * 1_000.0).round() as u16;
        thousandths
    };
    if let Some(outcome) = position.outcome() {
        let chance = outcome.winner.map_or(500, |winner| thousandths(1.0, winner));
        return Evaluation { chance, line: Vec::new() };
    }
    match (position.to_move(), evaluate(position, LIMITS, seed, stop)) {
        (Some(seat), Some(found)) => {
            Evaluation { chance: thousandths(found.chance, seat), line: found.line.into_iter().take(LINE).collect() }
        }
        _ => Evaluation { chance: 500, line: Vec::new() },
    }
}

impl BoardAnalysis {
    /// Returns the view of a board without an analysis.
    fn none(board: &Board) -> BoardAnalysis {
        let players = board.players.clone().map(|seated| seated.userid);
        BoardAnalysis {
            number: board.number,
            game: board.game.clone(),
            players,
            plies: board.plies,
            waits: false,
            by_letter: false,
            analysis: None,
        }
    }

    /// Returns the state of a board's analysis.
    pub(crate) fn of(tx: &Transaction<'_>, board: &Board) -> store::Result<BoardAnalysis> {
        let none = BoardAnalysis::none(board);
        let Some(stored) = fresh(tx, board)? else { return Ok(none) };
        Ok(match &stored.analysis {
            None => BoardAnalysis { waits: true, ..none },
            Some(json) => BoardAnalysis { analysis: read(json, board, &tx.entries(board.number)?), ..none },
        })
    }
}

/// Returns the stored analysis of a board's current record.
pub(crate) fn fresh(tx: &Transaction<'_>, board: &Board) -> store::Result<Option<StoredAnalysis>> {
    Ok(tx.analysis(board.number)?.filter(|stored| stored.head == board.head))
}

/// Reads a stored analysis; `None` if it is unreadable or does not match the number of moves.
fn read(json: &str, board: &Board, entries: &[Entry]) -> Option<Analysis> {
    let Evaluations { playouts, positions } = serde_json::from_str(json).ok()?;
    let moves = standing_moves(entries);
    if positions.len() != moves.len() + 1 {
        return None;
    }
    let part = |thousandths: u16| f64::from(thousandths) / 1_000.0;
    let mut mistakes = Vec::new();
    for ((pair, played), ply) in positions.windows(2).zip(&moves).zip(1..) {
        let [before, after] = pair else { continue };
        let Some(seat) = played.seat else { continue };
        let own =
            |evaluation: &Evaluation| if seat == Seat::First { evaluation.chance } else { 1_000 - evaluation.chance };
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
    Some(Analysis { playouts, chances: positions.iter().map(|evaluation| part(evaluation.chance)).collect(), mistakes })
}
