//! Hints: if the opponent wants hints, a computer player states its chance of winning and the moves that it expects.
//! Other players do not see hints.

use serde_json::{Value, json};

use crate::common::browser::{Browser, Look};
use crate::common::database::sql;
use crate::common::serving::{Serving, http, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, TURNPOST, done, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// The words that every hint about the chance of winning contains.
const CHANCE: &str = "estimates its chance of winning at ";

/// Joins the lines of a letter's text.
fn flat(letter: &Letter) -> String {
    letter.text().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the letter about a computer player's move.
fn robot_letter(letters: &[Letter]) -> &Letter {
    let found = letters.iter().find(|letter| letter.text().contains("robot4 played"));
    found.unwrap_or_else(|| panic!("no letter about a computer player's move: {letters:?}"))
}

/// Returns the hint in a letter about a computer player's move, or an empty string if the letter has no hint.
fn hint(letter: &Letter) -> String {
    let text = flat(letter);
    let sentences = ["estimates its chance", "is certain that", "had to play"];
    let Some(at) = sentences.iter().find_map(|sentence| text.find(sentence)) else { return String::new() };
    text[at..].split_once(". ").map_or("", |(hint, _)| hint).to_owned()
}

#[test]
fn letters_show_hints_to_players_who_want_them() {
    let mut server = Server::with_players();
    let set = server.mail(ALICE, "set alice wonderland hints=on", "");
    assert!(to(&set, ALICE).text().contains("hints=on"), "{set:?}");
    let begun = server.mail(ALICE, "brique challenge -size=5 alice robot4", "");
    let letters = reply(&mut server, ALICE, to(&begun, ALICE), "c2\n");
    let letter = robot_letter(&letters);
    let text = flat(letter);
    // For example: "robot4 estimates its chance of winning at 47% and expects b2, then c4."
    let (before, after) = text.split_once(CHANCE).unwrap_or_else(|| panic!("{text}"));
    assert!(before.ends_with("It is your turn. robot4 "), "{text}");
    let percent: u32 = after.split('%').next().unwrap().parse().unwrap();
    assert!((1..=99).contains(&percent), "{text}");
    // The expected moves are legal.
    let expected = after.split_once(" and expects ").unwrap().1.split_once(". ").unwrap().0.to_owned();
    let moves = expected.replace(", then ", " ");
    assert!(done(&server, &format!("brique preview 1 {moves}")).contains("robot4"), "{moves}");
    // The HTML part and the accessible form contain the same sentence.
    done(&server, "set alice wonderland mail=html");
    let shown = server.mail(ALICE, "show 1", "");
    let html = to(&shown, ALICE).html().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(html.contains(&format!("{CHANCE}{percent}% and expects {expected}.")), "{html}");
    done(&server, "set alice wonderland mail=accessible");
    let shown = server.mail(ALICE, "show 1", "");
    assert!(flat(to(&shown, ALICE)).contains(&format!("{CHANCE}{percent}% and expects {expected}.")), "{shown:?}");
    // The hint disappears with the undone move.
    let letters = server.mail(ALICE, "brique undo 1 alice wonderland", "");
    assert!(letters.iter().any(|letter| letter.text().contains("taken back")), "{letters:?}");
    assert!(letters.iter().all(|letter| hint(letter).is_empty()), "{letters:?}");
    assert!(hint(to(&server.mail(ALICE, "show 1", ""), ALICE)).is_empty());
}

#[test]
fn hints_are_shown_only_on_request_and_then_immediately() {
    let mut server = Server::with_players();
    assert!(done(&server, "set alice wonderland").contains("hints=off"));
    let begun = server.mail(ALICE, "marque challenge alice robot4", "");
    let letters = reply(&mut server, ALICE, to(&begun, ALICE), "f3\n");
    assert_eq!(hint(robot_letter(&letters)), "", "{letters:?}");
    assert_eq!(hint(to(&server.mail(ALICE, "show 1", ""), ALICE)), "");
    // The hint was stored with the move, so it appears once alice wants hints.
    done(&server, "set alice wonderland hints=on");
    let shown = server.mail(ALICE, "show 1", "");
    assert!(flat(to(&shown, ALICE)).contains(CHANCE), "{shown:?}");
    done(&server, "set alice wonderland hints=OFF");
    assert_eq!(hint(to(&server.mail(ALICE, "show 1", ""), ALICE)), "");
    let refused = server.shell("set alice wonderland hints=maybe");
    assert!(refused.status == 2 && refused.err.contains("off or on"), "{refused:?}");
    assert!(done(&server, "help settings").contains("hints=on"));
}

#[test]
fn followers_and_other_players_get_no_hints() {
    let mut server = Server::with_players();
    for line in ["set alice wonderland hints=on", "set bob builder hints=on", "marque challenge alice robot4"] {
        done(&server, line);
    }
    done(&server, "marque subscribe 1 bob builder");
    server.letters();
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    let of = |address: &str| {
        let of: Vec<&Letter> = letters.iter().filter(|letter| letter.to() == address).collect();
        assert!(of.iter().any(|letter| letter.text().contains("robot4 played")), "{address}: {letters:?}");
        of.into_iter().map(hint).collect::<String>()
    };
    assert!(of(ALICE).contains("chance of winning"), "{letters:?}");
    assert_eq!(of(BOB), "", "{letters:?}");
    assert_eq!(hint(to(&server.mail(BOB, "show 1", ""), BOB)), "");
    assert!(server.json("show 1")["boards"][0]["hint"].is_null(), "the administrator receives no hints");
    // There are no hints on boards between people.
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 2 alice wonderland f3");
    server.letters();
    let letters = server.mail(BOB, "marque move 2 bob builder f4", "");
    assert_eq!(hint(to(&letters, ALICE)), "", "{letters:?}");
}

/// Sends a request to the API, with a token unless it is empty. Returns the status and the answer.
fn api(address: &str, method: &str, path: &str, token: &str, body: &str) -> (u16, Value) {
    let bearer = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let request = format!(
        "{method} /api/v1{path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n{bearer}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (status, _, body) = http(address, &request);
    (status, serde_json::from_slice(&body).unwrap())
}

fn token(address: &str, userid: &str, password: &str) -> String {
    let body = json!({ "userid": userid, "password": password, "label": "a test" }).to_string();
    api(address, "POST", "/tokens", "", &body).1["token"].as_str().unwrap().to_owned()
}

/// Creates a server with pages, and with a board on which robot4 has answered alice's first move.
fn answered() -> (Server, Serving) {
    let server = Server::with_players();
    for line in ["set alice wonderland hints=on", "set bob builder hints=on", "brique challenge -size=5 alice robot4"] {
        done(&server, line);
    }
    let serving = Serving::start(&server, WEB);
    done(&server, "brique move 1 alice wonderland c2");
    wait_until("robot4 to answer", || (server.json("show 1")["boards"][0]["plies"] == 2).then_some(()));
    (server, serving)
}

#[test]
fn a_certain_end_and_a_forced_move_are_reported() {
    for (robot, moves, says) in [
        ("robot4", "a5 a1 e1 d3", "robot4 is certain that it wins."),
        ("robot3", "b3 b5 a1 b4", "robot3 is certain that you can win."),
        ("robot3", "a1 b2 a3 a4", "robot3 had to play a5, so it did not estimate its chances."),
    ] {
        let mut server = Server::with_players();
        done(&server, "set alice wonderland hints=on");
        done(&server, &format!("brique challenge -size=5 alice {robot}"));
        for text in moves.split(' ') {
            server.letters();
            server.mail(ALICE, &format!("brique move 1 alice wonderland {text}"), "");
        }
        let shown = server.mail(ALICE, "show 1", "");
        assert!(flat(to(&shown, ALICE)).contains(&format!("It is your turn. {says}")), "{says} {shown:?}");
    }
}

#[test]
fn a_later_move_ends_a_hint() {
    let mut server = Server::with_players();
    done(&server, "set alice wonderland hints=on");
    done(&server, "brique challenge -size=5 alice robot4");
    // The prepared reply is played immediately, so the computer player's move is no longer the last one.
    let letters =
        server.mail(ALICE, "", "brique move 1 alice wonderland c2\nbrique if 1 alice wonderland c3 then b3\n");
    let replied: Vec<&Letter> = letters.iter().filter(|letter| flat(letter).contains("prepared reply b3")).collect();
    assert!(replied.len() == 1 && hint(replied[0]).is_empty(), "{letters:?}");
    // Letters about a finished game contain no hint.
    done(&server, "brique challenge -size=5 alice robot4");
    let letters = server.mail(ALICE, "brique move 2 alice wonderland c2", "");
    assert!(!hint(robot_letter(&letters)).is_empty(), "{letters:?}");
    let letters = server.mail(ALICE, "brique resign 2 alice wonderland", "");
    assert!(letters.iter().all(|letter| hint(letter).is_empty()), "{letters:?}");
    assert!(hint(to(&server.mail(ALICE, "show 2", ""), ALICE)).is_empty());
}

#[test]
fn a_page_and_the_api_show_a_hint_only_to_its_player() {
    let (_server, serving) = answered();
    let address = serving.web();
    let mut alice = Visitor::logged_in(&address, "alice", "wonderland");
    let page = alice.get("/boards/1").text().to_owned();
    assert_eq!(page.matches(&format!("<p class=\"news hint\">robot4 {CHANCE}")).count(), 1, "{page}");
    // The moves of the hint can be explored on the board.
    let line = page.split("<p class=\"news hint\">").nth(1).unwrap().split("href=\"").nth(1).unwrap();
    let line: &str = &line.split('"').next().unwrap().replace("&#x2f;", "/");
    let explored = alice.get(line);
    assert!(line.starts_with("/boards/1/2/") && explored.status == 200, "{line}");
    for path in [line, "/boards/1/1", "/boards/1/0"] {
        assert!(!alice.get(path).text().contains(CHANCE), "{path}");
    }
    for mut other in [Visitor::new(&address), Visitor::logged_in(&address, "bob", "builder")] {
        let page = other.get("/boards/1");
        assert!(page.status == 200 && !page.text().contains(CHANCE), "{}", page.text());
    }
    let [alice, bob] = [("alice", "wonderland"), ("bob", "builder")].map(|(of, secret)| token(&address, of, secret));
    let (_, board) = api(&address, "GET", "/boards/1", &alice, "");
    let chance = board["hint"]["chance"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&chance) && board["hint"]["proved"] == false, "{board}");
    let moves = board["hint"]["line"].as_array().unwrap();
    assert!((1..=3).contains(&moves.len()), "{board}");
    let show = json!({ "line": "show 1" }).to_string();
    for (token, told) in [(&*alice, true), (&bob, false), ("", false)] {
        let (_, board) = api(&address, "GET", "/boards/1", token, "");
        assert_eq!((board["plies"].as_u64(), board["hint"].is_object()), (Some(2), told), "{board}");
        let (_, earlier) = api(&address, "GET", "/boards/1?ply=1", token, "");
        assert!(earlier["plies"] == 1 && earlier["hint"].is_null(), "{earlier}");
        let (_, shown) = api(&address, "POST", "/commands", token, &show);
        assert_eq!(shown["boards"][0]["hint"].is_object(), told, "{shown}");
    }
    // A board in progress has no analysis, even if it has a hint.
    let (status, problem) = api(&address, "GET", "/boards/1/analysis", &alice, "");
    assert_eq!((status, &problem["code"]), (409, &json!("service.no-analysis-in-progress")), "{problem}");
    assert_eq!(api(&address, "GET", "/me", &alice, "").1["settings"]["hints"], "on");
}

#[test]
fn other_programs_give_no_hints() {
    let server = Server::with_players();
    let command = json!([TURNPOST, "ugi", "{game}", "{options}"]);
    let config = format!("[robot.engine.ours]\ncommand = {command}\nseconds = 1\ngames = [\"brique\"]\n");
    let _serving = Serving::start(&server, &config);
    for line in [
        "set alice wonderland hints=on",
        "brique challenge -size=5 alice robot-ours",
        "brique move 1 alice wonderland a1",
    ] {
        done(&server, line);
    }
    wait_until("robot-ours to move", || (server.json("show 1")["boards"][0]["plies"] == 2).then_some(()));
    assert_eq!(sql(&server, "SELECT count(*) FROM hints"), "0");
}

#[test]
fn the_settings_page_turns_hints_on() {
    let (server, serving) = answered();
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let page = bob.get("/settings");
    assert!(
        page.text().contains("<option value=\"on\" selected>also show its chance of winning</option>"),
        "{}",
        page.text()
    );
    let saved = bob.fill("/settings", &[("do", "set"), ("hints", "off")]);
    assert!(saved.status == 200 && saved.text().contains("hints=off"), "{}", saved.text());
    assert!(done(&server, "set bob builder").contains("hints=off"));
}

#[test]
fn a_letter_remains_unchanged_after_changes_of_settings_and_players() {
    let mut server = Server::with_players();
    done(&server, "set alice wonderland hints=on");
    done(&server, "marque challenge alice robot4");
    server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    let number = sql(&server, "SELECT max(id) FROM outbox");
    let letter = done(&server, &format!("admin letter {number}"));
    assert!(letter.contains(CHANCE), "{letter}");
    done(&server, "set alice wonderland hints=off");
    assert_eq!(done(&server, &format!("admin letter {number}")), letter);
    let asked = server.mail(ALICE, "signoff alice wonderland", "");
    let line = to(&asked, ALICE).text().lines().find(|line| line.contains("signoff alice")).unwrap().to_owned();
    let code = line.split_whitespace().last().unwrap();
    server.mail(ALICE, &format!("signoff alice wonderland {code}"), "");
    assert_eq!(server.json("show 1")["boards"][0]["result"]["winner"], "robot4");
    done(&server, "set bob builder hints=on");
    done(&server, "marque challenge bob robot4");
    done(&server, "marque move 2 bob builder f3");
    done(&server, "admin player remove bob --yes");
    assert_eq!(server.shell("admin check").status, 0);
}

#[test]
fn an_export_contains_the_setting_for_hints_but_no_hints() {
    let mut server = Server::with_players();
    done(&server, "set alice wonderland hints=on");
    done(&server, "marque challenge alice robot4");
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    assert!(letters.iter().any(|letter| hint(letter).contains("chance of winning")), "{letters:?}");
    let export = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", export.display()));
    let mut other = Server::without_database();
    done(&other, &format!("admin import {}", export.display()));
    let shown = other.mail(ALICE, "show 1", "");
    assert!(to(&shown, ALICE).text().contains("robot4 played") && hint(to(&shown, ALICE)).is_empty(), "{shown:?}");
    // The next move has a hint.
    let legal = other.json("show 1")["boards"][0]["example"].as_str().unwrap().to_owned();
    let letters = other.mail(ALICE, &format!("marque move 1 alice wonderland {legal}"), "");
    assert!(letters.iter().any(|letter| hint(letter).contains("chance of winning")), "{letters:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_page_is_legible_in_every_theme() {
    let (_server, serving) = answered();
    for (width, dark) in [(375, false), (375, true), (1280, false), (1280, true)] {
        let look = Look { width, dark, ..Look::default() };
        let browser = Browser::logged_in(look, &serving, ("alice", "wonderland"), "/boards/1");
        let kind = format!("{width}{}", if dark { "-dark" } else { "" });
        assert!(browser.text(".hint").starts_with(&format!("robot4 {CHANCE}")), "{}", browser.source());
        assert!(
            browser.script("return document.querySelector('[data-said]').dataset.said").to_string().contains(CHANCE)
        );
        browser.check_page(&format!("hint-{kind}"));
        browser.goto(&format!("http://{}/settings", serving.web()));
        browser.check_page(&format!("hint-settings-{kind}"));
    }
}
