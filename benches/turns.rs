//! Measures the cost of a turn: `cargo bench --bench turns`.
//!
//! The bench starts the real program. Moves arrive by LMTP as replies to its letters, and its letters are sent by SMTP
//! to a sink. Each round also measures two baselines: SQLite commits of single rows on the same disk, and parsing the
//! same messages without a database. Each figure is the median of its rounds, because other programs use the machine,
//! too.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use turnpost::command::MailForm;
use turnpost::mail::inbound::{find_commands, read};

mod by_mail;
#[path = "../tests/it/common/mod.rs"]
mod common;

use by_mail::{ADDRESS, Mail, Sink, answer, config, deliver, fill, wait};
use common::serving::{Peer, Serving};
use common::{Letter, Server, done, mail};

/// The number of rounds. Each round plays the next ply of every board.
const ROUNDS: usize = 7;
/// The number of moves mailed one after the other in a round.
const ALONE: usize = 100;
/// The number of moves mailed during a flood of wrong passwords from strangers.
const IN_FLOOD: usize = 50;
/// The interval between two wrong passwords: about a thousand a minute.
const FLOOD_EVERY: Duration = Duration::from_millis(60);
/// The number of moves mailed simultaneously in a round.
const TOGETHER: usize = 400;
/// The number of boards. Each round plays a move on each of them.
const BOARDS: usize = ALONE + IN_FLOOD + TOGETHER;
/// The number of senders of the simultaneous moves.
const SENDERS: usize = 20;
/// The number of commits, and of parsed messages, in a round.
const BASELINE: usize = 500;

/// The running server with its boards.
struct AtWork {
    server: Server,
    sink: Sink,
    database: Connection,
    mails: usize,
    _serving: Serving,
}

impl AtWork {
    fn start(form: MailForm) -> AtWork {
        let (server, sink) = (Server::new(), Sink::start());
        let config = config(&server, &sink);
        // These players only reply to letters, so they need no password. No password matches this hash.
        fill(&server, BOARDS, "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA", form);
        let serving = Serving::logging(&server, &config, "warn,turnpost::serve::server=info");
        let database = Connection::open(server.data().join("turnpost.db")).unwrap();
        AtWork { server, sink, database, mails: 0, _serving: serving }
    }

    /// Waits for this many letters. Returns those to the players whose turn it is.
    fn letters(&self, count: usize) -> Vec<Letter> {
        wait(|| self.sink.count() == count);
        let asks = |letter: &Letter| {
            let words: Vec<&str> = letter.text().split_whitespace().collect();
            words.join(" ").contains("It is your turn")
        };
        self.sink.take().iter().map(|letter| mail::read(letter)).filter(asks).collect()
    }

    fn peer(&self) -> Peer {
        Peer::greeted(&self.server.data().join("lmtp.sock"))
    }

    /// Waits until the board of a message has this many plies.
    fn wait_for_ply(&self, (_, mail): &Mail, ply: u32) {
        let mut made = self.database.prepare_cached("SELECT 1 FROM boards WHERE number = ?1 AND plies = ?2").unwrap();
        wait(|| made.exists(rusqlite::params![board_of(mail), ply]).unwrap());
    }

    /// Waits until every letter is recorded as sent.
    fn wait_for_letters(&self) {
        let mut unsent = self.database.prepare_cached("SELECT 1 FROM outbox WHERE sent_at IS NULL").unwrap();
        wait(|| !unsent.exists([]).unwrap());
    }

    /// Waits until every message has a verdict.
    fn wait_for_verdicts(&self) {
        let mut waiting = self.database.prepare_cached("SELECT 1 FROM inbox WHERE verdict IS NULL").unwrap();
        wait(|| !waiting.exists([]).unwrap());
    }
}

/// The measurements of one round. Numbers are rates per second.
#[derive(Default)]
struct Round {
    commits: f64,
    /// The rate of baseline commits between the messages of `one_at_a_time`.
    commits_alone: f64,
    read: f64,
    accepted_alone: f64,
    turns_alone: f64,
    /// The duration of each turn, before and during the flood.
    alone: Vec<Duration>,
    in_flood: Vec<Duration>,
    turns_together: f64,
    letters_together: f64,
}

fn rate(count: usize, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}

/// Another database on the same disk, in which each commit adds a row.
struct Baseline {
    database: Connection,
    file: PathBuf,
}

impl Baseline {
    fn new(directory: &Path) -> Baseline {
        let file = directory.join("baseline.db");
        let database = Connection::open(&file).unwrap();
        let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x TEXT)";
        database.execute_batch(settings).unwrap();
        Baseline { database, file }
    }

    fn commit(&self, row: &str) -> Duration {
        let began = Instant::now();
        self.database.prepare_cached("INSERT INTO t VALUES (?1)").unwrap().execute([row]).unwrap();
        began.elapsed()
    }

    fn remove(self) {
        drop(self.database);
        std::fs::remove_file(self.file).unwrap();
    }
}

/// Returns the number of commits per second. Each commit writes one row, and starts after the previous one has ended.
fn commits(directory: &Path, row: &str) -> f64 {
    let baseline = Baseline::new(directory);
    let took = (0..BASELINE).map(|_| baseline.commit(row)).sum();
    baseline.remove();
    rate(BASELINE, took)
}

/// Returns the messages parsed per second by one thread, including their commands.
fn mails_read(mails: &[Mail]) -> f64 {
    let began = Instant::now();
    for (_, mail) in mails.iter().cycle().take(BASELINE) {
        let incoming = read(mail.as_bytes(), ADDRESS).unwrap();
        std::hint::black_box(find_commands(incoming.subjects.first().map(String::as_str), &incoming.text));
    }
    rate(BASELINE, began.elapsed())
}

/// Returns the board number in a subject.
fn board_of(text: &str) -> u32 {
    text.split(" Board ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
}

/// Returns the move of a board at this ply. Boards differ in their moves, as on a real server. Otherwise all letters
/// would share one cached drawing.
fn next_move(board: u32, ply: u32) -> String {
    let column = char::from(b'a' + ((board + 2 * ply) % 14) as u8);
    format!("{column}{}", board / 14 % 14 + 1)
}

/// Plays the next ply on every board, with moves mailed as replies to these letters.
fn round(at_work: &mut AtWork, letters: &[Letter], ply: u32) -> Round {
    let mails: Vec<_> = letters
        .iter()
        .enumerate()
        .map(|(n, letter)| answer(letter, &next_move(board_of(&letter.subject), ply), at_work.mails + n))
        .collect();
    at_work.mails += mails.len();
    assert_eq!(mails.len(), BOARDS);
    let (alone, rest) = mails.split_at(ALONE);
    let (in_flood, together) = rest.split_at(IN_FLOOD);
    let mut round =
        Round { commits: commits(at_work.server.data(), &mails[0].1), read: mails_read(&mails), ..Round::default() };
    at_work.one_at_a_time(alone, ply, &mut round);
    at_work.in_flood(in_flood, ply, &mut round);
    at_work.together(together, &mut round);
    round
}

impl AtWork {
    fn one_at_a_time(&self, mails: &[Mail], ply: u32, round: &mut Round) {
        let (mut accepted, mut committed, mut peer) = (Duration::ZERO, Duration::ZERO, self.peer());
        let baseline = Baseline::new(self.server.data());
        for (n, mail) in mails.iter().enumerate() {
            // The first operation after a pause takes longer, because the processors and the disk were idle. So for
            // every second message, the commit is before the turn, and for the others it is after the turn.
            if n % 2 == 0 {
                committed += baseline.commit(&mail.1);
            }
            let began = Instant::now();
            deliver(&mut peer, mail);
            accepted += began.elapsed();
            self.wait_for_ply(mail, ply + 1);
            round.alone.push(began.elapsed());
            if n % 2 == 1 {
                committed += baseline.commit(&mail.1);
            }
            // This wait is not timed: the measurement of simultaneous moves includes the cost of letters.
            self.wait_for_letters();
        }
        baseline.remove();
        round.commits_alone = rate(ALONE, committed);
        (round.accepted_alone, round.turns_alone) = (rate(ALONE, accepted), rate(ALONE, round.alone.iter().sum()));
    }

    /// Sends one message at a time, while strangers send wrong passwords.
    fn in_flood(&self, mails: &[Mail], ply: u32, round: &mut Round) {
        let flooding = &AtomicBool::new(true);
        std::thread::scope(|scope| {
            let (mut strangers, mut peer) = (self.peer(), self.peer());
            scope.spawn(move || {
                let mut guesses = 0..;
                while flooding.load(Ordering::Relaxed)
                    && let Some(n) = guesses.next()
                {
                    let line = format!("brique move 1 first1 guess{n} c3");
                    let mail = format!("From: stranger{ply}x{n}@example.com\r\nSubject: {line}\r\n\r\n");
                    deliver(&mut strangers, &(ADDRESS.to_owned(), mail));
                    std::thread::sleep(FLOOD_EVERY);
                }
            });
            for mail in mails {
                let began = Instant::now();
                deliver(&mut peer, mail);
                self.wait_for_ply(mail, ply + 1);
                round.in_flood.push(began.elapsed());
                // This pause lets some wrong passwords arrive between two turns.
                std::thread::sleep(FLOOD_EVERY / 4);
            }
            flooding.store(false, Ordering::Relaxed);
        });
        self.wait_for_verdicts();
        wait(|| self.sink.count() == 2 * (ALONE + IN_FLOOD));
    }

    /// Sends all messages from [`SENDERS`] senders simultaneously.
    fn together(&self, mails: &[Mail], round: &mut Round) {
        let began = Instant::now();
        std::thread::scope(|scope| {
            for share in mails.chunks(TOGETHER / SENDERS) {
                let mut peer = self.peer();
                scope.spawn(move || share.iter().for_each(|mail| deliver(&mut peer, mail)));
            }
        });
        self.wait_for_verdicts();
        round.turns_together = rate(TOGETHER, began.elapsed());
        wait(|| self.sink.count() == 2 * BOARDS);
        round.letters_together = rate(2 * TOGETHER, began.elapsed());
    }
}

/// A function that returns one figure of a round.
type Figure = fn(&Round) -> f64;

fn median(rounds: &[Round], figure: impl Fn(&Round) -> f64) -> f64 {
    let mut figures: Vec<f64> = rounds.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn main() {
    for (form, name) in [(MailForm::Text, "text"), (MailForm::Html, "HTML with pictures")] {
        let mut at_work = AtWork::start(form);
        let mut rounds = Vec::new();
        for ply in 0..ROUNDS as u32 {
            let letters = at_work.letters(2 * BOARDS);
            rounds.push(round(&mut at_work, &letters, ply));
        }
        let figure = |name: &str, figure: Figure, ratios: &[(&str, Figure)]| {
            print!("  {name:<58}{:>9.0} a second", median(&rounds, figure));
            for (of, other) in ratios {
                print!(", {:.2} x {of}", median(&rounds, |round| figure(round) / other(round)));
            }
            println!();
        };
        println!("letters as {name}:");
        figure("single-row commits", |round| round.commits, &[]);
        figure("mails read, without a database", |round| round.read, &[]);
        let of_commits: &[(&str, Figure)] =
            &[("commits", |round| round.commits), ("commits one at a time", |round| round.commits_alone)];
        figure("one at a time: commits", |round| round.commits_alone, &[]);
        figure("one at a time: accepted", |round| round.accepted_alone, of_commits);
        figure("one at a time: turns", |round| round.turns_alone, of_commits);
        figure(
            "twenty at once: turns",
            |round| round.turns_together,
            &[("one at a time", |round| round.turns_alone), ("read", |round| round.read)],
        );
        figure(
            "twenty at once: turns, until both letters are handed over",
            |round| round.letters_together / 2.0,
            &[("one at a time", |round| round.turns_alone)],
        );
        let slow = |times: fn(&Round) -> &Vec<Duration>| {
            let mut times: Vec<f64> = rounds.iter().flat_map(times).map(|time| time.as_secs_f64() * 1e3).collect();
            times.sort_by(f64::total_cmp);
            times[times.len() * 99 / 100]
        };
        println!(
            "  the slowest turn of a hundred: {:.1} ms alone, {:.1} ms in a flood of wrong passwords",
            slow(|round| &round.alone),
            slow(|round| &round.in_flood)
        );
        let check = done(&at_work.server, "admin check");
        assert!(check.contains("no difference") || check.contains("OK"), "{check}");
    }
}
