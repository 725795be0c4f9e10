//! External programs as computer players, and their failures.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::{Pid, test_kill_process};
use serde_json::{Value, json};

use crate::common::database::sql;
use crate::common::serving::{Serving, http, wait_until};
use crate::common::{Server, TURNPOST, done, to};

const ALICE: &str = "alice@example.org";

/// Returns the configuration of an external program as a computer player.
fn engine(name: &str, command: &[&str], more: &str) -> String {
    format!("[robot.engine.{name}]\ncommand = {}\nseconds = 1\n{more}\n", json!(command))
}

/// Returns the configuration of our own computer player, run as an external program.
fn ours() -> String {
    engine("ours", &[TURNPOST, "ugi", "{game}", "{options}"], "games = [\"brique\", \"marque\"]")
}

fn script(server: &Server, name: &str, text: &str) -> String {
    let file = server.data().join(name);
    // Writes another file and renames it, because a file that is open for writing cannot be run.
    let new = server.data().join(format!("{name}.new"));
    fs::write(&new, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(new, &file).unwrap();
    file.to_str().unwrap().to_owned()
}

fn board(server: &Server, number: u32) -> Value {
    server.json(&format!("show {number}"))["boards"][0].clone()
}

fn wait_for_plies(server: &Server, number: u32, plies: u32) {
    wait_until("the computer player to move", || (board(server, number)["plies"] == plies).then_some(()));
}

#[test]
fn a_program_plays_as_a_computer_player() {
    let mut server = Server::with_players();
    let plain = engine("plain", &[TURNPOST, "ugi", "tessella"], "games = [\"tessella\"]");
    let serving = Serving::start(&server, &format!("{}{plain}", ours()));
    let listed = done(&server, "list");
    assert!(listed.contains("Programs play as robot-ours (brique, marque), robot-plain (tessella)."), "{listed}");
    done(&server, "brique challenge -size=5 alice robot-ours");
    done(&server, "brique move 1 alice wonderland a1");
    wait_for_plies(&server, 1, 2);
    let shown = board(&server, 1);
    assert_eq!((&shown["rated"], &shown["to_move"]), (&json!(false), &json!("alice")), "{shown}");
    done(&server, "brique undo 1 alice wonderland");
    wait_for_plies(&server, 1, 0);
    // The engine `plain` moves first on a board without options.
    done(&server, "tessella challenge ROBOT-plain alice");
    wait_for_plies(&server, 2, 1);
    assert!(!done(&server, "list").contains("robot-ours  "), "an engine is not listed as a player");
    for (line, says) in [
        ("lazo challenge alice robot-ours", "robot-ours plays only brique and marque."),
        ("tessella challenge alice robot-nobody", "no player"),
        ("brique challenge robot1 robot-ours", "cannot play each other"),
        ("signup robot-mine secretive mine@example.org", "belongs to a computer player"),
    ] {
        let ran = server.shell(line);
        assert!(ran.status == 1 && ran.err.contains(says), "{line}: {ran:?}");
    }
    serving.stop();
    let config = engine("plain", &[TURNPOST, "ugi", "brique"], "games = [\"brique\"]");
    server.configure(config);
    let ran = server.shell("brique challenge -size=5 alice robot-plain");
    assert!(ran.err.contains("robot-plain plays only without options."), "{ran:?}");
    // Now no server is running, so the command creates the board, but the external program does not move yet.
    server.letters();
    let letters = server.mail(ALICE, "brique challenge robot-plain alice", "");
    assert!(to(&letters, ALICE).text().contains("robot-plain"), "{letters:?}");
    assert_eq!(board(&server, 3)["plies"], 0);
}

#[test]
fn a_program_that_is_no_longer_configured_starts_no_board() {
    let server = Server::with_players();
    server.configure(ours());
    done(&server, "brique challenge -size=5 alice robot-ours");
    done(&server, "brique challenge -size=5 alice robot3");
    for board in [1, 2] {
        done(&server, &format!("admin adjudicate {board} alice --reason agreed"));
    }
    server.configure("[robot]\nlevels = 2\n");
    for (line, says) in [
        ("brique challenge -size=5 alice Robot-ours", "robot-ours no longer plays on this server."),
        ("brique rematch 1 alice wonderland", "robot-ours no longer plays on this server."),
        ("brique rematch 2 alice wonderland", "robot1 to robot2"),
    ] {
        let ran = server.shell(line);
        assert!(ran.status == 1 && ran.err.to_lowercase().contains(says), "{line}: {ran:?}");
    }
    server.configure(ours());
    done(&server, "brique rematch 1 alice wonderland");
}

#[test]
fn a_program_does_not_take_over_the_userid_of_a_person() {
    let server = Server::with_players();
    server.configure("");
    // Earlier versions of Turnpost allowed players to sign up with this userid.
    sql(&server, "UPDATE players SET userid = 'robot-ours' WHERE userid = 'bob'");
    let _serving = Serving::start(&server, &ours());
    let ran = server.shell("brique challenge alice robot-ours");
    assert!(ran.status == 1 && ran.err.contains("is a person's userid"), "{ran:?}");
}

/// Failing programs: their names, their shell scripts, and the expected errors.
const BAD: [(&str, &str, &str); 6] = [
    ("crash", "exit 3", "it ended before it sent"),
    ("hang", "echo $$ > PID; while read line; do sleep 1000; done", "it did not send ugiok in time"),
    ("late", "echo ugiok; echo readyok; cat > /dev/null", "it did not send bestmove in time"),
    ("babble", "echo ugiok; echo readyok; echo bestmove z99; cat > /dev/null", "its move \"z99\" is not legal"),
    ("endless", "yes", "it exceeded the output limit"),
    ("long", "tr '\\\\0' x < /dev/zero", "it exceeded the output limit"),
];

fn overview(server: &Server) -> Value {
    server.json("admin overview")["engines_failing"].clone()
}

#[test]
fn failures_of_a_program_are_reported_and_retried_without_resigning() {
    let server = Server::with_players();
    let pid = server.data().join("hang.pid");
    let mut config = "[metrics]\nlisten = \"127.0.0.1:0\"\n".to_owned();
    for (name, text, _) in BAD {
        let file = script(&server, name, &text.replace("PID", pid.to_str().unwrap()));
        config += &engine(name, &[&file, "{game}"], "games = [\"brique\"]");
    }
    let greedy =
        "exec python3 -c 'import os; b = bytearray(700 << 20); os.execv(\"TURNPOST\", [\"t\", \"ugi\", \"brique\"])'";
    let file = script(&server, "greedy", &greedy.replace("TURNPOST", TURNPOST));
    config += &engine("greedy", &[&file], "games = [\"brique\"]\nmemory = 400");
    let serving = Serving::start(&server, &config);
    for (number, name) in (1..).zip(BAD.map(|(name, ..)| name).iter().chain(&["greedy"])) {
        done(&server, &format!("brique challenge robot-{name} alice"));
        assert_eq!(board(&server, number)["to_move"], format!("robot-{name}"));
    }
    // On a busy machine, `endless` may exceed its time before it exceeds the output limit. The server then runs it
    // again.
    for (name, _, says) in BAD.into_iter().chain([("greedy", "", "it ended before it sent")]) {
        let failure = wait_until(&format!("an error of {name} with {says:?}"), || {
            let failure = overview(&server)[format!("robot-{name}")].take();
            failure["error"].as_str()?.contains(says).then_some(failure)
        });
        assert!(failure["times"].as_u64().unwrap() >= 1, "{name}: {failure}");
    }
    assert_eq!(overview(&server).as_object().unwrap().len(), 7, "no other engine fails");
    let screen = done(&server, "admin overview");
    assert!(
        screen.contains("robot-babble") && screen.contains("at board 4: its move \"z99\" is not legal"),
        "{screen}"
    );
    assert!(serving.log().contains("the program of a computer player failed"), "{}", serving.log());
    let (_, _, metrics) = http(&serving.metrics(), "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert!(String::from_utf8_lossy(&metrics).contains("turnpost_engine_failures_total{robot=\"robot-crash\"}"));
    // The failures do not change the boards.
    for number in 1..=7 {
        let board = board(&server, number);
        assert!(board["plies"] == 0 && board["result"].is_null() && board["clock"].is_object(), "{board}");
    }
    // The failures do not stop the server's own computer players.
    done(&server, "brique challenge robot1 alice");
    wait_for_plies(&server, 8, 1);
    // Once a program is repaired, it plays a move, and its failure is no longer reported.
    for (name, ..) in BAD {
        script(&server, name, &format!("exec {TURNPOST} ugi \"$1\""));
    }
    for number in 1..=6 {
        wait_for_plies(&server, number, 1);
    }
    wait_until("all reports except one to disappear", || (overview(&server).as_object()?.len() == 1).then_some(()));
    assert!(!is_running(&pid), "the process of `hang` has ended");
    serving.stop();
}

/// Returns whether the process with the id in a file is running.
fn is_running(file: &Path) -> bool {
    let number: i32 = fs::read_to_string(file).unwrap().trim().parse().unwrap();
    test_kill_process(Pid::from_raw(number).unwrap()).is_ok()
}

#[test]
fn a_server_stops_immediately_while_a_program_thinks() {
    let server = Server::with_players();
    let file = script(
        &server,
        "slow",
        "echo ugiok; echo readyok; echo $$ > PID; cat > /dev/null"
            .replace("PID", server.data().join("slow.pid").to_str().unwrap())
            .as_str(),
    );
    let config = format!("[robot.engine.slow]\ncommand = [{file:?}]\ngames = [\"brique\"]\nseconds = 3600\n");
    let serving = Serving::start(&server, &config);
    done(&server, "brique challenge robot-slow alice");
    wait_until("the engine to start", || server.data().join("slow.pid").exists().then_some(()));
    let log = serving.stop();
    assert!(log.contains("\"stopped\"") && !log.contains("without waiting"), "{log}");
    assert_eq!(overview(&server), json!({}), "stopping the server does not count as a failure of the engine");
}

#[test]
fn check_config_asks_each_program() {
    let server = Server::with_players();
    server.configure(ours());
    let ran = server.shell("check-config");
    assert!(ran.status == 0 && ran.out.contains("no fault was found"), "{ran:?}");
    let crash = script(&server, "crash", "exit 3");
    server.configure(format!("{}{}", ours(), engine("mine", &[&crash], "games = [\"lazo\"]")));
    let ran = server.shell("check-config");
    assert!(ran.status == 78 && ran.out.contains("[robot.engine.mine], asked about lazo: it ended"), "{ran:?}");
    server.configure(engine("mine", &["/nowhere/program"], "games = [\"lazo\"]"));
    let ran = server.shell("check-config");
    assert!(ran.status == 78 && ran.out.contains("[robot.engine.mine], asked about lazo: it ended"), "{ran:?}");
    let shown = server.shell("describe-config").out;
    assert!(shown.contains("[robot.engine.NAME]") && shown.contains("{options}"), "{shown}");
}
