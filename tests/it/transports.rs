//! Letters are sent by SMTP, by sendmail, and to a Maildir.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use turnpost::command::{self, MailForm, Settings};
use turnpost::config::Config;
use turnpost::service::{Origin, Passwords, Request};
use turnpost::world::World;

use crate::common::certificates::certificates;
use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done, mail};

fn configure(server: &Server, transport: &str) {
    let text = format!("address = \"turnpost@games.example\"\n[transport]\n{transport}\n");
    server.configure(text);
}

#[test]
fn letters_in_the_maildir_are_readable_only_by_their_owner() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let outgoing = server.data().join("outgoing");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(["", "new", "cur", "tmp"].map(|name| mode(&outgoing.join(name))), [0o700; 4]);
    let letters = fs::read_dir(outgoing.join("new")).unwrap().map(|letter| mode(&letter.unwrap().path()));
    assert!(letters.collect::<Vec<_>>().iter().all(|mode| *mode == 0o600));
}

#[test]
fn letters_of_an_older_version_become_readable_only_by_their_owner() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let outgoing = server.data().join("outgoing");
    let letter = fs::read_dir(outgoing.join("new")).unwrap().next().unwrap().unwrap().path();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let open = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let elsewhere = server.data().join("elsewhere");
    fs::write(&elsewhere, "").unwrap();
    std::os::unix::fs::symlink(&elsewhere, outgoing.join("new/link")).unwrap();
    for start in ["tick", "serve"] {
        for name in ["", "new", "cur", "tmp"] {
            open(&outgoing.join(name), 0o755);
        }
        open(&letter, 0o644);
        open(&elsewhere, 0o644);
        match start {
            "tick" => drop(done(&server, "tick")),
            _ => drop(Serving::start(&server, "").stop()),
        }
        assert_eq!(["", "new", "cur", "tmp"].map(|name| mode(&outgoing.join(name))), [0o700; 4]);
        assert_eq!((mode(&letter), mode(&elsewhere)), (0o600, 0o644));
    }
}

#[test]
fn letters_are_sent_by_sendmail() {
    let server = Server::with_players();
    let (program, sent) = (server.data().join("sendmail"), server.data().join("sent"));
    std::fs::write(&program, format!("#!/bin/sh\ncat >> {}\n", sent.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    configure(&server, &format!("kind = \"sendmail\"\ncommand = {:?}", program.to_str().unwrap()));
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let sent = std::fs::read_to_string(sent).unwrap();
    for words in ["From: Turnpost <turnpost@games.example>", "Subject: Marque Board 1 alice **", "To: bob@example.org"]
    {
        assert!(sent.contains(words), "no {words:?} in\n{sent}");
    }
}

/// A mail server according to RFC 5321, which accepts many connections. It refuses letters to bob permanently, and does
/// not answer a letter to carol until the test permits it.
struct Peer {
    port: u16,
    taken: Arc<Mutex<Vec<Taken>>>,
    connections: Arc<AtomicUsize>,
    go_on: Sender<()>,
}

/// A letter that the mail server has accepted.
#[derive(Clone, Debug, PartialEq)]
struct Taken {
    sender: String,
    to: String,
    text: String,
}

impl Peer {
    fn start() -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (taken, connections) = (Arc::default(), Arc::new(AtomicUsize::new(0)));
        let (go_on, wait) = mpsc::channel();
        let wait = Arc::new(Mutex::new(wait));
        let (all, count) = (Arc::clone(&taken), Arc::clone(&connections));
        thread::spawn(move || {
            for stream in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
                let (all, wait) = (Arc::clone(&all), Arc::clone(&wait));
                thread::spawn(move || talk(stream.unwrap(), &all, &wait));
            }
        });
        Peer { port, taken, connections, go_on }
    }

    fn config(&self) -> String {
        format!("kind = \"smtp\"\nhost = \"127.0.0.1\"\nport = {}\ntls = \"none\"", self.port)
    }

    fn taken(&self) -> Vec<Taken> {
        self.taken.lock().unwrap().clone()
    }
}

fn talk(stream: TcpStream, taken: &Mutex<Vec<Taken>>, wait: &Mutex<Receiver<()>>) {
    let mut write = stream.try_clone().unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut say = |text: &str| write!(write, "{text}\r\n");
    let _ = say("220 test");
    let (mut sender, mut to) = (String::new(), String::new());
    let inside = |line: &str| line.split_once('<').unwrap().1.split_once('>').unwrap().0.to_owned();
    while let Some(Ok(line)) = lines.next() {
        let said = match line.split([' ', ':']).next().unwrap().to_ascii_uppercase().as_str() {
            "QUIT" => {
                let _ = say("221 bye");
                return;
            }
            "MAIL" => {
                sender = inside(&line);
                say("250 fine")
            }
            "RCPT" if line.contains("bob@") => say("550 5.1.1 no such mailbox"),
            "RCPT" => {
                to = inside(&line);
                if to.starts_with("carol@") {
                    // An error means that the test has ended.
                    let _ = wait.lock().unwrap().recv();
                }
                say("250 fine")
            }
            "DATA" => {
                let _ = say("354 go on");
                let text: Vec<String> = lines.by_ref().map_while(Result::ok).take_while(|line| line != ".").collect();
                let (sender, to) = (sender.clone(), to.clone());
                taken.lock().unwrap().push(Taken { sender, to, text: text.join("\n") });
                say("250 taken")
            }
            _ => say("250 fine"),
        };
        if said.is_err() {
            return;
        }
    }
}

#[test]
fn smtp_gives_up_permanently_refused_letters() {
    let server = Server::with_players();
    let peer = Peer::start();
    configure(&server, &peer.config());
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let letters = peer.taken();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].to, "alice@example.org");
    assert!(letters[0].text.contains("Subject: Marque Board 1 alice **"), "{}", letters[0].text);
    let sender = &letters[0].sender;
    assert!(sender.starts_with("turnpost+b-") && sender.ends_with("@games.example"), "{sender}");
    // bob's mailbox does not exist, so no more letters are sent to it, and notices to it are held.
    let undelivered = server.shell("admin outbox --undelivered").out;
    assert!(undelivered.contains("bob") && undelivered.contains("held"), "{undelivered}");
    assert!(!undelivered.contains("alice"), "{undelivered}");
    let players = server.shell("admin players").out;
    assert!(players.contains("bob@example.org (paused") && players.contains("no such mailbox"), "{players}");
}

#[test]
fn a_refused_address_does_not_delay_others() {
    let server = Server::with_players();
    let peer = Peer::start();
    configure(&server, &peer.config());
    assert_eq!(server.shell("change address bob builder bob@example.org robert@example.org").status, 0);
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let mut to: Vec<String> = peer.taken().into_iter().map(|letter| letter.to).collect();
    to.sort();
    // The second letter to robert reports that bob's address is paused.
    assert_eq!(to, ["alice@example.org", "robert@example.org", "robert@example.org"]);
    let said = peer.taken().into_iter().filter(|letter| letter.text.contains("Subject: Turnpost: letters to one of"));
    let said: Vec<String> = said.map(|letter| letter.text).collect();
    assert!(said.len() == 1 && said[0].contains("bob@example.org") && said[0].contains("no such mailbox"), "{said:?}");
    assert_eq!(server.shell("admin outbox --undelivered").out, "Nothing.\n");
}

#[test]
fn a_slow_letter_does_not_delay_others() {
    let server = Server::with_players();
    let peer = Peer::start();
    assert_eq!(server.shell("signup carol secret carol@example.org").status, 0);
    configure(&server, &peer.config());
    let serving = Serving::start(&server, &std::fs::read_to_string(server.data().join("turnpost.toml")).unwrap());
    assert_eq!(server.shell("marque challenge carol alice").status, 0);
    // The mail server does not answer carol's letter until the test permits it.
    wait_until("a letter to alice", || (peer.taken().len() == 1).then_some(()));
    for turn in 1..=5 {
        assert_eq!(server.shell("message alice wonderland alice --say=hello").status, 0);
        wait_until("a message to alice", || (peer.taken().len() == 1 + turn).then_some(()));
    }
    assert!(peer.taken().iter().all(|letter| letter.to == "alice@example.org"));
    peer.go_on.send(()).unwrap();
    wait_until("a letter to carol", || {
        peer.taken().iter().any(|letter| letter.to == "carol@example.org").then_some(())
    });
    // Connections are persistent, so there are fewer connections than letters.
    assert!(peer.connections.load(Ordering::SeqCst) <= 4, "{:?}", peer.connections);
    serving.stop();
}

/// Signs up pairs of players. Each first player challenges the second this many times.
fn challenge_often(server: &Server, pairs: [[&str; 2]; 3], times: usize) {
    let mut store = server.store(World::REAL);
    let config = Config::default();
    let (service, now) = (config.service(World::REAL), (World::REAL.now)());
    let mut tx = store.write().unwrap();
    for userid in pairs.as_flattened() {
        let player = tx.add_player(userid, "no hash", now).unwrap();
        tx.add_address(player, &format!("{userid}@example.org"), None, now).unwrap();
        tx.set_settings(player, &Settings { mail: MailForm::Text, ..Settings::default() }).unwrap();
    }
    for [first, second] in pairs.repeat(times) {
        let line = command::parse(&format!("brique challenge {first} {second}")).unwrap();
        let request = Request { line, from: Origin::Shell { password: None }, comment: None, client: None, now };
        service.answer(&mut tx, &request, &Passwords::default()).unwrap().unwrap();
    }
    tx.commit().unwrap();
}

#[test]
fn letters_are_composed_on_several_cores_and_sent_in_order_to_each_reader() {
    const BOARDS: usize = 50;
    let (server, peer) = (Server::new(), Peer::start());
    configure(&server, &peer.config());
    challenge_often(&server, [["ann", "ben"], ["cem", "dot"], ["eve", "fay"]], BOARDS);
    let serving = Serving::start(&server, &std::fs::read_to_string(server.data().join("turnpost.toml")).unwrap());
    // There are too many boards for one letter: each reader receives two.
    wait_until("twelve letters", || (peer.taken().len() == 12).then_some(()));
    serving.stop();
    // Reads the number in the heading above each board.
    let board = |line: &str| line.strip_prefix("Brique board ")?.split_once(": ")?.0.parse::<usize>().ok();
    let boards = |letter: &Taken| -> Vec<usize> { mail::read(&letter.text).text().lines().filter_map(board).collect() };
    for reader in ["ann", "ben", "cem", "dot", "eve", "fay"] {
        let to = format!("{reader}@example.org");
        let letters: Vec<_> = peer.taken().iter().filter(|letter| letter.to == to).map(boards).collect();
        let of_all = letters.concat();
        assert!(letters.len() == 2 && of_all.len() == BOARDS && of_all.is_sorted(), "{reader}: {letters:?}");
    }
    assert_eq!(server.shell("admin outbox --undelivered").out, "Nothing.\n");
}

/// A submission port over TLS, with its accepted letters.
struct Submission {
    dir: tempfile::TempDir,
    child: Child,
    lines: Receiver<String>,
    port: String,
}

impl Submission {
    fn start(mode: &str) -> Submission {
        let dir = tempfile::tempdir().unwrap();
        certificates(dir.path());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/submission.py");
        let mut child = Command::new("python3")
            .args([script, mode])
            .args([dir.path().join("cert.pem"), dir.path().join("key.pem")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = mpsc::channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        let port = lines.recv().unwrap();
        Submission { dir, child, lines, port }
    }

    fn config(&self, server: &Server, mode: &str, password: &str) {
        std::fs::write(server.data().join("password"), format!("{password}\n")).unwrap();
        let text = format!(
            "kind = \"smtp\"\nhost = \"localhost\"\nport = {}\ntls = {mode:?}\nuser = \"games\"\n\
             password_file = \"password\"",
            self.port
        );
        configure(server, &text);
    }

    /// Challenges bob with a program that trusts this certificate authority.
    fn challenge(&self, server: &Server, authority: &str) {
        let mut program = server.program();
        program.env("SSL_CERT_FILE", self.dir.path().join(authority)).args(["marque", "challenge", "alice", "bob"]);
        assert!(program.output().unwrap().status.success());
    }
}

impl Drop for Submission {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Python and openssl: ./test runs it")]
fn letters_are_sent_over_tls_with_a_login() {
    for mode in ["starttls", "wrapped"] {
        let (server, submission) = (Server::with_players(), Submission::start(mode));
        submission.config(&server, mode, "sesame");
        submission.challenge(&server, "ca.pem");
        let mut to = Vec::new();
        for _ in 0..2 {
            let taken: serde_json::Value = serde_json::from_str(&submission.lines.recv().unwrap()).unwrap();
            assert!(taken["tls"].as_str().unwrap().starts_with("TLSv1.") && taken["user"] == "games", "{taken}");
            assert!(taken["from"].as_str().unwrap().starts_with("MAIL FROM:<turnpost+b-"), "{taken}");
            to.push(taken["to"].as_str().unwrap().to_owned());
        }
        to.sort();
        assert_eq!(to, ["RCPT TO:<alice@example.org>", "RCPT TO:<bob@example.org>"]);
        assert_eq!(server.shell("admin outbox --undelivered").out, "Nothing.\n");
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Python and openssl: ./test runs it")]
fn a_wrong_password_or_an_unknown_authority_defers_letters() {
    let (server, submission) = (Server::with_players(), Submission::start("starttls"));
    submission.config(&server, "starttls", "wrong");
    submission.challenge(&server, "ca.pem");
    let undelivered = server.shell("admin outbox --undelivered").out;
    assert!(undelivered.contains("535") && !undelivered.contains("wrong\n"), "{undelivered}");
    assert!(undelivered.contains("due again") && !undelivered.contains("given up"), "{undelivered}");
    let (server, submission) = (Server::with_players(), Submission::start("wrapped"));
    submission.config(&server, "wrapped", "sesame");
    // The program does not trust the authority that signed the server's certificate.
    let other = tempfile::tempdir().unwrap();
    certificates(other.path());
    std::fs::copy(other.path().join("ca.pem"), submission.dir.path().join("other.pem")).unwrap();
    submission.challenge(&server, "other.pem");
    let undelivered = server.shell("admin outbox --undelivered").out;
    assert!(undelivered.contains("due again") && undelivered.contains("certificate"), "{undelivered}");
    assert!(submission.lines.try_recv().is_err(), "no letter is sent");
}
