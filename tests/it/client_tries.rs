//! Failed attempts over the web, such as wrong passwords: after thirty within an hour, the client has to wait.

use std::thread;

use crate::common::database::sql;
use crate::common::serving::Serving;
use crate::common::visitor::{Page, Visitor};
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"http://games.example\"\nproxies = [\"127.0.0.1\"]\n";
const STRANGER: &str = "192.0.2.1";

fn serving() -> (Server, Serving) {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    (server, serving)
}

/// Sends a form as a client with this IP address.
fn send(visitor: &mut Visitor, client: &str, path: &str, fields: &[(&str, &str)]) -> Page {
    visitor.send_with(path, fields, &format!("Origin: http://games.example\r\nX-Forwarded-For: {client}\r\n"))
}

fn log_in(serving: &Serving, client: &str, userid: &str, password: &str) -> Page {
    send(&mut Visitor::new(&serving.web()), client, "/login", &[("userid", userid), ("password", password)])
}

/// Returns the number of failed attempts that the server has recorded.
fn counted(server: &Server) -> String {
    sql(server, "SELECT count(*) FROM rate_limits WHERE what = 'wrong password'")
}

#[test]
fn the_limit_on_guesses_survives_a_restart() {
    let (server, first) = serving();
    let mut alice = Visitor::logged_in(&first.web(), "alice", "wonderland");
    let guess = |alice: &mut Visitor, n: u32| {
        alice.fill("/settings", &[("do", "password"), ("password", &format!("guess{n}")), ("new", "stolen22")])
    };
    let guesses: Vec<u16> = (0..20).map(|n| guess(&mut alice, n).status).collect();
    assert_eq!(guesses, [409; 20]);
    first.stop();
    let second = Serving::start(&server, CONFIG);
    alice.address = second.web();
    let guesses: Vec<u16> = (20..31).map(|n| guess(&mut alice, n).status).collect();
    assert_eq!((&guesses[..10], guesses[10]), (&[409; 10][..], 429));
    let page = log_in(&second, "127.0.0.1", "bob", "builder");
    assert!(page.status == 429 && page.text().contains("try again in an hour"), "{}", page.text());
    // The limit does not apply to actions in a session, or to other clients.
    let page = alice.fill("/command", &[("line", "set alice - zone=UTC")]);
    assert_eq!(page.status, 200, "{}", page.text());
    assert_eq!(log_in(&second, STRANGER, "bob", "builder").status, 303);
    sql(&server, "UPDATE rate_limits SET at = '2020-01-01T00:00:00Z' WHERE what = 'wrong password'");
    assert_eq!(guess(&mut alice, 31).status, 409);
}

#[test]
fn right_passwords_are_never_refused() {
    let (server, serving) = serving();
    for n in 0..40 {
        assert_eq!(log_in(&serving, STRANGER, "alice", "wonderland").status, 303, "{n}");
    }
    assert_eq!(counted(&server), "0");
}

#[test]
fn simultaneous_guesses_share_the_limit() {
    const AT_ONCE: usize = 70;
    let (server, serving) = serving();
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let csrf = alice.get("/settings").hidden("csrf").unwrap().to_owned();
    let by_session = |n: usize| {
        let mut alice = Visitor { cookie: alice.cookie.clone(), ..Visitor::new(&alice.address) };
        let guess = format!("guess{n}");
        let fields = [("csrf", csrf.as_str()), ("do", "password"), ("password", &guess), ("new", "stolen22")];
        send(&mut alice, "192.0.2.2", "/settings", &fields)
    };
    let by_login = |n: usize| log_in(&serving, STRANGER, &format!("nobody{n}"), "guess");
    let guesses: [(&(dyn Fn(usize) -> Page + Sync), &str); 2] =
        [(&by_session, "The current password is wrong"), (&by_login, "No player has this userid and this password")];
    for (guess, wrong) in guesses {
        let pages: Vec<Page> = thread::scope(|scope| {
            let asked: Vec<_> = (0..AT_ONCE).map(|n| scope.spawn(move || guess(n))).collect();
            asked.into_iter().map(|asked| asked.join().unwrap()).collect()
        });
        let told = |words: &str| pages.iter().filter(|page| page.text().contains(words)).count();
        let waits = pages.iter().filter(|page| page.status == 429).count();
        assert_eq!((told(wrong), waits), (30, AT_ONCE - 30));
    }
    assert_eq!(counted(&server), "60");
}

#[test]
fn many_clients_guessing_at_the_same_time_delay_pages_only_briefly() {
    const CLIENTS: usize = 200;
    let (server, serving) = serving();
    let guess = |n: usize| log_in(&serving, &format!("198.51.100.{n}"), "nobody", "guess").status;
    let told: Vec<u16> = thread::scope(|scope| {
        let asked: Vec<_> = (0..CLIENTS).map(|n| scope.spawn(move || guess(n))).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(told, [403; CLIENTS]);
    assert_eq!(counted(&server), CLIENTS.to_string());
    assert_eq!(log_in(&serving, STRANGER, "alice", "wonderland").status, 303);
}

#[test]
fn codes_links_and_userids_have_the_limits_of_passwords() {
    let (server, serving) = serving();
    let mut stranger = Visitor::new(&serving.web());
    let mut confirm = || send(&mut stranger, STRANGER, "/confirm/alice/12345", &[]);
    let ask =
        |who: &str| send(&mut Visitor::new(&serving.web()), STRANGER, "/login", &[("by", "letter"), ("userid", who)]);
    let sign_up = |userid: &str| {
        let fields = [("userid", userid), ("password", "s3cret22"), ("address", "dora@example.net")];
        send(&mut Visitor::new(&serving.web()), STRANGER, "/signup", &fields)
    };
    let run = |line: &str| send(&mut Visitor::new(&serving.web()), STRANGER, "/command", &[("line", line)]);
    // Successful actions are not counted.
    assert_eq!((ask("alice").status, sign_up("dora").status), (200, 303));
    for _ in 0..6 {
        assert_eq!(confirm().status, 404);
        assert_eq!(ask("nobody@example.net").status, 200);
        assert_eq!(sign_up("bob").status, 409);
        assert_eq!(run("marque seek bob - 3").status, 409);
        assert_eq!(run("password bob 12345 stolen22").status, 409);
    }
    for _ in 0..2 {
        let pages = [confirm(), ask("alice"), sign_up("emil"), run("confirm alice 12345"), run("marque seek bob - 3")];
        for page in pages {
            assert!(page.text().contains("Too many attempts"), "{}", page.text());
        }
    }
    // Requests of a client that has to wait write nothing to the database.
    assert_eq!(counted(&server), "30");
    done(&server, "show dora");
    assert_eq!(server.shell("show emil").status, 1);
}

#[test]
fn thirty_wrong_passwords_for_one_player_are_counted_and_further_ones_are_not() {
    let (server, serving) = serving();
    for _ in 0..40 {
        assert_ne!(log_in(&serving, STRANGER, "alice", "guess").status, 303);
    }
    assert_eq!(counted(&server), "30");
    assert_eq!(log_in(&serving, "192.0.2.2", "alice", "wonderland").status, 303);
}

#[test]
fn refused_moves_are_not_wrong_passwords() {
    let (server, serving) = serving();
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    for line in ["marque move 99 alice - f3", "marque move 99 alice wonderland f3"] {
        for n in 0..31 {
            assert_eq!(alice.fill("/command", &[("line", line)]).status, 409, "{n}");
        }
    }
    assert_eq!(counted(&server), "0");
    assert_eq!(alice.fill("/command", &[("line", "set alice wonderland zone=UTC")]).status, 200);
}

#[test]
fn a_visitor_may_request_ten_new_passwords_a_day() {
    let (_server, serving) = serving();
    let ask = |client: &str| {
        send(&mut Visitor::new(&serving.web()), client, "/command", &[("line", "password nobody")]).status
    };
    assert_eq!((0..11).map(|_| ask(STRANGER)).collect::<Vec<_>>(), [[200; 10].as_slice(), &[429]].concat());
    assert_eq!(ask("192.0.2.2"), 200, "another visitor has a separate limit");
}
