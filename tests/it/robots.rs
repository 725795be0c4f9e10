//! Computer players, as their challengers see them.

use chrono::TimeDelta;
use serde_json::json;
use turnpost::numbers::BoardNumber;
use turnpost::player::{SearchLimits, think};
use turnpost::rules::Options;
use turnpost::rules::catalogue::GAMES;
use turnpost::service::{ProposalKind, RobotAction};

use crate::common::database::sql;
use crate::common::inside::{Inside, WORLD};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done, joined, reply, to};

const ALICE: &str = "alice@example.org";

#[test]
fn a_computer_player_answers_by_mail_immediately() {
    let mut server = Server::with_players();
    let listed = server.mail(ALICE, "list", "");
    assert!(to(&listed, ALICE).text().contains("marque challenge USERID robot1"), "{listed:?}");
    let begun = server.mail(ALICE, "marque challenge alice robot1", "");
    let letter = to(&begun, ALICE);
    let text = letter.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(begun.len() == 1 && text.contains("It is your turn"), "{begun:?}");
    let mut letters = reply(&mut server, ALICE, letter, "f3\n");
    for ply in [2, 4] {
        // Depending on the timing, alice's move and the robot's answer are in one letter or in two.
        let last = letters.last().unwrap();
        assert!(last.text().contains("robot1 played"), "{letters:?}");
        assert_eq!(server.json("show 1")["boards"][0]["plies"], ply);
        let text = joined(last.text());
        let legal = text.split("first line, for example ").nth(1).unwrap().split(' ').next().unwrap();
        let legal = legal.trim_end_matches('.');
        letters = reply(&mut server, ALICE, &last.clone(), &format!("{legal}\n"));
    }
    // The moves of a computer player are recorded like those of a person, but do not affect ratings.
    assert_eq!(sql(&server, "SELECT DISTINCT via FROM record WHERE seat = 2"), "robot");
    assert_eq!(server.json("show 1")["boards"][0]["rated"], json!(false));
    assert_eq!(server.shell("admin check").status, 0);
}

#[test]
fn counts_of_players_and_lists_of_idle_players_contain_only_people() {
    let server = Server::with_players();
    server.configure("[robot.engine.ours]\ncommand = [\"true\"]\ngames = [\"brique\"]\n");
    done(&server, "marque challenge alice robot1");
    done(&server, "brique challenge alice robot-ours");
    assert_eq!(server.json("admin")["players"], 2);
    let names = |line: &str| -> Vec<String> {
        let players = server.json(line);
        players.as_array().unwrap().iter().map(|player| player["player"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("admin players --idle 0"), ["alice", "bob"]);
    assert_eq!(names("admin players"), ["alice", "bob", "robot-ours", "robot1"]);
    assert_eq!(sql(&server, "SELECT player FROM player_activity WHERE idle_days >= 0"), "alice\nbob");
}

#[test]
fn a_computer_player_with_the_first_move_plays_while_serve_runs() {
    let server = Server::with_players();
    let _serving = Serving::start(&server, "");
    for (game, number) in [("marque", 1), ("brique", 2), ("tessella", 3), ("lazo", 4)] {
        done(&server, &format!("{game} challenge robot2 alice"));
        wait_until("the first move", || {
            (server.json(&format!("show {number}"))["boards"][0]["plies"] == 1).then_some(())
        });
    }
    done(&server, "marque propose 1 alice wonderland");
    wait_until("robot2 to reject the draw", || server.json("show 1")["boards"][0]["proposal"].is_null().then_some(()));
    assert!(server.json("show 1")["boards"][0]["result"].is_null());
    let mv = server.json("show 1")["boards"][0]["legal"][0].as_str().unwrap_or("u2").to_owned();
    done(&server, &format!("marque move 1 alice wonderland {mv}"));
    wait_until("robot2 to answer", || (server.json("show 1")["boards"][0]["plies"] == 3).then_some(()));
    done(&server, "marque undo 1 alice wonderland");
    wait_until("robot2 to accept the undo", || (server.json("show 1")["boards"][0]["plies"] == 1).then_some(()));
}

#[test]
fn a_computer_player_does_not_accept_a_proposal_that_replaced_the_one_it_examined() {
    let mut inside = Inside::with_players(&["alice"]);
    inside.say("alice", "marque challenge alice robot1");
    inside.say("alice", "marque move 1 alice - f3");
    inside.say("alice", "marque undo 1 alice -");
    let service = inside.config.service(WORLD);
    let tasks = service.robot_tasks(&inside.store.read().unwrap()).unwrap();
    assert_eq!(tasks[0].proposal, Some(ProposalKind::Undo));
    inside.say("alice", "marque reject 1 alice -");
    inside.say("alice", "marque propose 1 alice -");
    let (now, service) = (inside.now(), inside.config.service(WORLD));
    let mut tx = inside.store.write().unwrap();
    let done = service.act_as_robot(&mut tx, &tasks[0], &RobotAction::Accept, now).unwrap();
    assert!(done.is_none(), "{done:?}");
}

#[test]
fn a_computer_player_moves_even_after_its_time_has_ended() {
    let server = Server::with_players();
    // On any machine, this time is far too short to think as deeply as the level requires.
    let serving = Serving::start(&server, "[robot]\nseconds = 0.01\nthreads = 1\n");
    for (game, number) in [("marque", 1), ("brique", 2), ("lazo", 3)] {
        done(&server, &format!("{game} challenge robot12 alice"));
        wait_until("robot12 to move", || {
            (server.json(&format!("show {number}"))["boards"][0]["plies"] == 1).then_some(())
        });
        let log = serving.log();
        let of_board =
            |line: &&str| line.contains("used all of its time") && line.contains(&format!("\"board\":{number},"));
        let told = log.lines().find(of_board).expect("the log reports that the robot used all of its time");
        assert!(told.contains("\"robot\":\"robot12\""), "{told}");
    }
}

#[test]
fn the_clock_ends_a_board_whose_computer_player_does_not_move() {
    let mut inside = Inside::with_players(&["alice"]);
    inside.say("alice", "marque challenge --nagtime=1 --forfeittime=4 alice robot1");
    inside.say("alice", "marque move 1 alice - f3");
    for _ in 0..5 {
        inside.pass(TimeDelta::days(1));
        inside.tick();
        inside.letters();
    }
    let shown = inside.shown("alice", 1);
    assert!(inside.read(|tx| tx.board(BoardNumber(1)).unwrap().unwrap().no_result.is_some()), "{shown}");
}

#[test]
fn userids_of_computer_players_are_reserved_and_the_administrator_sets_their_number() {
    let mut server = Server::with_players();
    for (line, says) in [
        ("signup robot7 s3cretword", "belongs to a computer player"),
        ("marque challenge robot1 robot2", "cannot play each other"),
        ("marque move 1 robot1 guess f3", "no player has this userid"),
        ("marque challenge alice robot13", "no player"),
    ] {
        let ran = server.shell(line);
        assert!(ran.status == 1 && ran.err.to_lowercase().contains(says), "{line}: {ran:?}");
    }
    server.configure("[robot]\nlevels = 3\n");
    assert!(server.shell("marque challenge alice robot4").err.contains("robot1 to robot3"));
    done(&server, "marque challenge alice robot3");
    assert!(server.shell("marque resign 1 robot3 guess").err.contains("No player has this userid and this password"));
    server.configure("[robot]\nlevels = 0\n");
    assert!(server.shell("brique challenge alice robot3").err.contains("no computer players"));
    assert!(!to(&server.mail(ALICE, "list", ""), ALICE).text().contains("robot1"));
}

#[test]
fn searches_are_reproducible_and_rules_do_not_depend_on_playouts() {
    for game in GAMES {
        let board = game.start(&Options::default()).unwrap();
        for threads in [1, 3] {
            let limits = SearchLimits { playouts: 60, tactics: false, threads, memory: SearchLimits::MEMORY };
            let first = think(&*board, limits, 5, &|| false).unwrap();
            assert_eq!(think(&*board, limits, 5, &|| false).unwrap(), first, "{}", game.name());
            assert!(board.legal_moves().contains(&first.text) && (0.0..=1.0).contains(&first.chance), "{first:?}");
            assert_eq!(first.playouts, 60);
        }
    }
}
