//! Players who may be the same person: `turnpost admin players --suspicious`.

use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

/// Returns the reported pairs of players, each with the evidence.
fn suspicious(server: &Server) -> Vec<String> {
    let listed = server.json("admin players --suspicious");
    let text = |row: &serde_json::Value, column: &str| row[column].as_str().unwrap().to_owned();
    let rows = listed.as_array().unwrap().iter();
    rows.map(|row| ["player", "other", "seen"].map(|column| text(row, column)).join(" | ")).collect()
}

/// Plays a new rated board to its end.
fn end_board(server: &Server, first: &str, second: &str, winner: &str) {
    done(server, &format!("marque challenge {first} {second}"));
    let board = server.json("admin boards --active")[0]["board"].as_u64().unwrap();
    done(server, &format!("admin adjudicate {board} {winner} --reason agreed"));
}

#[test]
fn players_who_used_the_same_address_are_suspicious() {
    let mut server = Server::with_players();
    done(&server, "signup carol carpenter carol@example.org");
    assert_eq!(done(&server, "admin players --suspicious"), "Nothing.\n");
    // bob uses an address that alice adds later.
    done(&server, "change address bob builder bob@example.org shared@example.org");
    server.mail("Shared@example.org", "marque challenge bob carol", "");
    done(&server, "change address bob builder bob@example.org");
    done(&server, "change address alice wonderland alice@example.org shared@example.org");
    assert_eq!(suspicious(&server), ["alice | bob | both used shared@example.org"]);
    done(&server, "admin player remove bob --yes");
    assert_eq!(suspicious(&server), [""; 0]);
}

#[test]
fn players_who_logged_in_with_the_same_browser_are_suspicious() {
    let server = Server::with_players();
    done(&server, "signup carol carpenter carol@example.org");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut browser = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    browser.fill("/logout", &[]);
    Visitor::logged_in(&serving.web(), "carol", "carpenter");
    assert_eq!(suspicious(&server), [""; 0], "logins from two browsers are not suspicious");
    browser.send("/login", &[("userid", "bob"), ("password", "builder")]);
    assert_eq!(suspicious(&server), ["alice | bob | both logged in with the same browser"]);
    done(&server, "admin player remove bob --yes");
    assert_eq!(suspicious(&server), [""; 0]);
}

#[test]
fn players_who_always_lose_to_another_are_suspicious() {
    let server = Server::with_players();
    done(&server, "signup carol carpenter carol@example.org");
    for (first, second) in [("alice", "bob"), ("bob", "alice"), ("alice", "bob"), ("bob", "alice")] {
        end_board(&server, first, second, "alice");
        end_board(&server, first, "carol", "carol");
    }
    assert_eq!(suspicious(&server), [""; 0], "four boards are not suspicious");
    end_board(&server, "alice", "bob", "alice");
    let seen = "bob | alice | bob lost all 5 rated boards to alice, of 7 in all";
    assert_eq!(suspicious(&server), [seen]);
    let out = done(&server, "admin players --suspicious");
    assert!(out.contains("bob lost all 5 rated boards to alice"), "{out}");
    // carol has two boards with each of the others. A single draw is enough to end the suspicion about bob.
    end_board(&server, "bob", "alice", "draw");
    assert_eq!(suspicious(&server), [""; 0]);
}
