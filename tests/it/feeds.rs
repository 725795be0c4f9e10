//! Feeds of boards, players and events, and private calendars, as programs read them without a login.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use turnpost::config::Config;
use turnpost::world::World;

use crate::common::database::sql;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined, to};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Creates a server with a board of alice and bob, on which alice has made a move with a comment.
fn board() -> Server {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.mail("alice@example.org", "marque move 1 alice wonderland f3", "Mind <the> corner & me");
    server
}

/// Returns a calendar as the Python package icalendar reads it.
fn read(calendar: &str) -> Value {
    let has_package = |python: &&str| {
        let run = Command::new(python).args(["-c", "import icalendar"]).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    };
    let python = ["python3", "/usr/bin/python3"].into_iter().find(has_package);
    let python = python.expect("Python has icalendar: deploy/install-test-tools installs it");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/read_calendar.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(calendar.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{calendar}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the names of all elements of a feed, with their texts. The feed must have the elements that RFC 4287
/// requires.
fn elements(xml: &str) -> Vec<(String, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/read_feed.py");
    let output = Command::new("python3").arg(script).arg(xml).output().unwrap();
    assert!(output.status.success(), "{xml}\n{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn texts<'a>(elements: &'a [(String, String)], name: &str) -> Vec<&'a str> {
    elements.iter().filter(|(tag, _)| tag == name).map(|(_, text)| text.as_str()).collect()
}

#[test]
fn a_board_and_a_player_have_feeds() {
    let server = board();
    done(&server, "marque challenge --private alice bob");
    let serving = Serving::start(&server, CONFIG);
    let mut visitor = Visitor::new(&serving.web());
    let page = visitor.get("/boards/1");
    assert!(page.text().contains("href=\"/boards/1.atom\""), "{}", page.text());
    let feed = visitor.get("/boards/1.atom");
    assert_eq!(feed.status, 200);
    let feed = elements(feed.text());
    assert_eq!(texts(&feed, "title"), ["Marque board 1: alice against bob", "1. alice played f3"]);
    assert_eq!(texts(&feed, "content"), ["alice: Mind <the> corner & me"]);
    let ids = texts(&feed, "id");
    assert!(ids[0].ends_with("/boards/1") && ids[1].ends_with("/boards/1#entry-1"), "{ids:?}");
    for path in ["/players/alice.atom", "/players/Alice.atom"] {
        let feed = elements(visitor.get(path).text());
        let titles = texts(&feed, "title");
        let expected = ["Boards of alice", "Marque board 1, alice against bob: 1 move, bob is to move"];
        assert_eq!(titles, expected, "the private board is omitted");
    }
    assert!(visitor.get("/players/alice").text().contains("href=\"/players/alice.atom\""));
    done(&server, "marque move 1 bob builder f2");
    done(&server, "marque resign 1 bob builder");
    for path in ["/boards/1.atom", "/players/bob.atom"] {
        assert!(visitor.get(path).text().contains("alice won (resignation)"), "{path}");
    }
    for path in ["/boards/2.atom", "/boards/9.atom", "/boards/x.atom", "/boards/x", "/players/nobody.atom"] {
        assert_eq!(visitor.get(path).status, 404, "{path}");
    }
    // The feed omits a chat that only the players can read.
    done(&server, "set bob builder chat=players");
    assert!(!visitor.get("/boards/1.atom").text().contains("corner"));
    // Earlier versions allowed userids that end in .atom. The page of such a player still exists.
    let refused = server.shell("signup al.atom s3cretive a@example.org");
    assert!(refused.err.contains("This name ends in \".atom\", like the addresses of feeds"), "{refused:?}");
    done(&server, "signup almond s3cretive a@example.org");
    sql(&server, "UPDATE players SET userid = 'al.atom' WHERE userid = 'almond'");
    let page = visitor.get("/players/al.atom");
    assert!(page.status == 200 && page.text().contains("<h1>al.atom</h1>"), "{}", page.text());
}

/// Processes the event `spring` as if its next step were due now.
fn run_event(server: &Server) {
    let (mut store, now) = (server.store(World::REAL), (World::REAL.now)());
    let mut tx = store.write().unwrap();
    let event = tx.event("spring").unwrap().unwrap();
    tx.set_event_due(event.id, Some(now)).unwrap();
    Config::default().service(World::REAL).tick(&mut tx, now, 1_000).unwrap();
    tx.commit().unwrap();
}

#[test]
fn an_event_has_a_feed_of_its_editions_and_results() {
    let server = Server::with_players();
    server.configure(format!("{CONFIG}[events]\nplayers = true\n"));
    for line in ["signup carol s3cretive c@example.org", "event new spring hex -size=5 --once alice wonderland"] {
        done(&server, line);
    }
    for userid in ["alice wonderland", "bob builder", "carol s3cretive"] {
        done(&server, &format!("join spring {userid}"));
    }
    let serving = Serving::start(&server, CONFIG);
    let mut visitor = Visitor::new(&serving.web());
    assert!(visitor.get("/events/spring").text().contains("href=\"/events/spring.atom\""));
    let feed = elements(visitor.get("/events/spring.atom").text());
    assert_eq!(texts(&feed, "title"), ["spring: Hex league"], "the feed of an event that has not begun has no entries");
    run_event(&server);
    let feed = elements(visitor.get("/events/Spring.atom").text());
    assert_eq!(texts(&feed, "title"), ["spring: Hex league", "Edition 1 begins with 3 players"]);
    let ids = texts(&feed, "id");
    assert!(ids[0].ends_with("/events/spring") && ids[1].ends_with("/events/spring/1#begin"), "{ids:?}");
    for (board, loser) in [(1, "bob builder"), (2, "carol s3cretive"), (3, "carol s3cretive")] {
        let resigned = server.shell(&format!("resign {board} {loser}"));
        if resigned.status != 0 {
            done(&server, &format!("resign {board} bob builder"));
        }
    }
    let feed = wait_until("the edition to end", || {
        let feed = visitor.get("/events/spring.atom").text().to_owned();
        feed.contains("has ended").then_some(feed)
    });
    let feed = elements(&feed);
    let titles = texts(&feed, "title");
    assert_eq!(titles.len(), 6, "{titles:?}");
    assert_eq!((titles[1], titles[5]), ("Edition 1 has ended: alice has won it", "Edition 1 begins with 3 players"));
    assert!(titles[2..5].iter().any(|title| title.contains("alice") && title.ends_with("alice won")), "{titles:?}");
    let updated = texts(&feed, "updated");
    assert_eq!(updated[0], updated[1], "the feed has the time of its newest entry");
    for path in ["/events/summer.atom", "/events/.atom", "/events/summer"] {
        assert_eq!(visitor.get(path).status, 404, "{path}");
    }
    // Earlier versions allowed event names that end in .atom. The page of such an event still exists.
    let refused = server.shell("event new summer.Atom hex alice wonderland");
    assert!(refused.err.contains("This name ends in \".atom\""), "{refused:?}");
    done(&server, "event new molto hex alice wonderland");
    sql(&server, "UPDATE events SET name = 'mol.atom' WHERE name = 'molto'");
    let page = visitor.get("/events/mol.atom");
    assert!(page.status == 200 && page.text().contains("<h1>mol.atom"), "{}", page.text());
}

#[test]
fn a_ladder_has_a_feed_of_its_recent_results() {
    let server = Server::with_players();
    server.configure(format!("{CONFIG}[events]\nplayers = true\n"));
    done(&server, "event new climb hex --kind=ladder alice wonderland");
    for line in ["join climb alice wonderland", "join climb bob builder", "event challenge climb alice bob builder"] {
        done(&server, line);
    }
    done(&server, "move 1 alice wonderland f6");
    done(&server, "resign 1 alice wonderland");
    let serving = Serving::start(&server, CONFIG);
    let feed = elements(Visitor::new(&serving.web()).get("/events/climb.atom").text());
    let titles = texts(&feed, "title");
    assert!(titles.contains(&"alice against bob: bob won"), "{titles:?}");
}

#[test]
fn a_private_calendar_has_the_deadlines_until_it_is_revoked() {
    let mut server = board();
    let config = format!("{CONFIG}url = \"https://games.example\"\n");
    server.configure(&config);
    let none = done(&server, "calendar bob builder");
    assert!(none.contains("bob has no private calendar."), "{none}");
    let answer = server.mail("bob@example.org", "calendar bob builder new", "");
    let text = to(&answer, "bob@example.org").text().to_owned();
    let path =
        |text: &str| text.split("https://games.example").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let first = path(&text);
    assert!(first.starts_with("/calendar/") && first.ends_with(".ics"), "{text}");
    assert_eq!(path(&done(&server, "calendar bob builder")), first);
    let serving = Serving::start(&server, &config);
    let mut visitor = Visitor::new(&serving.web());
    let calendar = visitor.get(&first);
    assert_eq!(calendar.status, 200);
    let read = read(calendar.text());
    assert_eq!((&read["version"], &read["name"]), (&json!("2.0"), &json!("Deadlines of bob")));
    let event = &read["events"][0];
    assert_eq!(event["summary"], "Move against alice: Marque board 1");
    assert_eq!(event["url"], "https://games.example/boards/1");
    let deadline = server.json("show 1")["boards"][0]["clock"]["deadline"].as_str().unwrap().replace('Z', "+00:00");
    assert_eq!(event["start"], deadline);
    assert_eq!(read["events"].as_array().unwrap().len(), 1, "the calendar contains only bob's deadlines");
    // `calendar new` replaces the address of the calendar, and `calendar off` revokes it.
    let second = path(&done(&server, "calendar bob builder new"));
    assert_ne!(second, first);
    assert_eq!([visitor.get(&first).status, visitor.get(&second).status], [404, 200]);
    done(&server, "calendar bob builder off");
    assert_eq!(visitor.get(&second).status, 404);
    for path in ["/calendar/x.ics", "/calendar/x", "/calendar/.ics"] {
        assert_eq!(visitor.get(path).status, 404, "{path}");
    }
    // The settings page also creates and revokes the calendar.
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    alice.fill("/settings", &[("do", "calendar"), ("to", "new")]);
    let page = alice.get("/settings").text().to_owned();
    let third = page.split("href=\"").find(|rest| rest.starts_with("/calendar/")).unwrap().split('"').next().unwrap();
    let third = third.to_owned();
    assert_eq!(visitor.get(&third).status, 200);
    alice.fill("/settings", &[("do", "calendar"), ("to", "off")]);
    assert_eq!(visitor.get(&third).status, 404);
    drop(serving);
    // A calendar's address in a text is masked before the text is sent to another player.
    let letters =
        server.mail("alice@example.org", "message alice wonderland bob", &format!("https://games.example{third}"));
    let told = joined(to(&letters, "bob@example.org").text());
    assert!(told.contains("/calendar/***.ics"), "{told}");
}
