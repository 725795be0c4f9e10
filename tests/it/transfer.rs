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
use turnpost::numbers::BoardNumber;
use turnpost::service::transfer::{Counts, TransferError, export_player, export_server, import};
use turnpost::service::{Record, Response, check};
use turnpost::store::{ResultReason, Store, Via};

fn export(inside: &mut Inside, now: DateTime<Utc>) -> String {
    let mut text = Vec::new();
    inside.read(|tx| export_server(tx, WORLD, None, now, &mut text).unwrap());
    String::from_utf8(text).unwrap()
}

/// Imports into this server, and commits only without an error.
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
    assert_eq!((counts.boards, counts.entries), (sound.boards, sound.entries));
    let again = export(&mut new, "2030-01-01T00:00:00Z".parse().unwrap());
    let body = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&again), body(&text));
    let rebuilt = new.read(|l| check(l).unwrap());
    assert_eq!((rebuilt.differences, rebuilt.rated), (vec![], sound.rated));
    // Data outside the records: exact ratings, pending work, future events.
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
        assert_eq!(board.number, BoardNumber(counts.boards + counts.offers), "one open challenge became a board");
    }
    assert!(new.refused("dora", "marque challenge dora bob").contains("has left"));
}

#[test]
fn the_game_goes_on_after_the_move() {
    let (mut old, boards) = eventful();
    let now = old.now();
    let text = export(&mut old, now);
    let mut new = Inside::new();
    import_into(&mut new, &text).unwrap();
    new.set_now(now);
    let number = |what: &str| boards.iter().find(|(happened, _)| *happened == what).unwrap().1;
    // The move that bob submitted is confirmed, and alice's prepared reply answers it.
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

#[test]
fn a_resignation_that_waits_in_an_export_of_an_earlier_version_is_a_prepared_reply() {
    let (mut old, boards) = eventful();
    let now = old.now();
    let mut lines = lines(&export(&mut old, now));
    let number = boards.iter().find(|(happened, _)| *happened == "resigns").unwrap().1;
    let is_it = |line: &&mut Value| line["board"]["record"]["board"] == json!(number);
    let seats = &mut lines.iter_mut().find(is_it).unwrap()["board"]["state"]["seats"];
    assert_eq!(seats[0]["plan"], "else resign");
    (seats[0]["plan"], seats[0]["resigns"], seats[1]["resigns"]) = (Value::Null, json!(true), json!(false));
    let mut new = Inside::new();
    import_into(&mut new, &joined(&lines)).unwrap();
    new.set_now(now);
    new.say("bob", &format!("marque move {number} bob - k2"));
    let last = new.read(|l| l.entries(number).unwrap()).pop().unwrap();
    assert_eq!((last.text.as_str(), last.via), ("resign 1", Via::Plan));
    assert_eq!(new.read(|l| check(l).unwrap().differences), vec![]);
}

#[test]
fn a_wrong_export_is_refused_with_its_line() {
    let (mut old, _) = eventful();
    let now = old.now();
    let text = export(&mut old, now);
    let good = lines(&text);
    let is_board = |line: &Value| line["board"]["record"]["entries"].as_array().is_some_and(|e| e.len() > 4);
    let board = good.iter().position(is_board).unwrap();
    let number = &good[board]["board"]["record"]["board"];
    let notice = good.iter().position(|line| line["outbox"]["letter"].is_u64()).unwrap();
    let record = |name: &str| format!("/board/record/{name}");
    let end = good.len() - 1;
    let wrong: Vec<(usize, String, Value, String)> = vec![
        (0, "/format".into(), json!("turnpost export 3"), "the format is \"turnpost export 3\"".into()),
        (0, "/of".into(), json!("player"), "the export of one player".into()),
        (0, "/server".into(), json!(null), "its field server is missing".into()),
        (0, "/server/server_id".into(), json!("a b>"), "the server id \"a b>\" is none".into()),
        (notice, "/outbox/kind".into(), json!("advert"), "has a kind that this turnpost does not know (advert)".into()),
        (notice, "/outbox/player".into(), json!("nobody"), "the player \"nobody\"".into()),
        (notice, "/outbox/facts".into(), json!("[]"), "has a kind that this turnpost does not know".into()),
        (1, "/player/settings/zone".into(), json!("Mars/North"), "zone=Mars/North".into()),
        (board, record("entries/2/text"), json!("f9"), format!("board {number}, entry 3: its hash")),
        (board, record("entries/2/hash"), json!("0".repeat(64)), format!("board {number}, entry 3: its hash")),
        (board, record("genesis"), json!("0".repeat(64)), format!("board {number}: genesis")),
        (board, record("options"), json!("-opposite"), format!("board {number}: genesis")),
        (board, record("players/0"), json!("nobody"), "the player \"nobody\"".into()),
        (
            board,
            record("result/winner"),
            json!(2),
            format!("Board {number}: by its record, the game ended with the first"),
        ),
        (board, record("entries/1/seat"), json!(1), format!("board {number}, entry 2: ")),
        (board, record("rated_as"), json!(null), "has no rated_as".into()),
        (board, record("format"), json!("turnpost board 7"), "turnpost board 7".into()),
        (board, record("game"), json!("chess"), "no game \"chess\"".into()),
        (end, "/end/boards".into(), json!(3), "lines are missing".into()),
    ];
    for (line, pointer, value, message) in wrong {
        let mut bad = good.clone();
        *bad[line].pointer_mut(&pointer).unwrap_or_else(|| panic!("no {pointer}")) = value;
        refused(&joined(&bad), line + 1, &message);
    }
    let mut alone = good.clone();
    alone[notice]["outbox"]["letter"] = json!(9_999);
    refused(&joined(&alone), end + 1, "part of a letter that is not there");
    let mut unknown = good.clone();
    unknown[board]["board"]["record"]["colour"] = json!("red");
    refused(&joined(&unknown), board + 1, "unknown field `colour`");
    unknown = good.clone();
    unknown.insert(1, json!({ "tournament": {} }));
    refused(&joined(&unknown), 2, "unknown variant `tournament`");
    refused(&joined(&good[..end]), end, "the export was cut");
    refused(&text[..text.len() - 9], end + 1, "not a line of an export");
    let mut without = good.clone();
    without.remove(board);
    refused(&joined(&without), 0, "");
    refused(&joined(&[good.clone(), vec![json!({})]].concat()), end + 2, "follows the last line");
    refused("hello\n", 1, "not an export of turnpost");
    refused("", 0, "the export was cut");
}

/// Checks that nothing is imported. Line 0 stands for any line.
fn refused(text: &str, line: usize, message: &str) {
    let mut new = Inside::new();
    let error = import_into(&mut new, text).unwrap_err();
    let TransferError::Line { line: at, ref what } = error else { panic!("{error}") };
    assert!(line == 0 || line == at, "{error} instead of line {line}: {message}");
    assert!(words(what).contains(message), "{error} instead of {message}");
    assert!(new.read(|l| l.players().unwrap().is_empty() && l.boards(None, None, false).unwrap().is_empty()));
}

#[test]
fn only_an_empty_database_takes_an_import() {
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
    // The plan and the note belong to one player each.
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
fn records_are_what_the_schema_says() {
    let (mut inside, boards) = eventful();
    let mut records: Vec<(String, Value)> = Vec::new();
    for (happened, number) in boards {
        let entries = inside.read(|l| l.board(number).unwrap().unwrap());
        let who = entries.players[0].userid.clone();
        // A player who has left has no open requests. A declined board is not shown, but is exported.
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

/// Returns the results of Python's jsonschema.
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
    assert!(output.status.success(), "jsonschema is there: deploy/install-test-tools installs it");
    let answers: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), records.len());
    answers
}
