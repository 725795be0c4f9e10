//! Sends more mail than the program can process: `cargo bench --bench load`. `LOAD_SECONDS=600` overloads it for ten
//! minutes.
//!
//! Players chat by LMTP, each chat message causes letters to two players, and the letters are sent by SMTP to a sink.
//! First, 20 senders send as fast as they get answers. Then messages arrive a little slower than they were processed,
//! so that letters are sent without delay. Finally they arrive at twice the measured rate, from more senders than the
//! program accepts. No accepted message may be lost, and memory must remain stable.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use turnpost::command::MailForm;

mod by_mail;
#[path = "../tests/it/common/mod.rs"]
mod common;

use by_mail::{ADDRESS, Sink, config, fill};
use common::Server;
use common::serving::{Peer, Serving};

/// The number of messages in the first phase, and in the second.
const MAILS: usize = 10_000;
const SENDERS: usize = 20;
/// The rate of messages in the second phase, relative to the rate measured in the first phase.
const SUSTAINED: f64 = 0.9;
/// The number of senders in the overload, more than the program accepts.
const TOO_MANY: usize = 48;
const BOARDS: usize = 200;
/// The hash of `secret` with the cheapest possible parameters.
const SECRET: &str = "$argon2id$v=19$m=8,t=1,p=1$dHVybnBvc3QtdGVzdHM$bw9mlq1D8IwOnFlD802JlfMaWrDpjzIuxGYJ6KrwKaU";

/// The running server.
struct AtWork {
    socket: PathBuf,
    database: Mutex<Connection>,
    sink: Sink,
    serving: Serving,
    next: AtomicUsize,
    server: Server,
}

impl AtWork {
    fn start() -> AtWork {
        let (server, sink) = (Server::new(), Sink::start());
        fill(&server, BOARDS, SECRET, MailForm::Text);
        let socket = server.data().join("lmtp.sock");
        let config = config(&server, &sink);
        let serving = Serving::logging(&server, &config, "warn,turnpost::serve::server=info");
        let database = Mutex::new(Connection::open(server.data().join("turnpost.db")).unwrap());
        AtWork { socket, database, sink, serving, next: AtomicUsize::new(0), server }
    }

    /// Delivers the next message. Returns the time until the server's answer, or `None` if the server asks for a
    /// later retry.
    fn deliver(&self, peer: &mut Peer) -> Option<Duration> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let mail = format!(
            "From: first{board}@example.org\r\nTo: <{ADDRESS}>\r\nMessage-ID: <{n}@example.org>\r\n\
             Subject: brique chat {number} first{board} secret\r\n\r\nThis is chat {n}.\r\n.\r\n",
            board = n % BOARDS,
            number = n % BOARDS + 1,
        );
        peer.begin(ADDRESS);
        let began = Instant::now();
        peer.send(mail.as_bytes());
        peer.reply().starts_with("250").then(|| began.elapsed())
    }

    /// Returns the number of messages with the verdict `done`.
    fn processed(&self) -> usize {
        let sql = "SELECT count(*) FROM inbox WHERE verdict = 'done'";
        let count: i64 = self.database.lock().unwrap().query_row(sql, [], |row| row.get(0)).unwrap();
        count as usize
    }

    /// Waits until this many messages are processed and their letters are sent.
    fn wait(&self, mails: usize) {
        while self.processed() < mails || self.database.lock().unwrap().prepare(UNSENT).unwrap().exists([]).unwrap() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the resident memory in MiB.
    fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.serving.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<usize>().unwrap() / 1024
    }
}

const UNSENT: &str = "SELECT 1 FROM outbox WHERE sent_at IS NULL AND due_at IS NOT NULL";

/// Returns a percentile of the answer times, in milliseconds.
fn percentile(times: &mut [Duration], hundredths: usize) -> f64 {
    times.sort();
    times[(times.len() * hundredths / 100).min(times.len() - 1)].as_secs_f64() * 1e3
}

/// Sends as fast as answers arrive. Returns the messages processed per second, including their letters.
fn answered(at_work: &AtWork) -> f64 {
    let (times, before, began) = (Mutex::new(Vec::new()), at_work.memory(), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(|| {
                let mut peer = Peer::greeted(&at_work.socket);
                let own: Vec<Duration> = (0..MAILS / SENDERS)
                    .map(|_| at_work.deliver(&mut peer).expect("the message is accepted"))
                    .collect();
                times.lock().unwrap().extend(own);
            });
        }
    });
    let taken = began.elapsed();
    let letters = at_work.sink.count();
    at_work.wait(MAILS);
    drop(at_work.sink.take());
    let rate = MAILS as f64 / began.elapsed().as_secs_f64();
    let mut times = times.into_inner().unwrap();
    println!(
        "{MAILS} mails from {SENDERS} senders in {:.1} s, while {letters} letters left: answers in {:.1} ms (median), \
         {:.1} ms (99 of 100); memory {before} MiB before, {} MiB after; {rate:.0} processed and told a second",
        taken.as_secs_f64(),
        percentile(&mut times, 50),
        percentile(&mut times, 99),
        at_work.memory()
    );
    rate
}

/// Sends messages from this many senders, at this rate if their answers arrive in time.
fn offered(at_work: &AtWork, rate: f64, mails: usize, senders: usize) {
    let (began, before, memory) = (Instant::now(), at_work.processed(), at_work.memory());
    let (due, refused, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let times = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..senders {
            scope.spawn(|| {
                let mut own = Vec::new();
                let mut peer = None;
                loop {
                    let n = due.fetch_add(1, Ordering::Relaxed);
                    if n >= mails {
                        break;
                    }
                    let time = Duration::from_secs_f64(n as f64 / rate);
                    std::thread::sleep(time.saturating_sub(began.elapsed()));
                    let mut connected = match peer.take() {
                        Some(peer) => peer,
                        None => {
                            let mut new = Peer::connect(&at_work.socket);
                            if !new.reply().starts_with("220") {
                                refused.fetch_add(1, Ordering::Relaxed);
                                continue;
                            }
                            new.say("LHLO bench");
                            new
                        }
                    };
                    match at_work.deliver(&mut connected) {
                        Some(time) => own.push(time),
                        None => drop(refused.fetch_add(1, Ordering::Relaxed)),
                    }
                    peer = Some(connected);
                    most.fetch_max(at_work.memory(), Ordering::Relaxed);
                }
                times.lock().unwrap().extend(own);
            });
        }
    });
    let (took, letters) = (began.elapsed(), at_work.sink.count());
    let mut times = times.into_inner().unwrap();
    at_work.wait(before + times.len());
    drop(at_work.sink.take());
    println!(
        "{mails} mails in {:.0} s ({:.0} a second were meant), while {letters} letters left: {} taken, {} asked to come \
         again; answers in {:.1} ms (median), {:.1} ms (99 of 100); memory {memory} MiB before, at most {} MiB; all that \
         were taken are processed and told after {:.0} s",
        took.as_secs_f64(),
        rate,
        times.len(),
        refused.into_inner(),
        percentile(&mut times, 50),
        percentile(&mut times, 99),
        most.into_inner(),
        began.elapsed().as_secs_f64()
    );
    assert_eq!(at_work.processed(), before + times.len(), "each message is processed once");
}

fn main() {
    let seconds = std::env::var("LOAD_SECONDS").map_or(30, |text| text.parse().expect("LOAD_SECONDS is a number"));
    let at_work = AtWork::start();
    let rate = answered(&at_work);
    offered(&at_work, SUSTAINED * rate, MAILS, SENDERS);
    let rate = 2.0 * rate;
    offered(&at_work, rate, (rate * seconds as f64) as usize, TOO_MANY);
    common::done(&at_work.server, "admin check");
}
