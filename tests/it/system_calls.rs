//! Limits the number of system calls for a turn. Unlike times, these counts hardly depend on the machine's speed, and
//! not on the level of optimisation.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use turnpost::command::MailForm;

use crate::common::Server;
use crate::common::serving::{Peer, Serving};

#[path = "../../benches/by_mail/mod.rs"]
mod by_mail;

use by_mail::{ADDRESS, Mail, answer, deliver, fill, wait};

/// The maximum number of system calls of a turn by LMTP, from its arrival until both letters are recorded as sent. It
/// allows for a busy machine, on which threads wait for each other more often.
const MOST: usize = 180;
/// The maximum number of calls that wait for the disk: the commits that accept a message, process it and bind the
/// letters, two letters in a Maildir, and its directory.
const MOST_SYNCS: usize = 6;
/// The number of boards. One move is played on each.
const BOARDS: usize = 24;
/// The number of uncounted turns at the start, in which statements are prepared and database pages are read.
const WARM_UP: usize = 12;
/// A hash that matches no password, because these players only reply to letters.
const HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAA";

/// A span of time in seconds.
struct Span {
    from: f64,
    until: f64,
}

/// The number of calls in a span, by the name of the system call.
type Calls = BTreeMap<String, usize>;

/// A running strace.
struct Trace {
    strace: Child,
    /// strace's standard error, kept open so that strace can write to it.
    _messages: BufReader<ChildStderr>,
}

impl Trace {
    /// Starts strace, which writes the calls of all threads of this process to a file.
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

/// Returns the time by the clock whose times strace prints.
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

/// Returns the calls in each span. Each line of the file contains a thread id, a time and a call.
fn calls(file: &Path, spans: &[Span]) -> Vec<Calls> {
    let mut counted: Vec<Calls> = spans.iter().map(|_| Calls::new()).collect();
    for line in BufReader::new(File::open(file).unwrap()).lines() {
        let line = line.unwrap();
        let mut words = line.split_whitespace().skip(1);
        let (Some(at), Some(call)) = (words.next(), words.next()) else { continue };
        // The other lines report a signal, the end of a thread, or the end of a call whose line was interrupted.
        let Some((name, _)) = call.split_once('(') else { continue };
        // Ignores a check that the standard library makes before it closes a file, in debug builds only.
        if line.contains("F_GETFD") {
            continue;
        }
        let at: f64 = at.parse().unwrap();
        if let Some(place) = spans.iter().position(|span| span.from <= at && at <= span.until) {
            *counted[place].entry(name.to_owned()).or_default() += 1;
        }
    }
    counted
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs strace: ./test runs it")]
fn a_turn_by_lmtp_makes_few_system_calls() {
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
    let mut peer = Peer::greeted(&socket);
    let (first, later) = mails.split_at(WARM_UP);
    for mail in first {
        turn(&mut peer, mail, &database, &mut letters);
    }
    let file = server.data().join("calls");
    let trace = Trace::of(&serving.child, &file);
    let spans: Vec<Span> = later.iter().map(|mail| turn(&mut peer, mail, &database, &mut letters)).collect();
    trace.stop();
    // On a busy machine, a turn may include work that the server does every second. The turn with the fewest calls does
    // not.
    let count = |calls: &Calls| calls.values().sum::<usize>();
    let calls = calls(&file, &spans).into_iter().min_by_key(count).unwrap();
    let mut rows: Vec<_> = calls.iter().map(|(name, count)| (count, name)).collect();
    rows.sort_by(|a, b| b.cmp(a));
    let all = count(&calls);
    println!("system calls: {all}");
    for (count, name) in rows {
        println!("{count:>4} {name}");
    }
    assert!(all <= MOST, "{calls:?}");
    assert!(calls["fsync"] <= MOST_SYNCS, "{calls:?}");
}
