//! `turnpost serve`, the administrator's commands, and the sqlite3 shell.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::common::serving::terminate;
use crate::common::{Ran, Server};

/// Starts `serve` with its log as JSON.
fn serve(server: &Server) -> (Child, std::io::Lines<BufReader<std::process::ChildStderr>>) {
    let mut child = server.program().args(["serve", "--log-json"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    wait_for(&mut log, "serving");
    (child, log)
}

/// Reads the log up to a line that contains this text.
fn wait_for(log: &mut impl Iterator<Item = std::io::Result<String>>, what: &str) -> String {
    for line in log {
        let line = line.unwrap();
        let entry: serde_json::Value = serde_json::from_str(&line).expect("each line is a JSON object");
        assert!(!line.contains("wonderland"), "{line}");
        if line.contains(what) {
            assert!(entry["message"].is_string(), "{line}");
            return line;
        }
    }
    panic!("the log ended without {what:?}");
}

fn stop(mut child: Child) {
    terminate(&child);
    assert!(child.wait().unwrap().success(), "SIGTERM ends the server cleanly");
}

#[test]
fn serve_processes_mail_until_it_stops() {
    let mut server = Server::with_players();
    let (child, mut log) = serve(&server);
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    for _ in 0..2 {
        wait_for(&mut log, "letter sent");
    }
    let second: Ran = server.program().arg("serve").output().unwrap().into();
    assert_ne!(second.status, 0);
    assert!(second.err.contains("another turnpost serve is running"), "{second:?}");
    let ran = server.shell("marque move 1 alice wonderland f3");
    assert_eq!(ran.status, 0, "{ran:?}");
    for _ in 0..2 {
        wait_for(&mut log, "letter sent");
    }
    stop(child);
    assert_eq!(server.letters().len(), 4);
}

#[test]
fn mail_that_waited_without_serve_is_processed_at_the_next_start() {
    let mut server = Server::with_players();
    // This process holds the lock of `serve` but does no work, like a `serve` that hangs.
    let lock = std::fs::File::create(server.data().join("serve.lock")).unwrap();
    lock.lock().unwrap();
    assert!(server.mail("alice@example.org", "marque challenge alice bob", "").is_empty());
    assert!(server.shell("admin inbox").out.contains("waits"));
    drop(lock);
    let (child, mut log) = serve(&server);
    for _ in 0..2 {
        wait_for(&mut log, "letter sent");
    }
    stop(child);
    assert_eq!(server.letters().len(), 2);
}

#[test]
fn the_administrator_lists_and_resends_letters() {
    let mut server = Server::with_players();
    server.mail("alice@example.org", "marque challenge alice bob", "");
    let see = |line: &str, words: &[&str]| {
        let ran = server.shell(line);
        assert_eq!(ran.status, 0, "{ran:?}");
        for word in words {
            assert!(ran.out.contains(word), "{line}: no {word:?} in\n{}", ran.out);
        }
    };
    see("admin players", &["alice", "bob@example.org"]);
    see("admin boards", &["marque", "alice's turn"]);
    see("admin board 1", &["The hash chain is intact"]);
    see("admin inbox", &["done", "marque challenge alice bob"]);
    see("admin outbox", &["challenge", "sent 20"]);
    see("admin outbox --undelivered", &["Nothing."]);
    // A resent letter has the same file name in the Maildir as before, so no second copy of it appears.
    let outgoing = server.data().join("outgoing/new");
    let count = || std::fs::read_dir(&outgoing).unwrap().count();
    let before = count();
    std::fs::remove_file(std::fs::read_dir(&outgoing).unwrap().next().unwrap().unwrap().path()).unwrap();
    for letter in ["1", "2"] {
        see(&format!("admin resend {letter}"), &["sent 20"]);
    }
    assert_eq!(count(), before);
    assert_eq!(server.shell("admin resend 99").status, 1);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs the sqlite3 shell: ./test runs it")]
fn the_database_is_readable_in_the_sqlite3_shell() {
    let mut server = Server::in_a_file().and_players();
    server.mail("alice@example.org", "marque challenge -opposite alice bob", "");
    server.mail("alice@example.org", "marque move 1 alice wonderland f3", "");
    let ask = |sql: &str| {
        let database = server.data().join("turnpost.db");
        let ran: Ran =
            Command::new("sqlite3").args(["-readonly", "-header"]).arg(database).arg(sql).output().unwrap().into();
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{sql}");
        ran.out
    };
    assert!(ask("SELECT board, game, options, whose_turn, last_move FROM games").contains("1|marque|-opposite|bob|f3"));
    assert!(ask("SELECT board, ply, player, move, via FROM game_moves").contains("1|1|alice|f3|mail"));
    assert!(ask("SELECT player, board, opponent FROM waiting").contains("bob|1|alice"));
    assert_eq!(ask("SELECT * FROM undelivered_mail"), "");
    assert!(ask("SELECT * FROM incoming_mail").contains("marque move 1 alice *** f3"));
}
