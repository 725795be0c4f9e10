//! Sending the letters of a time again: only with `--yes`.

use std::fs;

use serde_json::json;

use crate::common::database::sql;
use crate::common::{Ran, Server, done};

/// A server with two letters to each of two players, which were sent on 1 March and 1 April, and a last one to bob that was
/// given up on 2 April. What was sent is out of the way.
fn sent() -> Server {
    let mut server = Server::with_players();
    sql(&server, "UPDATE outbox SET sent_at = '2026-01-01T00:00:00Z'");
    for (line, day) in [
        ("marque challenge alice bob", "2026-03-01"),
        ("brique challenge alice bob", "2026-04-01"),
        ("message alice wonderland bob --say=Hello", "2026-04-02"),
    ] {
        done(&server, line);
        sql(&server, &format!("UPDATE outbox SET sent_at = '{day}T12:00:00Z' WHERE sent_at > '{day}T12:00:00Z'"));
    }
    sql(
        &server,
        "UPDATE outbox SET sent_at = NULL, error = 'no such host' WHERE sent_at = '2026-04-02T12:00:00Z';
         UPDATE deliveries SET state = 'failed', at = '2026-04-02T12:00:00Z', error = 'no such host'
             WHERE letter IN (SELECT letter FROM outbox WHERE sent_at IS NULL)",
    );
    server.letters();
    fs::remove_dir_all(server.data().join("outgoing")).unwrap();
    server
}

fn left(server: &Server) -> usize {
    fs::read_dir(server.data().join("outgoing/new")).map_or(0, Iterator::count)
}

#[test]
fn the_letters_since_a_time_are_sent_again() {
    let server = sent();
    let shown = |line: &str| {
        let ran = server.shell(line);
        assert_eq!((ran.status, left(&server)), (1, 0), "{line}: {ran:?}");
        ran.err
    };
    let would = "would be sent again: repeat the command with --yes";
    for (narrowed, many) in [
        ("2026-03-01", "5 letters to 2 addresses"),
        ("2026-03-01T12:00:01Z", "3 letters to 2 addresses"),
        ("2026-04-02", "1 letter to 1 address"),
        ("2026-04-03", "0 letters to 0 addresses"),
        ("2026-03-01 --to Bob", "3 letters to 1 address"),
        ("2026-03-01 --to ALICE@example.org", "2 letters to 1 address"),
        ("2026-03-01 --to stranger@example.org", "0 letters to 0 addresses"),
    ] {
        let told = shown(&format!("admin resend --since {narrowed}"));
        assert_eq!(told, format!("turnpost: {many} {would}\n"), "{narrowed}");
    }
    assert!(shown("admin resend --since 2026-03-01 --to carol").contains("there is no player carol"));
    for (line, words) in [
        ("admin resend --since yesterday", "write a day as 2026-11-21"),
        ("admin resend --to bob", "--since"),
        ("admin resend --since 2026-03-01 3", "cannot be used with"),
    ] {
        let ran = server.shell(line);
        assert!(ran.status == 2 && ran.err.contains(words), "{line}: {ran:?}");
    }
    let asked: Ran = server.shell("admin resend --since 2026-04-01 --json");
    assert_eq!(asked.out, "{\"addresses\":2,\"letters\":3,\"resent\":false}\n");
    assert_eq!(done(&server, "admin resend --since 2026-04-01 --yes"), "Sent again: 3 letters to 2 addresses.\n");
    assert_eq!(left(&server), 3);
    let resent = server.json("admin resend --since 2026-03-01 --to alice --yes");
    assert_eq!(resent, json!({ "letters": 2, "addresses": 1, "resent": true }));
    assert_eq!(left(&server), 4, "one was sent again a moment ago");
    assert_eq!(server.json("admin")["letters_given_up"], 0);
}
