//! Programs of others as computer players: each move is asked of a process of its own, by the Universal Game Interface.
//!
//! A program is bounded in time, in memory and in what it writes. What it does wrong changes nothing on the board: it is
//! tried again, later each time, and in the end the clock decides.

mod failures;
mod process;

pub(super) use failures::Engines;
pub use failures::{EngineFailure, EngineFailures};
pub use process::EngineFault;

use std::time::Duration;

use crate::config::{Engine, Robots};
use crate::rules::Play;
use process::Process;

/// How long a program may take to say that it is ready, and to stop once its time is over.
const PATIENCE: Duration = Duration::from_secs(5);

/// A board as a program is told of it.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) game: &'a str,
    /// The options of the board, in their canonical form.
    pub(super) options: &'a str,
    /// The moves that stand.
    pub(super) moves: &'a [String],
    pub(super) position: &'a dyn Play,
}

/// The longest time that a computer player, ours or a program, takes for a move.
pub(super) fn longest_decision(robots: &Robots) -> Duration {
    let programs = robots.engine.values().map(|engine| Duration::from_secs(engine.seconds) + 3 * PATIENCE);
    programs.max().unwrap_or_default().max(robots.time())
}

/// Asks a program for a move, and checks that the rules allow it.
///
/// # Errors
/// What the program did wrong.
pub(super) fn best_move(engine: &Engine, asked: Asked<'_>, stop: &dyn Fn() -> bool) -> Result<String, EngineFault> {
    let mut process = greeted(engine, asked.game, asked.options, stop)?;
    let position = match asked.moves {
        [] => "position startpos".to_owned(),
        moves => format!("position startpos moves {}", moves.join(" ")),
    };
    process.say(&position)?;
    process.say(&format!("go movetime {}", engine.seconds * 1_000))?;
    let best = process.until("bestmove", Duration::from_secs(engine.seconds) + PATIENCE, stop)?;
    let best = best.split_whitespace().next().unwrap_or_default();
    match asked.position.boxed_clone().play(best) {
        Ok(played) => Ok(played.text),
        Err(_) => Err(EngineFault::Illegal(best.chars().take(40).collect())),
    }
}

/// Starts a program for a game, and waits until it says that it is ready.
///
/// # Errors
/// What the program did wrong.
pub fn try_engine(engine: &Engine, game: &str) -> Result<(), EngineFault> {
    greeted(engine, game, "", &|| false).map(drop)
}

fn greeted(engine: &Engine, game: &str, options: &str, stop: &dyn Fn() -> bool) -> Result<Process, EngineFault> {
    let mut process = Process::start(&engine.words(game, options), engine.memory)?;
    process.say("ugi")?;
    process.until("ugiok", PATIENCE, stop)?;
    process.say("isready")?;
    process.until("readyok", PATIENCE, stop)?;
    Ok(process)
}
