//! Players request analyses of finished boards by mail, on the command line, on pages and by the API.

use std::fs::File;

use serde_json::{Value, json};

use crate::common::browser::{Browser, Look};
use crate::common::database::sql;
use crate::common::serving::{Serving, http, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, joined, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// The moves of a game of Brique that alice loses. The fifth move is alice's mistake.
const MOVES: &str = "a1 a3 c4 c3 e1 d4 b3 e5 d1 b4";

/// Plays these moves on a board: the first one as alice, the second one as bob, and so on.
fn play(server: &Server, game: &str, board: u32, moves: &str) {
    for (ply, text) in moves.split(' ').enumerate() {
        let player = ["alice wonderland", "bob builder"][ply % 2];
        done(server, &format!("{game} move {board} {player} {text}"));
    }
}

/// Starts board 1, and plays [`MOVES`] on it until the end of the game.
fn finished(server: &Server, options: &str) {
    done(server, &format!("brique challenge -size=5 {options} alice bob"));
    play(server, "brique", 1, MOVES);
    assert_eq!(server.json("show 1")["boards"][0]["result"]["winner"], "bob");
}

fn stored(server: &Server) -> String {
    sql(server, "SELECT count(*), count(analysis) FROM analyses")
}

fn of_board<'a>(letters: &'a [Letter], subject: &str) -> &'a Letter {
    let found = letters.iter().find(|letter| letter.subject.contains(subject));
    found.unwrap_or_else(|| panic!("no letter {subject:?}: {letters:?}"))
}

#[test]
fn a_message_requests_an_analysis_and_a_letter_contains_it() {
    let mut server = Server::with_players();
    finished(&server, "");
    server.letters();
    let letters = server.mail(ALICE, "analyse 1", "");
    assert!(letters.len() == 2 && letters.iter().all(|letter| letter.to() == ALICE), "{letters:?}");
    let answer = of_board(&letters, "answer");
    assert!(joined(answer.text()).contains("You will receive it in a letter."), "{}", answer.text());
    let letter = of_board(&letters, "analysis of Brique board 1");
    for part in [
        "alice's chance of winning",
        "100% |",
        "10,240 simulated games",
        "    5. alice played e1: ",
        "        Better: ",
    ] {
        let part = part.replace("10,240", "10240");
        assert!(letter.text().contains(&part), "{part}: {}", letter.text());
    }
    let curve: Vec<&str> = letter.text().lines().filter(|line| line.contains('|')).collect();
    assert!(curve.len() == 11 && curve.concat().contains('#'), "{}", letter.text());
    assert!(letter.text().lines().all(|line| line.chars().count() <= 78), "{}", letter.text());
    assert_eq!(stored(&server), "1|1");
    // Once an analysis is finished, everyone who requests it receives the same text immediately.
    let again = server.mail(BOB, "analyse 1", "");
    let [again] = again.as_slice() else { panic!("{again:?}") };
    assert!(
        again.text().contains("    5. alice played e1: ") && !again.text().contains("receive it in"),
        "{}",
        again.text()
    );
    let shell = server.json("analyse 1");
    assert_eq!((shell["waits"].clone(), shell["plies"].clone()), (json!(false), json!(10)));
    let chances: Vec<f64> = shell["analysis"]["chances"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    assert!(chances.len() == 11 && chances[10] == 0.0 && chances[0] > 0.5, "{chances:?}");
    let mistake = &shell["analysis"]["mistakes"].as_array().unwrap().iter().find(|of| of["ply"] == 5).unwrap().clone();
    assert_eq!((&mistake["userid"], &mistake["move"]), (&json!("alice"), &json!("e1")), "{mistake}");
    assert!(mistake["before"].as_f64().unwrap() - mistake["after"].as_f64().unwrap() >= 0.2, "{mistake}");
    assert!(mistake["better"][0].is_string() && mistake["better"][0] != "e1", "{mistake}");
}

#[test]
fn the_same_game_gets_the_same_analysis_on_every_server() {
    let analyses = [(); 2].map(|()| {
        let server = Server::with_players();
        finished(&server, "");
        let analysed = server.json("analyse 1")["analysis"].clone();
        assert_eq!(analysed, server.json("admin analyse 1")["analysis"]);
        analysed
    });
    assert_eq!(analyses[0], analyses[1]);
}

#[test]
fn a_reader_who_wants_pictures_gets_the_curve_as_a_picture() {
    let mut server = Server::with_players_who_want_pictures();
    finished(&server, "");
    server.letters();
    let letters = server.mail(ALICE, "analyse 1", "");
    let letter = of_board(&letters, "analysis of");
    let [picture] = letter.pictures.as_slice() else { panic!("{:?}", letter.pictures) };
    assert!(letter.html().contains(&format!("cid:{}", picture.cid.trim_matches(['<', '>']))), "{}", letter.html());
    assert!(letter.html().contains("alt=\"Brique board 1, alice against bob: alice"), "{}", letter.html());
    assert!(!letter.html().contains("100% |") && letter.text().contains("100% |"), "{}", letter.html());
    done(&server, "set bob builder mail=accessible");
    let letters = server.mail(BOB, "analyse 1", "");
    let text = to(&letters, BOB).text();
    assert!(text.contains("Start: ") && text.contains(" 10: 0%.") && !text.contains("100% |"), "{text}");
    // The curve of alice's chances is also available as an SVG file and as a PNG file.
    let svg = done(&server, "analyse 1 --svg");
    assert!(svg.starts_with("<svg") && svg.contains("100%"), "{svg}");
    let png = server.data().join("curve.png");
    done(&server, &format!("analyse 1 --png {}", png.display()));
    assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
}

/// Returns the API's answer to a request with a token.
fn api(address: &str, method: &str, path: &str, token: &str) -> (u16, Value) {
    let request = format!(
        "{method} /api/v1{path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Length: 0\r\n\r\n"
    );
    let (status, _, body) = http(address, &request);
    (status, serde_json::from_slice(&body).unwrap())
}

fn token(address: &str, userid: &str, password: &str) -> String {
    let body = json!({ "userid": userid, "password": password, "label": "a test" }).to_string();
    let request = format!(
        "POST /api/v1/tokens HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let (_, _, body) = http(address, &request);
    serde_json::from_slice::<Value>(&body).unwrap()["token"].as_str().unwrap().to_owned()
}

const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

#[test]
fn a_board_in_progress_is_not_analysed() {
    let mut server = Server::with_players();
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 1, "a1 a3 c4");
    // Even if an analysis of the position is stored, the server does not show it.
    sql(
        &server,
        "INSERT INTO analyses SELECT 1, head, '2026-11-21T15:40:20Z', '[]', \
         '{\"playouts\":77,\"positions\":[{\"chance\":1,\"line\":[\"secret\"]},{\"chance\":1,\"line\":[]},\
         {\"chance\":1,\"line\":[]},{\"chance\":1,\"line\":[]}]}' FROM boards",
    );
    let asked = server.shell("analyse 1");
    assert!(asked.status == 1 && asked.err.contains("in progress"), "{asked:?}");
    server.letters();
    let letters = server.mail(ALICE, "analyse 1", "");
    assert!(letters.len() == 1 && letters[0].text().contains("in progress"), "{letters:?}");
    assert!(!letters[0].text().contains("secret"), "{letters:?}");
    let serving = Serving::start(&server, WEB);
    let address = serving.web();
    let token = token(&address, "alice", "wonderland");
    for method in ["GET", "POST"] {
        let (status, problem) = api(&address, method, "/boards/1/analysis", &token);
        assert_eq!((status, &problem["code"]), (409, &json!("service.no-analysis-in-progress")), "{problem}");
        assert!(problem["detail"].as_str().unwrap().contains("in progress"), "{problem}");
    }
    let mut alice = Visitor::logged_in(&address, "alice", "wonderland");
    let page = alice.fill("/boards/1", &[("do", "analyse")]);
    assert!(page.status == 409 && page.text().contains("Only finished boards are analysed."), "{}", page.text());
    for path in ["/boards/1", "/boards/1/2", "/boards/1/2/b2"] {
        let page = alice.get(path);
        assert!(page.status == 200 && !page.text().contains("secret"), "{path}: {}", page.text());
        assert!(!page.text().contains("id=\"analysis\""), "{path}: {}", page.text());
    }
    let body = json!({ "line": "analyse 1" }).to_string();
    let (status, _, answer) = http(
        &address,
        &format!(
            "POST /api/v1/commands HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\nAuthorization: Bearer \
             {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    );
    assert_eq!(status, 409, "{}", String::from_utf8_lossy(&answer));
    // `admin analyse` shows an analysis of a board in progress, but does not store it.
    let own = server.json("admin analyse 1");
    assert_eq!((own["analysis"]["chances"].as_array().unwrap().len(), &own["plies"]), (4, &json!(3)), "{own}");
    assert_eq!(sql(&server, "SELECT count(*) FROM analyses WHERE analysis LIKE '%77%'"), "1");
}

#[test]
fn a_private_board_is_visible_to_its_players_only() {
    let mut server = Server::with_players();
    done(&server, "signup carol wonderworld carol@example.org");
    finished(&server, "--private");
    server.letters();
    let letters = server.mail("carol@example.org", "analyse 1", "");
    assert!(letters[0].text().contains("private"), "{letters:?}");
    assert_eq!(stored(&server), "0|0");
    let letters = server.mail(BOB, "analyse 1", "");
    assert!(of_board(&letters, "analysis of").text().contains("e1"), "{letters:?}");
    let letters = server.mail("carol@example.org", "analyse 1", "");
    assert!(letters[0].text().contains("private"), "{letters:?}");
    let serving = Serving::start(&server, WEB);
    let address = serving.web();
    let carol = token(&address, "carol", "wonderworld");
    assert_eq!(api(&address, "GET", "/boards/1/analysis", &carol).0, 403);
    assert_eq!(Visitor::new(&address).get("/boards/1").status, 404);
    // Visitors cannot make the server analyse a public board.
    done(&server, "brique challenge -size=5 alice bob");
    play(&server, "brique", 2, MOVES);
    let letters = server.mail("stranger@example.org", "analyse 2", "");
    drop(letters);
    let page = Visitor::new(&address).get("/boards/2");
    assert!(page.text().contains("Log in</a> to request one"), "{}", page.text());
    assert_eq!(sql(&server, "SELECT count(*) FROM analyses WHERE board = 2"), "0");
}

#[test]
fn a_continued_record_is_analysed_again_and_exports_contain_no_analyses() {
    let server = Server::with_players();
    finished(&server, "");
    let first = server.json("analyse 1");
    sql(&server, &format!("UPDATE analyses SET head = '{}'", "1a".repeat(32)));
    let of_its_record = "SELECT count(*) FROM analyses a JOIN boards b ON b.number = a.board AND b.head = a.head";
    assert_eq!(sql(&server, of_its_record), "0");
    assert_eq!(server.json("analyse 1"), first, "an outdated analysis is computed again");
    assert_eq!(sql(&server, of_its_record), "1");
    // An analysis stored by a later version is computed again.
    sql(&server, "UPDATE analyses SET analysis = '{\"form\":2}'");
    assert_eq!(server.json("analyse 1"), first);
    let export = server.data().join("export.jsonl");
    done(&server, &format!("admin export --without-key --output {}", export.display()));
    assert!(
        !std::fs::read_to_string(&export).unwrap().contains("chance"),
        "analyses are cached data, which is not exported"
    );
    let other = Server::without_database();
    done(&other, &format!("admin import {}", export.display()));
    assert_eq!(stored(&other), "0|0");
    assert_eq!(other.json("analyse 1")["analysis"], first["analysis"]);
}

#[test]
fn moves_of_computer_players_precede_analyses() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    // The analysis of this game takes longer than the computer player's move below.
    let moves =
        "q3 q6,r4 j3,k5 f3,f4 d3,e5 l4 d4,e6 j1,k2 q5,r3 j4,k6 e3,f2 e2,f1 l1,l2 p1,q2 j5,j6 h3 n3 n4 d1,d2 r1,r2";
    play(&server, "marque", 1, moves);
    done(&server, "marque resign 1 alice wonderland");
    let serving = Serving::start(&server, WEB);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    assert_eq!(alice.fill("/boards/1", &[("do", "analyse")]).status, 303);
    done(&server, "marque challenge robot2 alice");
    wait_until("the robot's first move", || (server.json("show 2")["boards"][0]["plies"] == 1).then_some(()));
    wait_until("the analysis to be stored", || (stored(&server) == "1|1").then_some(()));
    // The move did not wait for the analysis, which was requested first.
    let log = serving.log();
    let at = |text: &str| log.find(text).unwrap_or_else(|| panic!("no {text}: {log}"));
    assert!(at("\"analysed\"") > 0, "{log}");
    let changes = sql(&server, "SELECT board FROM changes ORDER BY seq");
    assert_eq!(changes, "2\n1", "the analysis of board 1 is stored after the move on board 2");
}

#[test]
fn a_page_requests_an_analysis_and_shows_it_when_ready() {
    let server = Server::with_players();
    finished(&server, "");
    let serving = Serving::start(&server, WEB);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    assert!(alice.get("/boards/1").text().contains("Analyse this game"));
    assert_eq!(alice.fill("/boards/1", &[("do", "analyse")]).status, 303);
    wait_until("the analysis on the page", || alice.get("/boards/1").text().contains("<polyline").then_some(()));
    let page = alice.get("/boards/1/4");
    for part in [
        "<li><a href=\"/boards/1/5\">5. e1</a> by alice: ",
        "role=\"img\" aria-label=\"Brique board 1, alice against bob: alice&#x27;s chance of winning after each move\"",
        "<summary>Chances as numbers</summary>",
        "<a href=\"/boards/1/3\" tabindex=\"-1\"><rect ",
        "x1=\"40.0%\" x2=\"40.0%\"",
    ] {
        assert!(page.text().contains(part), "{part}: {}", page.text());
    }
    // The page distinguishes the better move from its expected continuation, as the letter does.
    let analysis = server.json("analyse 1")["analysis"].take();
    for mistake in analysis["mistakes"].as_array().unwrap() {
        let better: Vec<&str> = mistake["better"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let then = if better.len() > 1 { ", then perhaps <a href=" } else { "" };
        assert!(page.text().contains(&format!("\">{}</a>{then}", better[0])), "{mistake}: {}", page.text());
    }
    assert!(page.text().contains("Where the analysis proves the result, they are exact."), "{}", page.text());
    let better = page.text().split("Better: <a href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert!(better.starts_with("/boards/1/") && alice.get(&better).status == 200, "{better}");
    assert_eq!(
        sql(&server, "SELECT count(*) FROM outbox WHERE kind = 'analysis'"),
        "0",
        "an analysis requested on the page sends no letter"
    );
    // The API names the game as in paths and commands.
    let token = token(&serving.web(), "alice", "wonderland");
    assert_eq!(api(&serving.web(), "GET", "/boards/1/analysis", &token).1["game"], "brique");
    let (_, row) = api(&serving.web(), "GET", "/players/alice", &token);
    let standing = &row["standings"][0];
    assert_eq!((&standing["game"], &standing["title"]), (&json!("brique"), &json!("Brique")), "{row}");
}

#[test]
fn a_player_may_request_five_analyses_at_a_time() {
    let mut server = Server::with_players();
    // The test holds the lock for analyses, as another process would, so these requests wait.
    let working = File::create(server.data().join("analyse.lock")).unwrap();
    working.lock().unwrap();
    for board in 1..=7 {
        done(&server, "brique challenge -size=5 alice bob");
        done(&server, &format!("brique move {board} alice wonderland a1"));
        done(&server, &format!("brique move {board} bob builder c3"));
        done(&server, &format!("brique resign {board} alice wonderland"));
        let row = "head, '2026-11-21T15:40:20Z', '[[1,true]]', NULL FROM boards WHERE number";
        // Stores requests from alice for analyses of the first five boards.
        if board <= 5 {
            sql(&server, &format!("INSERT INTO analyses SELECT {board}, {row} = {board}"));
        }
    }
    assert_eq!(sql(&server, "SELECT userid FROM players WHERE id = 1"), "alice");
    server.letters();
    let letters = server.mail(ALICE, "analyse 6", "");
    assert!(to(&letters, ALICE).text().contains("You are already waiting for 5 analyses."), "{letters:?}");
    let letters = server.mail(ALICE, "analyse 5", "");
    assert!(joined(to(&letters, ALICE).text()).contains("You will receive it in a letter."), "{letters:?}");
    let letters = server.mail(BOB, "analyse 6", "");
    assert!(joined(to(&letters, BOB).text()).contains("You will receive it in a letter."), "{letters:?}");
    assert_eq!(stored(&server), "6|0");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_page_is_legible_in_every_theme() {
    let server = Server::with_players();
    finished(&server, "");
    done(&server, "analyse 1");
    let serving = Serving::start(&server, WEB);
    let widths = [320, 768, 1280].into_iter().flat_map(|width| [(width, false), (width, true)]);
    for (width, dark) in widths {
        let look = Look { width, height: 800, dark, ..Look::default() };
        let browser = Browser::logged_in(look, &serving, ("alice", "wonderland"), "/boards/1/5");
        browser.wait_for("#analysis polyline");
        browser.check_page(&format!("analysis-{width}{}", if dark { "-dark" } else { "" }));
        let drawn = "const of = s => document.querySelector(s).getBoundingClientRect();
            const plot = of('.chances > svg:last-child'), section = of('.analysis');
            return plot.width > 150 && plot.height === 150 && plot.right <= section.right + 1;";
        assert_eq!(browser.script(drawn), true, "{width}");
    }
}
