//! The administrator reverts the end of a game, or voids a board. This changes the record, ratings and clocks, sends
//! letters, and is logged.

use chrono::TimeDelta;
use serde_json::Value;
use turnpost::numbers::BoardNumber;
use turnpost::service::{Decision, NotDecided};
use turnpost::store::NoResult;

use crate::common::database::sql;
use crate::common::inside::WORLD;
use crate::common::{Server, done, to};
use crate::ticking::{Clockwork, day};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Runs a command of `turnpost admin`. Returns its status and output.
fn admin(server: &Server, arguments: &[&str]) -> (i32, String) {
    let mut program = server.program();
    program.env("SUDO_USER", "root-of-games").arg("admin").args(arguments);
    let ran = crate::common::Ran::from(program.output().unwrap());
    (ran.status, ran.out + &ran.err)
}

/// Returns the standings in Marque.
fn ratings(server: &Server) -> String {
    done(server, "marque standings")
}

/// Creates a server with two rated boards: bob has resigned board 1 against alice, and carol has resigned board 2
/// against bob.
fn played() -> Server {
    let server = Server::with_players();
    for line in [
        "signup carol lonely carol@example.org",
        "marque challenge alice bob",
        "marque move 1 alice wonderland f3",
        "marque move 1 bob builder k1",
        "marque move 1 alice wonderland f4",
        "marque challenge bob carol",
        "marque move 2 bob builder f3",
        "marque move 2 carol lonely k1",
        "marque move 2 bob builder f4",
        "marque resign 1 bob builder",
        "marque resign 2 carol lonely",
    ] {
        done(&server, line);
    }
    server
}

#[test]
fn a_resignation_by_mistake_is_taken_back_with_its_ratings() {
    let mut server = played();
    server.letters();
    let (status, said) = admin(&server, &["reopen", "1", "--reason", "he meant board 2"]);
    assert_eq!((status, said.as_str()), (0, "Board 1 is in progress again: he meant board 2\n"));
    let letters = server.letters();
    for address in [ALICE, BOB] {
        let text = to(&letters, address).text();
        assert!(text.contains("The administrator reopened the game (he meant board 2)."), "{text}");
    }
    // The ratings are the same as on a server where board 1 never ended.
    let other = Server::with_players();
    for line in [
        "signup carol lonely carol@example.org",
        "marque challenge alice bob",
        "marque challenge bob carol",
        "marque move 2 bob builder f3",
        "marque move 2 carol lonely k1",
        "marque move 2 bob builder f4",
        "marque resign 2 carol lonely",
    ] {
        done(&other, line);
    }
    assert_eq!(ratings(&server), ratings(&other));
    assert_eq!(admin(&server, &["check"]).0, 0, "{:?}", admin(&server, &["check"]));
    // The game can be continued, and can end again.
    done(&server, "marque move 1 bob builder k2");
    done(&server, "marque resign 1 alice wonderland");
    assert_eq!(admin(&server, &["check"]).0, 0);
    let (_, story) = admin(&server, &["board", "1"]);
    assert!(story.contains("reopen he meant board 2") && story.contains("won by bob (resignation)"), "{story}");
}

#[test]
fn a_reply_to_the_letter_about_a_reopened_board_plays_a_move() {
    let mut server = played();
    server.letters();
    admin(&server, &["reopen", "1", "--reason", "a slip"]);
    let letters = server.letters();
    let answer = crate::common::reply(&mut server, BOB, to(&letters, BOB), "k2");
    assert!(to(&answer, ALICE).text().contains("bob played k2"), "{answer:?}");
}

#[test]
fn every_end_except_one_by_the_rules_can_be_taken_back() {
    let server = played();
    for line in [
        "marque challenge alice bob",
        "marque decline 3 bob builder",
        "marque challenge alice bob",
        "marque move 4 alice wonderland f3",
        "marque propose 4 alice wonderland",
        "marque accept 4 bob builder",
        "marque challenge alice bob",
    ] {
        done(&server, line);
    }
    admin(&server, &["adjudicate", "5", "alice", "--reason", "two accounts"]);
    for board in ["3", "4", "5"] {
        let (status, said) = admin(&server, &["reopen", board, "--days", "3", "--reason", "wrong"]);
        assert_eq!(status, 0, "{said}");
        let (status, said) = admin(&server, &["reopen", board, "--reason", "wrong"]);
        assert_eq!(status, 1);
        assert!(said.contains(&format!("board {board} is in progress")), "{said}");
    }
    assert_eq!(admin(&server, &["check"]).0, 0, "{:?}", admin(&server, &["check"]));
    for (arguments, words) in [
        (["reopen", "9", "--reason", "wrong"], "there is no board 9; `turnpost admin boards` lists them"),
        (["reopen", "1", "--reason", " "], "the reason is empty"),
        (["void", "9", "--reason", "wrong"], "there is no board 9"),
        (["void", "3", "--reason", "\n"], "the reason is empty"),
    ] {
        let (status, said) = admin(&server, &arguments);
        assert!(status == 1 && said.contains(words), "{arguments:?}: {said}");
    }
    // A board cannot be reopened if one of its players was removed.
    admin(&server, &["player", "remove", "carol", "--yes"]);
    let (status, said) = admin(&server, &["reopen", "2", "--reason", "wrong"]);
    assert!(status == 1 && said.contains("one of its players has left"), "{said}");
}

#[test]
fn every_decision_that_a_refusal_proposes_is_possible() {
    let server = played();
    done(&server, "marque challenge alice bob");
    done(&server, "marque decline 3 bob builder");
    for (refused, proposed) in [
        (&["adjudicate", "1", "alice"][..], &["void 1", "reopen 1"][..]),
        (&["adjudicate", "3", "alice"], &["reopen 3"]),
        (&["void", "2"], &[]),
        (&["void", "2"], &["reopen 2"]),
    ] {
        let (_, said) = admin(&server, &[refused, &["--reason", "both wish it"]].concat());
        let commands: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
        let expected: Vec<String> = proposed.iter().map(|way| format!("turnpost admin {way} --reason \"…\"")).collect();
        assert_eq!(commands, expected, "{said}");
        for command in commands {
            let words: Vec<&str> = command.split(' ').skip(2).collect();
            let (status, said) = admin(&server, &words);
            assert_eq!(status, 0, "{command}: {said}");
        }
    }
}

#[test]
fn a_void_board_has_no_result() {
    let mut server = played();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 3 alice wonderland f3");
    server.letters();
    for board in ["1", "3"] {
        let (status, said) = admin(&server, &["void", board, "--reason", "one person"]);
        assert_eq!((status, said), (0, format!("Board {board} is void: one person\n")));
        let letters = server.letters();
        for address in [ALICE, BOB] {
            let text = to(&letters, address).text();
            assert!(text.contains("is void: it has no result") && text.contains("(one person)"), "{text}");
        }
        let (status, said) = admin(&server, &["void", board, "--reason", "again"]);
        let again =
            format!("board {board} has ended; `turnpost admin reopen {board} --reason \"…\"` takes back its end");
        assert!(status == 1 && said.contains(&again) && !said.contains("admin void"), "{said}");
    }
    assert_eq!(admin(&server, &["check"]).0, 0, "{:?}", admin(&server, &["check"]));
    assert!(!ratings(&server).contains("alice"), "alice has no other rated board");
    let (_, board) = admin(&server, &["board", "3"]);
    assert!(board.contains("void one person"), "{board}");
    let refused = server.shell("marque move 3 bob builder k1");
    assert!(refused.status == 1 && refused.err.contains("3"), "{refused:?}");
    // A voided board can also be reopened.
    assert_eq!(admin(&server, &["reopen", "3", "--reason", "two persons"]).0, 0);
    done(&server, "marque move 3 bob builder k1");
    assert_eq!(admin(&server, &["check"]).0, 0);
}

#[test]
fn a_letter_about_an_end_that_was_taken_back_is_composed_later() {
    let mut server = Server::with_players();
    for line in [
        "set alice wonderland rhythm=daily@20",
        "marque challenge alice bob",
        "marque move 1 alice wonderland f3",
        "marque resign 1 bob builder",
    ] {
        done(&server, line);
    }
    admin(&server, &["reopen", "1", "--reason", "a slip"]);
    // Alice's letter about the resignation has not been sent yet. It can be displayed although the board is in progress
    // again.
    let (_, outbox) = admin(&server, &["--json", "outbox", "--to", "alice"]);
    let rows: Vec<Value> = serde_json::from_str(&outbox).unwrap();
    for row in &rows {
        let (status, letter) = admin(&server, &["letter", &row["letter"].to_string()]);
        assert_eq!(status, 0, "{letter}");
    }
    assert!(!rows.is_empty());
    server.letters();
}

#[test]
fn an_open_challenge_is_shown_and_withdrawn() {
    let mut server = Server::with_players();
    done(&server, "hex challenge alice anyone --say=Rude");
    server.letters();
    let (status, shown) = admin(&server, &["board", "1"]);
    assert!(status == 0 && shown.contains("open challenge") && shown.contains("Rude"), "{shown}");
    assert_eq!(server.json("admin board 1")["comment"], "Rude");
    for arguments in [
        &["adjudicate", "1", "alice", "--reason", "z"][..],
        &["reopen", "1", "--reason", "z"],
        &["comment", "remove", "1", "1"],
        &["extend", "1", "--days", "2"],
        &["analyse", "1"],
    ] {
        let (status, said) = admin(&server, arguments);
        assert!(status == 1 && said.contains("1 is an open challenge of alice, not a board"), "{said}");
        assert!(said.contains("`turnpost admin void 1 --reason \"…\"` withdraws it"), "{said}");
    }
    let (status, said) = admin(&server, &["void", "1", "--reason", "a rude comment"]);
    assert_eq!((status, said.as_str()), (0, "The open challenge 1 of alice is withdrawn: a rude comment\n"));
    let letters = server.letters();
    assert_eq!(letters.len(), 1, "{letters:?}");
    let text = to(&letters, ALICE).text();
    assert!(text.starts_with("The administrator of this server writes to you:"), "{text}");
    assert!(text.contains("Your open challenge 1 was withdrawn: a rude comment"), "{text}");
    assert!(!text.contains("message alice PASSWORD"), "{text}");
    assert_eq!(server.shell("hex accept 1 bob builder").status, 1);
    let act = &server.json("admin acts --of alice")[0];
    assert!(act["act"] == "void" && act["board"] == 1 && act["reason"] == "a rude comment", "{act}");
    let (status, said) = admin(&server, &["void", "1", "--reason", "again"]);
    assert!(status == 1 && said.contains("there is no board 1"), "{said}");
}

#[test]
fn the_log_of_acts_contains_actors_actions_and_reasons() {
    let server = played();
    admin(&server, &["reopen", "1", "--reason", "a slip"]);
    admin(&server, &["void", "1", "--reason", "one person"]);
    admin(&server, &["player", "password", "bob"]);
    done(&server, "change password alice wonderland looking-glass-77");
    done(&server, "set carol lonely zone=Europe/Berlin");
    let (status, acts) = admin(&server, &["acts"]);
    assert_eq!(status, 0);
    for words in [
        &["root-of-games (shell)", "reopen", "a slip"][..],
        &["root-of-games (shell)", "void", "one person"],
        &["root-of-games (shell)", "password", "bob"],
        &["alice", "password"],
        &["carol", "settings", "zone=Europe/Berlin"],
    ] {
        let line = acts.lines().find(|line| words.iter().all(|word| line.contains(word)));
        assert!(line.is_some(), "no act contains {words:?}: {acts}");
    }
    assert!(!acts.contains("looking-glass"), "{acts}");
    let (_, of_alice) = admin(&server, &["--json", "acts", "--of", "ALICE"]);
    let rows: Vec<Value> = serde_json::from_str(&of_alice).unwrap();
    let acts: Vec<&str> = rows.iter().map(|row| row["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["password", "settings"], "only the acts about alice, newest first");
    let (status, said) = admin(&server, &["acts", "--of", "nobody"]);
    assert!(status == 1 && said.contains("nobody"), "{said}");
}

/// Reverts the end of board 1, as the administrator would.
fn reopen(clockwork: &mut Clockwork, days: Option<u32>) -> Result<(), NotDecided> {
    let (service, now) = (clockwork.inside.config.service(WORLD), clockwork.inside.now());
    let mut tx = clockwork.inside.store.write().unwrap();
    let done = service.decide(&mut tx, BoardNumber(1), Decision::Reopen { days }, "away", now).unwrap();
    tx.commit().unwrap();
    done
}

#[test]
fn the_player_has_time_to_move_after_a_forfeit_is_taken_back() {
    for (options, days, least) in [
        ("", None, 7),
        ("--nagtime=1 --forfeittime=2", Some(20), 20),
        ("--totaltime=10 --nagtime=2", None, 2),
        ("--totaltime=10 --nagtime=2", Some(5), 5),
    ] {
        let mut clockwork = Clockwork::moved(options);
        clockwork.run_until(day(60));
        assert!(clockwork.end().is_some_and(|(reason, _)| reason == "time"), "{options}");
        reopen(&mut clockwork, days).unwrap();
        let board = clockwork.board();
        assert!(board.result.is_none() && board.to_move.is_some() && board.clock.is_some(), "{options}: {board:?}");
        clockwork.run_until(day(200));
        let (reason, at) = clockwork.end().unwrap();
        let given = at - day(60);
        assert!(reason == "time" && given >= TimeDelta::days(least), "{options}: {given}");
    }
}

#[test]
fn an_expired_challenge_is_not_shown_as_declined() {
    let mut clockwork = Clockwork::new();
    clockwork.inside.say("alice", "marque challenge alice bob");
    clockwork.run_until(day(40));
    assert_eq!(clockwork.board().no_result, Some(NoResult::Expired));
    let told = clockwork.notices("lapse");
    assert_eq!(told.len(), 2, "{told:?}");
    reopen(&mut clockwork, None).unwrap();
    clockwork.inside.say("alice", "marque move 1 alice - f3");
}

#[test]
fn one_board_is_restored_from_a_backup_or_an_export() {
    for form in ["backup", "export"] {
        let server = played();
        // Only SQLite databases can be backed up.
        if form == "backup" && server.database().is_some() {
            continue;
        }
        done(&server, "marque challenge alice bob --say=Hello");
        done(&server, "marque move 3 alice wonderland f3");
        let copy = server.data().join("copy");
        let copy = copy.to_str().unwrap();
        // The copy contains more entries of board 3 than the server `before`, to which the test restores the board.
        let before = Server::in_a_file();
        let all = |server: &Server, file: &str| admin(server, &["export", "--without-key", "--output", file]);
        let early = server.data().join("early");
        let early = early.to_str().unwrap();
        assert_eq!(all(&server, early).0, 0);
        for line in [
            "marque move 3 bob builder k1 --say=Hi",
            "marque move 3 alice wonderland f4",
            "marque resign 3 bob builder",
        ] {
            done(&server, line);
        }
        let (status, said) = match form {
            "backup" => admin(&server, &["backup", copy]),
            _ => all(&server, copy),
        };
        assert_eq!(status, 0, "{said}");
        assert_eq!(admin(&before, &["import", early]).0, 0);
        let (status, said) = admin(&before, &["restore-board", copy, "3"]);
        assert_eq!((status, said.as_str()), (0, "Board 3 has 4 entries; 3 of them were added.\n"), "{form}");
        assert_eq!(admin(&before, &["check"]).0, 0, "{:?}", admin(&before, &["check"]));
        let (_, story) = admin(&before, &["board", "3"]);
        assert!(story.contains("won by alice (resignation)") && story.contains("Hi"), "{story}");
        assert_eq!(story.matches("Hello").count(), 1, "{story}");
        assert_eq!(ratings(&before), ratings(&server));
        for (arguments, words) in [
            (["restore-board", copy, "3"], "entries on this server and"),
            (["restore-board", copy, "9"], "does not contain board 9"),
        ] {
            let (status, said) = admin(&before, &arguments);
            assert!(status == 1 && said.contains(words), "{said}");
        }
        // Boards with different histories are not merged.
        assert_eq!(admin(&before, &["reopen", "3", "--reason", "wrong"]).0, 0);
        let other = Server::in_a_file();
        assert_eq!(admin(&other, &["import", early]).0, 0);
        done(&other, "marque move 3 bob builder k2");
        let (status, said) = admin(&other, &["restore-board", copy, "3"]);
        assert!(status == 1 && said.contains("differs from the file from entry 2 on"), "{said}");
    }
}

#[test]
fn one_imported_board_and_one_restored_entry_are_counted_in_the_singular() {
    let server = Server::in_a_file().and_players();
    let file = |name: &str| server.data().join(name).to_str().unwrap().to_owned();
    let (early, late) = (file("early"), file("late"));
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    assert_eq!(admin(&server, &["export", "--without-key", "--output", &early]).0, 0);
    done(&server, "marque move 1 bob builder k1");
    assert_eq!(admin(&server, &["export", "--without-key", "--output", &late]).0, 0);
    let before = Server::in_a_file();
    let (status, said) = admin(&before, &["import", &early]);
    assert!(status == 0 && said.starts_with("2 players, 0 open challenges, 1 board, 1 entry.\n"), "{said}");
    let (status, said) = admin(&before, &["restore-board", &early, "1"]);
    assert!(status == 1 && said.contains("Board 1 has 1 entry on this server and 1 in the file"), "{said}");
    let (status, said) = admin(&before, &["restore-board", &late, "1"]);
    assert_eq!((status, said.as_str()), (0, "Board 1 has 2 entries; 1 of them was added.\n"));
}

#[test]
fn a_draw_is_not_a_win_for_a_player_named_draw() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    // Earlier versions allowed players to sign up with the userid `draw`.
    sql(&server, "UPDATE players SET userid = 'draw' WHERE userid = 'bob'");
    let (status, said) = admin(&server, &["adjudicate", "1", "draw", "--reason", "agreed"]);
    assert_eq!((status, said.as_str()), (0, "Board 1 is a draw: agreed\n"));
}

#[test]
fn a_user_without_a_name_is_logged_by_number() {
    let server = Server::with_players();
    for (user, by) in [("", "uid "), ("games", "games (shell)")] {
        let mut program = server.program();
        program
            .env("SUDO_USER", "")
            .env("USER", user)
            .env_remove("LOGNAME")
            .args(["admin", "player", "password", "bob"]);
        assert!(program.status().unwrap().success());
        let acts = server.json("admin acts");
        assert!(acts[0]["by"].as_str().unwrap().starts_with(by), "{acts}");
    }
}
