//! Two players mail moves on many boards concurrently, with copies of earlier messages, by pipe and by LMTP, while
//! programs are killed.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::outcome::{Outcome, finished, hand_over, program};
use super::{all, show_progress};
use crate::common::Server;
use crate::common::serving::wait_until;

pub const CONFIG: &str = "[receive]\nlmtp = \"unix:lmtp.sock\"\n";

/// The games of the boards: the first board plays the first game, and so on in a cycle. Each file contains the options
/// and the moves of a complete game.
const GAMES: [(&str, &str); 4] = [
    ("marque", include_str!("../../data/marque.game")),
    ("brique", include_str!("../../data/brique.game")),
    ("tessella", include_str!("../../data/tessella.game")),
    ("lazo", include_str!("../../data/lazo.game")),
];

/// Reproducible pseudo-random numbers.
pub struct Generator(pub u64);

impl Generator {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

pub fn field(text: &'static str, name: &str) -> &'static str {
    text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim()
}

/// Returns the game of a board: its name, its options and its moves.
pub fn game_of(board: usize) -> (&'static str, &'static str) {
    GAMES[(board - 1) % GAMES.len()]
}

/// Returns the messages with the moves of one board, in order.
pub fn mails(board: usize) -> Vec<String> {
    let (game, text) = game_of(board);
    let line = |(n, mv): (usize, &str)| {
        let (player, password) = if n % 2 == 0 { ("alice", "wonderland") } else { ("bob", "builder") };
        format!(
            "From: {player}@example.org\nMessage-ID: <{board}.{n}@x>\n\
             Subject: {game} move {board} {player} {password} {mv}\n\nMove {n} of board {board}.\n"
        )
    };
    field(text, "moves:").split(' ').enumerate().map(line).collect()
}

/// Creates a server with a file database and this many boards without moves.
pub fn server(boards: usize) -> Server {
    let server = Server::in_a_file().and_players();
    std::fs::write(server.data().join("turnpost.toml"), format!("{CONFIG}[policy]\nunanswered = 100000\n")).unwrap();
    for board in 1..=boards {
        let (game, text) = game_of(board);
        let ran = server.shell(&format!("{game} challenge {} alice bob", field(text, "options:")));
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    server
}

/// Delivers a message by LMTP. Returns whether it was accepted.
pub fn by_lmtp(data: &Path, mail: &str) -> io::Result<bool> {
    let mut stream = UnixStream::connect(data.join("lmtp.sock"))?;
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut said = String::new();
    let body = format!("{}.", mail.replace('\n', "\r\n"));
    for line in ["", "LHLO x", "MAIL FROM:<player@example.org>", "RCPT TO:<turnpost@localhost>", "DATA", &body] {
        if !line.is_empty() {
            stream.write_all(format!("{line}\r\n").as_bytes())?;
        }
        loop {
            said.clear();
            if lines.read_line(&mut said)? == 0 {
                return Ok(false);
            }
            if said.as_bytes().get(3) == Some(&b' ') {
                break;
            }
        }
    }
    Ok(said.starts_with("250"))
}

/// Returns the number of entries in a board's record.
fn entries(data: &Path, board: usize) -> usize {
    let db = rusqlite::Connection::open(data.join("turnpost.db")).unwrap();
    db.busy_timeout(Duration::from_secs(60)).unwrap();
    let sql = "SELECT count(*) FROM record WHERE board = ?1";
    db.query_row(sql, [board as i64], |row| row.get::<_, i64>(0)).unwrap() as usize
}

/// The processes of `turnpost mail`, which the test may kill in addition to `serve`.
#[derive(Default)]
struct Targets {
    pipes: Mutex<BTreeSet<u32>>,
}

impl Targets {
    fn pipes(&self) -> std::sync::MutexGuard<'_, BTreeSet<u32>> {
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Delivers a message by pipe or by LMTP, and tries again until it is accepted.
    fn deliver(&self, data: &Path, mail: &str, generator: &mut Generator) {
        loop {
            let taken = if generator.below(2) == 0 {
                by_lmtp(data, mail).unwrap_or(false)
            } else {
                let mut child = 0;
                let status = hand_over(program(data), mail, |id| {
                    child = id;
                    self.pipes().insert(id);
                });
                self.pipes().remove(&child);
                status.success()
            };
            if taken {
                return;
            }
        }
    }

    fn kill(&self, serving: &mut Child, data: &Path, generator: &mut Generator) {
        let pipes = self.pipes();
        let pipe = pipes.iter().nth(generator.below(pipes.len() as u64 + 1) as usize).copied();
        match pipe.and_then(|id| Pid::from_raw(id as i32)) {
            // The process may already have ended, but its number is not reused until the test has waited for it.
            Some(pid) => drop(kill_process(pid, Signal::KILL)),
            None => {
                drop(pipes);
                serving.kill().unwrap();
                serving.wait().unwrap();
                *serving = serve(data);
            }
        }
    }
}

pub fn serve(data: &Path) -> Child {
    program(data).arg("serve").stderr(Stdio::null()).spawn().unwrap()
}

/// The faults that a test injects while mail arrives.
pub struct Faults<'a> {
    /// Causes one fault.
    pub happen: &'a mut dyn FnMut(&mut Generator),
    /// The minimum number of faults.
    pub at_least: usize,
}

/// Sends all moves of all boards by mail, several boards concurrently. If there are faults, copies of earlier messages
/// are also delivered, until enough faults have occurred. `entries` returns the number of entries in a board's record.
/// Returns the number of faults.
pub fn mail_all(
    boards: usize,
    deliver: impl Fn(&str, &mut Generator) + Sync,
    entries: impl Fn(usize) -> usize + Sync,
    faults: Option<Faults>,
) -> usize {
    let at_once = if all() { 8 } else { 4 };
    let (next, delivered, happened) = (AtomicUsize::new(1), AtomicUsize::new(0), AtomicUsize::new(0));
    let all_mails: usize = (1..=boards).map(|board| mails(board).len()).sum();
    let at_least = faults.as_ref().map(|faults| faults.at_least);
    let what = if faults.is_some() { "mails among faults" } else { "mails without faults" };
    let again = |nth: u64, mail: &str, generator: &mut Generator| {
        deliver(&format!("Received: from relay{nth}\n{mail}"), generator);
    };
    let work = |nth: u64| {
        let (mut generator, mut mailed) = (Generator(nth), Vec::new());
        loop {
            let board = next.fetch_add(1, Ordering::Relaxed);
            if board > boards {
                break;
            }
            let mails = mails(board);
            for (at, mail) in mails.iter().enumerate() {
                deliver(mail, &mut generator);
                // A player replies only after the opponent's move is recorded.
                wait_until("the move to be recorded", || (entries(board) > at).then_some(()));
                // Delivers up to two copies of this message or of an earlier one, as if they had taken another route.
                for copy in 0..if at_least.is_some() { generator.below(3) } else { 0 } {
                    again(copy, &mails[generator.below(at as u64 + 1) as usize], &mut generator);
                }
                show_progress(what, delivered.fetch_add(1, Ordering::Relaxed) + 1, all_mails);
            }
            mailed.extend(mails);
        }
        let enough = || at_least.is_none_or(|at_least| happened.load(Ordering::Relaxed) >= at_least);
        while !mailed.is_empty() && !enough() {
            // Pauses, because many further copies would slow down the moves of other boards.
            if delivered.load(Ordering::Relaxed) < all_mails {
                thread::sleep(Duration::from_millis(20));
                continue;
            }
            again(nth, &mailed[generator.below(mailed.len() as u64) as usize], &mut generator);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|nth| scope.spawn(move || work(nth))).collect();
        let Some(Faults { happen, .. }) = faults else { return };
        let mut generator = Generator(0);
        while workers.iter().any(|worker| !worker.is_finished()) {
            // The random pause makes the faults hit different moments. After enough faults, the pauses become longer,
            // so that a server on a busy machine has enough time to recover, and the test ends.
            let rounds = happened.load(Ordering::Relaxed) / at_least.unwrap_or(usize::MAX);
            thread::sleep(Duration::from_millis(generator.below(400 << rounds.min(6))));
            happen(&mut generator);
            happened.fetch_add(1, Ordering::Relaxed);
        }
    });
    let happened = happened.into_inner();
    assert!(happened >= at_least.unwrap_or(0), "only {happened} faults occurred");
    happened
}

/// Plays this many boards by mail without faults, and returns the results.
pub fn calm(boards: usize) -> Outcome {
    let server = server(boards);
    let data = server.data();
    let mut serving = serve(data);
    wait_until("the LMTP socket", || data.join("lmtp.sock").exists().then_some(()));
    let deliver = |mail: &str, _: &mut Generator| assert!(by_lmtp(data, mail).unwrap(), "{mail}");
    mail_all(boards, deliver, |board| entries(data, board), None);
    kill_process(Pid::from_child(&serving), Signal::TERM).unwrap();
    assert!(serving.wait().unwrap().success());
    let outcome = finished(data);
    let mailed: usize = (1..=boards).map(|board| mails(board).len()).sum();
    assert_eq!(outcome.verdicts.values().sum::<usize>(), mailed);
    let done = outcome.verdicts.keys().filter(|verdict| verdict.contains("done")).count();
    assert!(done == outcome.verdicts.len(), "{:?}", outcome.verdicts);
    outcome
}

#[test]
fn no_kill_loses_or_repeats_a_message() {
    let boards = if all() { 640 } else { 4 };
    let expected = calm(boards);

    let server = server(boards);
    let (data, targets) = (server.data(), Targets::default());
    let mut serving = serve(data);
    let deliver = |mail: &str, generator: &mut Generator| targets.deliver(data, mail, generator);
    let mut kill = |generator: &mut Generator| targets.kill(&mut serving, data, generator);
    let faults = Faults { happen: &mut kill, at_least: if all() { 1_000 } else { 5 } };
    let kills = mail_all(boards, deliver, |board| entries(data, board), Some(faults));
    serving.kill().unwrap();
    serving.wait().unwrap();
    finished(data).check(&expected, &format!("{kills} kills"));
}
