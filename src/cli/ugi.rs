//! `turnpost ugi`: lets match runners and other programs use the computer player over the Universal Game Interface.
//!
//! The main thread reads commands and answers immediately, even while a search thread thinks about a move.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use clap::Args;

use super::exit::{Exit, not_understood};
use super::games::{game, worded};
use crate::player::{Level, SearchLimits, SearchResult, think};
use crate::rules::{Game, Options, Play, Refusal, Seat};
use crate::world::Deadline;

/// The arguments of `turnpost ugi`.
#[derive(Args)]
pub(crate) struct Ugi {
    /// The game and the options of a challenge: marque -any_3
    #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true, value_name = "GAME [-OPTION]")]
    words: Vec<String>,
}

impl Ugi {
    /// Answers the commands on standard input until `quit` or the end of the input.
    pub(crate) fn run(self) -> anyhow::Result<Exit> {
        let (game, options) = match game(&self.words) {
            Ok(named) => named,
            Err(error) => return Err(not_understood(error)),
        };
        let mut session = Session::new(game, options)?;
        for line in std::io::stdin().lock().lines() {
            if session.handle(&line?)? == Next::Quit {
                break;
            }
        }
        session.stop();
        Ok(Exit::Done)
    }
}

/// The next step after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Read the next command.
    Continue,
    /// End the program.
    Quit,
}

/// A session with the program that sends the commands.
pub(crate) struct Session {
    game: &'static dyn Game,
    options: Options,
    position: Box<dyn Play>,
    level: Level,
    seed: u64,
    threads: usize,
    search: Option<Search>,
}

/// A search on a separate thread, which writes the chosen move.
struct Search {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Session {
    /// Creates a session at the start of a game.
    ///
    /// # Errors
    /// If the options are not valid for the game.
    pub(crate) fn new(game: &'static dyn Game, options: Options) -> anyhow::Result<Session> {
        let position = start(game, &options)?;
        let level = Level::new(6).expect("there are twelve");
        Ok(Session { game, options, position, level, seed: 1, threads: 1, search: None })
    }

    /// Handles a command of the other program, and prints the answer.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub(crate) fn handle(&mut self, line: &str) -> anyhow::Result<Next> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["ugi"] => self.introduce()?,
            ["isready"] => say("readyok")?,
            ["uginewgame"] => {
                self.stop();
                self.position = start(self.game, &self.options)?;
            }
            ["setoption", "name", name, "value", value] => self.set(name, value)?,
            ["position", position @ ..] => {
                self.stop();
                match self.read_position(position)? {
                    Ok(position) => self.position = position,
                    Err(wrong) => say(&format!("info string {wrong}; the position is unchanged"))?,
                }
            }
            ["go", limits @ ..] => self.go(limits)?,
            ["stop"] => self.stop(),
            ["query", what] => self.answer(what)?,
            ["quit"] => return Ok(Next::Quit),
            [word, ..] => say(&format!("info string {word} is not valid here"))?,
        }
        Ok(Next::Continue)
    }

    /// Ends the current search, if any, and waits until it has written its move.
    pub(crate) fn stop(&mut self) {
        if let Some(Search { stop, thread }) = self.search.take() {
            stop.store(true, Ordering::Relaxed);
            // The panic hook has already reported a panic of the thread.
            let _ = thread.join();
        }
    }

    fn introduce(&self) -> io::Result<()> {
        say(&format!(
            "id name turnpost {} ({})\nid author the authors of turnpost\n\
             option name Level type spin default {} min 1 max {}\n\
             option name Seed type spin default {} min 0 max {}\n\
             option name Threads type spin default {} min 1 max {}\nugiok",
            env!("CARGO_PKG_VERSION"),
            self.game.name(),
            self.level.number(),
            Level::MOST,
            self.seed,
            u64::MAX,
            self.threads,
            SearchLimits::MOST_THREADS,
        ))
    }

    fn set(&mut self, name: &str, value: &str) -> io::Result<()> {
        match name.to_ascii_lowercase().as_str() {
            "level" => match value.parse().ok().and_then(Level::new) {
                Some(level) => self.level = level,
                None => say(&format!("info string Level must be a number from 1 to {}, not {value}", Level::MOST))?,
            },
            "seed" => match value.parse() {
                Ok(seed) => self.seed = seed,
                Err(_) => say(&format!("info string Seed must be a number, not {value}"))?,
            },
            "threads" => match value.parse() {
                Ok(threads @ 1..=SearchLimits::MOST_THREADS) => self.threads = threads,
                _ => say(&format!(
                    "info string Threads must be a number from 1 to {}, not {value}",
                    SearchLimits::MOST_THREADS
                ))?,
            },
            _ => say(&format!("info string there is no option {name}, only Level, Seed and Threads"))?,
        }
        Ok(())
    }

    /// Returns the position after the moves that follow `startpos`, or a description of the error.
    fn read_position(&self, words: &[&str]) -> anyhow::Result<Result<Box<dyn Play>, String>> {
        let moves = match words {
            ["startpos"] => &[],
            ["startpos", "moves", moves @ ..] => moves,
            ["fen", ..] => return Ok(Err(format!("{} has no FEN: use startpos moves …", self.game.name()))),
            _ => return Ok(Err("a position is startpos or startpos moves …".to_owned())),
        };
        let mut position = start(self.game, &self.options)?;
        for (ply, text) in (1..).zip(moves) {
            if let Err(refusal) = position.play(text) {
                return Ok(Err(format!("move {ply}, {text}: {}", words_of(&refusal)?)));
            }
        }
        Ok(Ok(position))
    }

    fn go(&mut self, words: &[&str]) -> anyhow::Result<()> {
        self.stop();
        let Some(to_move) = self.position.to_move() else { return Ok(say("bestmove none")?) };
        let of_level = self.level.limits(&*self.position, self.threads);
        let limits = match limits(words, to_move, of_level, self.threads) {
            Ok(limits) => limits,
            Err(wrong) => return Ok(say(&format!("info string {wrong}"))?),
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (position, seed, stopped) = (self.position.boxed_clone(), self.seed, Arc::clone(&stop));
        let thread = std::thread::spawn(move || search(&*position, limits, seed, &stopped));
        self.search = Some(Search { stop, thread });
        Ok(())
    }

    fn answer(&self, what: &str) -> io::Result<()> {
        let answer = match (what, self.position.outcome()) {
            ("gameover", outcome) => outcome.is_some().to_string(),
            ("p1turn", _) => (self.position.to_move() == Some(Seat::First)).to_string(),
            ("result", None) => "none".to_owned(),
            ("result", Some(outcome)) => match outcome.winner {
                Some(Seat::First) => "p1win".to_owned(),
                Some(Seat::Second) => "p2win".to_owned(),
                None => "draw".to_owned(),
            },
            _ => return say(&format!("info string {what} is not a query; use gameover, p1turn or result")),
        };
        say(&format!("response {answer}"))
    }
}

/// Searches for a move within the limits, and prints the result.
fn search(position: &dyn Play, limits: Limits, seed: u64, stop: &AtomicBool) {
    let deadline = limits.time.map(Deadline::after);
    let is_over = || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| deadline.left().is_none());
    let Some(found) = think(position, limits.search, seed, &is_over) else { return };
    let SearchResult { text, chance, line, playouts, .. } = found;
    let info = format!("info nodes {playouts} winrate {chance:.3} pv {}\nbestmove {text}", line.join(" "));
    // Ignore an error: the other program has ended, and the main thread notices that too.
    let _ = say(&info);
}

fn start(game: &'static dyn Game, options: &Options) -> anyhow::Result<Box<dyn Play>> {
    match game.start(options) {
        Ok(position) => Ok(position),
        Err(refusal) => anyhow::bail!(words_of(&refusal)?),
    }
}

fn words_of(refusal: &Refusal) -> anyhow::Result<String> {
    worded(&refusal.whole_message())
}

/// Writes lines and flushes them.
fn say(lines: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{lines}")?;
    out.flush()
}

/// One move uses the remaining time divided by this number, because a game has about thirty moves per side.
const PART: u32 = 30;

/// The limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) search: SearchLimits,
    /// The maximum time. `None` means that only `stop` or the limits in `search` end the search.
    pub(crate) time: Option<Duration>,
}

/// Reads the words after `go` as limits for the player to move. Without words, returns the limits of `of_level`.
///
/// # Errors
/// A sentence that describes the error.
pub(crate) fn limits(words: &[&str], to_move: Seat, of_level: SearchLimits, threads: usize) -> Result<Limits, String> {
    let endless = SearchLimits { playouts: u32::MAX, tactics: true, threads, memory: SearchLimits::MEMORY };
    let mut limits = Limits { search: if words.is_empty() { of_level } else { endless }, time: None };
    let (mut left, mut increment) = (None, 0);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "infinite" {
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
        let number: u64 = value.parse().map_err(|_| format!("{word} needs a number, not {value}"))?;
        match (*word, to_move) {
            ("movetime", _) => limits.time = Some(Duration::from_millis(number)),
            ("nodes", _) => limits.search.playouts = u32::try_from(number.max(1)).unwrap_or(u32::MAX),
            ("p1time", Seat::First) | ("p2time", Seat::Second) => left = Some(number),
            ("p1inc", Seat::First) | ("p2inc", Seat::Second) => increment = number,
            ("p1time" | "p2time" | "p1inc" | "p2inc", _) => {}
            _ => {
                return Err(format!(
                    "{word} is not a limit; use movetime, nodes, infinite, p1time, p2time, p1inc or p2inc"
                ));
            }
        }
    }
    if let Some(left) = left {
        let left = Duration::from_millis(left);
        // Use at most half of the remaining time.
        limits.time = Some((left / PART + Duration::from_millis(increment) * 4 / 5).min(left / 2));
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_divided_among_the_next_moves() {
        let of_level = SearchLimits { playouts: 300, tactics: true, threads: 1, memory: SearchLimits::MEMORY };
        let read = |line: &str, seat| limits(&line.split_whitespace().collect::<Vec<_>>(), seat, of_level, 2);
        let time = |line, seat| read(line, seat).unwrap().time;
        assert_eq!(read("", Seat::First).unwrap(), Limits { search: of_level, time: None });
        assert_eq!(time("movetime 250", Seat::First), Some(Duration::from_millis(250)));
        let clocks = "p1time 60000 p2time 3000 p1inc 0 p2inc 1000";
        assert_eq!(time(clocks, Seat::First), Some(Duration::from_secs(2)));
        assert_eq!(time(clocks, Seat::Second), Some(Duration::from_millis(900)));
        assert_eq!(time("p1time 100 p1inc 1000", Seat::First), Some(Duration::from_millis(50)));
        let nodes = read("nodes 500", Seat::First).unwrap().search;
        assert_eq!((nodes.playouts, nodes.threads), (500, 2));
        assert_eq!(time("infinite", Seat::First), None);
        for (line, wrong) in [("movetime", "needs a number"), ("movetime soon", "soon"), ("depth 3", "depth")] {
            assert!(read(line, Seat::First).unwrap_err().contains(wrong), "{line}");
        }
    }
}
