//! The program works even if standard error or standard output cannot be written, or if the size of files is limited.
//! Some mail servers run programs in this way.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::database::inbox;
use crate::common::serving::{terminate, wait_until};
use crate::common::{Ran, Server, TURNPOST, done};

/// Returns a shell command that runs this line, in which `"$@"` stands for the program and its arguments.
fn by_shell(server: &Server, line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line, "sh", TURNPOST, "--data"]).arg(server.data());
    command.env_remove("TURNPOST_DATA").env_remove("TURNPOST_PASSWORD").stdin(Stdio::null());
    command
}

/// Returns one command for each kind of standard error to which the program cannot write.
fn without_stderr(server: &Server) -> Vec<Command> {
    let mut closed = by_shell(server, "exec \"$@\"");
    let (_, nobody_reads) = std::io::pipe().unwrap();
    closed.stderr(nobody_reads);
    vec![by_shell(server, "exec \"$@\" 2>/dev/full"), by_shell(server, "exec \"$@\" 2>&-"), closed]
}

/// Returns the exit status of `turnpost mail` for a message.
fn mailed(mut program: Command, mail: &str) -> Option<i32> {
    let mut child = program.arg("mail").stdin(Stdio::piped()).spawn().unwrap();
    // Writing may fail, because a program that fails immediately does not read its input.
    let _ = child.stdin.take().unwrap().write_all(mail.as_bytes());
    child.wait().unwrap().code()
}

#[test]
fn a_message_is_stored_or_retried_without_standard_error() {
    let nowhere = Server::without_database();
    for program in without_stderr(&nowhere) {
        assert_eq!(mailed(program, "From: alice@example.org\n\n"), Some(75));
    }
    // The mail server refuses connections, so the program has an error to log.
    let mut server = Server::with_players();
    let refusing = "[transport]\nkind = \"smtp\"\nhost = \"127.0.0.1\"\nport = 1\ntls = \"none\"\n";
    server.configure(refusing);
    for program in without_stderr(&server) {
        let mail = server.compose("alice@example.org", "show alice", "");
        let before = inbox(&server);
        assert_eq!(mailed(program, &mail), Some(0));
        assert_eq!(inbox(&server), before + 1);
    }
    assert!(done(&server, "admin outbox --undelivered").contains("due again"), "the server has an error to log");
}

#[test]
fn a_refusal_has_its_exit_status() {
    let server = Server::with_players();
    for (line, status) in [("marque challenge alice nobody", 1), ("nonsense", 2), ("perft marque", 2), ("--none", 2)] {
        for mut program in without_stderr(&server) {
            assert_eq!(program.args(line.split(' ')).status().unwrap().code(), Some(status), "{line}");
        }
    }
}

#[test]
fn the_opponent_is_notified_of_a_move_independently_of_its_answer() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    let mut program = by_shell(&server, "exec \"$@\" >/dev/full");
    let ran: Ran = program.args(["marque", "move", "1", "alice", "wonderland", "f3"]).output().unwrap().into();
    assert_eq!((ran.status, ran.err.contains("cannot print")), (74, true), "{ran:?}");
    assert!(server.letters().iter().any(|letter| letter.to() == "bob@example.org"));
    for line in ["show 1", "completions bash", "admin export --without-key", "perft marque 1", "help"] {
        let ran: Ran = by_shell(&server, "exec \"$@\" >/dev/full").args(line.split(' ')).output().unwrap().into();
        assert_eq!(ran.status, 74, "{line}: {ran:?}");
        assert!(!ran.err.contains("a bug"), "{line}: {ran:?}");
    }
}

#[test]
fn a_server_whose_log_cannot_be_written_serves() {
    let server = Server::with_players();
    for mut program in without_stderr(&server) {
        let mut child = program.arg("serve").spawn().unwrap();
        wait_until("the server's socket", || server.data().join("serve.sock").exists().then_some(()));
        terminate(&child);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

/// Returns the program with a file size limit in blocks of 512 bytes.
fn limited(server: &Server, blocks: u64) -> Command {
    by_shell(server, &format!("ulimit -f {blocks} && exec \"$@\""))
}

#[test]
fn a_stored_message_is_acknowledged_despite_a_limit_of_file_sizes() {
    let mut server = Server::in_a_file().and_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    let size = fs::metadata(server.data().join("turnpost.db")).unwrap().len() / 512;
    let mail = server.compose("alice@example.org", "marque move 1 alice wonderland f3", "");
    for _ in 0..3 {
        assert_eq!(mailed(limited(&server, size / 2), &mail), Some(0));
    }
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 1);
    assert!(server.letters().iter().any(|letter| letter.to() == "bob@example.org"));
    assert_eq!(inbox(&server), 3, "each copy is processed");
    done(&server, "admin check");
}

#[test]
fn a_message_that_exceeds_the_limit_of_file_sizes_is_requested_again() {
    let mut server = Server::in_a_file().and_players();
    done(&server, "marque challenge alice bob");
    let before = inbox(&server);
    let filler = "x"
        .repeat(900_000)
        .as_bytes()
        .chunks(70)
        .fold(String::new(), |text, line| text + std::str::from_utf8(line).unwrap() + "\n");
    let mail = server.compose("alice@example.org", "marque move 1 alice wonderland f3", &filler);
    for blocks in [8, 100, 1_000] {
        assert_eq!(mailed(limited(&server, blocks), &mail), Some(75), "{blocks}");
        assert_eq!(inbox(&server), before, "{blocks}");
    }
    assert_eq!(mailed(limited(&server, 100_000), &mail), Some(0));
    assert_eq!(inbox(&server), before + 1);
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 1);
    done(&server, "admin check");
}
