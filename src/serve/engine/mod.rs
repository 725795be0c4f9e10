//! External engines as computer players: each move runs a new process that speaks the Universal Game Interface.
//!
//! Limits apply to an engine's time, memory and output. A failure does not affect the board: the server retries with
//! increasing delays, and finally the player's clock decides.

mod failures;
mod process;

pub(crate) use failures::Engines;
pub use failures::{EngineFailure, EngineFailures};
pub use process::EngineFault;

use std::time::Duration;

use crate::config::{Engine, Robots};
use crate::rules::Play;
use process::Process;

/// How long an engine may take to report that it is ready, and to stop at the end of its time.
const PATIENCE: Duration = Duration::from_secs(5);

/// A position in the terms of an engine.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) game: &'a str,
    /// The options of the board, in canonical form.
    pub(crate) options: &'a str,
    /// The moves so far.
    pub(crate) moves: &'a [String],
    pub(crate) position: &'a dyn Play,
}

/// Returns the longest time for a move of any computer player, built-in or external.
pub(crate) fn longest_decision(robots: &Robots) -> Duration {
    let programs = robots.engine.values().map(|engine| Duration::from_secs(engine.seconds) + 3 * PATIENCE);
    programs.max().unwrap_or_default().max(robots.time())
}

/// Requests a move from an engine, and checks that it is legal.
///
/// # Errors
/// A failure of the engine.
pub(crate) fn best_move(engine: &Engine, asked: Asked<'_>, stop: &dyn Fn() -> bool) -> Result<String, EngineFault> {
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

/// Starts an engine for a game, and waits until it is ready.
///
/// # Errors
/// A failure of the engine.
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
