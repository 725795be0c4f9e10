//! Mail servers that disconnect, send nonsense, refuse, or reply one byte at a time, at each step of an SMTP session.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use super::outcome::{hand_over, program, work_off};
use super::turn::{MAIL, before_a_turn, copy};

/// The steps of an SMTP session: the connection, each command, and the first and the last line of the letter.
const STEPS: [&str; 7] = ["connection", "EHLO", "MAIL", "RCPT", "DATA", "first line", "last line"];

/// What a mail server does wrong at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The server disconnects.
    Ends,
    /// The server sends an invalid reply.
    Nonsense,
    /// The server replies with a temporary error.
    Later,
    /// The server replies with a permanent error that is not about the recipient.
    Refuses,
    /// The server sends the correct reply one byte at a time.
    Dawdles,
}

const FAULTS: [Fault; 5] = [Fault::Ends, Fault::Nonsense, Fault::Later, Fault::Refuses, Fault::Dawdles];

/// A mail server that fails at one step until it is repaired.
#[derive(Clone)]
struct Peer {
    fault: Arc<Mutex<Option<(&'static str, Fault)>>>,
    /// The recipient and the Message-ID of each accepted letter.
    taken: Arc<Mutex<Vec<(String, String)>>>,
    port: u16,
}

impl Peer {
    fn start(fault: (&'static str, Fault)) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let peer = Peer { fault: Arc::new(Mutex::new(Some(fault))), taken: Arc::default(), port };
        let talking = peer.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let peer = talking.clone();
                // `talk` returns `None` when the connection has ended, which is not an error.
                thread::spawn(move || peer.talk(stream));
            }
        });
        peer
    }

    fn mend(&self) {
        *self.fault.lock().unwrap() = None;
    }

    /// Sends the reply of a step. Returns `None` if the session ends: after a wrong reply, or if the server or the
    /// client has disconnected.
    fn reply(&self, mut stream: &TcpStream, step: &str, usual: &str) -> Option<()> {
        let fault = self.fault.lock().unwrap().filter(|(at, _)| *at == step).map(|(_, fault)| fault);
        let reply = match fault {
            None | Some(Fault::Dawdles) => usual,
            Some(Fault::Ends) => return None,
            Some(Fault::Nonsense) => "good day to you \u{0}",
            Some(Fault::Later) => "451 4.3.0 later",
            Some(Fault::Refuses) => "554 5.7.1 relay access denied",
        };
        let bytes = format!("{reply}\r\n").into_bytes();
        let size = if fault == Some(Fault::Dawdles) { 1 } else { bytes.len() };
        bytes.chunks(size).try_for_each(|part| stream.write_all(part)).ok()?;
        (fault.is_none() || fault == Some(Fault::Dawdles)).then_some(())
    }

    fn talk(&self, stream: TcpStream) -> Option<()> {
        let mut lines = BufReader::new(stream.try_clone().ok()?).lines().map_while(Result::ok);
        let mut to = String::new();
        self.reply(&stream, "connection", "220 test")?;
        while let Some(line) = lines.next() {
            let step = STEPS.into_iter().find(|step| line.starts_with(step));
            match step {
                Some("DATA") => {
                    self.reply(&stream, "DATA", "354 go on")?;
                    let mut text = vec![lines.next()?];
                    if self.fault.lock().unwrap().is_some_and(|(at, _)| at == "first line") {
                        self.reply(&stream, "first line", "")?;
                    }
                    text.extend(lines.by_ref().take_while(|line| line != "."));
                    let id = text.iter().find_map(|line| line.strip_prefix("Message-ID: ")).unwrap().to_owned();
                    self.taken.lock().unwrap().push((to.clone(), id));
                    self.reply(&stream, "last line", "250 taken")?;
                }
                Some(step) => {
                    if step == "RCPT" {
                        to = line;
                    }
                    self.reply(&stream, step, "250 fine")?;
                }
                None => self.reply(&stream, "", "250 fine")?,
            }
        }
        None
    }
}

/// Plays a turn while the mail server fails at a step, then repairs the mail server. Each letter must arrive, and all
/// of its copies must have the same Message-ID.
fn play(before: &Path, step: &'static str, fault: Fault) {
    let peer = Peer::start((step, fault));
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    copy(before, &data);
    let smtp = format!("[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {}\ntls = \"none\"\n", peer.port);
    std::fs::write(data.join("turnpost.toml"), smtp).unwrap();
    let at = format!("{fault:?} at {step}");
    assert!(hand_over(program(&data), MAIL, |_| ()).success(), "{at}");
    peer.mend();
    // Without this file, turnpost would not contact the failed mail server for a minute.
    let _ = std::fs::remove_file(data.join("relay.json"));
    work_off(&data);
    let taken = peer.taken.lock().unwrap().clone();
    for player in ["alice", "bob"] {
        let mut ids: Vec<&String> = taken.iter().filter(|(to, _)| to.contains(player)).map(|(_, id)| id).collect();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{at}: letters to {player}: {taken:?}");
    }
    let shell = |line: &str| {
        let ran = program(&data).args(line.split(' ')).output().unwrap();
        String::from_utf8(ran.stdout).unwrap()
    };
    assert_eq!(shell("admin outbox --undelivered"), "Nothing.\n", "{at}");
    assert_eq!(shell("admin players --paused"), "Nothing.\n", "{at}");
}

#[test]
fn letters_survive_a_mail_server_with_a_fault_at_each_step() {
    let server = before_a_turn();
    thread::scope(|scope| {
        for fault in FAULTS {
            let before = server.data();
            scope.spawn(move || {
                for step in STEPS {
                    // The server sends no reply after the first line, so it can only disconnect.
                    if step != "first line" || fault == Fault::Ends {
                        play(before, step, fault);
                    }
                }
            });
        }
    });
}
