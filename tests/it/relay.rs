//! A refused letter pauses the player's address, but not if the cause is the mail server that sends our letters, or our
//! configuration.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::serving::{Serving, terminate, wait_until};
use crate::common::{Server, done};

/// A mail server that answers `250 fine`, unless the test sets another answer or delays it.
pub(crate) struct Relay {
    port: u16,
    state: Arc<Mutex<State>>,
    /// Notified by [`Relay::mend`].
    mended: Arc<Condvar>,
}

/// If the test sets this answer, the mail server delays its usual answer until [`Relay::mend`].
pub(crate) const WAITS: &str = "";

#[derive(Default)]
struct State {
    /// Prefixes of lines, each with the answer to lines that begin with it.
    answers: Vec<(String, String)>,
    /// The received lines, and `greeting` or `text` for each connection or received letter.
    received: Vec<String>,
}

impl State {
    fn answer(&self, line: &str, usual: &str) -> String {
        let found = self.answers.iter().find(|(begin, _)| line.starts_with(begin));
        found.map_or(usual, |(_, answer)| answer).to_owned()
    }
}

impl Relay {
    pub(crate) fn start() -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let relay = Relay { port, state: Arc::default(), mended: Arc::default() };
        let (shared, mended) = (Arc::clone(&relay.state), Arc::clone(&relay.mended));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (state, mended) = (Arc::clone(&shared), Arc::clone(&mended));
                thread::spawn(move || talk(stream.unwrap(), &state, &mended));
            }
        });
        relay
    }

    pub(crate) fn config(&self) -> String {
        let port = self.port;
        format!(
            "address = \"turnpost@games.example\"\n[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {port}\n\
             tls = \"none\"\n"
        )
    }

    pub(crate) fn configure(&self, server: &Server) {
        server.configure(self.config());
    }

    /// Sets the answer to lines with this prefix.
    pub(crate) fn answers(&self, begin: &str, answer: &str) {
        self.state.lock().unwrap().answers = vec![(begin.to_owned(), answer.to_owned())];
    }

    /// Restores the usual answers.
    pub(crate) fn mend(&self) {
        self.state.lock().unwrap().answers.clear();
        self.mended.notify_all();
    }

    /// Returns the number of received lines with this prefix.
    pub(crate) fn received(&self, begin: &str) -> usize {
        self.state.lock().unwrap().received.iter().filter(|line| line.starts_with(begin)).count()
    }
}

fn talk(mut stream: TcpStream, state: &Mutex<State>, mended: &Condvar) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut say = |line: &str, usual: &str| {
        let mut state = state.lock().unwrap();
        state.received.push(line.to_owned());
        while state.answer(line, usual) == WAITS {
            state = mended.wait(state).unwrap();
        }
        let answer = state.answer(line, usual);
        let _ = write!(stream, "{answer}\r\n");
        answer
    };
    say("greeting", "220 test");
    while let Some(Ok(line)) = lines.next() {
        let usual = if line == "DATA" { "354 go on" } else { "250 fine" };
        if say(&line, usual).starts_with("354") {
            lines.by_ref().map_while(Result::ok).find(|line| line == ".");
            say("text", "250 taken");
        }
    }
}

/// Returns the lines of a log that warn the administrator.
fn alarms(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.contains("ERROR")).collect()
}

#[test]
fn letters_wait_and_addresses_remain_active_when_the_relay_refuses_us() {
    for (at, answer) in [
        ("greeting", "554 5.3.2 no service here"),
        ("EHLO", "550 5.7.1 go away"),
        ("MAIL", "530 5.7.0 must log in first"),
        ("MAIL", "550 5.1.8 sender refused"),
        ("RCPT", "554 5.7.1 <x>: Relay access denied"),
        ("RCPT", "550 relaying denied"),
        ("RCPT", "530 log in first"),
        ("DATA", "554 5.7.1 not from you"),
        ("text", "554 5.7.1 blocked for policy reasons"),
    ] {
        let (server, relay) = (Server::with_players(), Relay::start());
        relay.configure(&server);
        relay.answers(at, answer);
        let first = server.shell("marque challenge alice bob");
        let told = alarms(&first.err);
        assert!(told.len() == 1, "{answer}: {}", first.err);
        assert!(told[0].contains(&answer[4..]) && told[0].contains("turnpost.toml"), "{answer}: {}", told[0]);
        // No second warning is logged within an hour.
        let second = server.shell("message alice wonderland bob --say=hello");
        assert!(alarms(&second.err).is_empty(), "{answer}: {}", second.err);
        let undelivered = server.shell("admin outbox --undelivered").out;
        assert!(undelivered.contains("due") && !undelivered.contains("given up"), "{answer}: {undelivered}");
        assert!(!done(&server, "admin players").contains("paused ("), "{answer}");
        assert_eq!(server.shell("admin players --paused").out, "Nothing.\n", "{answer}");
        relay.mend();
        // The number of any notice in a letter identifies the letter.
        let resent = done(&server, "admin resend 1 2 3");
        assert!(resent.lines().count() == 3 && resent.lines().all(|line| line.contains(": sent 20")), "{resent}");
        assert_eq!(server.shell("admin outbox --undelivered").out, "Nothing.\n", "{answer}");
    }
}

/// Creates a server with alice, bob and this many additional players.
fn with_players(count: usize) -> Server {
    let server = Server::with_players();
    for number in 1..=count {
        done(&server, &format!("signup player{number} secret player{number}@example.org"));
    }
    server
}

#[test]
fn a_relay_that_refuses_every_recipient_pauses_few_addresses() {
    let (server, relay) = (with_players(8), Relay::start());
    relay.configure(&server);
    relay.answers("RCPT", "550 5.1.1 no such user");
    let mut log = String::new();
    for number in [1, 3, 5, 7] {
        log += &server.shell(&format!("marque challenge player{number} player{}", number + 1)).err;
    }
    assert_eq!(alarms(&log).len(), 1, "{log}");
    assert!(alarms(&log)[0].contains("no such user") && alarms(&log)[0].contains("in a row"), "{log}");
    let paused = done(&server, "admin players --paused");
    assert_eq!(paused.matches("@example.org (paused").count(), 4, "{paused}");
    // After the fifth refusal, the program does not contact the mail server again, except for a letter that it was
    // already sending.
    assert!((5..=6).contains(&relay.received("RCPT")), "{}", relay.received("RCPT"));
    let undelivered = done(&server, "admin outbox --undelivered");
    assert!(!undelivered.contains("given up") && !undelivered.contains("refused"), "{undelivered}");
    let tried = relay.received("RCPT");
    done(&server, "tick");
    assert_eq!(relay.received("RCPT"), tried, "no letter is sent for a while");
    relay.mend();
    let rows = server.json("admin outbox --undelivered");
    let to = |number: u64| rows.as_array().unwrap().iter().find(|row| row["to"] == format!("player{number}")).cloned();
    let letters: Vec<String> = (5..=8).map(|number| to(number).unwrap()["letter"].to_string()).collect();
    done(&server, &format!("admin resend {}", letters.join(" ")));
    assert_eq!(relay.received("text"), 4);
    // Once the mail server accepts letters again, a refusal pauses an address as usual.
    relay.answers("RCPT TO:<bob@", "550 5.1.1 no such user");
    done(&server, "message alice wonderland bob --say=hello");
    let paused = done(&server, "admin players --paused");
    assert!(paused.contains("bob@example.org (paused"), "{paused}");
}

#[test]
fn letters_to_a_paused_address_are_sent_once_its_player_writes_from_it() {
    let (server, relay) = (Server::with_players(), Relay::start());
    relay.configure(&server);
    let mail = |id: u32, words: &str| {
        let mail = format!("From: bob@example.org\nMessage-ID: <{id}@x>\nSubject: {words}\n\n");
        assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    };
    relay.answers("RCPT TO:<bob@", "550 5.1.1 no such user");
    done(&server, "message alice wonderland bob --say=hello");
    assert!(done(&server, "admin players --paused").contains("bob@example.org (paused"));
    let bounces = done(&server, "admin bounces");
    for words in ["bob@example.org", "refused", "(550)", "5.1.1 no such user"] {
        assert!(bounces.contains(words), "no {words:?} in\n{bounces}");
    }
    // The answer is sent only to bob, and the mail server refuses it.
    mail(1, "vacation bob wrong off");
    relay.mend();
    mail(2, "vacation bob builder off");
    assert_eq!(server.shell("admin outbox --undelivered").out, "Nothing.\n");
    assert_eq!(relay.received("text"), 3, "one letter with the message and one answer to each request");
    assert_eq!(done(&server, "admin bounces"), "Nothing.\n", "every letter was sent after the pause");
}

#[test]
fn all_letters_that_were_given_up_are_sent_again() {
    let (server, relay) = (with_players(1), Relay::start());
    relay.configure(&server);
    // The refusal concerns this letter and not the mailbox, so no address is paused.
    relay.answers("text", "552 5.3.4 too big for us");
    done(&server, "message alice wonderland bob --say=hello");
    done(&server, "message alice wonderland player1 --say=hello");
    assert_eq!(done(&server, "admin outbox --undelivered").matches("given up").count(), 2);
    relay.mend();
    let resent = done(&server, "admin resend --undelivered");
    assert!(resent.lines().count() == 2 && resent.lines().all(|line| line.contains(": sent 20")), "{resent}");
    assert!(done(&server, "admin resend --undelivered").starts_with("The server has not given up any letter."));
    assert_eq!(server.shell("admin resend").status, 2);
    assert_eq!(server.shell("admin resend 1 --undelivered").status, 2);
}

/// Starts `turnpost mail` with a message.
fn pipe(server: &mut Server, subject: &str) -> std::process::Child {
    let mail = server.compose("alice@example.org", subject, "");
    let mut program = server.program();
    let mut child = program.arg("mail").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(mail.as_bytes()).unwrap();
    child
}

#[test]
fn a_message_does_not_wait_for_a_hanging_letter_of_another_program() {
    let (mut server, relay) = (with_players(1), Relay::start());
    relay.configure(&server);
    relay.answers("RCPT", WAITS);
    let mut first = pipe(&mut server, "message alice wonderland bob --say=one");
    wait_until("the first letter to reach the relay", || (relay.received("RCPT") > 0).then_some(()));
    for _ in 0..5 {
        assert!(pipe(&mut server, "message alice wonderland player1 --say=two").wait().unwrap().success());
    }
    assert!(first.try_wait().unwrap().is_none(), "the process waits for the mail server");
    assert_eq!(done(&server, "admin inbox").matches("done").count(), 6);
    // Once the mail server answers, the first program also sends the letters of the other programs.
    relay.mend();
    assert!(first.wait().unwrap().success());
    assert_eq!(done(&server, "admin outbox --undelivered"), "Nothing.\n");
}

#[test]
fn senders_wait_only_once_for_a_silent_mail_server() {
    let (mut server, relay) = (with_players(6), Relay::start());
    relay.configure(&server);
    relay.answers("MAIL", WAITS);
    assert!(pipe(&mut server, "message alice wonderland bob --say=one").wait().unwrap().success());
    let tried = relay.received("greeting");
    // After the first program has failed, later programs do not contact the mail server for a while.
    for number in 1..=6 {
        let subject = format!("message alice wonderland player{number} --say=two");
        assert!(pipe(&mut server, &subject).wait().unwrap().success());
    }
    assert_eq!(relay.received("greeting"), tried);
    assert!(done(&server, "admin outbox --undelivered").contains("due again"));
}

#[test]
fn serve_stops_while_a_mail_server_hangs() {
    for at in ["greeting", "RCPT", "text"] {
        let (server, relay) = (Server::with_players(), Relay::start());
        let mut serving = Serving::start(&server, &relay.config());
        relay.answers(at, WAITS);
        done(&server, "message alice wonderland bob --say=hello");
        wait_until("the letter to reach the relay", || (relay.received(at) > 0).then_some(()));
        let began = Instant::now();
        terminate(&serving.child);
        assert!(serving.child.wait().unwrap().success(), "{}", serving.log());
        // `serve` waits 5 seconds, or longer on a busy machine, but far less than the half minute that a letter may
        // take.
        assert!(began.elapsed() < Duration::from_secs(15), "{at}: {:?}", began.elapsed());
        relay.mend();
        done(&server, "tick");
        assert_eq!(done(&server, "admin outbox --undelivered"), "Nothing.\n");
    }
}

/// Starts a server that is sending letters to forty players. The mail server gives this answer to lines with this
/// prefix.
fn busy(begin: &str, answer: &str) -> (Server, Relay, Serving) {
    let (server, relay) = (with_players(40), Relay::start());
    let serving = Serving::start(&server, &relay.config());
    done(&server, "admin hold");
    for number in 1..=40 {
        done(&server, &format!("message alice wonderland player{number} --say=hello"));
    }
    relay.answers(begin, answer);
    done(&server, "admin release");
    // There are sixteen connections, each of which is sending one letter. The other letters wait.
    wait_until("sixteen letters to reach the relay", || (relay.received(begin) >= 16).then_some(()));
    (server, relay, serving)
}

#[test]
fn letters_held_by_a_hanging_mail_server_are_sent_once_after_serve_stops() {
    let (server, relay, mut serving) = busy("RCPT", WAITS);
    terminate(&serving.child);
    assert!(serving.child.wait().unwrap().success(), "{}", serving.log());
    relay.mend();
    done(&server, "tick");
    assert_eq!(done(&server, "admin outbox --undelivered"), "Nothing.\n");
    assert_eq!(relay.received("text"), 40);
}

#[test]
fn deferred_letters_are_sent_once_the_mail_server_works_again() {
    let (server, relay, _serving) = busy("MAIL", "451 4.3.0 not now");
    relay.mend();
    wait_until("all letters to be sent", || {
        let waiting = server.json("admin outbox --undelivered");
        let waiting = waiting.as_array().unwrap();
        let letters: Vec<String> = waiting.iter().filter_map(|row| Some(row["letter"].as_i64()?.to_string())).collect();
        if !letters.is_empty() {
            done(&server, &format!("admin resend {}", letters.join(" ")));
        }
        waiting.is_empty().then_some(())
    });
    assert!(relay.received("text") >= 40);
}
