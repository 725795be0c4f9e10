//! The panel beside a board, without scripts: players, clock, chat, note, the result, and the next board.

use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

fn title(page: &str) -> &str {
    page.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0
}

/// Returns the text, without tags, of the page element that begins with these characters.
fn words(page: &str, begins: &str) -> String {
    let rest = page.split_once(begins).unwrap_or_else(|| panic!("no {begins} in {page}")).1;
    let rest = rest.split_once('>').unwrap().1;
    let mut text = String::new();
    for part in rest.split_once("</p>").unwrap().0.split('<') {
        text += part.rsplit('>').next().unwrap();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Plays board 1 until alice occupies A and C.
fn alice_wins(server: &Server) {
    for (ply, text) in "d1 a2 a1 b1 f1,e2 b2 j2 d2 k2,j1 u2 h2".split(' ').enumerate() {
        let player = ["alice wonderland", "bob builder"][ply % 2];
        done(server, &format!("marque move 1 {player} {text}"));
    }
}

#[test]
fn players_are_shown_with_rating_and_remaining_days() {
    let server = Server::with_players();
    done(&server, "marque challenge -any_2 alice bob");
    alice_wins(&server);
    done(&server, "marque challenge alice bob --nagtime=3 --forfeittime=19");
    let serving = Serving::start(&server, CONFIG);
    let page = Visitor::new(&serving.web()).get("/boards/2");
    let seats = page.text().split_once("<ul class=\"seats\">").unwrap().1.split_once("</ul>").unwrap().0;
    let (alice, bob) = seats.split_once("</li>").unwrap();
    assert!(alice.contains("to-move") && !bob.contains("to-move"));
    assert!(alice.contains("1662?") && bob.contains("1338?"), "{seats}");
    assert!(alice.contains("19 days left") && alice.contains("title=\"until 20"), "{alice}");
    assert!(!bob.contains("left"), "{bob}");
}

#[test]
fn the_announcement_of_a_page_is_escaped_once() {
    let server = Server::with_players();
    done(&server, "brique challenge alice bob");
    let serving = Serving::start(&server, CONFIG);
    let page = Visitor::new(&serving.web()).get("/boards/1?pick=hello").text().to_owned();
    let said = page.split_once("data-said=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(said.contains("swap on White&#x27;s first turn"), "{said}");
}

#[test]
fn a_picked_move_is_not_described_as_the_last_move() {
    let server = Server::with_players();
    for line in ["amazons challenge alice bob", "brique challenge -size=5 alice bob"] {
        done(&server, line);
    }
    for line in ["move 1 alice wonderland d1-d3/d5", "move 1 bob builder a7-b7/c7"] {
        done(&server, &format!("amazons {line}"));
    }
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let mut has = |path: &str, titles: &[&str]| {
        let page = alice.get(path).text().to_owned();
        for title in titles {
            assert!(page.contains(&format!("<title>{title}</title>")), "{path}: no {title} in {page}");
        }
        page
    };
    let part = has("/boards/1?pick=g1", &["g1: White, picked", "b7: Black, last move", "c7: arrow, last move"]);
    assert_eq!(part.matches(", picked</title>").count(), 1, "{part}");
    let titles = ["g1: empty, picked", "g4: White, picked", "g6: arrow, picked", "b7: Black", "c7: arrow"];
    let whole = has("/boards/1?pick=g1-g4/g6", &titles);
    assert!(!whole.contains(", last move</title>"), "{whole}");
    has("/boards/2?pick=c3", &["c3: Black, picked"]);
}

#[test]
fn each_player_sees_why_the_game_ended() {
    let server = Server::with_players();
    done(&server, "marque challenge -any_2 alice bob");
    alice_wins(&server);
    done(&server, "marque challenge alice bob");
    for line in ["move 2 alice wonderland f3", "move 2 bob builder f4", "resign 2 alice wonderland"] {
        done(&server, &format!("marque {line}"));
    }
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let mut nobody = Visitor::new(&serving.web());
    for (visitor, first, second) in [
        (&mut alice, "You won: you occupied A and C.", "You lost: you resigned."),
        (&mut bob, "You lost: alice occupied A and C.", "You won: alice resigned."),
        (&mut nobody, "alice has won: alice occupied A and C.", "bob has won: alice resigned."),
    ] {
        assert_eq!(words(visitor.get("/boards/1").text(), "<p class=\"state"), first);
        assert_eq!(words(visitor.get("/boards/2").text(), "<p class=\"state"), second);
    }
    let page = alice.get("/boards/1");
    assert!(page.text().contains("1500 → 1662?") && page.text().contains(">Rematch<"));
    // The page of an earlier position does not show a winner.
    assert_eq!(words(alice.get("/boards/1/3").text(), "<p class=\"state"), "After move 3 of 11.");
}

#[test]
fn every_title_shows_the_number_of_waiting_boards_and_boards_link_to_the_next() {
    let server = Server::with_players();
    for line in ["marque challenge alice bob", "brique challenge alice bob", "lazo challenge alice bob"] {
        done(&server, line);
    }
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    assert_eq!(title(alice.get("/").text()), "(3) Turnpost");
    assert_eq!(title(alice.get("/me").text()), "(3) My boards");
    let page = alice.get("/boards/2");
    assert_eq!(title(page.text()), "(3) Brique: alice – bob, your turn");
    assert!(!page.text().contains("Next board"), "the page shows no next board while this one awaits a move");
    // The link "Later" leads from each board that awaits a move to the next one, and from the last to the first.
    for (from, next) in [(2, 3), (3, 1), (1, 2)] {
        let page = alice.get(&format!("/boards/{from}"));
        assert!(page.text().contains(&format!("href=\"/boards/{next}\">Later</a>")), "{}", page.text());
    }
    assert_eq!(alice.fill("/boards/2", &[("do", "move"), ("move", "h8"), ("ply", "1")]).status, 303);
    let page = alice.get("/boards/2");
    assert!(page.text().contains("href=\"/boards/3\">Next board"), "{}", page.text());
    assert_eq!(title(page.text()), "(2) Brique: alice – bob, move 1");
    assert_eq!(alice.fill("/boards/3", &[("do", "move"), ("move", "a1"), ("ply", "1")]).status, 303);
    assert!(alice.get("/boards/3").text().contains("href=\"/boards/1\">Next board"));
    // Once no board awaits a move, the title contains no number.
    let ran = alice.fill("/command", &[("line", "marque move 1 alice - f3")]);
    assert_eq!(title(ran.text()), "Command");
    assert_eq!(title(Visitor::new(&serving.web()).get("/").text()), "Turnpost");
}

#[test]
fn chat_has_times_and_the_note_is_a_tab() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let said = server.program().args(["marque", "chat", "1", "bob", "builder", "--say=Good luck"]).output().unwrap();
    assert!(said.status.success());
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = alice.get("/boards/1");
    let message = page.text().split_once("class=\"said\"").unwrap().1.split_once("Good luck").unwrap().0;
    assert!(message.contains("<time ") && message.contains("UTC\">20"), "{message}");
    assert!(page.text().contains("id=\"tab-chat\" checked") && page.text().contains("id=\"tab-note\">"));
    assert!(!Visitor::new(&serving.web()).get("/boards/1").text().contains("tab-note"));
}

#[test]
fn the_note_stays_after_the_end() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    assert_eq!(alice.fill("/boards/1", &[("do", "note"), ("say", "Beware of k1")]).status, 303);
    done(&server, "marque resign 1 alice wonderland");
    let page = alice.get("/boards/1");
    assert!(page.text().contains("My private note") && page.text().contains(">Beware of k1</textarea>"));
    assert_eq!(alice.fill("/boards/1", &[("do", "note"), ("say", "k1 was harmless")]).status, 303);
    assert!(alice.get("/boards/1").text().contains(">k1 was harmless</textarea>"));
    assert!(done(&server, "marque note 1 alice wonderland").contains("k1 was harmless"));
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    assert!(!bob.get("/boards/1").text().contains("harmless"));
}

#[test]
fn swap_is_offered_only_to_the_player_to_move() {
    let server = Server::with_players();
    done(&server, "brique challenge alice bob");
    done(&server, "brique move 1 alice wonderland h8");
    let serving = Serving::start(&server, CONFIG);
    let offers = |visitor: &mut Visitor, path: &str| visitor.get(path).text().contains("href=\"?pick=swap\"");
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    assert!(offers(&mut bob, "/boards/1"));
    assert!(!offers(&mut alice, "/boards/1") && !offers(&mut Visitor::new(&serving.web()), "/boards/1"));
    // Anyone can try out a swap on the page of an earlier position.
    done(&server, "brique move 1 bob builder c3");
    assert!(offers(&mut alice, "/boards/1/1"));
}
