//! Plays lists of moves and returns the facts that `turnpost replay` and `turnpost perft` print.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::catalogue::Game;
use super::options::Options;
use super::outcome::Outcome;
use super::outcome::Seat;
use super::play::Play;
use super::refusal::Refusal;
use crate::text::Message;

/// The result of playing a list of moves. If a move is refused, all fields describe the position before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// The number of played plies.
    pub plies: usize,
    /// The number of legal moves before each ply, and after the last: 0 if the game has ended.
    pub legal: Vec<usize>,
    /// The pieces on the board.
    pub board: Pieces,
    /// The mark of the player to move; `None` when the game has ended.
    pub to_move: Option<char>,
    /// The winner's mark or `draw`; `None` during the game.
    pub outcome: Option<String>,
    /// How the game ended, for example `formation`.
    pub reason: Option<&'static str>,
    /// The refused move, if any.
    pub error: Option<MoveError>,
}

/// Occupied cells with their content, in board order; serialized as a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces(pub Vec<(String, String)>);

impl Serialize for Pieces {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (cell, piece) in &self.0 {
            map.serialize_entry(cell, piece)?;
        }
        map.end()
    }
}

/// A refused move of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveError {
    /// The number that the ply would have had, from 1.
    pub ply: usize,
    /// The move text as entered.
    #[serde(rename = "move")]
    pub text: String,
    /// The reason for the refusal, and the nearest valid word.
    pub message: Message,
}

/// Plays a line of moves, separated by blanks, up to its end or the first refused move.
///
/// # Errors
/// Only if the game refuses the options. A refused move is part of the replay.
///
/// ```
/// use turnpost::rules::{Options, marque::Marque, replay::replay};
///
/// let replayed = replay(&Marque, &Options::default(), "f3 F2,f1").unwrap();
/// assert_eq!((replayed.plies, replayed.to_move), (2, Some('o')));
/// assert_eq!(replayed.legal[0], 66);
/// ```
pub fn replay(game: &dyn Game, options: &Options, line: &str) -> Result<Replay, Refusal> {
    let mut play = game.start(options)?;
    let mut legal = vec![play.legal_count()];
    let mut error = None;
    for text in line.split_whitespace() {
        if let Err(refusal) = play.play(text) {
            error = Some(MoveError { ply: legal.len(), text: text.to_owned(), message: refusal.whole_message() });
            break;
        }
        legal.push(play.legal_count());
    }
    let outcome = play.outcome();
    Ok(Replay {
        plies: legal.len() - 1,
        legal,
        board: Pieces(play.pieces()),
        to_move: play.to_move().map(|seat| play.mark(seat)),
        outcome: outcome.map(|outcome| result(play.as_ref(), outcome)),
        reason: outcome.map(|outcome| outcome.reason.as_str()),
        error,
    })
}

fn result(play: &dyn Play, outcome: Outcome) -> String {
    outcome.winner.map_or_else(|| "draw".to_owned(), |seat: Seat| play.mark(seat).to_string())
}

/// Counts the sequences of `depth` plies from the start. A finished game has no continuation.
///
/// # Errors
/// Only if the game refuses the options.
pub fn perft(game: &dyn Game, options: &Options, depth: u32) -> Result<u64, Refusal> {
    Ok(game.start(options)?.perft(depth))
}
