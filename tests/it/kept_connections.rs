//! Letters are sent over persistent connections.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done};

/// How a mail server behaves.
#[derive(Clone, Copy, Default)]
struct Habits {
    /// Whether the server refuses letters to bob.
    refuses_bob: bool,
    /// The number of letters after which the server ends a session, and its reply to the last of them.
    last: Option<(usize, &'static str)>,
}

/// A mail server with a record of its input.
struct MailServer {
    port: u16,
    received: Arc<Mutex<Received>>,
}

#[derive(Default)]
struct Received {
    /// The commands of each connection, in the order in which the connections began.
    sessions: Vec<Vec<String>>,
    /// The recipients of accepted letters.
    taken: Vec<String>,
}

impl MailServer {
    fn start(habits: Habits) -> MailServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = MailServer { port: listener.local_addr().unwrap().port(), received: Arc::default() };
        let received = Arc::clone(&server.received);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let received = Arc::clone(&received);
                // An error means that the client has disconnected.
                thread::spawn(move || drop(talk(stream, habits, &received)));
            }
        });
        server
    }

    fn config(&self) -> String {
        format!(
            "address = \"turnpost@games.example\"\n[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {}\n\
             tls = \"none\"\n",
            self.port
        )
    }

    /// Returns the commands of each session, without parameters.
    fn sessions(&self) -> Vec<String> {
        let sessions = &self.received.lock().unwrap().sessions;
        sessions.iter().map(|lines| lines.iter().map(|line| &line[..4]).collect::<Vec<_>>().join(" ")).collect()
    }
}

fn talk(mut stream: TcpStream, habits: Habits, received: &Mutex<Received>) -> std::io::Result<()> {
    let session = {
        let mut received = received.lock().unwrap();
        received.sessions.push(Vec::new());
        received.sessions.len() - 1
    };
    let mut lines = BufReader::new(stream.try_clone()?).lines().map_while(Result::ok);
    let (mut letters, mut to) = (0, String::new());
    stream.write_all(b"220 test\r\n")?;
    while let Some(line) = lines.next() {
        received.lock().unwrap().sessions[session].push(line.clone());
        let verb = &line[..4];
        if verb == "RCPT" {
            to.clone_from(&line);
        }
        let reply = match verb {
            "RCPT" if habits.refuses_bob && to.contains("bob@") => "550 5.1.1 nobody of this name",
            "DATA" => "354 go on",
            _ => "250 fine",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes())?;
        if reply.starts_with("354") {
            let Some(_) = lines.by_ref().find(|line| line == ".") else { return Ok(()) };
            letters += 1;
            received.lock().unwrap().taken.push(to.clone());
            stream.write_all(b"250 taken\r\n")?;
            if let Some((last, said)) = habits.last
                && letters == last
                && session == 0
            {
                return stream.write_all(said.as_bytes());
            }
        }
    }
    Ok(())
}

/// Sends a letter to each of these players, one after the other. Returns the server's sessions, the recipients of
/// accepted letters, and the log.
fn letters(habits: Habits, to: &[&str]) -> (Vec<String>, Vec<String>, String) {
    let (server, mail_server) = (Server::with_players(), MailServer::start(habits));
    done(&server, "signup carol carpenter carol@example.org");
    let serving = Serving::start(&server, &mail_server.config());
    for userid in to {
        done(&server, &format!("message alice wonderland {userid} --say=hello"));
        wait_until("all due letters to be sent", || {
            let rows = server.json("admin outbox --undelivered");
            rows.as_array()
                .unwrap()
                .iter()
                .all(|row| row["state"] == "held until the player does something")
                .then_some(())
        });
    }
    let taken = mail_server.received.lock().unwrap().taken.clone();
    let names = taken.iter().map(|line| line.split(['<', '@']).nth(1).unwrap().to_owned()).collect();
    (mail_server.sessions(), names, serving.log())
}

#[test]
fn letters_share_a_connection() {
    let (sessions, taken, _) = letters(Habits::default(), &["bob", "carol", "bob"]);
    assert_eq!(sessions, ["EHLO MAIL RCPT DATA MAIL RCPT DATA MAIL RCPT DATA"]);
    assert_eq!(taken, ["bob", "carol", "bob"]);
}

#[test]
fn a_refused_recipient_does_not_affect_other_letters() {
    let habits = Habits { refuses_bob: true, ..Habits::default() };
    let (sessions, taken, log) = letters(habits, &["carol", "bob", "carol"]);
    assert_eq!(sessions, ["EHLO MAIL RCPT DATA MAIL RCPT RSET MAIL RCPT DATA"]);
    assert_eq!(taken, ["carol", "carol"]);
    assert!(log.contains("address paused") && log.contains("nobody of this name"), "{log}");
}

#[test]
fn no_letter_is_lost_when_the_server_ends_a_session() {
    for said in ["", "421 4.4.2 nothing said for too long\r\n"] {
        let habits = Habits { last: Some((2, said)), ..Habits::default() };
        let (sessions, taken, log) = letters(habits, &["bob", "carol", "bob"]);
        assert_eq!(taken, ["bob", "carol", "bob"], "{said}");
        assert_eq!(sessions.len(), 2, "{sessions:?}");
        assert!(!log.contains("letter not sent"), "{log}");
    }
}
