//! Tries each reply, setting and event option that a table in the players' manual lists.

use crate::common::{Letter, Server, done, reply, to};
use crate::documentation::pages;
use crate::manual_commands::code;

const ALICE: &str = "alice@example.org";

/// Returns the code spans in the first column of the tables with this heading.
fn first_cells(head: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, text) in pages() {
        let mut is_in = false;
        for line in text.lines() {
            let first = line.strip_prefix("| ").and_then(|line| line.split(" | ").next());
            is_in = first.is_some_and(|first| is_in || first == head);
            found.extend(first.filter(|_| is_in).into_iter().flat_map(code));
        }
    }
    found
}

/// Brings board 1 into a state in which alice can reply with a line that begins with this word. Returns the letter to
/// reply to.
fn letter_before(server: &mut Server, word: &str) -> Letter {
    for line in [
        "event new spring hex --kind=league alice wonderland",
        "event new climb hex --kind=ladder alice wonderland",
        "join climb bob builder",
        "join climb alice wonderland",
        "tick",
        "marque challenge alice bob",
    ] {
        done(server, line);
    }
    let shell: &[&str] = match word {
        "decline" => &[],
        "accept" | "reject" => &["marque move 1 alice wonderland d1", "marque abandon 1 bob builder"],
        "rematch" => {
            &["marque move 1 alice wonderland d1", "marque move 1 bob builder a2", "marque resign 1 bob builder"]
        }
        "leave" => {
            &["marque move 1 alice wonderland d1", "join spring alice wonderland", "marque move 1 bob builder a2"]
        }
        "unblock" => {
            &["block alice wonderland bob", "marque move 1 alice wonderland d1", "marque move 1 bob builder a2"]
        }
        _ => &["marque move 1 alice wonderland d1", "marque move 1 bob builder a2"],
    };
    for line in shell {
        done(server, line);
    }
    let letters = server.letters();
    if ["join", "leave", "event"].contains(&word) {
        return to(&server.mail(ALICE, "event climb", ""), ALICE).clone();
    }
    let last = letters.iter().rfind(|letter| letter.to() == ALICE && letter.subject.contains("Board 1"));
    let last = last.unwrap_or_else(|| panic!("{word}: {letters:?}")).clone();
    let first = match word {
        "confirm" => "submit f3",
        "subscribe" => "unsubscribe",
        "queue" | "if" => "f3",
        _ => return last,
    };
    to(&reply(server, ALICE, &last, first), ALICE).clone()
}

#[test]
fn each_line_of_a_reply_in_the_manual_is_carried_out() {
    let lines = [first_cells("first line"), first_cells("line")].concat();
    assert!(lines.len() > 20, "{lines:?}");
    for line in lines {
        let mut server = Server::with_players();
        let letter = letter_before(&mut server, line.split(' ').next().unwrap());
        let letters = reply(&mut server, ALICE, &letter, &format!("{line}\n\nHello\n"));
        let mail = &server.json("admin inbox --rows 1")[0];
        assert_eq!(mail["verdict"], "done", "{line}: {letters:#?}");
    }
}

#[test]
fn each_setting_of_the_manual_can_be_set() {
    let settings = first_cells("setting");
    assert!(settings.len() > 12, "{settings:?}");
    let server = Server::with_players();
    server.configure("[receive]\nauthserv_id = \"mx.example.org\"\n");
    for setting in settings {
        done(&server, &format!("set alice wonderland {setting}"));
        let shown = done(&server, "set alice wonderland");
        assert!(shown.contains(&setting), "{setting}: {shown}");
    }
}

#[test]
fn each_option_of_an_event_in_the_manual_is_accepted() {
    let options = first_cells("option");
    assert!(options.len() > 8, "{options:?}");
    let server = Server::with_players();
    for (number, option) in options.iter().enumerate() {
        let option = match option.as_str() {
            "--forfeittime" | "--totaltime" => format!("{option}=21"),
            "--fischer" => "--fischer=10/1/20".to_owned(),
            "cup" | "ladder" => format!("--kind={option}"),
            _ => option.clone(),
        };
        done(&server, &format!("event new e{number} hex {option} alice wonderland"));
    }
}

#[test]
fn a_subject_in_the_manual_signs_a_player_up() {
    let subjects: Vec<String> = pages()
        .iter()
        .flat_map(|(_, text)| text.split("\n\n    Subject: ").skip(1))
        .map(|rest| rest.lines().next().unwrap().to_owned())
        .collect();
    assert!(!subjects.is_empty(), "the page about mail shows subjects");
    for subject in subjects {
        let mut server = Server::new();
        let letters = server.mail(ALICE, &subject, "");
        let letters = reply(&mut server, ALICE, to(&letters, ALICE), "yes");
        assert_eq!(server.json("admin inbox --rows 1")[0]["verdict"], "done", "{subject}: {letters:?}");
        assert_eq!(server.json("admin players")[0]["player"], "alice");
    }
}
