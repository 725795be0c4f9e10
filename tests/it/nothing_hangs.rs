//! Mail with passwords in many concurrent processes. Each process ends, and every message is processed once and in
//! order, even if processes are killed.
//!
//! `TURNPOST_REPEATS=50` runs each test 50 times.

use std::io::Write;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::database::sql;
use crate::common::postgres::Database;
use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done};
use crate::several_nodes::{LMTP, peer_of, post};

/// The maximum running time of a process.
const OLDEST: Duration = Duration::from_secs(20);
/// The number of concurrent processes.
const AT_A_TIME: usize = 6;
/// The players, two at each board, with the password `wonderland`.
const PLAYERS: [(&str, u32); 4] = [("alice", 1), ("bob", 1), ("carol", 2), ("dave", 2)];

fn repeats() -> usize {
    std::env::var("TURNPOST_REPEATS").map_or(1, |repeats| repeats.parse().expect("TURNPOST_REPEATS is a number"))
}

/// Signs up the players and starts their boards.
fn with_boards(server: Server) -> Server {
    for (userid, _) in PLAYERS {
        done(&server, &format!("signup {userid} wonderland {userid}@example.org"));
        done(&server, &format!("set {userid} wonderland mail=text"));
    }
    done(&server, "marque challenge alice bob");
    done(&server, "marque challenge carol dave");
    server
}

/// Returns a message with a password, and with this number in its comment.
fn mail(number: usize) -> String {
    let (userid, board) = PLAYERS[number % PLAYERS.len()];
    format!(
        "From: {userid}@example.org\nTo: turnpost@games.example\nMessage-ID: <{number}@example.org>\n\
         Subject: marque chat {board} {userid} wonderland\n\nMail {number}.\n"
    )
}

/// A running `turnpost mail`.
struct Mailing {
    number: usize,
    child: Child,
    began: Instant,
}

impl Mailing {
    fn start(server: &Server, number: usize) -> Mailing {
        let mut program = server.program();
        program.arg("mail").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = program.spawn().unwrap();
        // Writing may fail, because a program that fails immediately does not read its input.
        let _ = child.stdin.take().unwrap().write_all(mail(number).as_bytes());
        Mailing { number, child, began: Instant::now() }
    }

    /// Waits until the process ends, which must be within the maximum running time. Returns the number of its message
    /// if the message is stored.
    fn end(mut self) -> Option<usize> {
        let status = wait_until("the mail process to exit", || {
            let status = self.child.try_wait().unwrap();
            if status.is_none() && self.began.elapsed() > OLDEST {
                self.child.kill().unwrap();
                panic!("the process of message {} runs for more than {OLDEST:?}", self.number);
            }
            status
        });
        match status.code() {
            Some(0) => Some(self.number),
            Some(75) | None => None,
            Some(other) => panic!("the process of message {} ended with status {other}", self.number),
        }
    }
}

/// Delivers unacknowledged messages again, as a mail server would. Returns the numbers of all messages, which are now
/// stored.
fn mail_again(server: &Server, all: usize, acknowledged: &[usize]) -> Vec<usize> {
    let missing = (0..all).filter(|number| !acknowledged.contains(number));
    let again: Vec<usize> = missing.filter_map(|number| Mailing::start(server, number).end()).collect();
    assert_eq!(acknowledged.len() + again.len(), all);
    (0..all).collect()
}

/// Waits until no mail is waiting. All acknowledged messages must be processed, each once and in the stored order.
fn all_done(server: &Server, acknowledged: &[usize]) {
    wait_until("all messages to be processed", || {
        (sql(server, "SELECT count(*) FROM inbox WHERE verdict IS NULL") == "0").then_some(())
    });
    // If a killed program had stored its message, the second delivery is a duplicate.
    assert_eq!(sql(server, "SELECT count(*) FROM inbox WHERE verdict NOT IN ('done', 'repeated')"), "0");
    let said = sql(server, "SELECT text FROM comments ORDER BY id");
    let said: Vec<&str> = said.lines().filter(|line| line.starts_with("Mail ")).collect();
    for number in acknowledged {
        let times = said.iter().filter(|text| **text == format!("Mail {number}.")).count();
        assert_eq!(times, 1, "mail {number}: {said:?}");
    }
    for (userid, board) in PLAYERS {
        let of = |what: &str| {
            format!(
                "SELECT e.item FROM inbox i JOIN mail_actions e ON e.mail = i.id AND e.kind = 'comment' \
                 JOIN comments c ON c.id = e.item WHERE c.board = {board} AND {what}"
            )
        };
        for what in ["TRUE".to_owned(), format!("i.sender = '{userid}@example.org'")] {
            let in_order = sql(server, &format!("{} ORDER BY i.id", of(&what)));
            assert_eq!(in_order, sql(server, &format!("{} ORDER BY c.id", of(&what))), "{what} at board {board}");
        }
    }
    assert_eq!(server.shell("admin check").status, 0);
}

#[test]
fn six_concurrent_programs_with_passwords_all_finish() {
    for _ in 0..repeats() {
        let server = with_boards(Server::new());
        let mut acknowledged = Vec::new();
        for round in 0..10 {
            let mails: Vec<_> = (0..AT_A_TIME).map(|n| Mailing::start(&server, round * AT_A_TIME + n)).collect();
            acknowledged.extend(mails.into_iter().filter_map(Mailing::end));
        }
        assert_eq!(acknowledged.len(), 10 * AT_A_TIME);
        // If a lock were still held, the server could not start.
        Serving::start(&server, "").stop();
        all_done(&server, &acknowledged);
    }
}

#[test]
fn other_programs_continue_the_work_of_killed_ones() {
    for _ in 0..repeats() {
        let server = with_boards(Server::new());
        let mut acknowledged = Vec::new();
        for round in 0..6 {
            let mut mails: Vec<_> = (0..AT_A_TIME).map(|n| Mailing::start(&server, round * AT_A_TIME + n)).collect();
            // Kills one of the processes as soon as any of them has stored a message.
            let stored = format!("SELECT count(*) > {} FROM inbox", acknowledged.len());
            wait_until("a message to be stored", || ["1", "t"].contains(&&*sql(&server, &stored)).then_some(()));
            mails[round].child.kill().unwrap();
            acknowledged.extend(mails.into_iter().filter_map(Mailing::end));
        }
        let acknowledged = mail_again(&server, 6 * AT_A_TIME, &acknowledged);
        assert_eq!(server.shell("tick").status, 0);
        all_done(&server, &acknowledged);
    }
}

#[test]
fn mail_is_processed_while_serve_and_programs_are_killed() {
    for _ in 0..repeats() {
        let server = with_boards(Server::new());
        let mut acknowledged = Vec::new();
        for round in 0..4 {
            let serving = Serving::start(&server, "");
            let mut mails: Vec<_> = (0..AT_A_TIME).map(|n| Mailing::start(&server, round * AT_A_TIME + n)).collect();
            let stored = format!("SELECT count(*) > {} FROM inbox", acknowledged.len());
            wait_until("a message to be stored", || ["1", "t"].contains(&&*sql(&server, &stored)).then_some(()));
            serving.kill();
            mails[round].child.kill().unwrap();
            acknowledged.extend(mails.into_iter().filter_map(Mailing::end));
        }
        let acknowledged = mail_again(&server, 4 * AT_A_TIME, &acknowledged);
        let serving = Serving::start(&server, "");
        all_done(&server, &acknowledged);
        serving.stop();
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn another_node_finishes_the_work_of_a_killed_one() {
    for _ in 0..repeats() {
        let one = with_boards(Server::on_postgres(Database::set_up()));
        one.shell("tick");
        let other = one.another_node();
        let (first, second) = (Serving::start(&one, LMTP), Serving::start(&other, LMTP));
        let mut peers = [peer_of(&one), peer_of(&other)];
        // The mail of each player is sent to both nodes alternately.
        for number in 0..40 {
            post(&mail(number), &mut peers[number / PLAYERS.len() % 2]);
        }
        second.kill();
        for number in 40..60 {
            post(&mail(number), &mut peers[0]);
        }
        all_done(&one, &(0..60).collect::<Vec<_>>());
        first.stop();
    }
}

#[test]
fn moves_of_both_players_by_lmtp_are_played_in_order() {
    const BOARDS: usize = 30;
    const MOVES: [&str; 4] = ["f3", "k4", "h2", "a1"];
    for _ in 0..repeats() {
        let server = Server::new();
        for number in 0..BOARDS {
            for userid in [format!("first{number}"), format!("second{number}")] {
                done(&server, &format!("signup {userid} wonderland {userid}@example.org"));
            }
            done(&server, &format!("marque challenge first{number} second{number}"));
        }
        let serving = Serving::start(&server, LMTP);
        let mut peer = peer_of(&server);
        for (ply, text) in MOVES.into_iter().enumerate() {
            for number in 0..BOARDS {
                let userid = format!("{}{number}", ["first", "second"][ply % 2]);
                let line = format!("marque move {} {userid} wonderland {text}", number + 1);
                let mail = format!("From: {userid}@example.org\nMessage-ID: <{ply}@{userid}>\nSubject: {line}\n\n");
                post(&mail, &mut peer);
            }
        }
        wait_until("all messages to be processed", || {
            (sql(&server, "SELECT count(*) FROM inbox WHERE verdict IS NULL") == "0").then_some(())
        });
        assert_eq!(sql(&server, "SELECT count(*) FROM inbox WHERE verdict <> 'done'"), "0");
        assert_eq!(sql(&server, "SELECT count(*) FROM entries"), (BOARDS * MOVES.len()).to_string());
        serving.stop();
    }
}
