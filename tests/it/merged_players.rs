//! Merging two accounts of the same person: `turnpost admin player merge`.

use crate::common::database::{keeps, sql};
use crate::common::{Letter, Server, done, to};

fn refused(server: &Server, line: &str, words: &str) {
    let ran = server.shell(line);
    assert!(ran.status == 1 && ran.err.contains(words), "{line}: {ran:?}");
}

/// Starts a board between two players, and returns its number.
fn begin(server: &Server, game: &str, first: &str, second: &str) -> u64 {
    done(server, &format!("{game} challenge {first} {second}"));
    server.json("admin boards --active")[0]["board"].as_u64().unwrap()
}

/// Starts a board and ends it with this winner.
fn ended(server: &Server, first: &str, second: &str, winner: &str) {
    let board = begin(server, "marque", first, second);
    done(server, &format!("admin adjudicate {board} {winner} --reason agreed"));
}

/// Creates a server on which the accounts alice and bob belong to the same person. Both have played carol and dan, but
/// not each other.
fn played() -> Server {
    let server = Server::with_players();
    done(&server, "signup carol carpenter carol@example.org");
    done(&server, "signup dan daniel99 dan@example.org");
    for userid in ["carol carpenter", "dan daniel99"] {
        done(&server, &format!("set {userid} mail=text"));
    }
    ended(&server, "alice", "carol", "alice");
    ended(&server, "bob", "carol", "carol");
    ended(&server, "carol", "dan", "dan");
    ended(&server, "bob", "dan", "draw");
    begin(&server, "marque", "bob", "carol");
    done(&server, "marque move 5 bob builder f3 --say=Hello,carol");
    done(&server, "marque note 5 bob builder --say=Watch");
    done(&server, "lazo challenge bob anyone");
    done(&server, "marque subscribe 3 bob builder");
    server
}

#[test]
fn blocks_of_the_first_player_become_those_of_the_second() {
    let server = played();
    done(&server, "block carol carpenter bob");
    done(&server, "admin player merge bob alice --yes");
    assert_eq!(sql(&server, "SELECT p.userid FROM blocks b JOIN players p ON p.id = b.blocked"), "alice");
}

#[test]
fn the_first_player_becomes_the_second() {
    let mut server = played();
    server.letters();
    refused(
        &server,
        "admin player merge bob alice",
        "alice would take over everything from bob (boards: 3), and bob would be removed",
    );
    let ratings = done(&server, "admin ratings alice");
    assert_eq!(done(&server, "admin player merge bob alice --yes"), "bob is merged into alice. Boards taken over: 3\n");
    done(&server, "admin check");
    refused(&server, "show bob", "no player");
    for list in ["admin players", "admin boards", "admin outbox", "marque standings", "admin inbox", "list"] {
        let out = done(&server, list);
        assert!(!out.replace("bob@", "").contains("bob"), "{list}: {out}");
    }
    // The ratings are now those of one player who has played all the boards.
    assert_ne!(done(&server, "admin ratings alice"), ratings);
    let history = server.json("admin ratings alice");
    assert_eq!(history.as_array().unwrap().len(), 3, "{history}");
    assert_eq!(server.json("admin ratings carol").as_array().unwrap().len(), 3);
    // The board continues, and letters are sent to both addresses.
    done(&server, "marque move 5 carol carpenter k1");
    done(&server, "marque move 5 alice wonderland f4");
    let letters = server.letters();
    assert_eq!(to(&letters, "alice@example.org").to, ["alice@example.org", "bob@example.org"]);
    assert!(
        letters.iter().any(|letter| letter.to() == "carol@example.org" && letter.text().contains("alice played f4"))
    );
    assert!(server.mail("bob@example.org", "help", "").iter().any(|letter| letter.to() == "bob@example.org"));
    let board = done(&server, "admin board 5");
    assert!(board.contains("The hash chain is intact") && board.contains("Hello,carol"), "{board}");
    assert!(done(&server, "admin export alice").contains("Watch"));
    let record = done(&server, "marque history 5 --format=json");
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["began_as"], serde_json::json!(["bob", "carol"]));
    // alice can withdraw the open challenge that bob made before the merge.
    done(&server, "lazo decline 6 alice wonderland");
    // A server that imports the export computes the same standings.
    let path = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", path.display()));
    let new = Server::new();
    done(&new, &format!("admin import {}", path.display()));
    done(&new, "admin check");
    assert_eq!(done(&new, "marque standings"), done(&server, "marque standings"));
    // The userid bob is available again.
    done(&server, "signup bob newcomer bob2@example.org");
    assert!(!done(&server, "show bob").contains("finished: 1"));
}

#[test]
fn a_board_that_was_not_played_keeps_two_players() {
    let server = played();
    let declined = begin(&server, "hex", "bob", "alice");
    done(&server, &format!("hex chat {declined} bob builder --say=Sorry"));
    done(&server, &format!("decline {declined} alice wonderland"));
    let void = begin(&server, "hex", "alice", "bob");
    done(&server, &format!("admin void {void} --reason mistaken"));
    assert_eq!(done(&server, "admin player merge bob alice --yes"), "bob is merged into alice. Boards taken over: 3\n");
    for (board, players) in [(declined, "former player 2 against alice"), (void, "alice against former player 2")] {
        let shown = done(&server, &format!("admin board {board}"));
        assert!(shown.contains(players) && !shown.contains("bob"), "{shown}");
        refused(&server, &format!("admin reopen {board} --reason wrong"), "one of its players has left");
    }
    refused(&server, "show bob", "no player");
    done(&server, "admin check");
    done(&server, "signup bob newcomer bob2@example.org");
}

#[test]
fn some_players_cannot_be_merged() {
    let server = played();
    refused(&server, "admin player merge bob nobody", "there is no player nobody");
    refused(&server, "admin player merge nobody alice", "there is no player nobody");
    refused(&server, "admin player merge bob BOB --yes", "cannot be merged with themselves");
    refused(&server, "admin player merge bob carol --yes", "play or played each other on these boards");
    refused(&server, "admin player merge bob carol --yes", "2, 5");
    begin(&server, "marque", "bob", "robot1");
    refused(&server, "admin player merge robot1 alice --yes", "computer players cannot be merged");
    assert!(done(&server, "admin players").contains("bob"));
    done(&server, "admin check");
}

#[test]
fn a_merge_preserves_the_settings_of_the_second_account() {
    let mut server = played();
    done(&server, "marque subscribe 3 alice wonderland");
    done(&server, "marque subscribe 5 alice wonderland");
    done(&server, "set alice wonderland zone=Europe/Berlin");
    done(&server, "change address alice wonderland alice@example.org");
    sql(
        &server,
        "INSERT INTO addresses (player, address, code, added_at) VALUES (1, 'Bob@example.org', 'abc', '2026-01-01T00:00:00Z')",
    );
    let merged = server.json("admin player merge bob alice --yes");
    assert_eq!(merged, serde_json::json!({ "merged": "bob", "into": "alice", "boards": 3 }));
    done(&server, "admin check");
    let players = server.json("admin players");
    assert_eq!(players[0]["addresses"], "alice@example.org, bob@example.org", "{players}");
    assert!(keeps(&server, "europe/berlin"));
    assert_eq!(
        sql(&server, "SELECT count(*) FROM followers WHERE player = 1"),
        "1",
        "a player does not follow their own board"
    );
    server.letters();
    done(&server, "marque move 5 carol carpenter k1");
    let letters = server.letters();
    let to_alice: Vec<&Letter> = letters.iter().filter(|letter| letter.to() == "alice@example.org").collect();
    assert_eq!(to_alice.len(), 1, "{letters:?}");
}

#[test]
fn a_running_clock_continues_by_the_calendar_of_the_second_player() {
    let server = played();
    done(&server, "marque move 5 carol carpenter k1");
    sql(&server, "INSERT INTO vacations VALUES (1, '2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z')");
    done(&server, "admin player merge bob alice --yes");
    let clocks = server.json("admin clocks");
    assert_eq!(clocks[0]["turn"], "alice", "{clocks}");
    assert!(clocks[0]["stands until"].is_string(), "the clock is stopped while alice is away: {clocks}");
    done(&server, "admin check");
}

#[test]
fn limits_follow_their_player_and_not_the_userid() {
    let server = Server::with_players();
    done(&server, "signup carol carpenter carol@example.org");
    for _ in 0..20 {
        done(&server, "message bob builder carol --say=Hello");
    }
    let often = "20 times within an hour";
    refused(&server, "message bob builder carol --say=Hello", often);
    done(&server, "admin player rename bob robert");
    refused(&server, "message robert builder carol --say=Hello", often);
    // Another person signs up with the available userid.
    done(&server, "signup bob newcomer bob2@example.org");
    done(&server, "message bob newcomer carol --say=Hello");
    done(&server, "admin player merge robert alice --yes");
    refused(&server, "message alice wonderland carol --say=Hello", often);
    done(&server, "admin player remove alice --yes");
    let counted = "SELECT source, count(*) FROM rate_limits WHERE what = 'message' GROUP BY source";
    assert_eq!(sql(&server, counted), "bob|1");
}
