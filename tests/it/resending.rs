//! Resending the letters of a period, and a broadcast: both require `--yes`.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::common::database::sql;
use crate::common::serving::wait_until;
use crate::common::{Ran, Server, TURNPOST, done, to};

/// Creates a server that sent a letter to each of two players on 1 March and on 1 April, and gave up on another one to
/// bob on 2 April. The sent letters are removed from the Maildir.
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
    ] {
        let told = shown(&format!("admin resend --since {narrowed}"));
        assert_eq!(told, format!("turnpost: {many} {would}\n"), "{narrowed}");
    }
    assert!(shown("admin resend --since 2026-03-01 --to carol").contains("there is no player carol"));
    let stranger = shown("admin resend --since 2026-03-01 --to stranger@example.org");
    assert!(stranger.contains("no player has this address"), "{stranger}");
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
    assert_eq!(left(&server), 4, "one of these letters was already sent again");
    assert_eq!(server.json("admin")["letters_given_up"], 0);
}

#[test]
fn the_administrator_writes_to_all_players_from_the_shell() {
    let mut server = Server::with_players();
    for line in ["signup carol lonely carol@example.org", "set carol lonely letters=boards", "signup dave nowhere"] {
        done(&server, line);
    }
    server.letters();
    let data = server.data().to_owned();
    let say = |words: &[&str]| -> Ran {
        Command::new(TURNPOST)
            .arg("--data")
            .arg(&data)
            .args(["admin", "broadcast"])
            .args(words)
            .output()
            .unwrap()
            .into()
    };
    let text = "--say=The server moves on Sunday.";
    let asked = say(&[text]);
    let told = "turnpost: 2 players would get this letter: repeat the command with --yes\n";
    assert_eq!((asked.status, asked.err.as_str()), (1, told), "{asked:?}");
    assert_eq!(say(&[text, "--json"]).out, "{\"players\":[\"alice\",\"bob\"],\"sent\":false}\n");
    let empty = say(&["--say= ", "--yes"]);
    assert!(empty.status == 1 && empty.err.contains("the text is empty"), "{empty:?}");
    let long = say(&[&format!("--say={}", "x".repeat(2_001)), "--yes"]);
    assert!(long.status == 1 && long.err.contains("2001 characters; at most 2000 can be sent"), "{long:?}");
    assert!(server.letters().is_empty());
    let sent = say(&[text, "--yes"]);
    assert_eq!((sent.status, sent.out.as_str()), (0, "2 players get this letter.\n"), "{sent:?}");
    let letters = wait_until("letters to both players", || Some(server.letters()).filter(|letters| letters.len() == 2));
    for (letter, to) in letters.iter().zip(["alice@example.org", "bob@example.org"]) {
        assert_eq!(
            (letter.to(), letter.subject.as_str()),
            (to, "Turnpost: message to all players from the administrator")
        );
        assert_eq!(
            letter.text(),
            "The administrator of this server writes to all players:\n\n  The server moves on Sunday.\n"
        );
    }
}

#[test]
fn the_subject_of_a_letter_with_several_messages_names_each_writer_once() {
    let mut server = Server::with_players();
    server.letters();
    done(&server, "admin hold");
    for text in ["One", "Two", "Three"] {
        done(&server, &format!("message bob builder alice --say={text}"));
        done(&server, &format!("admin broadcast --say={text} --yes"));
    }
    done(&server, "admin release");
    let letters = server.letters();
    assert_eq!(to(&letters, "alice@example.org").subject, "Turnpost: messages from bob");
    assert_eq!(to(&letters, "bob@example.org").subject, "Turnpost: message to all players from the administrator");
}
