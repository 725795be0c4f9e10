//! The system calls of a turn: `cargo bench --bench calls`.
//!
//! The real program serves a SQLite database. Moves reach it by LMTP as answers to its letters, and it writes both letters
//! of each turn to its Maildir. `strace` records its calls, which are counted for three spans of time: a turn that follows
//! another one, a turn after a pause, in which the database's log was emptied, and such a pause. A span's figure is the
//! median of its repetitions. Counts depend neither on the speed of the machine nor on the level of optimisation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use turnpost::command::MailForm;

mod by_mail;
#[path = "../tests/it/common/mod.rs"]
mod common;

use by_mail::{ADDRESS, Mail, answer, deliver, fill, wait};
use common::Server;
use common::serving::{Peer, Serving};

/// Boards, on each of which a move is made.
const BOARDS: usize = 60;
/// Turns before the first that is counted: statements are prepared, and pages are read.
const WARM_UP: usize = 20;
/// Pauses, each followed by a turn, and by so many without a pause.
const PAUSES: usize = 7;
const TURNS: usize = 4;
/// The length of a pause: the log is emptied when nothing has arrived for a second.
const PAUSE: Duration = Duration::from_millis(2_500);
/// The hash of no password: these players only answer letters.
const HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA";

/// A span of time in seconds.
struct Span {
    from: f64,
    until: f64,
}

/// The calls of a span by their names.
type Calls = BTreeMap<String, usize>;

/// A running strace.
struct Trace {
    strace: Child,
    /// What strace prints about itself.
    _messages: BufReader<ChildStderr>,
}

impl Trace {
    /// Starts to record the calls of all threads of a process in a file.
    fn of(process: &Child, file: &Path) -> Trace {
        let mut command = Command::new("strace");
        command.args(["-f", "-ttt", "-p", &process.id().to_string(), "-o"]).arg(file);
        let mut strace = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut messages = BufReader::new(strace.stderr.take().unwrap());
        let mut line = String::new();
        messages.read_line(&mut line).unwrap();
        assert!(line.contains("attached"), "{line}");
        Trace { strace, _messages: messages }
    }

    fn stop(mut self) {
        kill_process(Pid::from_child(&self.strace), Signal::INT).unwrap();
        self.strace.wait().unwrap();
    }
}

/// Returns the system's time, which strace prints with each call.
#[expect(clippy::disallowed_methods, reason = "the times of the world are whole seconds")]
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// Delivers a move and waits until both letters of the turn are recorded as sent.
fn turn(peer: &mut Peer, mail: &Mail, database: &Connection, letters: &mut u32) -> Span {
    let from = now();
    deliver(peer, mail);
    *letters += 2;
    let mut sent = database.prepare_cached("SELECT count(*) FROM outbox WHERE sent_at IS NOT NULL").unwrap();
    wait(|| sent.query_row([], |row| row.get::<_, u32>(0)).unwrap() == *letters);
    Span { from, until: now() }
}

/// The calls of each span. A line of the file has the number of a thread, a time, and a call.
fn calls(file: &Path, spans: &[Span]) -> Vec<Calls> {
    let mut counted: Vec<Calls> = spans.iter().map(|_| Calls::new()).collect();
    for line in BufReader::new(File::open(file).unwrap()).lines() {
        let line = line.unwrap();
        let mut words = line.split_whitespace().skip(1);
        let (Some(at), Some(call)) = (words.next(), words.next()) else { continue };
        // A signal, the end of a thread, or of a call whose line another thread's call has interrupted.
        let Some((name, _)) = call.split_once('(') else { continue };
        let at: f64 = at.parse().unwrap();
        if let Some(place) = spans.iter().position(|span| span.from <= at && at <= span.until) {
            *counted[place].entry(name.to_owned()).or_default() += 1;
        }
    }
    counted
}

/// The calls of the repetition whose number of calls is the median.
fn median(mut calls: Vec<Calls>) -> Calls {
    calls.sort_by_key(|calls| calls.values().sum::<usize>());
    calls.swap_remove(calls.len() / 2)
}

fn main() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        println!("not counted: strace is not installed (deploy/install-test-tools installs it)");
        return;
    }
    let mut server = Server::in_a_file();
    let socket = server.data().join("lmtp.sock");
    let config = format!("address = \"{ADDRESS}\"\n[receive]\nlmtp = \"unix:{}\"\n", socket.display());
    fill(&server, BOARDS, HASH, MailForm::Text);
    let serving = Serving::logging(&server, &config, "warn,turnpost::serve::server=info");
    let database = Connection::open(server.data().join("turnpost.db")).unwrap();
    let mut letters = 2 * BOARDS as u32;
    wait(|| fs::read_dir(server.data().join("outgoing/new")).is_ok_and(|files| files.count() == letters as usize));
    let asks = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").contains("It is your turn");
    let mails: Vec<Mail> = server
        .letters()
        .iter()
        .filter(|letter| asks(letter.text()))
        .enumerate()
        .map(|(n, letter)| answer(letter, "c3", n))
        .collect();
    assert_eq!(mails.len(), BOARDS);
    let mut mails = mails.iter();
    let mut peer = Peer::greeted(&socket);
    for mail in mails.by_ref().take(WARM_UP) {
        turn(&mut peer, mail, &database, &mut letters);
    }
    let file = server.data().join("calls");
    let trace = Trace::of(&serving.child, &file);
    let (mut others, mut first, mut pauses) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..PAUSES {
        let from = now();
        std::thread::sleep(PAUSE);
        pauses.push(Span { from, until: now() });
        first.extend(mails.next().map(|mail| turn(&mut peer, mail, &database, &mut letters)));
        others.extend(mails.by_ref().take(TURNS).map(|mail| turn(&mut peer, mail, &database, &mut letters)));
    }
    trace.stop();
    let [turn, first, pause] = [others, first, pauses].map(|spans| median(calls(&file, &spans)));
    let names: BTreeSet<&String> = turn.keys().chain(first.keys()).chain(pause.keys()).collect();
    let of = |calls: &Calls, name: &String| calls.get(name).copied().unwrap_or_default();
    let mut rows: Vec<_> =
        names.iter().map(|name| (of(&turn, name), of(&first, name), of(&pause, name), *name)).collect();
    rows.sort_by(|a, b| b.cmp(a));
    println!("{:<20}{:>8}{:>16}{:>16}", "call", "a turn", "after a pause", "the pause");
    for (turn, first, pause, name) in rows {
        println!("{name:<20}{turn:>8}{first:>16}{pause:>16}");
    }
    let [turn, first, pause] = [turn, first, pause].map(|calls| calls.values().sum::<usize>());
    println!("{:<20}{turn:>8}{first:>16}{pause:>16}", "all");
}
