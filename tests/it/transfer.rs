//! A server's export and import, a player's own data, and the record's schema.

mod moving;
mod stores;

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::eventful::eventful;
use crate::common::inside::{Inside, WORLD};
use crate::common::words;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use turnpost::draw::Theme;
use turnpost::numbers::BoardNumber;
use turnpost::service::transfer::{Counts, TransferError, export_player, export_server, import};
use turnpost::service::{Record, Response, check};
use turnpost::store::ResultReason;

fn export(inside: &mut Inside, now: DateTime<Utc>) -> String {
    let mut text = Vec::new();
    inside.read(|tx| export_server(tx, WORLD, None, now, &mut text).unwrap());
    String::from_utf8(text).unwrap()
}

/// Imports a text into this server. Commits only if the import succeeds.
fn import_into(inside: &mut Inside, text: &str) -> Result<Counts, TransferError> {
    let mut tx = inside.store.write().unwrap();
    let done = import(&mut tx, WORLD, None, text.as_bytes())?;
    tx.commit().unwrap();
    Ok(done)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn joined(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_server_is_rebuilt_from_its_export() {
    let (mut old, _) = eventful();
    let sound = old.read(|l| check(l).unwrap());
    assert_eq!(sound.differences, vec![]);
    assert!(sound.boards > 10 && sound.rated >= 5, "{sound:?}");
    let now = old.now();
    let text = export(&mut old, now);
    let mut new = Inside::new();
    let counts = import_into(&mut new, &text).unwrap();
    let (boards, challenges) = (counts.of("boards") as u32, counts.of("challenges") as u32);
    assert_eq!((boards, counts.of("entries") as u32), (sound.boards, sound.entries));
    let again = export(&mut new, "2030-01-01T00:00:00Z".parse().unwrap());
    let body = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&again), body(&text));
    let rebuilt = new.read(|l| check(l).unwrap());
    assert_eq!((rebuilt.differences, rebuilt.rated), (vec![], sound.rated));
    // Compares data that the records do not contain: exact ratings, pending work and future events.
    let standings = |inside: &mut Inside| {
        let all = inside.read(|l| l.standings("marque").unwrap()).into_iter();
        all.map(|s| (s.player.userid, s.rating.rating.to_bits(), s.rating.volatility.to_bits(), s.wins))
            .collect::<Vec<_>>()
    };
    assert_eq!(standings(&mut new), standings(&mut old));
    assert_eq!(new.read(|l| l.next_clock().unwrap()), old.read(|l| l.next_clock().unwrap()));
    new.set_now(now);
    for inside in [&mut old, &mut new] {
        let Response::Challenged { board } = inside.say("Alice", "marque challenge Alice bob") else { panic!() };
        assert_eq!(
            board.number,
            BoardNumber(boards + challenges),
            "one number belongs to both an open challenge and its board"
        );
    }
    assert!(new.refused("dora", "marque challenge dora bob").contains("has left"));
}

#[test]
fn games_continue_after_a_move_to_another_server() {
    let (mut old, boards) = eventful();
    let now = old.now();
    let text = export(&mut old, now);
    let mut new = Inside::new();
    import_into(&mut new, &text).unwrap();
    new.set_now(now);
    let number = |what: &str| boards.iter().find(|(happened, _)| *happened == what).unwrap().1;
    // After the import, bob confirms the saved move, and alice's prepared reply is played.
    let plan = number("plan");
    new.say("bob", &format!("marque confirm {plan} bob -"));
    let entries = new.read(|l| l.entries(plan).unwrap());
    assert_eq!(entries.iter().map(|e| e.text.as_str()).collect::<Vec<_>>(), ["f3", "k1", "f4", "k2", "h2"]);
    let resigns = number("resigns");
    new.say("bob", &format!("marque move {resigns} bob - k2"));
    assert_eq!(new.read(|l| l.board(resigns).unwrap().unwrap().result.unwrap().reason), ResultReason::Resignation);
    new.say("Alice", &format!("marque accept {} Alice -", number("undo")));
    assert_eq!(new.read(|l| check(l).unwrap().differences), vec![]);
}

/// Returns the index of the first matching row of a table.
fn place(lines: &[Value], table: &str, fits: impl Fn(&Value) -> bool) -> usize {
    lines.iter().position(|line| line["table"] == table && fits(line)).unwrap()
}

#[test]
fn a_wrong_export_is_refused_with_its_line() {
    let (mut old, _) = eventful();
    let now = old.now();
    let text = export(&mut old, now);
    let good = lines(&text);
    let end = good.len() - 1;
    let board = place(&good, "boards", |row| row["entries"].as_u64() > Some(4) && row["winner"] == 1);
    let number = &good[board]["number"];
    let of_board = |row: &Value| row["board"] == *number;
    let player = place(&good, "players", |_| true);
    let seat = place(&good, "seats", of_board);
    let entry = |entry: u32| place(&good, "entries", |row| of_board(row) && row["entry"] == entry);
    let notice = place(&good, "outbox", |row| row["letter"].is_u64() && row["player"].is_u64());
    let address = place(&good, "addresses", |_| true);
    let unknown = |column: &str, text: &str| format!("column {column}: this turnpost does not know \"{text}\"");
    let wrong: Vec<(usize, usize, &str, Value, String)> = vec![
        (0, 0, "/format", json!("turnpost export 4"), "the format is \"turnpost export 4\"".into()),
        (0, 0, "/of", json!("player"), "the export of one player".into()),
        (0, 0, "/server", json!(null), "its field server is missing".into()),
        (0, 0, "/server/server_id", json!("a b>"), "the server id \"a b>\" is invalid".into()),
        (notice, notice, "/kind", json!("advert"), unknown("kind", "advert")),
        (notice, notice, "/facts", json!("[]"), unknown("facts", "[]")),
        (notice, notice, "/player", json!(99), "column player: no earlier line has players with the id 99".into()),
        (notice, notice, "/letter", json!(9_999), "no earlier line has outbox with the id 9999".into()),
        (player, player, "/settings", json!("zone=Mars/North"), unknown("settings", "zone=Mars/North")),
        (player, player, "/userid", json!(null), "players, column userid: it cannot be null".into()),
        (player, player, "/userid", json!(12), "players, column userid: this is not text".into()),
        (player, player, "/id", json!("12"), "players, column id: this is not a whole number".into()),
        (player, player, "/id", json!(1.5), "players, column id: this is not a whole number".into()),
        (player, player, "/created_at", json!("today"), "the database refuses this row of players".into()),
        (address, address, "/player", json!(99), "addresses, column player: no earlier line has".into()),
        (entry(2), entry(2), "/hash", json!("F3"), "column hash: these are not lower-case hexadecimal digits".into()),
        (entry(2), entry(2), "/hash", json!("00"), "the database refuses this row of entries".into()),
        (seat, seat, "/player", json!(99), "no earlier line has players with the id 99".into()),
        (board, board, "/game", json!("chess"), unknown("game", "chess")),
        (entry(3), end, "/text", json!("f9"), format!("Board {number}, entry 3: its hash")),
        (entry(3), end, "/hash", json!("0".repeat(64)), format!("Board {number}, entry 3: its hash")),
        (entry(2), end, "/seat", json!(1), format!("Board {number}, entry 2: ")),
        (board, end, "/genesis", json!("0".repeat(64)), format!("Board {number}: its first hash")),
        (board, end, "/options", json!("-opposite"), format!("Board {number}: its first hash")),
        (board, end, "/winner", json!(2), format!("Board {number}: by its record, the game ended with the first")),
        (
            board,
            end,
            "/rated_as",
            json!(null),
            format!("Board {number} is rated and has ended, but changed no ratings"),
        ),
        (end, end, "/end/boards", json!(3), "the export had 3 rows of boards".into()),
    ];
    for (changed, line, pointer, value, message) in wrong {
        let mut bad = good.clone();
        *bad[changed].pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        refused(&joined(&bad), line + 1, &message);
    }
    let with = |line: usize, change: &dyn Fn(&mut Value)| {
        let mut bad = good.clone();
        change(&mut bad[line]);
        joined(&bad)
    };
    let colour = with(board, &|row| row["colour"] = json!("red"));
    refused(&colour, board + 1, "boards has no column colour");
    let nameless = with(player, &|row| drop(row.as_object_mut().unwrap().remove("userid")));
    refused(&nameless, player + 1, "players, column userid: it is missing");
    for (row, message) in [
        (json!({ "table": "tournaments" }), "does not import a table tournaments"),
        (json!({ "table": "sessions" }), "does not import a table sessions"),
        (json!({ "tournament": {} }), "it has neither a table nor an end"),
    ] {
        let mut bad = good.clone();
        bad.insert(1, row);
        refused(&joined(&bad), 2, message);
    }
    refused(&joined(&good[..end]), end, "the export was cut");
    refused(&text[..text.len() - 9], end + 1, "not a line of an export");
    for line in [board, entry(2), notice, end - 1] {
        let mut without = good.clone();
        without.remove(line);
        refused(&joined(&without), 0, "");
    }
    refused(&joined(&[good.clone(), vec![json!({})]].concat()), end + 2, "follows the last line");
    refused("hello\n", 1, "not an export of turnpost");
    refused("", 0, "the export was cut");
}

#[test]
fn a_column_missing_from_an_export_gets_its_default() {
    let (mut old, _) = eventful();
    let now = old.now();
    let mut rows = lines(&export(&mut old, now));
    for row in rows.iter_mut().filter(|row| row["table"] == "players") {
        row.as_object_mut().unwrap().remove("settings").unwrap();
    }
    let mut new = Inside::new();
    import_into(&mut new, &joined(&rows)).unwrap();
    let themes = new.read(|l| l.players().unwrap()).into_iter().map(|player| player.settings.theme);
    assert!(themes.into_iter().all(|theme| theme == Theme::default()));
}

/// Checks that the import fails at this line with this message, and imports nothing. Line 0 means any line.
fn refused(text: &str, line: usize, message: &str) {
    let mut new = Inside::new();
    let error = import_into(&mut new, text).unwrap_err();
    let TransferError::Line { line: at, ref what } = error else { panic!("{error}") };
    assert!(line == 0 || line == at, "{error} instead of line {line}: {message}");
    assert!(words(what).contains(message), "{error} instead of {message}");
    assert!(new.read(|l| l.players().unwrap().is_empty() && l.boards(None, None, false).unwrap().is_empty()));
}

#[test]
fn only_an_empty_database_accepts_an_import() {
    let (mut old, _) = eventful();
    let now = old.now();
    let text = export(&mut old, now);
    let mut new = Inside::with_players(&["erna", "fritz"]);
    let error = words(&import_into(&mut new, &text).unwrap_err().message().unwrap());
    assert!(error.contains("the player erna and 1 more"), "{error}");
    assert_eq!(new.read(|l| l.players().unwrap().len()), 2);
}

#[test]
fn a_player_gets_their_own_data_without_other_peoples_secrets() {
    let (mut inside, boards) = eventful();
    inside.letters();
    let now = inside.now();
    let mut tx = inside.store.write().unwrap();
    for player in tx.players().unwrap() {
        tx.set_password(player.id, "$argon2id$secret").unwrap();
    }
    tx.commit().unwrap();
    let number = |what: &str| boards.iter().find(|(happened, _)| *happened == what).unwrap().1;
    let mut export_of = |userid: &str| {
        let mut text = Vec::new();
        inside.read(|tx| export_player(tx, userid, now, &mut text).unwrap());
        String::from_utf8(text).unwrap()
    };
    let (alice, bob) = (export_of("ALICE"), export_of("bob"));
    assert!(!alice.contains("argon2") && !bob.contains("argon2"));
    assert_eq!(lines(&alice)[0]["userid"], "Alice");
    // Each export contains only that player's own plan and note.
    assert!(alice.contains("k2 then h2") && !bob.contains("k2 then h2"));
    assert!(bob.contains("Watch the corner") && !alice.contains("Watch the corner"));
    assert!(!alice.contains("bob@example.org") && bob.contains("bob@example.org"));
    let all = lines(&alice);
    let played = |number: u32| all.iter().any(|line| line["board"]["record"]["board"] == number);
    assert!(played(number("decline").0) && played(number("plan").0) && played(number("formation").0));
    assert!(!played(number("draw").0) && !played(number("alone").0));
    assert!(all.iter().any(|line| line["letter"]["about"] == "challenge"));
    assert!(all.iter().any(|line| line["standing"]["game"] == "marque"));
    let boards = all.iter().filter(|line| line["board"].is_object()).count();
    assert_eq!(all.last().unwrap()["end"]["boards"], boards);
    refused(&alice, 1, "the export of one player");
    let nobody = inside.read(|l| export_player(l, "nobody", now, &mut Vec::new()).unwrap_err().to_string());
    assert!(nobody.contains("no player has the userid \"nobody\""));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Python: ./test runs it")]
fn records_match_the_schema() {
    let (mut inside, boards) = eventful();
    let mut records: Vec<(String, Value)> = Vec::new();
    for (happened, number) in boards {
        let entries = inside.read(|l| l.board(number).unwrap().unwrap());
        let who = entries.players[0].userid.clone();
        // The `history` command does not show the records of these boards to the player, so the test reads them from
        // the store. The export contains them.
        let record: Record = match happened {
            "left" | "decline" | "lapse" | "void" => {
                inside.read(|l| turnpost::service::record::record(l, &entries).unwrap())
            }
            _ => match inside.say(&who, &format!("marque history {number} --format=json")) {
                Response::History { record, .. } => record,
                other => panic!("{other:?}"),
            },
        };
        records.push((happened.to_owned(), serde_json::to_value(record).unwrap()));
    }
    let good = records.len();
    let of = |happened: &str| records.iter().find(|(what, _)| what == happened).unwrap().1.clone();
    let broken = |happened: &str, pointer: &str, value: Value| {
        let mut record = of(happened);
        *record.pointer_mut(pointer).unwrap() = value;
        (format!("{happened} with another {pointer}"), record)
    };
    let mut bad = vec![
        broken("formation", "/format", json!("turnpost board 2")),
        broken("formation", "/result/winner", json!(3)),
        broken("formation", "/entries/0/hash", json!("F3")),
        broken("formation", "/entries/0/seat", json!(null)),
        broken("formation", "/created_at", json!("yesterday")),
        broken("resign", "/entries/3/text", json!("resign 7")),
        broken("adjudge", "/entries/1/seat", json!(1)),
        broken("decline", "/result", json!({ "winner": 1, "reason": "time", "ended_at": "2027-01-01T00:00:00Z" })),
        broken("void", "/entries/4/seat", json!(1)),
        broken("reopen", "/entries/4/text", json!("reopened")),
        broken("undo", "/entries/0/kind", json!("take-back")),
        broken("plan", "/limits", json!({ "nag": 1 })),
    ];
    let mut more = of("draw");
    more["colour"] = json!("red");
    bad.push(("one field more".to_owned(), more));
    let mut less = of("draw");
    less.as_object_mut().unwrap().remove("genesis");
    bad.push(("one field less".to_owned(), less));
    records.extend(bad);
    for (place, (verdict, (what, record))) in validate(&records).iter().zip(&records).enumerate() {
        assert_eq!(verdict == "valid", place < good, "{what}: {verdict}\n{record:#}");
    }
}

/// Validates records with Python's jsonschema, and returns its result for each.
fn validate(records: &[(String, Value)]) -> Vec<String> {
    let root = env!("CARGO_MANIFEST_DIR");
    let mut python = Command::new("python3")
        .arg(format!("{root}/tests/data/schema.py"))
        .arg(format!("{root}/docs/record.schema.json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs: deploy/install-test-tools installs it");
    let mut input = python.stdin.take().unwrap();
    for (_, record) in records {
        writeln!(input, "{record}").unwrap();
    }
    drop(input);
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "jsonschema is installed: deploy/install-test-tools installs it");
    let answers: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), records.len());
    answers
}
