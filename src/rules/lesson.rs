//! Lessons and puzzles: a position to solve with one move, and the evaluation of a move.
//!
//! A position is given by the moves that lead to it, so every position of a lesson is possible in the game.

use std::ops::RangeInclusive;

use serde::Deserialize;

use super::catalogue::Game;
use super::options::Options;
use super::play::{Play, PlayedMove};
use super::refusal::Refusal;
use super::scene::Caption;
use crate::message;
use crate::text::Message;

/// The moves that lead to a position from the start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// The options of the board, as canonical text.
    pub options: String,
    /// The moves, separated by blanks.
    pub moves: String,
}

impl Setup {
    /// Plays the moves. Returns the position and the last move.
    ///
    /// # Errors
    /// If the rules do not accept an option or a move.
    pub fn play(&self, game: &dyn Game) -> Result<(Box<dyn Play>, Option<PlayedMove>), Refusal> {
        let mut play = game.start(&Options::from_canonical(&self.options))?;
        let mut last = None;
        for text in self.moves.split_whitespace() {
            last = Some(play.play(text)?);
        }
        Ok((play, last))
    }
}

/// The goal of a move.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// The move wins.
    Win,
    /// The move captures at least this many pieces.
    Capture(usize),
    /// After the move, the player holds all of these cells.
    Hold(Vec<String>),
    /// After the move, the player holds the base with this letter.
    Occupy(String),
    /// The moved piece lies on this level or higher.
    Level(usize),
    /// After the move, the opponent cannot win immediately.
    StopWin,
    /// After the move, the opponent cannot capture a piece immediately.
    StopCapture,
}

/// A legal move that a player tried.
pub struct Attempt {
    /// The move.
    pub played: PlayedMove,
    /// The position after the move, and after the reply if there is one.
    pub after: Box<dyn Play>,
    /// The reply that shows why the move fails.
    pub reply: Option<PlayedMove>,
    /// Why the move fails. `None` if it solves the lesson.
    pub failure: Option<Message>,
}

/// Plays a move and evaluates it.
///
/// # Errors
/// If the rules do not accept the move.
pub fn attempt(position: &dyn Play, goal: &Goal, text: &str) -> Result<Attempt, Refusal> {
    let mut after = position.boxed_clone();
    let played = after.play(text)?;
    let mut attempt = Attempt { played, after, reply: None, failure: None };
    match goal {
        Goal::Win => attempt.must_win(),
        Goal::Capture(least) => attempt.must_capture(*least),
        Goal::Hold(cells) => attempt.must_hold(cells),
        Goal::Occupy(letter) => attempt.must_occupy(letter),
        Goal::Level(least) => attempt.must_reach(*least),
        Goal::StopWin => {
            attempt.must_stop(|after, reply| after.outcome().is_some_and(|outcome| outcome.winner == Some(reply.seat)));
        }
        Goal::StopCapture => attempt.must_stop(|_, reply| !reply.effects.captured.is_empty()),
    }
    Ok(attempt)
}

impl Attempt {
    fn must_win(&mut self) {
        let seat = self.played.seat;
        if self.after.outcome().is_none_or(|outcome| outcome.winner != Some(seat)) {
            let reply = winning_moves(&*self.after).next().unwrap_or_default();
            self.failure = Some(message!("lesson.no-win", text = &self.played.text, reply));
        }
    }

    fn must_capture(&mut self, least: usize) {
        let captured = self.played.effects.captured.len();
        if captured < least {
            let text = &self.played.text;
            self.failure = Some(message!("lesson.too-few-captures", text, captured, least));
        }
    }

    fn must_hold(&mut self, cells: &[String]) {
        let mark = self.after.mark(self.played.seat).to_string();
        let pieces = self.after.pieces();
        let held = |cell: &&String| pieces.iter().any(|(name, piece)| name == *cell && *piece == mark);
        let missing: Vec<String> = cells.iter().filter(|cell| !held(cell)).cloned().collect();
        if !missing.is_empty() {
            self.failure = Some(message!("lesson.not-held", text = &self.played.text, missing));
        }
    }

    fn must_occupy(&mut self, letter: &str) {
        let mark = self.after.mark(self.played.seat);
        let is_held = |caption: &Caption| caption.text.words() == Some(letter) && caption.holder == Some(mark);
        if !self.after.scene().captions.iter().any(is_held) {
            self.failure = Some(message!("lesson.not-occupied", text = &self.played.text, letter));
        }
    }

    fn must_reach(&mut self, least: usize) {
        let level = self.played.effects.level.unwrap_or(1);
        if level < least {
            self.failure = Some(message!("lesson.too-low", text = &self.played.text, level, least));
        }
    }

    /// Fails the attempt if a legal reply does what the move had to prevent, and plays that reply.
    fn must_stop(&mut self, does: impl Fn(&dyn Play, &PlayedMove) -> bool) {
        let seat = self.played.seat;
        for text in self.after.legal_moves() {
            let mut next = self.after.boxed_clone();
            let Ok(reply) = next.play(&text) else { continue };
            if reply.seat == seat || !does(&*next, &reply) {
                continue;
            }
            let (played, captured) = (&self.played.text, reply.effects.captured.clone());
            let wins = next.outcome().is_some();
            self.failure = Some(message!("lesson.reply", text = played, reply = &reply.text, captured, wins));
            (self.after, self.reply) = (next, Some(reply));
            return;
        }
    }
}

/// The numbers of legal moves with which a position can be a puzzle. With fewer, the puzzle would be too easy; with
/// more, finding its solution would take seconds.
const MOVES: RangeInclusive<usize> = 5..=3_000;

/// Returns the only legal move with which the player to move wins immediately. `None` if no move or several moves win,
/// or if the position has too few or too many legal moves.
pub fn only_win(position: &dyn Play) -> Option<String> {
    if !MOVES.contains(&position.legal_count()) {
        return None;
    }
    let mut winning = winning_moves(position);
    let first = winning.next()?;
    winning.next().is_none().then_some(first)
}

/// Iterates over the legal moves with which the player to move wins immediately.
pub(crate) fn winning_moves(position: &dyn Play) -> impl Iterator<Item = String> {
    let to_move = position.to_move();
    position.legal_moves().into_iter().filter(move |text| {
        let mut after = position.boxed_clone();
        let wins = after.play(text).is_ok() && after.outcome().is_some_and(|outcome| outcome.winner == to_move);
        wins && to_move.is_some()
    })
}
