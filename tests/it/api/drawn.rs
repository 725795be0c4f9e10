//! The API's shapes and pictures of boards, and its descriptions of games.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Api, request};
use crate::common::serving::{http, wait_until};

fn cell<'a>(scene: &'a Value, id: &str) -> &'a Value {
    let cells = scene["cells"].as_array().unwrap();
    cells.iter().find(|cell| cell["id"] == id).unwrap_or_else(|| panic!("no cell {id}"))
}

#[test]
fn games_list_the_options_of_a_challenge() {
    let mut api = Api::open();
    let games = api.done("GET", "/games", "", None);
    let alice = api.token("alice", "wonderland");
    api.shell("set bob builder strangers=20");
    let mut tried = 0;
    for game in games["games"].as_array().unwrap() {
        let name = game["name"].as_str().unwrap();
        assert!(game["aim"].as_str().unwrap().len() > 20 && game["sides"][1]["mark"].is_string(), "{game}");
        for option in game["options"].as_array().unwrap() {
            assert!(option["meaning"].as_str().unwrap().len() > 10, "{option}");
            let values: BTreeSet<u64> =
                option["values"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            let option = option["option"].as_str().unwrap();
            let path = |value: &str| format!("/games/{name}/scene?options={option}{value}");
            if values.is_empty() {
                api.done("GET", &path(""), "", None);
                assert_eq!(api.refused("GET", &path("=9"), "", None, ""), 409);
                continue;
            }
            for value in 0..=200 {
                let answer = api.get(&path(&format!("={value}")), "");
                assert_eq!(answer.status == 200, values.contains(&value), "{name} {option}={value}");
                tried += usize::from(answer.status == 200);
            }
        }
        let (example, body) = (&game["example"], json!({ "opponent": "bob" }));
        let number = api.done("POST", &format!("/games/{name}/boards"), &alice, Some(&body))["number"].clone();
        api.done("POST", &format!("/boards/{number}/moves"), &alice, Some(&json!({ "move": example })));
    }
    let values = turnpost::rules::catalogue::GAMES.iter().flat_map(|game| game.options());
    assert_eq!(tried, values.map(|option| option.numbers.len()).sum::<usize>());
    assert_eq!(api.refused("GET", "/games/chess/scene", "", None, "no game"), 404);
    assert_eq!(api.refused("GET", "/games/brique/scene?options=size", "", None, "-size=9"), 400);
    api.truth.both(&["gameScene"]);
}

#[test]
fn a_board_can_be_drawn_from_its_cells() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    api.shell("marque challenge alice bob");
    api.shell("brique challenge -size=5 alice bob");
    api.shell("lazo challenge -size=26 alice bob");
    api.shell("tessella challenge --private alice bob");
    for number in 1..=4 {
        let board = api.done("GET", &format!("/boards/{number}"), &alice, None);
        let scene = api.done("GET", &format!("/boards/{number}/scene"), &alice, None);
        let legal = api.done("GET", &format!("/boards/{number}/legal"), &alice, None);
        let cells = scene["cells"].as_array().unwrap();
        let [[left, top], [right, bottom]] = serde_json::from_value::<[[f64; 2]; 2]>(scene["extent"].clone()).unwrap();
        for cell in cells {
            let outline: Vec<[f64; 2]> = serde_json::from_value(cell["outline"].clone()).unwrap();
            assert!(
                outline.len() >= 3
                    && outline.iter().all(|[x, y]| { (left..=right).contains(x) && (top..=bottom).contains(y) })
            );
            assert!(cell["region"].as_u64().unwrap() < scene["regions"].as_array().unwrap().len() as u64);
        }
        let occupied = cells.iter().filter(|cell| !cell["piece"].is_null()).count();
        assert_eq!(occupied, board["pieces"].as_object().unwrap().len());
        // The last word of a move is a cell of the board. That cell is open unless the move captures a piece.
        for name in legal["moves"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()) {
            let last = name.split(['-', 'x', ',']).next_back().unwrap();
            let named = |cell: &&Value| cell["name"] == last;
            assert!(cells.iter().any(|cell| named(&cell)), "{name}");
            if !name.contains('x') {
                assert!(cells.iter().filter(named).any(|cell| cell["open"] == true), "{name}");
            }
        }
        assert!(board["seats"].as_array().unwrap().iter().any(|seat| seat["mark"] == scene["light"]), "{scene}");
    }
    assert_eq!(api.play(&alice, "f3").status, 200);
    let scene = api.done("GET", "/boards/1/scene", "", None);
    let f3 = cell(&scene, "f3");
    assert_eq!((&f3["piece"], &f3["last"], &f3["open"]), (&json!("o"), &json!(true), &json!(false)));
    assert!(scene["captions"].as_array().unwrap().iter().any(|caption| caption["text"] == "A"), "{scene}");
    let before = api.done("GET", "/boards/1/scene?ply=0", "", None);
    assert!(cell(&before, "f3")["piece"].is_null());
    let tried = api.done("GET", "/boards/1/scene?moves=f4", "", None);
    assert_eq!((&cell(&tried, "f3")["piece"], &cell(&tried, "f4")["piece"]), (&json!("o"), &json!("x")));
    let stacked = api.done("GET", "/games/lazo/scene?options=-size=26&moves=a1%20a2%20b1%20b2%20b3", "", None);
    assert_eq!(cell(&stacked, "a1.1")["level"], 0);
    let brique = api.done("GET", "/games/brique/scene?options=-size=5", "", None);
    assert!(brique["cells"].as_array().unwrap().len() == 25 && !brique["borders"].as_array().unwrap().is_empty());
    assert_eq!(api.refused("GET", "/boards/4/scene", "", None, "private"), 403);
    assert_eq!(api.refused("GET", "/boards/1/scene?moves=f3", "", None, ""), 409);
    api.truth.both(&["scene"]);
}

#[test]
fn thousands_of_moves_are_described_as_sets_of_cells() {
    let mut api = Api::open();
    api.shell("catchup challenge -size=4 alice bob");
    api.shell("catchup move 1 alice wonderland d4");
    api.shell("catchup move 1 bob builder a1 a2");
    let legal = api.done("GET", "/boards/1/legal", "", None);
    let cells = legal["sets"]["cells"].as_array().unwrap();
    assert_eq!((&legal["moves"], &legal["sets"]["most"], cells.len()), (&json!([]), &json!(3), 34));
    assert!(cells[0] == "a3" && !cells.contains(&json!("d4")), "{legal}");
}

#[test]
fn a_private_board_has_pictures_for_its_players() {
    let mut api = Api::open();
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    api.shell("signup carol walrus22 carol@example.org");
    let carol = api.token("carol", "walrus22");
    api.shell("marque challenge --private alice bob");
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for (format, kind) in [("svg", "image/svg+xml"), ("png", "image/png")] {
        let path = format!("/boards/1/board.{format}");
        let (status, head, empty) = http(&api.address, &request("GET", &path, &bob, None));
        assert!(status == 200 && head.contains(&format!("content-type: {kind}")), "{head}");
        api.truth.judge_as("GET", &path, 200, kind, &json!(""));
        assert_eq!(api.refused("GET", &path, "", None, "private"), 403);
        assert_eq!(api.refused("GET", &path, &carol, None, "private"), 403);
        assert_eq!(api.refused("GET", &format!("{path}?ply=9"), &bob, None, "moves."), 404);
        parts.push((path, empty));
    }
    api.play(&alice, "f3");
    for (path, empty) in parts {
        let (_, head, now) = http(&api.address, &request("GET", &path, &bob, None));
        let (_, _, before) = http(&api.address, &request("GET", &format!("{path}?ply=0"), &bob, None));
        assert!(now != empty && before == empty, "{path}");
        let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
        let known = request("GET", &path, &bob, None).replacen("\r\n", &format!("\r\nIf-None-Match: {tag}\r\n"), 1);
        assert_eq!(http(&api.address, &known).0, 304, "{path}");
    }
    api.truth.both(&["svg", "png"]);
}

#[test]
fn a_puzzle_is_read_without_its_solution() {
    let mut api = Api::open();
    let tokens = [api.token("alice", "wonderland"), api.token("bob", "builder")];
    api.shell("brique challenge -size=5 alice bob");
    for (ply, text) in "e1 a1 d4 e2 d1 d2 c2 c1 b1 b2".split(' ').enumerate() {
        api.done("POST", "/boards/1/moves", &tokens[ply % 2], Some(&json!({ "move": text })));
    }
    let list = wait_until("the puzzle to be listed", || {
        let list = api.done("GET", "/puzzles", "", None)["puzzles"].as_array().unwrap().clone();
        list.into_iter().find(|of| of["game"] == "brique" && of["count"] == 1)
    });
    assert_eq!(list["daily"], 1);
    let puzzle = api.done("GET", "/puzzles/brique/1", "", None);
    assert_eq!((&puzzle["side"], &puzzle["position"]["plies"]), (&json!("White"), &json!(9)), "{puzzle}");
    assert!(!puzzle.to_string().contains("alice") && !puzzle.to_string().contains("\"b2\""), "{puzzle}");
    let tried = api.done("POST", "/commands", "", Some(&json!({ "line": "puzzle brique 1 b2" })));
    assert_eq!((&tried["verdict"]["right"], &tried["verdict"]["board"]), (&json!(true), &json!(1)), "{tried}");
    assert_eq!(api.refused("GET", "/puzzles?all=1", "", None, "takes no parameters"), 400);
    assert_eq!(api.refused("GET", "/puzzles/brique/2", "", None, "no Brique puzzle 2"), 404);
    api.truth.both(&["puzzle", "puzzles"]);
}
