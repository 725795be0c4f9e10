//! `turnpost admin limits` lists the rate limits that currently affect players, senders and clients.

use serde_json::Value;

use crate::common::database::sql;
use crate::common::{Server, done};

const MALLORY: &str = "mallory@elsewhere.example";

/// Returns the limits that this command lists, each with the player, address or client that it affects.
fn limits(server: &Server, line: &str) -> Vec<(String, String)> {
    let listed = server.json(line);
    let rows = listed.get("lifted").unwrap_or(&listed).as_array().unwrap().clone();
    let text = |row: &Value, column: &str| row[column].as_str().unwrap().to_owned();
    rows.iter().map(|row| (text(row, "limited"), text(row, "source") + &text(row, "of"))).collect()
}

fn limit(what: &str, whose: &str) -> (String, String) {
    (what.to_owned(), whose.to_owned())
}

#[test]
fn wrong_passwords_are_listed_and_lifted() {
    let mut server = Server::with_players();
    assert_eq!(done(&server, "admin limits"), "Nothing.\n");
    for n in 0..10 {
        assert_eq!(limits(&server, "admin limits alice"), []);
        server.mail(MALLORY, &format!("set alice guess{n}"), "");
    }
    let listed = server.json("admin limits alice");
    assert!(listed[0]["count"] == 10 && listed[0]["until"].is_string(), "{listed}");
    let passwords = limit("passwords", &format!("{MALLORY}alice"));
    assert_eq!(limits(&server, "admin limits alice"), std::slice::from_ref(&passwords));
    assert!(limits(&server, "admin limits").contains(&passwords));
    assert!(limits(&server, &format!("admin limits {MALLORY}")).contains(&passwords));
    assert_eq!(limits(&server, "admin limits bob"), []);
    // Lifting alice's limits does not affect mallory's refusals.
    assert!(done(&server, "admin limits alice --lift").starts_with("These limits are lifted:\nlimited"));
    assert_eq!(limits(&server, "admin limits alice"), []);
    server.mail(MALLORY, "set alice wonderland zone=UTC", "");
    assert!(server.json("admin inbox --rows 1")[0]["verdict"] == "done");
    assert_eq!(done(&server, "admin limits alice --lift"), "alice has no limit that can be lifted.\n");
}

#[test]
fn refusals_requests_and_letters_are_listed_and_lifted() {
    let mut server = Server::with_players();
    server.configure("[policy]\nletters_to_stranger = 2\nanswers_to_stranger = 100\nshortest_password = 8\n");
    for n in 0..11 {
        server.mail("bob@example.org", "marque move 9 bob guess f3", "");
        server.mail(MALLORY, &format!("password nobody{n}"), "");
    }
    server.mail(MALLORY, "signup mallory maleficent", "");
    let all = limits(&server, "admin limits");
    let expected = [
        limit("answers to refused mail", "bob@example.org"),
        limit("requests for passwords", MALLORY),
        limit("letters to an address", MALLORY),
    ];
    for expected in &expected {
        assert!(all.contains(expected), "{expected:?}: {all:?}");
    }
    assert_eq!(limits(&server, "admin limits bob"), [limit("answers to refused mail", "bob@example.org")]);
    assert_eq!(limits(&server, "admin limits bob --lift").len(), 1);
    assert_eq!(
        server.mail("bob@example.org", "marque move 9 bob guess f3", "").len(),
        1,
        "refused mail is answered again"
    );
    done(&server, &format!("admin limits {MALLORY} --lift"));
    assert_eq!(limits(&server, "admin limits"), []);
    assert_eq!(server.mail(MALLORY, "password nobody", "").len(), 1);
}

#[test]
fn links_and_paused_addresses_are_listed_and_lifted() {
    let mut server = Server::with_players();
    for _ in 0..3 {
        done(&server, "password bob");
    }
    sql(&server, "UPDATE addresses SET paused_at = '2026-01-01T00:00:00Z', paused_why = '5.1.1' WHERE player = 2");
    let expected = [limit("links for new passwords", "bob"), limit("letters to a paused address", "bob@example.org")];
    assert_eq!(limits(&server, "admin limits bob"), expected);
    server.letters();
    done(&server, "admin limits bob --lift");
    assert_eq!(limits(&server, "admin limits"), []);
    done(&server, "password bob");
    assert_eq!(server.letters().len(), 1);
}

#[test]
fn a_limit_that_ended_is_not_listed() {
    let mut server = Server::with_players();
    for n in 0..10 {
        server.mail(MALLORY, &format!("set alice guess{n}"), "");
    }
    sql(&server, "UPDATE rate_limits SET at = '2020-01-01T00:00:00Z' WHERE what = 'wrong password'");
    sql(&server, "UPDATE rate_limits SET at = '2020-01-01T00:00:00Z' WHERE what = 'refusal'");
    assert_eq!(limits(&server, "admin limits alice"), []);
    let ran = server.shell("admin limits --lift");
    assert_eq!(ran.status, 2, "{ran:?}");
}

/// Without this limit, a player could set the weekend to today each day, and never lose on time.
#[test]
fn a_player_cannot_change_their_calendar_each_day() {
    let server = Server::with_players();
    for change in ["weekend=mon", "weekend=tue night=22-8", "zone=Europe/Berlin", "zone=Europe/Berlin rhythm=once"] {
        done(&server, &format!("set alice wonderland {change}"));
    }
    let refused = server.shell("set alice wonderland weekend=wed");
    assert!(refused.status != 0 && refused.err.contains("3 times in seven days"), "{refused:?}");
    assert!(done(&server, "set alice wonderland").contains("weekend=tue"));
    done(&server, "set alice wonderland theme=moss");
    done(&server, "set bob builder weekend=wed");
    assert_eq!(limits(&server, "admin limits"), [limit("changes of weekend, night or zone", "alice")]);
    done(&server, "admin limits alice --lift");
    done(&server, "set alice wonderland weekend=wed");
}
