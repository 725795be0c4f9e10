//! The administrator's tasks: deciding a game, viewing clocks, checking the database, and moving a server. Also checks
//! the files in `deploy/`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::database::{forge, sql};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Ran, Server, TURNPOST};

/// Creates a server with three players. Bob has resigned board 1 against alice, and their board 2 is in progress.
fn played() -> Server {
    let server = Server::with_players();
    for line in [
        "signup carol lonely",
        "marque challenge -any_2 alice bob",
        "marque move 1 alice wonderland f3",
        "marque move 1 bob builder k1",
        "marque move 1 alice wonderland f4",
        "marque resign 1 bob builder",
        "marque challenge alice bob",
        "marque move 2 alice wonderland f3 --say=Hello",
        "marque move 2 bob builder k1",
        "set bob builder zone=Europe/Berlin",
    ] {
        done(&server, line, &[]);
    }
    server
}

/// Runs a command line. Checks that it succeeds and prints all of these words, and returns its output.
fn done(server: &Server, line: &str, words: &[&str]) -> String {
    came_to(server, line, 0, words).out
}

fn came_to(server: &Server, line: &str, status: i32, words: &[&str]) -> Ran {
    let ran = server.shell(line);
    assert_eq!(ran.status, status, "{line}: {ran:?}");
    for word in words {
        assert!(ran.out.contains(word) || ran.err.contains(word), "{line}: no {word:?} in {ran:?}");
    }
    ran
}

/// Runs the program with arguments that may contain blanks.
fn run(server: &Server, arguments: &[&str]) -> Ran {
    server.program().args(arguments).output().unwrap().into()
}

#[test]
fn the_administrator_adjudicates_a_game_with_a_reason() {
    let mut server = played();
    server.letters();
    let adjudicate = |board, winner, reason| run(&server, &["admin", "adjudicate", board, winner, "--reason", reason]);
    for (board, winner, reason, words) in [
        ("1", "alice", "why not", "board 1 has ended"),
        ("9", "alice", "why not", "there is no board 9"),
        ("2", "carol", "why not", "carol does not play on board 2: alice and bob do"),
        ("2", "alice", " \n", "the reason is empty"),
    ] {
        let ran = adjudicate(board, winner, reason);
        assert!(ran.status == 1 && ran.err.contains(words), "{words}: {ran:?}");
    }
    let ran = adjudicate("2", "BOB", "alice has\nleft us");
    assert_eq!((ran.status, ran.out.as_str()), (0, "Board 2 is won by bob: alice has left us\n"), "{ran:?}");
    assert_eq!(adjudicate("2", "draw", "again").status, 1);
    let letters = server.letters();
    assert_eq!(
        letters.iter().map(crate::common::Letter::to).collect::<Vec<_>>(),
        ["alice@example.org", "bob@example.org"]
    );
    assert!(letters.iter().all(|letter| letter.text().contains("alice has left us")), "{letters:#?}");
    done(&server, "admin board 2", &["adjudge", "(administrator)", "The hash chain is intact"]);
    done(&server, "admin check", &["2 boards, 7 entries, 2 rated: no difference."]);
}

#[test]
fn overdue_clocks_are_marked_until_the_reminder_was_sent() {
    let server = played();
    let clocks = done(&server, "admin clocks", &["alice", "none"]);
    assert!(clocks.lines().count() == 2 && !clocks.contains("OVERDUE"), "{clocks}");
    let past = "UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z' \
                WHERE number = 2";
    sql(&server, past);
    let outgoing = server.data().join("outgoing");
    std::fs::remove_dir_all(&outgoing).unwrap();
    std::fs::write(&outgoing, "in the way").unwrap();
    done(&server, "tick", &[]);
    done(&server, "admin clocks", &["due again", "OVERDUE: ITS REMINDER CANNOT BE DELIVERED"]);
    let undelivered: serde_json::Value =
        serde_json::from_str(&done(&server, "--json admin outbox --undelivered", &["reminder"])).unwrap();
    std::fs::remove_file(&outgoing).unwrap();
    let resend = format!("admin resend {}", undelivered[0]["letter"]);
    done(&server, &resend, &["sent 20"]);
    let clocks = done(&server, "admin clocks", &["sent 20"]);
    assert!(!clocks.contains("OVERDUE"), "{clocks}");
    done(&server, "tick", &[]);
    done(&server, "admin boards", &["alice's turn"]);
}

#[test]
fn a_running_server_runs_the_clocks_and_a_tick_wakes_it() {
    let server = played();
    let _serving = Serving::start(&server, "");
    sql(
        &server,
        "UPDATE boards SET clock_since = '2020-01-01T00:00:00Z', clock_due_at = '2020-01-08T00:00:00Z' WHERE number = 2",
    );
    done(&server, "tick", &[]);
    wait_until("a reminder in the outbox", || server.shell("admin outbox").out.contains("reminder").then_some(()));
}

#[test]
fn the_check_finds_changes() {
    let server = played();
    done(&server, "admin check", &["2 boards, 6 entries, 1 rated: no difference."]);
    sql(&server, "UPDATE standings SET rating = rating + 1 WHERE wins = 1");
    came_to(
        &server,
        "admin check",
        1,
        &["1 difference:", "The stored rating of alice in marque does not match their boards."],
    );
    sql(&server, "UPDATE standings SET rating = rating - 1 WHERE wins = 1");
    sql(&server, "UPDATE rating_ranges SET players = players + 1");
    let miscounted = "The numbers of ratings of marque in rating_ranges differ from its standings.";
    came_to(&server, "admin check", 1, &["1 difference:", miscounted]);
    sql(&server, "UPDATE rating_ranges SET players = players - 1");
    sql(&server, "UPDATE boards SET winner = 2 WHERE number = 1");
    came_to(
        &server,
        "admin check",
        1,
        &["Board 1: by its record, the game ended with the first seat's win (resignation)"],
    );
    sql(&server, "UPDATE boards SET winner = 1 WHERE number = 1");
    done(&server, "admin check", &["no difference"]);
    forge(&server, "UPDATE entries SET text = 'f2' WHERE board = 2 AND entry = 1");
    came_to(&server, "admin check", 1, &["Board 2, entry 1: its hash does not match"]);
    let ran = came_to(&server, "admin board 2", 1, &["Board 2, entry 1", "f2", "k1"]);
    assert!(!ran.out.contains("chain is intact"));
    forge(&server, "UPDATE entries SET text = 'z9' WHERE board = 2 AND entry = 1");
    let illegal =
        "Board 2: its record cannot be replayed. Move 1 (\"z9\") is not legal: There is no such cell: the cells";
    came_to(&server, "admin check", 1, &[illegal]);
    came_to(&server, "admin board 2", 1, &[illegal]);
    came_to(&server, "--json admin check", 1, &["\"differences\":["]);
    sql(&server, "UPDATE boards SET game = 'hex', options = '-size=99' WHERE number = 2");
    let options =
        "Board 2: its record cannot be replayed. The board's options \"-size=99\" are invalid: A board of this";
    came_to(&server, "admin check", 1, &[options]);
    sql(&server, "UPDATE boards SET game = 'chess' WHERE number = 2");
    let game = "Board 2: its record cannot be replayed. This turnpost has no game \"chess\".\n";
    came_to(&server, "admin check", 1, &[game]);
}

#[test]
fn lists_show_open_challenges_and_former_players() {
    let server = played();
    done(&server, "marque challenge carol anyone", &[]);
    done(&server, "admin boards", &["open challenge", "anyone", "won by alice (resignation)"]);
    let asked = server.json("signoff carol lonely");
    done(&server, &format!("signoff carol lonely {}", asked["code"].as_str().unwrap()), &[]);
    let players: serde_json::Value = serde_json::from_str(&done(&server, "--json admin players", &[])).unwrap();
    assert!(players[2]["left"].is_string() && players[0]["left"].is_null(), "{players}");
}

#[test]
fn a_mistyped_name_is_refused_with_the_nearest_one() {
    let mut server = played();
    server.mail("mallory@elsewhere.example", "help", "");
    for line in [
        "acts --of alise",
        "boards --pair alise bob",
        "boards --player alise",
        "export alise",
        "inbox --from alise",
        "limits alise",
        "limits alise --lift",
        "outbox --to alise",
        "player merge bob alise",
        "player unblock alise",
        "ratings alise",
        "resend --since 2026-01-01 --to alise",
        "search alise",
    ] {
        came_to(&server, &format!("admin {line}"), 1, &["alise", " Did you mean alice? "]);
    }
    for list in ["inbox --from", "limits", "outbox --to", "resend --since 2026-01-01 --to", "search"] {
        let words = ["alise@example.org", " Did you mean alice@example.org? "];
        came_to(&server, &format!("admin {list} alise@example.org"), 1, &words);
    }
    came_to(&server, "admin boards --game hexx", 1, &["there is no game hexx. Did you mean hex? The games are "]);
    came_to(&server, "admin ratings bob@example.org", 1, &["is an address of bob. Write the userid bob"]);
    // These names exist, and the address of a stranger is known from their mail.
    done(&server, "admin inbox --from Carol", &["Nothing."]);
    done(&server, "admin outbox --to bob@example.org --undelivered", &[]);
    done(&server, "admin limits 192.0.2.1", &["Nothing."]);
    done(&server, "admin boards --game Hex", &["Nothing."]);
    done(&server, "admin inbox --from mallory@elsewhere.example", &["mallory@elsewhere.example"]);
    assert_eq!(sql(&server, "SELECT count(*) FROM acts WHERE act = 'lift'"), "0");
}

#[test]
fn every_task_reports_a_missing_board_message_or_letter() {
    let server = played();
    for line in [
        "adjudicate 99 alice --reason=x",
        "analyse 99",
        "board 99",
        "comment remove 99 1",
        "extend 99 --days 1",
        "reopen 99 --reason=x",
        "void 99 --reason=x",
    ] {
        came_to(&server, &format!("admin {line}"), 1, &["there is no board 99; `turnpost admin boards` lists them"]);
    }
    for line in ["mail 99", "retry 99"] {
        came_to(&server, &format!("admin {line}"), 1, &["there is no message 99; `turnpost admin inbox` lists them"]);
    }
    for line in ["drop 99", "letter 99", "resend 99"] {
        came_to(&server, &format!("admin {line}"), 1, &["there is no letter 99; `turnpost admin outbox` lists them"]);
    }
}

#[test]
fn lists_of_boards_and_months_can_be_filtered() {
    let server = played();
    done(&server, "brique challenge carol alice", &[]);
    done(&server, "marque challenge alice anyone", &[]);
    let numbers = |line: &str| -> Vec<u64> {
        let rows = server.json(line);
        rows.as_array().unwrap().iter().map(|row| row["board"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers("admin boards --pair alice BOB"), [2, 1]);
    assert_eq!(numbers("admin boards --pair bob alice --active"), [2]);
    assert_eq!(numbers("admin boards --pair Alice carol"), [3]);
    assert_eq!(numbers("admin boards --pair bob carol"), [0; 0]);
    came_to(&server, "admin boards --pair alice nobody", 1, &["there is no player nobody"]);
    came_to(&server, "admin boards --pair alice", 2, &["--pair"]);
    let months = server.json("admin months --games");
    let months = months.as_array().unwrap();
    let of = |game: &str| months.iter().find(|row| row["game"] == game).unwrap();
    assert_eq!((months.len(), &of("brique")["began"], &of("brique")["ended"]), (2, &1.into(), &0.into()), "{months:?}");
    assert_eq!((&of("marque")["began"], &of("marque")["ended"]), (&2.into(), &1.into()), "{months:?}");
    let all = server.json("admin months");
    assert_eq!((&all[0]["began"], &all[0]["ended"]), (&3.into(), &1.into()), "{all}");
}

#[test]
fn declined_and_void_boards_are_listed_but_not_counted() {
    let server = played();
    done(&server, "brique challenge alice bob", &[]);
    done(&server, "decline 3 bob builder", &[]);
    done(&server, "admin void 1 --reason agreed", &[]);
    let states = |line: &str| -> Vec<(u64, String)> {
        let rows = server.json(line);
        let state =
            |row: &serde_json::Value| (row["board"].as_u64().unwrap(), row["state"].as_str().unwrap().to_owned());
        rows.as_array().unwrap().iter().map(state).collect()
    };
    let of = |board: u64, state: &str| (board, state.to_owned());
    let active = of(2, "alice's turn");
    for line in ["admin boards", "admin boards --pair alice bob", "admin boards --player alice"] {
        assert_eq!(states(line), [of(3, "declined"), active.clone(), of(1, "void")], "{line}");
    }
    assert_eq!(states("admin boards --active"), [active]);
    assert!(states("admin boards --game brique --active").is_empty());
    // The months count only the boards that were played.
    let months = server.json("admin months");
    assert_eq!((months.as_array().unwrap().len(), &months[0]["began"], &months[0]["ended"]), (1, &1.into(), &0.into()));
}

#[test]
fn lists_fit_the_terminal() {
    let mut server = played();
    server.mail("alice@example.org", "marque move 2 alice wonderland z99", "");
    let list = |columns: &str| {
        let ran: Ran = server.program().args(["admin", "inbox"]).env("COLUMNS", columns).output().unwrap().into();
        assert_eq!(ran.status, 0, "{ran:?}");
        (ran.out.lines().map(|line| line.chars().count()).max().unwrap(), ran.out)
    };
    let (width, wide) = list("140");
    assert!(
        width <= 140 && wide.lines().count() == 2 && wide.contains('…') && wide.contains("alice@example.org"),
        "{wide}"
    );
    let (width, narrow) = list("40");
    assert!(width <= 40 && narrow.contains("verdict:  refused\n"), "{narrow}");
    let (width, unlimited) = list("");
    assert!(width < 400 && unlimited.contains('…'), "{unlimited}");
    let whole = server.json("admin inbox");
    let reason = whole[0]["reason"].as_str().unwrap();
    assert!(reason.len() > 60 && !reason.contains('…') && !wide.contains(reason), "{whole}");
}

/// Returns the lines of an export except the first one, which contains the time.
fn body(text: &str) -> Vec<&str> {
    text.lines().skip(1).collect()
}

#[test]
fn a_server_moves_by_export_and_import() {
    let old = played();
    let file = old.data().join("export.jsonl");
    let path = file.to_str().unwrap();
    assert_eq!(done(&old, &format!("admin export --without-key --output {path}"), &[]), "");
    assert_eq!(
        file.metadata().unwrap().permissions().mode() & 0o777,
        0o600,
        "only the owner may read the file, which contains password hashes"
    );
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(body(&done(&old, "admin export --without-key", &[])), body(&text));

    let new = Server::new();
    done(&new, &format!("admin import {path}"), &["3 players, 0 open challenges, 2 boards, 6 entries."]);
    assert_eq!(body(&done(&new, "admin export --without-key", &[])), body(&text));
    done(&new, "admin check", &["2 boards, 6 entries, 1 rated: no difference."]);
    done(&new, "marque move 2 alice wonderland f4", &[]);
    let refused =
        came_to(&new, &format!("admin import {path}"), 1, &["an empty database", "the player alice and 2 more"]);
    assert_eq!(refused.out, "");

    // The export is piped into the import.
    let third = Server::new();
    let mut export = old.program().args(["admin", "export", "--without-key"]).stdout(Stdio::piped()).spawn().unwrap();
    let from = export.stdout.take().unwrap();
    let ran: Ran = third.program().args(["admin", "import", "-"]).stdin(from).output().unwrap().into();
    assert!(export.wait().unwrap().success());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{ran:?}");
    assert_eq!(body(&done(&third, "admin export --without-key", &[])), body(&text));

    // Changed and truncated exports are refused.
    let fourth = Server::new();
    let changed = text.replacen("\"text\":\"f4\"", "\"text\":\"f2\"", 1);
    std::fs::write(&file, changed).unwrap();
    came_to(&fourth, &format!("admin import {path}"), 1, &["Board 1, entry 3", "hash", "nothing is imported"]);
    let cut: String = text.lines().take(4).map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, cut).unwrap();
    came_to(&fourth, &format!("admin import {path}"), 1, &["the export was cut"]);
    done(&fourth, "admin players", &["Nothing."]);
    came_to(&fourth, "admin import /nowhere", 66, &["cannot read /nowhere"]);
}

#[test]
fn a_player_receives_their_own_data() {
    let server = played();
    let text = done(&server, "admin export Bob", &["bob@example.org", "Hello", "\"letter\""]);
    assert!(!text.contains("argon2") && !text.contains("carol"), "{text}");
    came_to(&server, "admin export nobody", 1, &["there is no player nobody"]);
}

#[test]
fn the_cron_line_runs() {
    let server = played();
    let cron = include_str!("../../deploy/turnpost.cron");
    let line = cron.lines().find(|line| line.starts_with("*/10")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[5], "turnpost", "the job runs as the user turnpost");
    let line = words[6..].join(" ").replace("/usr/local/bin/turnpost", TURNPOST);
    let line = line.replace("/var/lib/turnpost", server.data().to_str().unwrap());
    let ran: Ran = Command::new("sh").args(["-c", &line]).output().unwrap().into();
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{line}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs systemd-analyze: ./test runs it")]
fn the_systemd_units_are_valid() {
    let units = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/systemd");
    let dir = tempfile::tempdir().unwrap();
    let mut copies = Vec::new();
    for unit in ["turnpost.service", "turnpost.socket", "turnpost-tick.service", "turnpost-tick.timer"] {
        let text = std::fs::read_to_string(units.join(unit)).unwrap();
        let command = text.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/turnpost "));
        assert_eq!(command.is_some(), unit.ends_with("service"), "{unit}");
        let copy = dir.path().join(unit);
        std::fs::write(&copy, text.replace("/usr/local/bin/turnpost", TURNPOST)).unwrap();
        copies.push(copy);
    }
    let verified = Command::new("systemd-analyze").arg("verify").args(&copies).output();
    let ran: Ran = verified.expect("systemd-analyze runs: deploy/install-test-tools installs it").into();
    assert_eq!(ran.status, 0, "{}", ran.err);
    for copy in copies.iter().filter(|copy| copy.extension().is_some_and(|kind| kind == "service")) {
        // systemd expects the maximum exposure level in tenths: 20 stands for 2.0.
        let mut rating = Command::new("systemd-analyze");
        rating.args(["security", "--offline=true", "--threshold=20"]).arg(copy);
        let ran: Ran = rating.output().unwrap().into();
        assert_eq!(ran.status, 0, "{}", ran.out);
    }
}
