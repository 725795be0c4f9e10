//! Players in the browser receive no letters about their own actions, or about events that a page showed.

use crate::common::database::sql;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Letter, Server, done};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n[robot]\nseconds = 0.01\nthreads = 1\n";

/// A server on which alice plays in the browser.
struct Play {
    server: Server,
    serving: Serving,
    alice: Visitor,
    /// All letters, in the order in which they were sent.
    letters: Vec<Letter>,
}

impl Play {
    fn begin(settings: &str) -> Play {
        let server = Server::with_players();
        done(&server, &format!("set alice wonderland {settings}"));
        let serving = Serving::start(&server, CONFIG);
        let alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
        Play { server, serving, alice, letters: Vec::new() }
    }

    fn moves(&mut self, ply: usize, text: &str) {
        let ply = ply.to_string();
        let page = self.alice.fill("/boards/1", &[("do", "move"), ("move", text), ("ply", &ply)]);
        assert_eq!(page.status, 303, "{}", page.text());
    }

    /// Returns the texts of the letters to a player, once one of them contains these words.
    fn letters_with(&mut self, to: &str, words: &str) -> Vec<String> {
        wait_until(&format!("a letter to {to} with {words:?}"), || {
            let new = self.server.letters();
            self.letters.extend(new);
            let texts = self.letters.iter().filter(|letter| letter.to() == to).map(|letter| letter.text().to_owned());
            let texts: Vec<String> = texts.collect();
            texts.iter().any(|text| text.contains(words)).then_some(texts)
        })
    }

    /// Returns the kind of each notice to a player about a board, sent or not, and whether it was delayed for a minute.
    fn notices(&self, userid: &str) -> String {
        let minute = "CASE WHEN due_at > created_at THEN 'waits' ELSE 'now' END";
        let player = format!("(SELECT id FROM players WHERE userid = '{userid}')");
        let of_player = format!("player = {player} AND board IS NOT NULL ORDER BY id");
        sql(&self.server, &format!("SELECT kind, {minute} FROM outbox WHERE {of_player}"))
    }

    /// Simulates that the minute for which letters are delayed has passed.
    fn minute_passes(&self) {
        sql(&self.server, "UPDATE outbox SET due_at = created_at WHERE due_at > created_at");
    }
}

#[test]
fn actions_in_the_browser_do_not_cause_a_letter_to_the_player() {
    let mut play = Play::begin("mail=text");
    let page = play.alice.fill("/games/marque/challenge", &[("to", "player"), ("opponent", "bob")]);
    assert_eq!(page.status, 303, "{}", page.text());
    play.moves(1, "f3");
    play.letters_with(BOB, "alice played f3");
    assert_eq!(play.notices("alice"), "");
    // A player who moves by mail receives letters about their own actions.
    play.server.mail(BOB, "marque move 1 bob builder k1", "");
    play.letters_with(BOB, "You played k1");
    // alice has not opened the page, so the letter is sent after a minute.
    assert_eq!(play.notices("alice"), "move|waits");
    play.minute_passes();
    let told = play.letters_with(ALICE, "bob played k1");
    assert!(told.iter().all(|text| !text.contains("You played")), "{told:#?}");
}

#[test]
fn a_move_that_the_page_showed_does_not_cause_a_letter() {
    let mut play = Play::begin("mail=text");
    done(&play.server, "marque challenge alice bob");
    play.letters_with(ALICE, "Marque");
    play.moves(1, "f3");
    for (ply, text) in [("k1", "f4"), ("k4", "h2")] {
        done(&play.server, &format!("marque move 1 bob builder {ply}"));
        assert_eq!(play.notices("alice"), "challenge|now\nmove|waits");
        // The page of an earlier position does not show the move, so the letter is not cancelled.
        assert_eq!(play.alice.get("/boards/1/1").status, 200);
        assert_eq!(play.notices("alice"), "challenge|now\nmove|waits");
        assert!(play.alice.get("/boards/1").text().contains(ply));
        assert_eq!(play.notices("alice"), "challenge|now");
        let next = play.server.hashes(1).len() + 1;
        play.moves(next, text);
    }
    // If no page has shown the move, the letter is sent, even if the server was restarted.
    done(&play.server, "marque move 1 bob builder n6");
    play.minute_passes();
    let Play { server, serving, letters, alice } = play;
    serving.stop();
    let serving = Serving::start(&server, CONFIG);
    let mut play = Play { server, serving, letters, alice };
    let told = play.letters_with(ALICE, "bob played n6");
    assert!(told.iter().all(|text| !text.contains("bob played k1") && !text.contains("bob played k4")), "{told:#?}");
    drop(play.serving);
}

#[test]
fn the_page_shows_the_moves_before_the_players_first_one() {
    let mut play = Play::begin("mail=text");
    done(&play.server, "marque challenge bob alice");
    play.letters_with(ALICE, "bob");
    done(&play.server, "marque move 1 bob builder f3");
    assert_eq!(play.notices("alice"), "challenge|now\nmove|waits");
    assert!(play.alice.get("/boards/1").text().contains("f3"));
    assert_eq!(play.notices("alice"), "challenge|now");
    // A player who is not logged in gets the letter immediately.
    done(&play.server, "marque challenge alice bob");
    done(&play.server, "marque move 2 alice wonderland f3");
    assert!(play.notices("bob").ends_with("challenge|now\nmove|now"), "{}", play.notices("bob"));
}

#[test]
fn twelve_moves_against_a_robot_that_the_page_showed_cause_no_letter() {
    let mut play = Play::begin("mail=html");
    done(&play.server, "marque challenge alice robot1");
    play.letters_with(ALICE, "robot1");
    for round in 0..12 {
        let board = play.server.json("show 1")["boards"][0].clone();
        let text = board["example"].as_str().unwrap().to_owned();
        play.moves(2 * round + 1, &text);
        wait_until("robot1 to answer", || (play.server.hashes(1).len() == 2 * round + 2).then_some(()));
        assert_eq!(play.alice.get("/boards/1").status, 200);
    }
    assert_eq!(play.notices("alice"), "challenge|now");
}

#[test]
fn letters_about_own_actions_are_sent_to_players_who_want_them() {
    let mut play = Play::begin("own=on");
    done(&play.server, "marque challenge alice bob");
    play.moves(1, "f3");
    play.letters_with(ALICE, "You played f3");
    done(&play.server, "marque move 1 bob builder k1");
    play.letters_with(ALICE, "bob played k1");
    assert!(play.server.shell("set alice wonderland").out.contains("own=on"));
    assert!(play.alice.get("/settings").text().contains("name=\"own\""));
}
