//! Letters, answers, pages, the history and the API report all effects of a move.

use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done, joined, to};
use serde_json::{Value, json};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";

/// Moves of Marque: bob captures a1, and then alice wins with a chain that occupies bases A and C.
const MARQUE: &str = "d1 a2 a1 b1 e2,f1 b2 j2 d2 j1,k2 u2 h2";

/// A game of Marque, found by random play, after which White has no legal move.
const PASSED: &str = "r2 j3,j4 q7 q2,r1 l4 k9,l6 c1 k3,l2 o1 q4 b4 f2 e7 g3 k7 e2,f1 k4 i1 j5,k8 h2 d4 s2 h1 p4,q6 l3 k6 f3 \
    j1 r3 s1 j6 n3 e6,f4 k1 p2,q3 d1 e3 h3 d3,e5 n2 q5 b2 i4 m3 b3 p1 e1 o2 t2 l5 e4 m2 k10 k5 i3 b1 m4 p3 \
    q1 o3 c2 k2,l1 c3 i2 r4 u2 m1 a1 d2 t1 a2 t4 n6 h6 h4 j2 g2 i4 k10 m4";

/// Plays board 1 of a game with these moves. Returns the letters about the last one.
fn played(mut server: Server, challenge: &str, moves: &str) -> (Server, Vec<Letter>) {
    assert_eq!(server.shell(challenge).status, 0, "{challenge}");
    let game = challenge.split_whitespace().next().unwrap();
    let mut letters = Vec::new();
    for text in moves.split_whitespace() {
        let userid = server.json("show 1")["boards"][0]["to_move"].as_str().unwrap().to_owned();
        let password = if userid == "alice" { "wonderland" } else { "builder" };
        server.letters();
        let ran = server.shell(&format!("{game} move 1 {userid} {password} {text}"));
        assert_eq!(ran.status, 0, "{text}: {ran:?}");
        letters = server.letters();
    }
    (server, letters)
}

/// Moves of Catchup, after which Black has the largest group.
const CATCHUP: &str = "g3 a3,e4 a4,c5 d6,f3 b5,e3,f2 b4,d5,f1 b2,d3,d4 a2,b3,g1 c3,d7 b1,c4,e1 e5,e6,f5 a1 g2 c1,g4 c6,d1,f4 \
    c2,d2,e2";

/// Moves of Amazons, after which Black has no legal move.
const AMAZONS: &str = "d1-d7/i7 a7-e3/f3 a4-e4/g6 j7-h9/a2 j4-e9/h6 e3-c1/c2 e4-c4/f4 c1-a1/f6 g1-b1/b10 g10-j10/h8 c4-g8/e10 \
    h9-i10/i9 e9-e1/j6 i10-h10/c5 e1-e5/e9 j10-j9/j10 g8-h9/g9 j9-i10/j9 b1-b2/b1 h10-f10/h10 e5-b8/a8 d10-c9/c10 \
    b8-c8/f8 c9-a7/a5 c8-b8/c7 a7-a6/c4 b8-b7/b6 a6-a7/c9 h9-e6/h9 f10-g10/f10 e6-e1/e8 g10-f9/g8 b7-b8/b7 f9-g10/f9 \
    d7-b5/a6";

fn shown(server: &Server, line: &str) -> String {
    let ran = server.shell(line);
    assert_eq!(ran.status, 0, "{line}: {ran:?}");
    joined(&ran.out)
}

/// Returns the page of board 1 as alice sees it, without tags.
fn page(server: &Server, path: &str) -> String {
    let serving = Serving::start(server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let page = Visitor::logged_in(&serving.web(), "alice", "wonderland").get(path);
    assert_eq!(page.status, 200, "{}", page.text());
    let text: String = page.text().split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    joined(&text.replace("&#x27;", "'"))
}

/// Returns board 1 from the API.
fn api(server: &Server) -> Value {
    let serving = Serving::start(server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let page = Visitor::new(&serving.web()).get("/api/v1/boards/1");
    serde_json::from_str(page.text()).unwrap_or_else(|error| panic!("{error}: {}", page.text()))
}

/// Returns the last entry of the record of board 1, from `history --format=json`.
fn last_of_record(server: &Server, game: &str) -> Value {
    let ran = server.shell(&format!("{game} history 1 --format=json"));
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    record["entries"].as_array().unwrap().last().unwrap().clone()
}

#[test]
fn a_swap_names_the_new_sides() {
    let (server, letters) = played(Server::with_players(), "brique challenge -size=5 alice bob", "b2 swap");
    let (hers, his) = (joined(to(&letters, ALICE).text()), joined(to(&letters, BOB).text()));
    assert!(hers.contains("bob played swap: you are White now and bob is Black."), "{hers}");
    assert!(his.contains("You played swap: alice is White now and you are Black."), "{his}");
    assert!(hers.contains("2. swap (bob is Black)"), "{hers}");
    let history = shown(&server, "brique history 1");
    assert!(history.contains("bob alice is White now and bob is Black"), "{history}");
    assert_eq!(last_of_record(&server, "brique")["effects"]["swapped"], json!(["w", "b"]));
    assert_eq!(api(&server)["moves"][1]["swapped"], json!(["w", "b"]));
    let page = page(&server, "/boards/1");
    assert!(page.contains("bob played swap: you are White now and bob is Black."), "{page}");
    assert!(page.contains("swap (bob is Black)"), "{page}");
    // The preview of a new game has no players, so its text names the sides.
    let preview = shown(&server, "brique preview new -size=5 b2 swap");
    assert!(preview.contains("the sides are exchanged"), "{preview}");
}

#[test]
fn filled_squares_are_named() {
    // With b2, both escorts of b3 are alice's, so alice gets b3 and captures bob's stone there.
    let (server, letters) = played(Server::with_players(), "brique challenge -size=5 alice bob", "c3 b3 b2");
    for (address, who) in [(ALICE, "You"), (BOB, "alice")] {
        let text = joined(to(&letters, address).text());
        assert!(text.contains(&format!("{who} played b2, filling b3, capturing b3.")), "{text}");
        assert!(text.contains("3. b2 (fills b3; captures b3)"), "{text}");
    }
    let history = shown(&server, "brique history 1");
    assert!(history.contains("alice fills b3 captures b3"), "{history}");
    let effects = &last_of_record(&server, "brique")["effects"];
    assert_eq!((&effects["filled"], &effects["captured"]), (&json!(["b3"]), &json!(["b3"])));
    assert_eq!(api(&server)["moves"][2]["filled"], json!(["b3"]));
    assert!(page(&server, "/boards/1").contains("You played b2, filling b3, capturing b3."));
    // The page already names the filled squares when the player has picked the move but not sent it.
    let (server, _) = played(Server::with_players(), "brique challenge -size=5 alice bob", "c3 b3");
    let page = page(&server, "/boards/1?pick=b2");
    assert!(page.contains("b2 (fills b3; captures b3)."), "{page}");
    let submitted = shown(&server, "brique submit 1 alice wonderland b2");
    assert!(submitted.contains("b2 (fills b3; captures b3) has been saved but not played yet."), "{submitted}");
}

#[test]
fn captures_are_named() {
    let (server, letters) = played(Server::with_players(), "marque challenge -any_2 alice bob", "d1 a2 a1 b1 f1,e2 b2");
    let hers = joined(to(&letters, ALICE).text());
    assert!(hers.contains("bob played b2, capturing a1.") && hers.contains("6. b2 (captures a1)"), "{hers}");
    let page = page(&server, "/boards/1");
    assert!(page.contains("bob played b2, capturing a1.") && page.contains("b2 (captures a1)"), "{page}");
    assert_eq!(api(&server)["last_entry"]["captured"], json!(["a1"]));
    let (server, letters) = played(Server::with_players(), "tessella challenge alice bob", "f2-e2 b6-a5 b4xa5");
    let his = joined(to(&letters, BOB).text());
    assert!(his.contains("alice played b4xa5, capturing a5."), "{his}");
    assert!(shown(&server, "tessella history 1").contains("captures a5"));
}

#[test]
fn a_player_who_is_passed_over_is_notified() {
    let shown = shown(&Server::new(), &format!("marque preview new {PASSED}"));
    assert!(shown.contains("Black played m4, capturing k10. White had no legal move and was passed over."), "{shown}");
    assert!(shown.contains("80. m4 (captures k10), White (auto)"), "{shown}");
}

#[test]
fn a_move_shows_its_level() {
    let moves = "c2 a1 d2 a2 d3 a3 c2";
    let (server, letters) = played(Server::with_players(), "lazo challenge -size=26 alice bob", moves);
    let his = joined(to(&letters, BOB).text());
    assert!(his.contains("alice played c2: level 2.") && his.contains("7. c2 (level 2)"), "{his}");
    assert!(shown(&server, "lazo history 1").contains("7. b c2: level 2"));
    assert_eq!(last_of_record(&server, "lazo")["effects"]["level"], 2);
    assert_eq!(api(&server)["moves"][6]["level"], 2);
    let page = page(&server, "/boards/1");
    assert!(page.contains("You played c2: level 2.") && page.contains("c2 (level 2)"), "{page}");
}

#[test]
fn a_request_for_an_undo_names_the_moves_that_it_would_take_back() {
    let (mut server, _) = played(Server::with_players(), "marque challenge alice bob", "f3 k1");
    // It is alice's turn, so an undo also takes back bob's move.
    let letters = server.mail(ALICE, "marque undo 1 alice wonderland", "");
    let (hers, his) = (joined(to(&letters, ALICE).text()), joined(to(&letters, BOB).text()));
    assert!(hers.starts_with("You request an undo: 1. f3 and 2. k1 would be taken back."), "{hers}");
    assert!(his.starts_with("alice requests an undo: 1. f3 and 2. k1 would be taken back."), "{his}");
    assert!(his.contains("Proposal: alice requests an undo of 1. f3 and 2. k1."), "{his}");
    assert!(page(&server, "/boards/1").contains("You have proposed to take back 1. f3 and 2. k1."));
    done(&server, "marque reject 1 bob builder");
    // bob moved last, so bob's undo takes back only that move.
    let told = shown(&server, "marque undo 1 bob builder");
    assert!(told.starts_with("bob requests an undo on board 1: 2. k1 would be taken back."), "{told}");
}

#[test]
fn an_undo_names_the_moves_that_it_took_back() {
    let mut server = Server::with_players();
    server.shell("marque challenge alice bob");
    for line in [
        "marque move 1 alice wonderland f3",
        "marque move 1 bob builder k1",
        "marque undo 1 alice wonderland",
        "marque accept 1 bob builder",
    ] {
        server.letters();
        assert_eq!(server.shell(line).status, 0, "{line}");
    }
    let letters = server.letters();
    let told = "bob accepted the undo: 1. f3 and 2. k1 are taken back, and the board is as it was at the start.";
    let hers = joined(to(&letters, ALICE).text());
    assert!(hers.contains(told), "{hers}");
    assert!(page(&server, "/boards/1").contains(told));
    let history = shown(&server, "marque history 1");
    assert!(history.contains("back to the start, without f3 and k1"), "{history}");
    assert_eq!(last_of_record(&server, "marque")["taken_back"], json!(["f3", "k1"]));
    assert_eq!(api(&server)["last_entry"]["taken_back"], json!(["f3", "k1"]));
}

#[test]
fn a_move_names_the_proposal_that_it_closed() {
    for (verb, proposal) in [("propose", "proposal of a draw"), ("undo", "request for an undo")] {
        let (mut server, _) = played(Server::with_players(), "marque challenge alice bob", "f3");
        server.shell(&format!("marque {verb} 1 alice wonderland"));
        server.letters();
        let answer = shown(&server, "marque move 1 bob builder k1");
        assert!(answer.contains(&format!("The move cancelled alice's {proposal}.")), "{answer}");
        let letters = server.letters();
        let hers = joined(to(&letters, ALICE).text());
        assert!(
            hers.contains(&format!("bob played k1. The move cancelled your {proposal}. It is your turn.")),
            "{hers}"
        );
        // The next move closes no proposal, because none is open.
        let answer = shown(&server, "marque move 1 alice wonderland k2");
        assert!(!answer.contains("The move cancelled"), "{answer}");
        // An accepted proposal is not reported as closed.
        server.shell("marque propose 1 alice wonderland");
        let answer = shown(&server, "marque accept 1 bob builder");
        assert!(!answer.contains("The move cancelled"), "{answer}");
    }
}

#[test]
fn a_win_names_and_marks_its_cells() {
    for (challenge, moves, cells, marked) in [
        ("marque challenge -any_2 alice bob", MARQUE, vec!["d1", "e2", "f1", "h2", "j1", "j2", "k2"], 'o'),
        (
            "brique challenge -size=5 alice bob",
            "b4 a1 c3 e5 c4 e4 c2 e3 c1 e2 c5",
            vec!["c1", "c2", "c3", "c4", "c5"],
            'b',
        ),
    ] {
        let (server, letters) = played(Server::with_players_who_want_pictures(), challenge, moves);
        let mut told: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
        let game = challenge.split_whitespace().next().unwrap();
        let entry = last_of_record(&server, game);
        let mut won: Vec<String> = entry["effects"]["winning_cells"]
            .as_array()
            .unwrap()
            .iter()
            .map(|at| at["cell"].as_str().unwrap().to_owned())
            .collect();
        let sentence = format!("{} and {}", won[..won.len() - 1].join(", "), won[won.len() - 1]);
        won.sort();
        told.sort();
        assert_eq!(won, told, "{game}");
        let his = to(&letters, BOB);
        assert!(joined(his.text()).contains(&format!("The winning cells are {sentence}.")), "{}", his.text());
        assert_eq!(his.text().matches(&format!("*{marked}*")).count(), cells.len(), "{}", his.text());
        assert!(his.text().contains("The pieces between asterisks have won."));
        assert!(!his.html().contains("asterisks"), "the picture uses other marks");
        let shown = shown(&server, &format!("{game} history 1"));
        assert!(shown.contains(&format!("wins by {sentence}")), "{shown}");
        let page_text = page(&server, "/boards/1");
        assert!(!page_text.contains("The winning cells are"), "only the board marks the winning cells: {page_text}");
        assert!(
            page_text.contains(&format!("Winning cells: {sentence}.")),
            "the board in words names the winning cells: {page_text}"
        );
        let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
        let picture = Visitor::new(&serving.web()).get("/boards/1/board.svg");
        assert_eq!(picture.text().matches("href=\"#star").count(), cells.len());
        assert_eq!(picture.text().matches(", winning</title>").count(), cells.len());
    }
}

#[test]
fn a_loop_is_described_by_its_tiles_and_levels() {
    let around = shown(&Server::new(), "lazo preview new -size=26 b2 a1 b3 a2 c4 a3 d4 a4 d3 a5 c2");
    let tiles = ["b2", "b3", "c2", "c4", "d3", "d4"].map(|tile| format!("{tile} (level 1)"));
    let told = format!("The winning cells are {} and {}.", tiles[..5].join(", "), tiles[5]);
    assert!(around.contains(&told), "{around}");
    let arch = shown(&Server::new(), "lazo preview new -size=26 c1 c2 c4 c3 d2 d3 d4 a1 d5 b3 b2 a2 c3 a3 c2");
    let told = "The winning cells are d2 (level 1), d4 (level 1), c2 (level 2) and c3 (level 2).";
    assert!(arch.contains("(arch)") && arch.contains(told), "{arch}");
}

#[test]
fn the_accessible_form_describes_marque_by_its_bases() {
    let server = Server::with_players();
    server.shell("set alice wonderland mail=accessible");
    let (_, letters) = played(server, "marque challenge -any_2 alice bob", MARQUE);
    let text = joined(to(&letters, ALICE).text());
    let base = "Base A: White on d1, e2 and f1; Black on d2; empty e3 and f2; occupied by White.";
    assert!(text.contains(base), "{text}");
    assert!(text.contains("Base D to Base G: all empty."), "{text}");
    assert!(text.contains("Squares: White on h2;"), "{text}");
    assert!(text.contains("Triangles outside the bases:"), "{text}");
    assert!(text.contains("One chain of White occupies A and C."), "{text}");
    assert!(text.contains("Winning cells:") && !text.contains("asterisks"), "{text}");
}

#[test]
fn the_example_move_is_not_a_recommendation() {
    for (challenge, moves, not) in [
        // In each of these positions, the player to move can win or capture immediately.
        ("marque challenge -any_2 alice bob", "d1 a2 a1 b1 f1,e2 b2 j2 d2 k2,j1 u2", vec!["h2"]),
        ("brique challenge -size=5 alice bob", "b2", vec!["swap"]),
        ("brique challenge -size=5 alice bob", "c3 b3", vec!["b2"]),
        ("lazo challenge -size=26 alice bob", "", vec![]),
        ("tessella challenge alice bob", "", vec![]),
    ] {
        let (mut server, mut letters) = played(Server::with_players(), challenge, moves);
        if letters.is_empty() {
            letters = server.letters();
        }
        let board = server.json("show 1")["boards"][0].clone();
        let reader = board["to_move"].as_str().unwrap();
        let text = joined(to(&letters, &format!("{reader}@example.org")).text());
        let (_, after) =
            text.split_once("your move on the first line, for example ").unwrap_or_else(|| panic!("{text}"));
        let example = after.split(' ').next().unwrap().trim_end_matches('.');
        assert!(!not.contains(&example), "{challenge} {moves}: {example}");
        let game = challenge.split_whitespace().next().unwrap();
        let preview = server.json(&format!("{game} preview 1 {example}"));
        let played = preview["board"]["moves"].as_array().unwrap().last().unwrap().clone();
        assert_eq!((&played["captured"], &played["filled"]), (&json!([]), &json!([])), "{example}");
        assert!(preview["board"]["result"].is_null(), "{example}");
    }
}

#[test]
fn the_end_of_a_game_is_described_in_the_words_of_its_page() {
    for (challenge, moves, achievement) in [
        ("marque challenge -any_2 alice bob", MARQUE, "occupied A and C"),
        (
            "brique challenge -size=5 alice bob",
            "b4 a1 c3 e5 c4 e4 c2 e3 c1 e2 c5",
            "joined the top and the bottom edge",
        ),
        ("catchup challenge -size=4 bob alice", CATCHUP, "had the largest group: 18 stones to 17"),
    ] {
        let (server, letters) = played(Server::with_players(), challenge, moves);
        let (hers, his) = (joined(to(&letters, ALICE).text()), joined(to(&letters, BOB).text()));
        assert!(hers.contains("you have won (") && hers.contains(&format!("You {achievement}.")), "{hers}");
        assert!(his.contains("alice has won (") && his.contains(&format!("alice {achievement}.")), "{his}");
        let game = challenge.split_whitespace().next().unwrap();
        for line in ["show 1", &format!("{game} history 1")] {
            let shown = shown(&server, line);
            assert!(shown.contains(&format!("alice {achievement}.")), "{line}: {shown}");
        }
        assert!(page(&server, "/boards/1").contains(&format!("you {achievement}.")));
    }
    // If a game ends by resignation, the result does not say that the winner occupied bases.
    let (server, _) = played(Server::with_players(), "marque challenge -any_2 alice bob", "d1 a2 a1 b1 e2,f1");
    assert_eq!(server.shell("marque resign 1 bob builder").status, 0);
    assert!(!shown(&server, "show 1").contains("occupied A"));
}

#[test]
fn the_mistake_of_the_loser_is_described_with_the_result() {
    for (challenge, moves, reason, failure) in [
        ("amazons challenge alice bob", AMAZONS, "no moves", "had no legal move"),
        (
            "yavalath challenge bob alice",
            "e3 a1 e4 c6 e5",
            "three in a row loses",
            "put three stones in a row (e3, e4 and e5), which loses",
        ),
    ] {
        let (server, letters) = played(Server::with_players(), challenge, moves);
        let (hers, his) = (joined(to(&letters, ALICE).text()), joined(to(&letters, BOB).text()));
        assert!(hers.contains(&format!("Board 1 has ended: you have won ({reason}). bob {failure}.")), "{hers}");
        assert!(his.contains(&format!("Board 1 has ended: alice has won ({reason}). You {failure}.")), "{his}");
        let game = challenge.split_whitespace().next().unwrap();
        for line in ["show 1", &format!("{game} history 1")] {
            let shown = shown(&server, line);
            assert!(shown.contains(&format!("({reason}). bob {failure}.")), "{line}: {shown}");
        }
        let page = page(&server, "/boards/1");
        assert!(page.contains(&format!("You won: bob {failure}.")), "{page}");
    }
}

#[test]
fn a_single_winning_piece_is_described_in_the_singular() {
    let moves = "c2-c3 f7-f6 c3-c4 f6-f5 c4-c5 f5-f4 c5-c6 f4-e3 c6xb7 e3xd2 b7xa8";
    let (server, letters) = played(Server::with_players(), "breakthrough challenge alice bob", moves);
    let his = joined(to(&letters, BOB).text());
    assert!(his.contains("The winning cell is a8."), "{his}");
    assert!(his.contains("The piece between asterisks has won."), "{his}");
    let record = shown(&server, "breakthrough history 1");
    assert!(record.contains("wins by a8"), "{record}");
}
