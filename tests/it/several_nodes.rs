//! Several nodes on one PostgreSQL database. A node does not repeat the work of another, and completes work that
//! another has not finished.

use std::collections::BTreeMap;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::api::streams::Stream;
use crate::common::database::sql;
use crate::common::imap::Fake;
use crate::common::postgres::Database;
use crate::common::serving::{Peer, Serving, http, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done};
use crate::relay::{Relay, WAITS};

pub(crate) const LMTP: &str = "address = \"turnpost@games.example\"\n[receive]\nlmtp = \"unix:lmtp.sock\"\n";

/// Creates two nodes on one database, with alice, bob and six other players.
pub(crate) fn two_nodes() -> (Server, Server) {
    let one = Server::on_postgres(Database::set_up());
    for userid in ["alice", "bob"].into_iter().map(str::to_owned).chain((1..=6).map(|number| format!("player{number}")))
    {
        done(&one, &format!("signup {userid} wonderland {userid}@example.org"));
        done(&one, &format!("set {userid} wonderland mail=text"));
    }
    one.shell("tick");
    let other = one.another_node();
    (one, other)
}

/// Passes a message to a node by LMTP.
pub(crate) fn post(mail: &str, peer: &mut Peer) {
    peer.begin("turnpost@games.example");
    peer.send(mail.replace("\r\n", "\n").replace('\n', "\r\n").as_bytes());
    assert!(peer.say("\r\n.").starts_with("250 "));
}

/// Connects to a node by LMTP.
pub(crate) fn peer_of(node: &Server) -> Peer {
    Peer::greeted(&node.data().join("lmtp.sock"))
}

/// Returns the node that holds the lease on this work.
fn leased(node: &Server, work: &str) -> String {
    sql(node, &format!("SELECT node FROM leases WHERE work LIKE '{work}'"))
}

/// Returns the number of waiting notices.
fn waiting_notices(node: &Server) -> String {
    sql(node, "SELECT count(*) FROM outbox WHERE sent_at IS NULL")
}

/// Waits until both nodes are idle. Returns the sent letters. No letter may be sent twice.
pub(crate) fn all_sent(nodes: [&mut Server; 2]) -> Vec<Letter> {
    wait_until("both nodes to be idle", || {
        let waiting = sql(nodes[0], "SELECT count(*) FROM inbox WHERE verdict IS NULL");
        (waiting == "0" && waiting_notices(nodes[0]) == "0").then_some(())
    });
    let letters: Vec<_> = nodes.into_iter().flat_map(Server::letters).collect();
    let ids: BTreeMap<&str, ()> = letters.iter().map(|letter| (letter.id.as_str(), ())).collect();
    assert_eq!(ids.len(), letters.len(), "a letter was sent twice");
    letters
}

/// Stops both nodes, which must have logged no error.
pub(crate) fn stopped(serving: [Serving; 2]) {
    for log in serving.map(Serving::stop) {
        assert!(!log.contains("\"ERROR\""), "{log}");
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn messages_to_two_nodes_are_processed_once_and_reported_once() {
    const MAILS: u32 = 40;
    let (mut one, mut other) = two_nodes();
    let serving = [Serving::start(&one, LMTP), Serving::start(&other, LMTP)];
    assert_eq!(sql(&one, "SELECT count(*) FROM leases WHERE work LIKE 'serving %'"), "2");
    let mut peers = [peer_of(&one), peer_of(&other)];
    for number in 0..MAILS {
        let (from, subject) =
            (number % 6 + 1, format!("message player{} wonderland bob --say=no{number}.", number % 6 + 1));
        let mail = one.compose(&format!("player{from}@example.org"), &subject, "");
        let node = (number % 2) as usize;
        post(&mail, &mut peers[node]);
        if number % 4 == 0 {
            // The client delivers the message again to the other node, as a duplicate.
            post(&mail, &mut peers[1 - node]);
        }
    }
    let letters = all_sent([&mut one, &mut other]);
    let texts: String = letters.iter().filter(|letter| letter.to() == "bob@example.org").map(|l| l.text()).collect();
    for number in 0..MAILS {
        assert_eq!(texts.matches(&format!("no{number}.")).count(), 1, "{number}\n{texts}");
    }
    assert_eq!(
        sql(&one, "SELECT count(*) FROM leases WHERE work NOT LIKE 'serving %'"),
        "0",
        "all leases are released"
    );
    stopped(serving);
    assert_eq!(sql(&one, "SELECT count(*) FROM leases"), "0");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn one_node_computes_an_analysis() {
    const BOARDS: usize = 4;
    let (one, other) = two_nodes();
    for board in 1..=BOARDS {
        done(&one, "brique challenge alice bob");
        done(&one, &format!("brique move {board} alice wonderland h8"));
        done(&one, &format!("brique move {board} bob wonderland j9"));
        done(&one, &format!("brique resign {board} alice wonderland"));
    }
    let serving = [Serving::start(&one, LMTP), Serving::start(&other, LMTP)];
    for board in 1..=BOARDS {
        done([&one, &other][board % 2], &format!("analyse {board}"));
    }
    wait_until("all analyses to be stored", || {
        (sql(&one, "SELECT count(*) FROM analyses WHERE analysis IS NULL") == "0").then_some(())
    });
    let logs = serving.map(Serving::stop).concat();
    assert_eq!(logs.matches("\"analysed\"").count(), BOARDS, "{logs}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn two_nodes_remind_a_player_once() {
    const BOARDS: usize = 20;
    let (mut one, mut other) = two_nodes();
    for _ in 0..BOARDS {
        done(&one, "marque challenge alice bob");
    }
    one.letters();
    let serving = [Serving::start(&one, LMTP), Serving::start(&other, LMTP)];
    let long_ago = "UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z' WHERE number > 0";
    sql(&one, long_ago);
    let waiting = "SELECT count(*) FROM boards WHERE clock_reminded = 0";
    wait_until("reminders about all boards", || (sql(&one, waiting) == "0").then_some(()));
    all_sent([&mut one, &mut other]);
    assert_eq!(sql(&one, "SELECT count(*) FROM outbox WHERE kind = 'reminder'"), BOARDS.to_string());
    stopped(serving);
}

/// Stops a node outside transactions, because its locks would block the other node for as long as it is stopped.
fn stop_between_transactions(server: &Server, node: Pid) {
    const IN_TRANSACTION: &str = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'";
    // The last statement of the stopped node may still be running, so the database is checked several times.
    const LOOKS: usize = 20;
    wait_until("the node to stop between two transactions", || {
        kill_process(node, Signal::STOP).unwrap();
        let between = (0..LOOKS).any(|_| sql(server, IN_TRANSACTION) == "0");
        if !between {
            kill_process(node, Signal::CONT).unwrap();
        }
        between.then_some(())
    });
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn simultaneous_moves_on_two_nodes_are_played_in_order() {
    const BOARDS: usize = 6;
    const CELLS: [&str; 8] = ["f3", "f4", "k1", "k2", "a1", "a2", "b1", "b2"];
    let (mut one, other) = two_nodes();
    let userids = |board: usize| [format!("player{board}"), format!("player{}", board % BOARDS + 1)];
    for board in 1..=BOARDS {
        let [first, second] = userids(board);
        done(&one, &format!("marque challenge {first} {second}"));
    }
    let serving = [Serving::start(&one, LMTP), Serving::start(&other, LMTP)];
    let mut peers = [peer_of(&one), peer_of(&other)];
    // A message whose password a node has not seen waits for its hash, and other messages overtake it. Each node
    // therefore first processes every password while the other is stopped.
    for node in [0, 1] {
        let stopped = Pid::from_child(&serving[1 - node].child);
        stop_between_transactions(&one, stopped);
        for player in 1..=BOARDS {
            let line = format!("message player{player} wonderland bob --say=Hello!");
            post(&one.compose(&format!("player{player}@example.org"), &line, ""), &mut peers[node]);
        }
        wait_until("all messages to be processed", || {
            (sql(&one, "SELECT count(*) FROM inbox WHERE verdict IS NULL") == "0").then_some(())
        });
        kill_process(stopped, Signal::CONT).unwrap();
    }
    // A move is mailed as soon as any node has accepted the previous one.
    for (at, cell) in CELLS.iter().enumerate() {
        for board in 1..=BOARDS {
            let userid = &userids(board)[at % 2];
            let line = format!("marque move {board} {userid} wonderland {cell}");
            post(&one.compose(&format!("{userid}@example.org"), &line, "Hello!"), &mut peers[(at + board) % 2]);
        }
    }
    wait_until("all moves to be processed", || {
        (sql(&one, "SELECT count(*) FROM inbox WHERE verdict IS NULL") == "0").then_some(())
    });
    assert_eq!(
        sql(&one, "SELECT verdict, count(*) FROM inbox GROUP BY verdict"),
        format!("done|{}", BOARDS * CELLS.len() + 2 * BOARDS),
        "{}",
        sql(&one, "SELECT id, reason FROM inbox WHERE verdict <> 'done'")
    );
    assert_eq!(sql(&one, "SELECT DISTINCT plies FROM boards"), CELLS.len().to_string());
    assert_eq!(sql(&one, "SELECT count(*) FROM mail_actions WHERE kind IN ('entry', 'comment')"), "96");
    for board in 1..=BOARDS {
        let history = one.json(&format!("marque history {board}"));
        let moves = history["board"]["moves"].as_array().unwrap();
        let texts: Vec<&str> = moves.iter().map(|mv| mv["text"].as_str().unwrap()).collect();
        assert_eq!(texts, CELLS, "board {board}");
    }
    done(&one, "admin check");
    stopped(serving);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn the_letters_of_a_node_that_is_killed_are_sent_by_another() {
    let (mut one, mut other) = two_nodes();
    let relay = Relay::start();
    let serving = Serving::start(&one, &format!("{}[receive]\nlmtp = \"unix:lmtp.sock\"\n", relay.config()));
    relay.answers("text", WAITS);
    post(&one.compose("alice@example.org", "message alice wonderland bob --say=hi", ""), &mut peer_of(&one));
    wait_until("the letter to reach the relay", || (relay.received("text") > 0).then_some(()));
    let name = leased(&one, "letters to %");
    assert!(!name.is_empty());

    let second = Serving::start(&other, LMTP);
    let expires = || sql(&one, "SELECT min(expires_at) FROM leases WHERE work LIKE 'letters to %'");
    let at_first = expires();
    wait_until("the lease to be renewed", || (expires() > at_first).then_some(()));
    assert_eq!(
        (leased(&one, "letters to %"), waiting_notices(&one).as_str()),
        (name, "2"),
        "the first node still has the lease, and letters to alice and bob wait"
    );
    assert!(other.letters().is_empty(), "the other node does not send the letters");

    serving.kill();
    wait_until("the other node to send the letters", || (waiting_notices(&one) == "0").then_some(()));
    let letters = other.letters();
    assert!(
        letters.iter().any(|letter| letter.to() == "bob@example.org" && letter.text().contains("hi")),
        "{letters:?}"
    );
    second.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_restarted_node_continues_with_its_letters_immediately() {
    let (mut one, _other) = two_nodes();
    let relay = Relay::start();
    let config = format!("{}[receive]\nlmtp = \"unix:lmtp.sock\"\n", relay.config());
    let serving = Serving::start(&one, &config);
    relay.answers("text", WAITS);
    post(&one.compose("alice@example.org", "message alice wonderland bob --say=hi", ""), &mut peer_of(&one));
    wait_until("the letter to reach the relay", || (relay.received("text") > 0).then_some(()));
    let killed = leased(&one, "letters to %");
    serving.kill();
    relay.mend();
    let serving = Serving::start(&one, &config);
    wait_until("all letters to be sent", || (waiting_notices(&one) == "0").then_some(()));
    assert_eq!(sql(&one, &format!("SELECT count(*) FROM leases WHERE node = '{killed}'")), "0");
    serving.stop();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn one_node_fetches_the_mail_of_the_mailbox() {
    let (one, other) = two_nodes();
    let fake = Fake::new();
    let first = fake.serving(&one);
    let mut talk = fake.opened();
    talk.command("UID SEARCH UNDELETED");
    let second = fake.serving(&other);
    let holder = leased(&one, "mailbox");
    wait_until("the second node to start", || {
        (sql(&one, "SELECT count(*) FROM leases WHERE work LIKE 'serving %'") == "2").then_some(())
    });
    assert!(!second.log().contains("connected by IMAP"));
    first.kill();
    // The second node connects when the lease of the first has expired.
    fake.opened();
    assert_ne!(leased(&one, "mailbox"), holder);
    second.kill();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_page_of_one_node_shows_a_move_received_by_another() {
    let (mut one, other) = two_nodes();
    let first = Serving::start(&one, LMTP);
    let second = Serving::start(&other, &format!("{LMTP}[web]\nlisten = \"127.0.0.1:0\"\n"));
    let mut peer = peer_of(&one);
    post(&one.compose("alice@example.org", "marque challenge alice bob", ""), &mut peer);
    wait_until("the board to be created", || (sql(&one, "SELECT count(*) FROM boards") == "1").then_some(()));
    let mut stream = Stream::open(&second.web(), "/boards/1/events", &[]);
    let change = |event: Value| event["change"].as_i64().unwrap();
    let before = change(stream.next().unwrap().data);
    let mut visitor = Visitor::new(&second.web());
    let mut shows = |words: &str| {
        let page = visitor.get("/boards/1");
        assert!(page.text().contains(words), "{}", page.text());
    };
    shows("It is alice’s turn.");
    post(&one.compose("alice@example.org", "marque move 1 alice wonderland f3", ""), &mut peer);
    assert!(change(stream.next().unwrap().data) > before);
    shows("It is bob’s turn.");
    assert!(Visitor::new(&second.web()).get("/boards/1/board.svg").text().contains("f3: White"));
    first.stop();
    second.kill();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn limits_on_guesses_are_shared_by_nodes() {
    let (one, other) = two_nodes();
    let config = format!("{LMTP}[web]\nlisten = \"127.0.0.1:0\"\nproxies = [\"127.0.0.1\"]\n");
    let serving = [Serving::start(&one, &config), Serving::start(&other, &config)];
    let log_in = |node: usize, client: &str, userid: &str, password: &str| {
        let headers = format!("Origin: http://games.example\r\nX-Forwarded-For: {client}\r\n");
        let fields = [("userid", userid), ("password", password)];
        Visitor::new(&serving[node].web()).send_with("/login", &fields, &headers).status
    };
    let (stranger, neighbour) = ("192.0.2.1", "192.0.2.2");
    for n in 0..30 {
        assert_eq!(log_in(n % 2, stranger, &format!("nobody{n}"), "guess"), 403, "{n}");
    }
    for node in [0, 1] {
        assert_eq!(log_in(node, stranger, "alice", "wonderland"), 429, "{node}");
        assert_eq!(log_in(node, neighbour, "alice", "wonderland"), 303, "{node}");
    }
    // Concurrent login attempts at both nodes are also limited to thirty in total.
    let guesses: Vec<u16> = std::thread::scope(|scope| {
        let log_in = &log_in;
        let guess = |n: usize| scope.spawn(move || log_in(n % 2, "192.0.2.3", &format!("nobody{n}"), "guess"));
        let asked: Vec<_> = (0..60).map(guess).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(guesses.iter().filter(|status| **status == 403).count(), 30, "{guesses:?}");
    assert_eq!(guesses.iter().filter(|status| **status == 429).count(), 30, "{guesses:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn nodes_continue_while_a_newer_program_upgrades_the_database() {
    const MAILS: usize = 30;
    let (mut one, mut other) = two_nodes();
    let known: u32 = sql(&one, "SELECT max(version) FROM migrations").parse().unwrap();
    let (added, removed) = (known + 1, known + 2);
    let first = Serving::start(&one, LMTP);
    let mails: Vec<String> = (0..2 * MAILS)
        .map(|number| {
            let from = number % 6 + 1;
            let line = format!("message player{from} wonderland bob --say=no{number}.");
            one.compose(&format!("player{from}@example.org"), &line, "")
        })
        .collect();
    let (early, late) = mails.split_at(MAILS);
    let second = std::thread::scope(|scope| {
        let mut peer = peer_of(&one);
        let posting = scope.spawn(move || early.iter().for_each(|mail| post(mail, &mut peer)));
        // Simulates a newer program, whose additions do not affect an older one.
        sql(
            &one,
            &format!(
                "BEGIN; LOCK TABLE writer IN EXCLUSIVE MODE; \
                 ALTER TABLE players ADD COLUMN motto text NOT NULL DEFAULT ''; \
                 CREATE TABLE mottos (player bigint PRIMARY KEY REFERENCES players (id)); \
                 INSERT INTO migrations VALUES ({added}, 'mottos', {known}); COMMIT"
            ),
        );
        // The older program also starts on a database that the newer one has changed.
        let second = Serving::start(&other, LMTP);
        let mut peer = peer_of(&other);
        late.iter().for_each(|mail| post(mail, &mut peer));
        posting.join().unwrap();
        second
    });
    let letters = all_sent([&mut one, &mut other]);
    assert_eq!(sql(&one, "SELECT verdict, count(*) FROM inbox GROUP BY verdict"), format!("done|{}", mails.len()));
    let texts: String = letters.iter().filter(|letter| letter.to() == "bob@example.org").map(|l| l.text()).collect();
    for number in 0..mails.len() {
        assert_eq!(texts.matches(&format!("no{number}.")).count(), 1, "{number}\n{texts}");
    }
    // A one-shot command of the older program works, too.
    assert!(done(&one, "list").contains("player6"));

    // An upgrade that removes tables waits until no older program is running. Afterwards, older programs are refused.
    let remove = format!(
        "DO $$ BEGIN INSERT INTO migrations VALUES ({removed}, 'senders', {added}); \
         ALTER TABLE inbox RENAME COLUMN sender TO author_address; \
         EXCEPTION WHEN SQLSTATE 'TPOLD' THEN RAISE NOTICE 'refused'; END $$; SELECT max(version) FROM migrations"
    );
    assert_eq!(sql(&one, &remove), added.to_string());
    for log in [first, second].map(Serving::stop) {
        assert!(!log.contains("\"ERROR\""), "{log}");
    }
    wait_until("the stopped nodes to disconnect", || (sql(&one, &remove) == removed.to_string()).then_some(()));
    let refused = one.shell("list");
    assert_eq!(refused.status, 65, "{refused:?}");
    assert!(
        refused.err.contains(&format!("the database has version {removed} and was created by a newer turnpost")),
        "{refused:?}"
    );
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs PostgreSQL: ./test runs it")]
fn a_reconnecting_client_gets_missed_events_from_another_node() {
    const MISSED: i64 = 8;
    let (one, other) = two_nodes();
    let config = format!("{LMTP}[web]\nlisten = \"127.0.0.1:0\"\n");
    let [first, second] = [&one, &other].map(|node| Serving::start(node, &config));
    let login = json!({ "userid": "bob", "password": "wonderland", "label": "a test" });
    let login = crate::api::request("POST", "/tokens", "", Some(("application/json", login.to_string())));
    let answer: Value = serde_json::from_slice(&http(&first.web(), &login).2).unwrap();
    let token = answer["token"].as_str().unwrap();
    done(&one, "marque challenge alice bob");
    let mut stream = Stream::of_player(&first.web(), token, None);
    stream.expect("now");
    done(&other, "marque move 1 alice wonderland f3");
    let heard = stream.expect("change");
    first.kill();
    for board in 0..MISSED {
        done([&one, &other][board as usize % 2], "brique challenge bob alice");
    }
    let mut stream = Stream::of_player(&second.web(), token, Some(heard.id));
    let missed: Vec<i64> = (0..MISSED).map(|_| stream.expect("change").data["board"].as_i64().unwrap()).collect();
    assert_eq!(missed, (2..2 + MISSED).collect::<Vec<_>>());
    done(&one, "marque resign 1 bob wonderland");
    assert_eq!(stream.expect("change").data["board"], 1);
    second.kill();
}
