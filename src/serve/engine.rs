//! External engines as computer players: each move runs a new process that speaks the Universal Game Interface.
//!
//! Limits apply to an engine's time, memory and output. After a failure, the server retries with increasing delays. If
//! every attempt fails, the computer player can lose the game on time.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use crate::config::{Engine, Robots};
use crate::metrics;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::Play;
use crate::state_file;
use crate::world::Deadline;

/// How long an engine may take to report that it is ready, and to stop at the end of its time.
const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum length of a line from an engine, in bytes.
const LONGEST_LINE: u64 = 16 * 1_024;
/// The maximum length of an engine's whole output, in bytes.
const MOST_BYTES: u64 = 4 * 1_024 * 1_024;
/// The maximum number of lines from the engine that wait to be processed.
const LINES: usize = 64;
/// The interval between checks whether the server is stopping.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// A shell script that sets the memory limit and then executes the program. Without a shell, setting the limit would
/// need unsafe code.
const LIMITED: &str = "ulimit -v \"$1\" || exit 126; shift; exec \"$@\"";
/// The search path for programs if the server's environment has no `PATH`.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The delay after the first failure at a turn; it doubles after each further failure.
const FIRST_WAIT: TimeDelta = TimeDelta::seconds(5);
/// The maximum delay between two attempts at a turn.
const LONGEST_WAIT: TimeDelta = TimeDelta::hours(1);

/// A position, as sent to an engine.
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

/// A failure of an engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineFault {
    /// The process cannot be started.
    #[error("it cannot be started: {0}")]
    Start(#[source] std::io::Error),
    /// The process ended, or closed its output.
    #[error("it ended before it sent {0}")]
    Ended(&'static str),
    /// The process did not answer in time.
    #[error("it did not send {0} in time")]
    Late(&'static str),
    /// The process exceeded the output limit.
    #[error("it exceeded the output limit")]
    Endless,
    /// The move is illegal.
    #[error("its move {0:?} is not legal")]
    Illegal(String),
    /// The server is stopping, so the process was interrupted.
    #[error("the server is stopping")]
    Stopped,
}

/// A running engine. Dropping this ends the engine's process group.
pub(crate) struct Process {
    child: Child,
    /// The queue of the thread that writes to the engine. Without this thread, an engine that does not read its input
    /// would block the server.
    input: Sender<String>,
    lines: Receiver<Line>,
}

enum Line {
    Text(String),
    TooLong,
}

impl Process {
    /// Starts a program with a memory limit in megabytes. The program's environment contains only the search path and
    /// the locale, because the server's environment may contain passwords.
    pub(crate) fn start(words: &[String], memory: u64) -> Result<Process, EngineFault> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| PATH.into());
        let mut child = Command::new("/bin/sh")
            .args(["-c", LIMITED, "sh", &(memory * 1_024).to_string()])
            .args(words)
            .env_clear()
            .env("PATH", path)
            .env("LANG", "C.UTF-8")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(EngineFault::Start)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(EngineFault::Start(std::io::Error::other("it has no standard streams")));
        };
        let ((sender, lines), (sent, queued)) = (sync_channel(LINES), channel());
        let process = Process { child, input: sent, lines };
        // The threads end when the program ends or `process` is dropped.
        let start = |work: Box<dyn FnOnce() + Send>| thread::Builder::new().name("engine".to_owned()).spawn(work);
        start(Box::new(move || read_lines(output, &sender))).map_err(EngineFault::Start)?;
        start(Box::new(move || write_lines(input, &queued))).map_err(EngineFault::Start)?;
        Ok(process)
    }

    /// Queues a line for the engine.
    pub(crate) fn say(&mut self, line: &str) -> Result<(), EngineFault> {
        self.input.send(format!("{line}\n")).map_err(|_| EngineFault::Ended("anything"))
    }

    /// Waits for a line that starts with this word; returns the rest of the line.
    pub(crate) fn until(
        &mut self,
        word: &'static str,
        time: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<String, EngineFault> {
        let deadline = Deadline::after(time);
        while let Some(left) = deadline.left() {
            if stop() {
                return Err(EngineFault::Stopped);
            }
            match self.lines.recv_timeout(left.min(STOP_CHECK_INTERVAL)) {
                Ok(Line::Text(text)) => {
                    let mut words = text.trim().splitn(2, char::is_whitespace);
                    if words.next() == Some(word) {
                        return Ok(words.next().unwrap_or_default().to_owned());
                    }
                }
                Ok(Line::TooLong) => return Err(EngineFault::Endless),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineFault::Ended(word)),
            }
        }
        Err(EngineFault::Late(word))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // This fails if the process group has already ended.
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes lines to the engine until it ends or the sender is dropped.
fn write_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Forwards the engine's lines until a line or the whole output is too long.
fn read_lines(output: ChildStdout, lines: &SyncSender<Line>) {
    let mut output = BufReader::new(output.take(MOST_BYTES));
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line);
        let whole = line.ends_with(b"\n");
        let line = match read {
            Ok(0) if output.get_ref().limit() > 0 => return,
            Ok(1..) if whole || (line.len() as u64) < LONGEST_LINE && output.get_ref().limit() > 0 => {
                Line::Text(String::from_utf8_lossy(&line).into_owned())
            }
            Ok(_) => Line::TooLong,
            Err(_) => return,
        };
        let is_last = matches!(line, Line::TooLong);
        if lines.send(line).is_err() || is_last {
            return;
        }
    }
}

/// The current failures of engines by userid, stored in `engines.json` of the data directory. A successful move deletes
/// an engine's failures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EngineFailures(pub BTreeMap<String, EngineFailure>);

/// The failures of an engine since its last move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineFailure {
    /// The time of the first failure.
    pub since: DateTime<Utc>,
    /// The number of failures.
    pub times: u32,
    /// The board of the last failure.
    pub board: BoardNumber,
    /// The last error.
    pub error: String,
}

impl EngineFailures {
    fn file(data: &Path) -> PathBuf {
        data.join("engines.json")
    }

    /// Reads the file. Returns no failures if the file is missing or unreadable.
    pub fn read(data: &Path) -> EngineFailures {
        state_file::read(&EngineFailures::file(data))
    }

    fn write(&self, data: &Path) {
        if let Err(error) = state_file::write(&EngineFailures::file(data), self) {
            tracing::warn!(%error, "cannot store the failures of engines");
        }
    }
}

/// A computer player's turn at which its engine has failed.
struct Turn {
    entry: EntryNumber,
    times: u32,
    again_at: DateTime<Utc>,
}

/// The state of a server's engines: boards whose engine failed at the current turn, and the current failures.
pub(crate) struct Engines {
    data: PathBuf,
    turns: BTreeMap<BoardNumber, Turn>,
    failures: EngineFailures,
}

impl Engines {
    /// Reads the current failures from this data directory.
    pub(crate) fn of(data: &Path) -> Engines {
        let failures = EngineFailures::read(data);
        Engines { data: data.to_owned(), turns: BTreeMap::new(), failures }
    }

    /// Returns whether to request a move at this turn now. Returns false during the delay after a failure.
    pub(crate) fn is_due(&self, board: BoardNumber, entry: EntryNumber, now: DateTime<Utc>) -> bool {
        // A delay beyond the maximum was computed from a wrong system clock.
        let waits = |turn: &Turn| turn.again_at > now && turn.again_at - now <= LONGEST_WAIT;
        !self.turns.get(&board).is_some_and(|turn| turn.entry == entry && waits(turn))
    }

    /// Records a successful move.
    pub(crate) fn succeeded(&mut self, userid: &str, board: BoardNumber) {
        self.turns.remove(&board);
        if self.failures.0.remove(userid).is_some() {
            self.failures.write(&self.data);
        }
    }

    /// Records and logs a failure.
    pub(crate) fn failed(
        &mut self,
        userid: &str,
        (board, entry): (BoardNumber, EntryNumber),
        fault: &EngineFault,
        now: DateTime<Utc>,
    ) {
        let before = self.turns.get(&board).filter(|turn| turn.entry == entry).map_or(0, |turn| turn.times);
        let wait = FIRST_WAIT.checked_mul(1 << before.min(16)).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
        self.turns.insert(board, Turn { entry, times: before + 1, again_at: now + wait });
        let error = fault.to_string();
        let times = self.failures.0.get(userid).map_or(0, |failure| failure.times) + 1;
        let since = self.failures.0.get(userid).map_or(now, |failure| failure.since);
        let failure = EngineFailure { since, times, board, error: error.clone() };
        self.failures.0.insert(userid.to_owned(), failure);
        self.failures.write(&self.data);
        metrics::count_engine_failure(userid);
        tracing::error!(
            robot = userid,
            board = board.0,
            error,
            again = %(now + wait),
            "the program of a computer player failed; retrying"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_while_the_clock_was_ahead_delays_no_turn() {
        let data = tempfile::tempdir().unwrap();
        let mut engines = Engines::of(data.path());
        let (now, turn) = (DateTime::UNIX_EPOCH + TimeDelta::days(20_000), (BoardNumber(1), EntryNumber(2)));
        let is_due = |engines: &Engines, now| engines.is_due(turn.0, turn.1, now);
        for failed_at in [now, now + TimeDelta::days(20_000)] {
            engines.failed("robot", turn, &EngineFault::Endless, failed_at);
            assert!(!is_due(&engines, failed_at + TimeDelta::seconds(4)));
        }
        assert!(is_due(&engines, now));
    }
}
