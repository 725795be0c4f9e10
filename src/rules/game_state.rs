//! The state of a game: a position, the last move, and the number of times that each position has occurred.

use std::any::Any;

use super::notation::{Notation, WinningCell};
use super::outcome::{EndReason, Outcome, Seat};
use super::play::{Play, PlayedMove};
use super::position::{Described, MoveList, Playouts, Position};
use super::refusal::{Refusal, RefusalKind};
use super::repetition::RepetitionTable;
use super::scene::Scene;
use crate::message;
use crate::text::Message;

/// The state of a game, built from its [`Position`]. As a [`Play`], it parses and checks move texts. Programs that
/// choose among the legal moves and need many plies a second use its own methods, which check nothing.
///
/// ```
/// use turnpost::rules::{GameState, Position, marque};
///
/// let mut game = GameState::new(marque::Position::default());
/// while game.outcome().is_none() {
///     let mv = game.position().pick(|count| count / 2).unwrap();
///     game.play_unchecked(mv);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct GameState<P: Position> {
    position: P,
    outcome: Option<Outcome>,
    last: Option<P::Move>,
    repetitions: RepetitionTable<P::RepetitionKey>,
}

impl<P: Described> GameState<P> {
    /// Improves the refusal of a text that is not a move, if the player probably meant to pass or to swap, or omitted
    /// the commas between cells.
    fn explained(&self, refusal: Refusal, text: &str) -> Refusal {
        let text = text.trim();
        match refusal.kind {
            RefusalKind::NotAMove if Notation::is_pass(text) => {
                Refusal { message: message!("rules.no-pass"), nearest: None, ..refusal }
            }
            RefusalKind::NotAMove if Notation::is_swap(text) => {
                Refusal { message: message!("rules.no-swap-rule"), nearest: None, ..refusal }
            }
            RefusalKind::NotAMove => {
                let listed = Notation::listed(text).filter(|listed| self.position.parse(listed).is_ok());
                // If a cell is missing, the refused word is empty, so quote the whole text.
                let word = if refusal.word.is_empty() { text.to_owned() } else { refusal.word };
                Refusal { nearest: listed.or(refusal.nearest), word, ..refusal }
            }
            _ => refusal,
        }
    }

    /// Returns the cells with which the last move decided the game.
    fn winning_cells(&self) -> Vec<WinningCell> {
        self.winning_move().map(|last| self.position.winning_cells(last)).unwrap_or_default()
    }

    /// Returns whether a legal move ends the game, or changes more of the board than its text says.
    fn is_notable(&self, mv: P::Move) -> bool {
        let mut after = self.clone();
        after.play_unchecked(mv);
        after.outcome.is_some() || after.position.effects(&self.position, mv).go_further()
    }

    fn over(&self, outcome: Outcome, text: &str) -> Refusal {
        let message = match outcome.winner {
            Some(seat) => message!("rules.game-over-won", side = self.position.side(seat)),
            None => message!("rules.game-over-drawn"),
        };
        Refusal::new(RefusalKind::GameOver, text, message)
    }
}

impl<P: Position> GameState<P> {
    /// Creates a game that starts from this position.
    pub fn new(position: P) -> GameState<P> {
        let mut repetitions = RepetitionTable::default();
        let outcome = position.outcome().or_else(|| drawn(&mut repetitions, &position));
        GameState { position, outcome, last: None, repetitions }
    }

    /// Returns the position: the pieces and the seat to move.
    pub fn position(&self) -> &P {
        &self.position
    }

    /// Returns the outcome if the game has ended.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Plays a move without checking it.
    ///
    /// The conditions of [`Position::play_unchecked`] apply: the game has not ended, and the move is one of the
    /// position's [`legal`](Position::legal) moves.
    pub fn play_unchecked(&mut self, mv: P::Move) {
        self.position.play_unchecked(mv);
        self.last = Some(mv);
        self.outcome = self.position.outcome().or_else(|| drawn(&mut self.repetitions, &self.position));
    }

    /// Returns the last move if it ended the game with a winner, who may be the opponent.
    fn winning_move(&self) -> Option<P::Move> {
        self.last.filter(|_| self.outcome.is_some_and(|outcome| outcome.winner.is_some()))
    }
}

impl<P: Described> Play for GameState<P> {
    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then(|| self.position.to_move())
    }

    fn legal_moves(&self) -> Vec<String> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        self.position.legal().map(|mv| self.position.text(mv)).collect()
    }

    fn move_list(&self) -> MoveList {
        match self.position.sets().filter(|_| self.outcome.is_none()) {
            Some(sets) => MoveList::Sets(sets),
            None => MoveList::Texts(self.legal_moves()),
        }
    }

    fn legal_count(&self) -> usize {
        if self.outcome.is_some() { 0 } else { self.position.legal_count() }
    }

    fn example(&self) -> Option<String> {
        if self.outcome.is_some() {
            return None;
        }
        let moves: Vec<P::Move> = match self.position.sets() {
            Some(sets) => sets.cells.iter().filter_map(|cell| self.position.parse(cell).ok()).collect(),
            None => self.position.legal().collect(),
        };
        // Start in the middle of the list, because the first moves are in a corner of the board.
        let (before, after) = moves.split_at(moves.len() / 2);
        let plain = after.iter().chain(before).find(|mv| !self.is_notable(**mv));
        plain.or(after.first()).map(|mv| self.position.text(*mv))
    }

    fn perft(&self, depth: u32) -> u64 {
        if depth > 0 && self.outcome.is_some() {
            return 0;
        }
        leaves(&self.position, &mut self.repetitions.clone(), depth)
    }

    fn play(&mut self, text: &str) -> Result<PlayedMove, Refusal> {
        if let Some(outcome) = self.outcome {
            return Err(self.over(outcome, text));
        }
        let mv = self.position.parse(text).map_err(|refusal| self.explained(refusal, text))?;
        self.position.check(mv)?;
        let before = self.position.clone();
        self.play_unchecked(mv);
        let seat = before.to_move();
        let mut effects = self.position.effects(&before, mv);
        effects.passed_over = self.to_move() == Some(seat);
        effects.winning_cells = self.winning_cells();
        Ok(PlayedMove { seat, text: before.text(mv), effects })
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn achievement(&self) -> Option<Message> {
        self.winning_move().and_then(|last| self.position.achievement(last))
    }

    fn failure(&self) -> Option<Message> {
        let last = self.winning_move()?;
        match self.outcome?.reason {
            EndReason::NO_MOVES => Some(message!("rules.no-legal-move")),
            _ => self.position.mistake(last),
        }
    }

    fn mark(&self, seat: Seat) -> char {
        self.position.side(seat).mark
    }

    fn side(&self, seat: Seat) -> Message {
        self.position.side(seat).name()
    }

    fn aim(&self) -> Message {
        self.position.aim()
    }

    fn pieces(&self) -> Vec<(String, String)> {
        let mut pieces: Vec<(String, String)> = Vec::new();
        for cell in self.scene().cells {
            let Some(piece) = cell.piece else { continue };
            // Cells with the same name form a stack, listed from the bottom.
            match pieces.iter_mut().find(|(name, _)| *name == cell.name) {
                Some((_, stack)) => stack.push(piece),
                None => pieces.push((cell.name, piece.to_string())),
            }
        }
        pieces
    }

    fn playouts(&self) -> Playouts {
        P::PLAYOUTS
    }

    fn scene(&self) -> Scene {
        Scene { winning: self.winning_cells(), ..self.position.scene(self.last) }
    }

    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Counts an occurrence of a position. Returns a draw at the third occurrence.
fn drawn<P: Position>(repetitions: &mut RepetitionTable<P::RepetitionKey>, position: &P) -> Option<Outcome> {
    let times = repetitions.enter(position.repetition_key()?);
    (times == 3).then_some(Outcome { winner: None, reason: EndReason::REPETITION })
}

/// Counts the sequences of `depth` plies from a position whose game has not ended.
fn leaves<P: Position>(position: &P, repetitions: &mut RepetitionTable<P::RepetitionKey>, depth: u32) -> u64 {
    match depth {
        0 => 1,
        // Count the moves of the last ply without playing them.
        1 => position.legal_count() as u64,
        _ => position
            .legal()
            .map(|mv| {
                let mut next = position.clone();
                next.play_unchecked(mv);
                if next.outcome().is_some() {
                    return 0;
                }
                let over = drawn(repetitions, &next).is_some();
                let below = if over { 0 } else { leaves(&next, repetitions, depth - 1) };
                if let Some(key) = next.repetition_key() {
                    repetitions.leave(key);
                }
                below
            })
            .sum(),
    }
}
