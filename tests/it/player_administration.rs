//! The administrator's tasks for one player: `turnpost admin player …`.

use crate::common::database::{keeps, sql};
use crate::common::{Letter, Ran, Server, done, letter_to, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

fn refused(server: &Server, line: &str, words: &str) {
    let ran: Ran = server.shell(line);
    assert!(ran.status == 1 && ran.err.contains(words), "{line}: {ran:?}");
}

/// Creates a server with two boards between alice and bob. Both have moved on board 1, and neither on board 2.
fn played() -> Server {
    let server = Server::with_players();
    for line in [
        "marque challenge alice bob",
        "marque move 1 alice wonderland f3 --say=Hello,bob",
        "marque move 1 bob builder k1 --say=Hello,alice",
        "marque challenge bob alice",
    ] {
        done(&server, line);
    }
    server
}

/// Returns every file of the server's directory, as text in lower case.
fn files(server: &Server) -> String {
    let files =
        std::fs::read_dir(server.data()).unwrap().map(|file| file.unwrap().path()).filter(|path| path.is_file());
    files.map(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).to_lowercase()).collect()
}

#[test]
fn a_password_is_reset() {
    let server = Server::with_players();
    refused(&server, "admin player password nobody", "there is no player nobody");
    let out = done(&server, "admin player password Alice");
    let password = out.lines().next().unwrap().strip_prefix("The new password of alice is ").unwrap().to_owned();
    refused(&server, "set alice wonderland", "No player has this userid and this password");
    done(&server, &format!("change password alice {password} wonderland"));
}

#[test]
fn programs_read_decisions_and_the_log_of_acts_contains_the_reasons() {
    let server = Server::with_players();
    let password = server.json("admin player password bob --reason=lost");
    assert_eq!(password["player"], "bob");
    assert!(password["password"].as_str().is_some_and(|password| password.len() == 16), "{password}");
    done(&server, "admin player block bob");
    assert_eq!(server.json("admin player unblock bob"), serde_json::json!({ "player": "bob", "blocked": false }));
    let renamed = server.json("admin player rename bob bobby --reason=wish");
    assert_eq!(renamed, serde_json::json!({ "player": "bobby", "was": "bob" }));
    let acts = server.json("admin acts --of bobby");
    let said: Vec<_> = acts.as_array().unwrap().iter().map(|act| (&act["act"], &act["reason"])).collect();
    for expected in [("rename", "wish"), ("unblock", ""), ("password", "lost")] {
        assert!(said.iter().any(|(act, reason)| (*act, *reason) == (&expected.0.into(), &expected.1.into())), "{acts}");
    }
    assert!(!acts.to_string().contains(password["password"].as_str().unwrap()), "{acts}");
}

#[test]
fn a_paused_address_is_used_again() {
    let mut server = played();
    refused(&server, &format!("admin player unpause bob {BOB}"), "Their paused addresses: none");
    sql(&server, "UPDATE addresses SET paused_at = '2026-01-01T00:00:00Z', paused_why = '5.1.1' WHERE player = 2");
    server.letters();
    done(&server, "marque move 1 alice wonderland f4");
    assert!(letter_to(&server.letters(), BOB).is_none());
    refused(&server, "admin player unpause bob bob@home.example", &format!("Their paused addresses: {BOB}"));
    let out = done(&server, &format!("admin player unpause bob {BOB}"));
    assert_eq!(out, format!("Letters to bob are sent to {BOB} again.\n"));
    assert!(letter_to(&server.letters(), BOB).unwrap().text().contains("alice played f4"), "the held letter is sent");
}

#[test]
fn an_address_is_added_to_a_player() {
    let mut server = Server::with_players();
    refused(&server, "admin player address nobody new@example.org", "there is no player nobody");
    refused(&server, "admin player address bob new", "\"new\" is not a mail address");
    refused(&server, &format!("admin player address bob {ALICE}"), "belongs to another player");
    refused(&server, &format!("admin player address bob {BOB}"), "is already an address of bob");
    let out = done(&server, "admin player address bob new@example.org");
    assert_eq!(out, "A letter asks new@example.org to confirm that it is bob's address.\n");
    let letters = server.letters();
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert!(to(&letters, "new@example.org").text().contains("confirm"), "{letters:?}");
    // The new address receives no other letters until it is confirmed.
    done(&server, "message alice wonderland bob --say=One");
    assert_eq!(to(&server.letters(), BOB).to, [BOB]);
    let unconfirmed = "Their unconfirmed addresses: new@example.org";
    refused(&server, "admin player confirm bob now@example.org", unconfirmed);
    let out = done(&server, "admin player confirm Bob NEW@example.org");
    assert_eq!(out, "NEW@example.org is a confirmed address of bob.\n");
    done(&server, "message alice wonderland bob --say=Two");
    assert_eq!(to(&server.letters(), BOB).to, [BOB, "new@example.org"]);
    refused(&server, "admin player confirm bob new@example.org", "no unconfirmed address new@example.org");
    let acts = server.json("admin acts --of bob");
    let details = [&acts[0]["detail"], &acts[1]["detail"]];
    assert_eq!(details, ["NEW@example.org confirmed", "new@example.org"], "{acts}");
}

#[test]
fn an_address_that_the_administrator_confirms_works_immediately() {
    let mut server = played();
    sql(&server, "UPDATE addresses SET paused_at = '2026-01-01T00:00:00Z', paused_why = '5.1.1' WHERE player = 2");
    server.letters();
    done(&server, "marque move 1 alice wonderland f4");
    let added = server.json("admin player address bob new@example.org --confirmed");
    assert_eq!(added, serde_json::json!({ "player": "bob", "address": "new@example.org", "confirmed": true }));
    let letters = server.letters();
    assert!(to(&letters, "new@example.org").text().contains("alice played f4"), "the held letter is sent");
    assert!(server.mail("new@example.org", "list", "").iter().any(|letter| letter.to() == "new@example.org"));
}

#[test]
fn a_renamed_player_continues_their_boards() {
    let mut server = played();
    refused(&server, "admin player rename alice Bob", "taken");
    refused(&server, "admin player rename alice a!", "cannot be a userid: write 2 to 20 letters");
    for word in ["End", "alice.Atom"] {
        refused(&server, &format!("admin player rename alice {word}"), "cannot be userids: all, active,");
    }
    for robots in ["Robot3", "robot-mine"] {
        refused(&server, &format!("admin player rename alice {robots}"), "reserved for computer players");
    }
    assert_eq!(done(&server, "admin player rename alice alicia"), "alice is now called alicia.\n");
    server.letters();
    done(&server, "marque move 1 alicia wonderland f4");
    let letters = server.letters();
    assert!(letter_to(&letters, BOB).unwrap().text().contains("alicia played f4"), "{letters:?}");
    assert!(letter_to(&letters, ALICE).unwrap().text().contains("You played f4"), "{letters:?}");
    refused(&server, "set alice wonderland", "No player");
    assert!(done(&server, "show 1").contains("alicia says") || done(&server, "marque history 1").contains("alicia"));
    // Renaming a player does not break the hash chain, whose first hash covers the original names.
    done(&server, "admin check");
    assert!(done(&server, "admin board 1").contains("The hash chain is intact"));
    let record = done(&server, "marque history 1 --format=json");
    assert!(record.contains("\"began_as\""), "{record}");
    let path = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", path.display()));
    let new = Server::new();
    done(&new, &format!("admin import {}", path.display()));
    done(&new, "admin check");
    // The old name is available again. alice may also change only the case of the new one.
    done(&server, "signup alice another new@example.org");
    done(&server, "admin player rename alicia Alicia");
}

#[test]
fn a_removed_player_is_erased() {
    let mut server = played();
    done(&server, "message bob builder alice --say=Hi");
    server.mail(BOB, "set bob builder zone=Europe/Berlin rhythm=once theme=slate hints=on chat=players", "");
    assert_ne!(sql(&server, "SELECT settings FROM players WHERE userid = 'bob'"), "");
    server.mail(ALICE, "marque show bob", "");
    done(&server, "marque challenge bob anyone");
    let preview =
        "running boards, which would be resigned: 1; these running boards, which would be taken out of play: 2;";
    refused(&server, "admin player remove bob", preview);
    assert!(done(&server, "admin players").contains("bob"), "no player is removed without --yes");
    server.letters();
    let out = done(&server, "admin player remove bob --yes");
    assert_eq!(out, "bob is removed, and shown as \"former player 2\".\nResigned: 1\nTaken out of play: 2\n");
    let letters = server.letters();
    assert!(letter_to(&letters, BOB).is_none());
    let told: String = letters.iter().map(Letter::text).collect();
    assert!(told.contains("former player 2 resigned") && !told.contains("bob resigned"), "{told}");
    // The board remains, with its comments.
    let board = done(&server, "marque history 1");
    assert!(board.contains("former player 2") && !board.contains("bob"), "{board}");
    let record = done(&server, "marque history 1 --format=json");
    assert!(record.contains("Hello,alice") && record.contains("\"former player 2\""), "{record}");
    refused(&server, "set bob builder", "No player");
    for list in ["admin players", "admin inbox", "admin outbox", "admin boards"] {
        let list = done(&server, list);
        assert!(!list.contains("bob"), "{list}");
    }
    let files = files(&server);
    for word in ["bob@example.org", "europe/berlin"] {
        assert!(!files.contains(word) && !keeps(&server, word), "{word} is erased");
    }
    assert_eq!(
        sql(&server, "SELECT DISTINCT settings FROM players WHERE userid <> 'alice'"),
        "",
        "all other players have default settings"
    );
    // The texts that alice wrote remain, even those that mention bob.
    assert!(keeps(&server, "hello,bob"));
    done(&server, "admin check");
    let path = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", path.display()));
    let new = Server::new();
    done(&new, &format!("admin import {}", path.display()));
    done(&new, "admin check");
    // Another person can sign up with the userid, and does not get the removed player's boards.
    done(&server, "signup bob newcomer bob2@example.org");
    assert!(!done(&server, "show bob").contains("1 finished"));
    let gone = server.json("admin player remove bob --yes");
    assert!(gone["removed"] == true && gone["player"] == "bob", "{gone}");
}

#[test]
fn a_removed_player_is_not_changed_again() {
    let server = Server::with_players();
    done(&server, "admin player remove bob --yes");
    let former = "former player 2";
    for task in [&["rename", former, "robert"][..], &["password", former], &["remove", former, "--yes"]] {
        let ran = Ran::from(server.program().args(["admin", "player"]).args(task).output().unwrap());
        assert!(ran.status == 1 && ran.err.contains("former player 2 has already been removed"), "{ran:?}");
    }
    refused(&server, "admin player merge bob alice", "there is no player bob");
}

#[test]
fn a_player_with_a_quarantined_message_can_be_removed() {
    let mut server = played();
    server.mail(BOB, "set bob builder hints=on", "");
    sql(
        &server,
        "UPDATE inbox SET verdict = 'poison' WHERE sender = 'bob@example.org'; \
         INSERT INTO quarantine SELECT id, CAST('x' AS BLOB) FROM inbox WHERE sender = 'bob@example.org'",
    );
    done(&server, "admin player remove bob --yes");
    assert_eq!(sql(&server, "SELECT count(*) FROM quarantine"), "0");
}

#[test]
fn letters_survive_the_removal_of_a_player_named_like_a_word_of_the_program() {
    let mut server = Server::with_players();
    for userid in ["undo", "held", "marque"] {
        done(&server, &format!("signup {userid} s3cretive {userid}@example.org"));
    }
    done(&server, "admin hold");
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    done(&server, "marque undo 1 alice wonderland");
    done(&server, "marque challenge undo bob");
    done(&server, "admin player rename undo anna");
    done(&server, "admin player remove held --yes");
    done(&server, "admin player remove marque --yes");
    done(&server, "admin release");
    done(&server, "tick");
    let letters: String = server.letters().iter().map(Letter::text).collect();
    assert!(letters.contains("requests an undo") && letters.contains("against anna"), "{letters}");
    assert_eq!(sql(&server, "SELECT count(*) FROM outbox WHERE due_at IS NOT NULL"), "0");
}

#[test]
fn a_computer_player_cannot_be_renamed() {
    let server = Server::with_players();
    done(&server, "marque challenge alice robot1");
    refused(&server, "admin player rename robot1 zed", "reserved for computer players");
}

#[test]
fn boards_of_an_event_that_a_block_ends_are_listed() {
    let server = Server::with_players();
    server.configure("[events]\nplayers = true\n");
    for line in [
        "event new climb hex --kind=ladder alice wonderland",
        "join climb alice wonderland",
        "join climb bob builder",
        "event challenge climb alice bob builder",
        "marque challenge alice bob",
    ] {
        done(&server, line);
    }
    let preview = "which would be resigned: 1; these running boards, which would be taken out of play: 2;";
    refused(&server, "admin player block alice", preview);
    assert_eq!(
        done(&server, "admin player block alice --yes"),
        "alice is blocked: no commands, no letters.\nResigned: 1\nTaken out of play: 2\n"
    );
}

#[test]
fn a_blocked_player_can_do_nothing() {
    let mut server = played();
    server.mail(ALICE, "marque challenge alice anyone", "");
    let preview =
        "which would be resigned: 1; these running boards, which would be taken out of play: 2; to block them";
    refused(&server, "admin player block alice", preview);
    assert!(server.json("admin players")[0]["blocked"].is_null(), "no player is blocked without --yes");
    done(&server, "admin player block alice --yes");
    server.letters();
    for line in ["set alice wonderland", "marque move 1 alice wonderland f4", "marque challenge bob alice"] {
        refused(&server, line, "blocked by the administrator");
    }
    refused(&server, "set alice wrong", "No player has this userid");
    assert!(!done(&server, "list").contains("1 open challenge"));
    // The blocked player's mail gets no answer, and only the opponent receives letters.
    assert!(server.mail(ALICE, "marque move 1 alice wonderland f4", "").is_empty());
    assert!(server.mail(ALICE, "help", "").is_empty());
    done(&server, "marque chat 1 bob builder --say=Hello?");
    let letters = server.letters();
    assert!(letter_to(&letters, ALICE).is_none(), "{letters:?}");
    let players = server.json("admin players");
    assert!(players[0]["blocked"].is_string() && players[1]["blocked"].is_null(), "{players}");
    assert_eq!(done(&server, "admin player unblock alice"), "alice is no longer blocked.\n");
    done(&server, "set alice wonderland");
    // A player without boards in progress can be blocked without `--yes`.
    assert_eq!(done(&server, "admin player block alice"), "alice is blocked: no commands, no letters.\n");
}

#[test]
fn only_a_change_is_in_the_log_of_acts() {
    let server = Server::with_players();
    let acts = || server.json("admin acts").as_array().unwrap().len();
    let before = acts();
    refused(&server, "admin player unblock bob", "bob is not blocked");
    for line in ["admin maintenance off", "admin resume", "admin release"] {
        done(&server, line);
    }
    assert_eq!(acts(), before, "{}", done(&server, "admin acts"));
    done(&server, "admin player block bob");
    refused(&server, "admin player block bob", "bob is already blocked, since 2");
    for line in ["admin hold", "admin pause"] {
        done(&server, line);
        done(&server, line);
    }
    assert_eq!(acts(), before + 3, "{}", done(&server, "admin acts"));
}

#[test]
fn the_boards_of_a_blocked_player_end_and_their_opponents_are_notified() {
    let mut server = played();
    done(&server, "signup carol carpenter carol@example.org");
    done(&server, "marque challenge bob carol");
    done(&server, "marque move 3 bob builder f3");
    server.letters();
    let out = server.json("admin player block bob --yes");
    let expected = serde_json::json!({ "player": "bob", "blocked": true, "resigned": [1, 3], "taken out of play": [2],
        "annulled": [] });
    assert_eq!(out, expected);
    let letters = server.letters();
    assert!(letter_to(&letters, BOB).is_none(), "{letters:?}");
    let told: String = letters.iter().filter(|letter| letter.to() == ALICE).map(Letter::text).collect();
    assert!(told.contains("bob resigned") && told.to_lowercase().contains("board 2"), "{told}");
    assert!(to(&letters, "carol@example.org").text().contains("bob resigned"), "{letters:?}");
    let boards = done(&server, "admin boards");
    assert_eq!(boards.matches("resignation").count(), 2, "{boards}");
    assert!(server.json("admin clocks").as_array().unwrap().is_empty());
    done(&server, "admin check");
}

#[test]
fn a_player_blocked_by_an_older_version_does_not_delay_others() {
    let server = played();
    sql(
        &server,
        "UPDATE players SET blocked_at = '2020-01-01T00:00:00Z' WHERE userid = 'alice'; \
         UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z', \
         clock_reminded = 9 WHERE number = 1",
    );
    done(&server, "tick");
    assert!(done(&server, "admin boards").contains("won by bob (time)"));
}
