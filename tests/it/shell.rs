//! The command line: commands, links, flags in any position, exit statuses, and commands about the rules, which need no
//! server.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::serving::{free_port, terminate, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Ran, Server, TURNPOST};

#[test]
fn a_symlink_named_after_a_game_replaces_the_first_word() {
    let server = Server::with_players();
    let link = server.data().join("marque");
    std::os::unix::fs::symlink(TURNPOST, &link).unwrap();
    let run = |words: &[&str]| -> Ran {
        let mut command = Command::new(&link);
        command.env("TURNPOST_DATA", server.data()).env("TURNPOST_PASSWORD", "wonderland").stdin(Stdio::null());
        command.args(words).output().unwrap().into()
    };
    let ran = run(&["-any_2", "challenge", "alice", "bob"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let ran = run(&["move", "1", "alice", "-", "f3"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    let board = &server.json("marque show 1")["boards"][0];
    assert_eq!((board["options"].as_str(), board["plies"].as_u64()), (Some("-any_2"), Some(1)));
}

#[test]
fn options_may_be_anywhere_and_statuses_distinguish_refusals_from_errors() {
    let server = Server::with_players();
    for line in ["-opposite marque challenge alice bob", "marque challenge alice bob -opposite --json"] {
        assert_eq!(server.shell(line).status, 0, "{line}");
    }
    for (line, status) in [
        ("marque move 1 alice wonderland k4", 1),
        ("marque move 1 alice wonderland z9", 2),
        ("marque challenge alice nobody", 1),
        ("marque fly 1", 2),
        ("nonsense", 2),
        ("perft marque", 2),
    ] {
        let ran = server.shell(line);
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{line}: {ran:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn programs_read_why_a_command_of_the_administrator_was_refused() {
    let server = Server::with_players();
    for (line, status, why) in [
        ("admin board 99", 1, "there is no board 99; `turnpost admin boards` lists them"),
        ("admin player unblock nobody", 1, "there is no player nobody"),
        ("admin block nobody", 1, "\"nobody\" is not an address or a domain"),
        ("admin export", 2, "an export of the whole server needs"),
        ("admin log-level loud", 2, "`loud` is not a level"),
        ("admin boards --rows many", 2, "invalid value 'many' for '--rows <N>'"),
        ("admin bords", 2, "unrecognized subcommand 'bords'"),
    ] {
        let ran = server.shell(&format!("{line} --json"));
        assert_eq!((ran.status, ran.err.as_str()), (status, ""), "{line}: {ran:?}");
        let refused = serde_json::from_str::<serde_json::Value>(&ran.out).unwrap()["refused"].take();
        assert!(refused["message"].as_str().unwrap().contains(why), "{line}: {refused}");
        assert_eq!(refused["not_understood"], status == 2, "{line}: {refused}");
    }
}

#[test]
fn help_in_json_contains_the_text_of_its_pages() {
    let server = Server::with_players();
    let help = server.json("help hex plans");
    assert_eq!(help["pages"], serde_json::json!(["hex", "plans"]));
    assert_eq!(help["text"], server.shell("help hex plans").out);
}

#[test]
fn a_misspelt_subcommand_is_corrected() {
    let server = Server::with_players();
    for (typed, meant) in [("check-confg", "check-config"), ("quikstart", "quickstart"), ("admn overview", "admin")] {
        let ran = server.shell(typed);
        assert!(ran.status == 2 && ran.err.contains(&format!("Did you mean \"{meant}\"?")), "{typed}: {ran:?}");
    }
}

#[test]
fn a_computer_player_without_games_is_not_an_unknown_player() {
    let server = Server::with_players();
    for line in ["show robot1", "marque games robot1", "block alice wonderland robot1"] {
        let ran = server.shell(line);
        assert!(ran.status == 1 && ran.err.contains("robot1 is a computer player"), "{line}: {ran:?}");
    }
}

#[test]
fn a_board_is_shown_as_a_picture() {
    let server = Server::with_players();
    server.shell("brique challenge -size=5 alice bob");
    server.shell("brique move 1 alice wonderland c3");
    let svg = server.shell("show 1 --svg");
    assert!(svg.out.starts_with("<svg ") && svg.out.contains("<title>c3: Black, last move</title>"), "{svg:?}");
    let file = server.data().join("board.png");
    let ran = server.shell(&format!("brique preview 1 swap --png {}", file.display()));
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    assert!(std::fs::read(file).unwrap().starts_with(b"\x89PNG"));
    for line in ["help brique --svg", "brique move 1 bob builder swap --svg"] {
        let ran = server.shell(line);
        assert!(ran.status == 2 && ran.err.contains("a picture shows one board"), "{line}: {ran:?}");
    }
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 1);
}

#[test]
fn a_preview_changes_nothing() {
    let server = Server::with_players();
    server.shell("marque challenge alice bob");
    server.shell("marque move 1 alice wonderland f3");
    let before = server.json("marque show 1");
    for line in ["marque preview 1 f4", "marque preview 1#0 k2", "marque preview new -any_2 f3 f4 k1,k2"] {
        let ran = server.shell(line);
        // The invalid pair in the last line is refused like an illegal move.
        assert_eq!(ran.status, i32::from(line.contains("new")), "{ran:?}");
    }
    assert!(!server.shell("marque preview new f3 --plain").out.contains("a1"));
    // This board has no players, so the sides are named after their pieces, which a swap exchanges.
    let swapped = server.shell("brique preview new -size=5 c3 swap").out;
    assert!(swapped.contains("White (w) (to move)\nBlack (b)\n"), "{swapped}");
    assert_eq!(server.json("marque show 1"), before);
}

#[test]
fn the_rules_work_without_a_server() {
    let server = Server::new();
    assert_eq!(server.shell("perft marque 2").out, "8958\n");
    let mut child = server
        .program()
        .args(["replay", "marque", "-opposite"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"f3 k1\n\nf3 f3\n").unwrap();
    let ran: Ran = child.wait_with_output().unwrap().into();
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[0],
        r#"{"plies":2,"legal":[66,135,134],"board":{"f3":"o","k1":"x"},"to_move":"o","outcome":null,"reason":null,"error":null}"#
    );
    assert!(lines[1].starts_with(r#"{"plies":0,"legal":[66],"board":{},"to_move":"o""#));
    let refused: serde_json::Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!((refused["plies"].as_u64(), refused["error"]["ply"].as_u64()), (Some(1), Some(2)));
    assert_eq!(lines.len(), 3);
}

/// The README recommends this demonstration. It shows each message, and the letters that answer it.
#[test]
fn the_demo_shows_mail_and_boards_and_explains_the_next_steps() {
    let dir = tempfile::tempdir().unwrap();
    let ran: Ran = Command::new(TURNPOST).arg("demo").current_dir(dir.path()).output().unwrap().into();
    assert_eq!((ran.status, ran.err.as_str()), (0, "turnpost: a new server: turnpost-demo\n"));
    for words in
        ["Subject: marque challenge alice bob", "Subject: Marque Board 1 bob **", "| o  _-", "(x)|(x)", "already taken"]
    {
        assert!(ran.out.contains(words), "no {words:?} in\n{}", ran.out);
    }
    assert!(!ran.out.contains("base64"), "the output omits encoded pictures");
    // The suggested `move` command succeeds.
    let line = ran.out.lines().find(|line| line.contains("marque move 1 alice")).unwrap();
    let line =
        ran.out.lines().rfind(|line| line.contains("--data") && line.contains("marque move 1 alice")).unwrap_or(line);
    let status = Command::new("sh").args(["-c", line]).current_dir(dir.path()).stdout(Stdio::null()).status();
    assert!(status.unwrap().success(), "{line}");
    // The suggested `serve` command shows the demonstration's boards in a browser, without further configuration.
    let serve = ran.out.lines().find(|line| line.contains("serve --listen")).unwrap();
    let address = format!("127.0.0.1:{}", free_port());
    let words = serve.replace("127.0.0.1:8080", &address);
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut serving =
        Command::new(words[0]).args(&words[1..]).current_dir(dir.path()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the web server to listen", || std::net::TcpStream::connect(&address).ok());
    let mut alice = Visitor::logged_in(&address, "alice", "wonderland");
    let page = alice.get("/boards/1").text().to_owned();
    terminate(&serving);
    assert!(serving.wait().unwrap().success());
    assert!(page.contains("Marque board 1"), "{page}");
}

#[test]
fn the_demo_uses_only_a_new_directory() {
    let dir = tempfile::tempdir().unwrap();
    let demo = || -> Ran {
        let mut program = Command::new(TURNPOST);
        program.args(["--data", "here", "demo"]).current_dir(dir.path()).output().unwrap().into()
    };
    let ran = demo();
    assert!(ran.status == 0 && ran.out.contains("the new directory here"), "{ran:?}");
    assert!(dir.path().join("here/turnpost.db").exists() && !dir.path().join("turnpost-demo").exists());
    let ran = demo();
    assert!(ran.status == 1 && ran.err.contains("here exists; name a new directory"), "{ran:?}");
}

#[test]
fn manual_pages_and_completions_are_generated_from_the_arguments() {
    let directory = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| -> Ran { Command::new(TURNPOST).args(arguments).output().unwrap().into() };
    let pages = directory.path().join("share/man1");
    assert_eq!(run(&["man", pages.to_str().unwrap()]).status, 0);
    let page = std::fs::read_to_string(pages.join("turnpost-admin-adjudicate.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("reason"), "{page}");
    let tasks = run(&["admin", "--help"]).out;
    let place = |words: &str| tasks.find(words).unwrap_or_else(|| panic!("no {words:?} in {tasks}"));
    assert!(place("\nBoards:\n") < place("\n  reopen ") && place("\n  reopen ") < place("\nClocks:\n"), "{tasks}");
    let (list, _) = tasks.split_once("\nOptions:").unwrap();
    assert!(list.lines().all(|line| line.chars().count() <= 78), "{tasks}");
    let scripts = ["bash", "zsh", "fish"].map(|shell| run(&["completions", shell]));
    for script in &scripts {
        assert!(script.status == 0 && script.out.contains("adjudicate"), "{script:?}");
    }
    assert_eq!(run(&["completions", "cmd"]).status, 2);
}
