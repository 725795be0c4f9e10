//! The texts that players read about boards of events, for example reminders and notices of annulled games.

use std::collections::BTreeMap;

use turnpost::service::transfer::export_server;

use super::{begin, event, finish, flat, playing, shown, wait, with_event};
use crate::common::inside::{Inside, WORLD};
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const LONG: [&str; 4] =
    ["abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", "cdefghijklmnopqrstuv", "defghijklmnopqrstuvw"];

fn letters_to(letters: &BTreeMap<String, Vec<String>>, userid: &str) -> String {
    letters.get(&format!("{userid}@example.org")).map(|letters| flat(&letters.concat())).unwrap_or_default()
}

/// Exports the server, and imports it into a running server that has web pages.
fn on_the_web(inside: &mut Inside) -> (Server, Serving) {
    let now = inside.now();
    let mut export = Vec::new();
    inside.read(|tx| export_server(tx, WORLD, None, now, &mut export).unwrap());
    let server = Server::without_database();
    let file = server.data().join("export.jsonl");
    std::fs::write(&file, export).unwrap();
    done(&server, &format!("admin import {}", file.display()));
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    (server, serving)
}

/// Returns the widest line of a text.
fn widest(text: &str) -> &str {
    text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default()
}

#[test]
fn a_reminder_says_what_is_lost_in_an_event() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol"]);
    begin(&mut inside);
    let _ = inside.letters();
    let letters = wait(&mut inside, 9).into_values().flatten().map(|letter| flat(&letter)).collect::<String>();
    assert!(
        letters.contains("after that you lose the game.") && !letters.contains("the board is removed"),
        "{letters}"
    );

    let mut inside = with_event("--kind=ladder", &["alice", "bob"]);
    let _ = inside.letters();
    inside.say("bob", "event challenge spring alice bob -");
    let letters = letters_to(&wait(&mut inside, 9), "alice");
    assert!(letters.contains("after that you lose the game and your place."), "{letters}");
    inside.say("alice", "move 1 alice - f6");
    let letters = letters_to(&wait(&mut inside, 9), "bob");
    assert!(letters.contains("after that you lose the game. "), "{letters}");

    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "hex challenge alice bob --nagtime=7 --forfeittime=21");
    let letters = letters_to(&wait(&mut inside, 9), "alice");
    assert!(letters.contains("after that the board is removed."), "{letters}");
}

#[test]
fn an_annulled_game_names_the_player_who_left() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let _ = inside.letters();
    let (board, players) = playing(&mut inside).into_iter().find(|(_, of)| of.contains(&"dave".to_owned())).unwrap();
    let other = players.iter().find(|of| *of != "dave").unwrap().clone();
    inside.say("dave", "leave spring dave -");
    inside.tick();
    let letters = inside.letters();
    let letter = letters_to(&letters, &other);
    assert!(letter.contains("dave has left spring, so all their games there are annulled."), "{letter}");
    assert!(!letter.contains("administrator"), "{letter}");
    let letter = letters_to(&letters, "dave");
    assert!(letter.contains("You have left spring, so all your games there are annulled."), "{letter}");

    let (moved, serving) = on_the_web(&mut inside);
    let story = done(&moved, &format!("admin board {board}"));
    assert!(story.contains("left spring") && !story.contains("(administrator)"), "{story}");
    done(&moved, "admin check");
    let page = Visitor::new(&serving.web()).get(&format!("/boards/{board}"));
    assert!(page.text().contains("This game is void."), "{}", page.text());
    assert!(flat(page.text()).contains("dave has left spring, so all their games there are annulled."));
}

#[test]
fn an_annulled_game_names_the_player_who_was_withdrawn() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin", "fay"]);
    begin(&mut inside);
    let _ = wait(&mut inside, 1);
    for (board, players) in playing(&mut inside) {
        let first = &players[0];
        if first != "fay" {
            inside.say(first, &format!("move {board} {first} - f6"));
        }
    }
    for (board, players) in playing(&mut inside) {
        if !players.contains(&"fay".to_owned()) {
            inside.say(&players[1], &format!("resign {board} {} -", players[1]));
        }
    }
    let letters = wait(&mut inside, 40);
    let all: String = letters.values().flatten().map(|letter| flat(letter)).collect();
    let annulled = "fay was withdrawn from spring (two losses on time), so all their games there are annulled.";
    assert!(all.contains(annulled), "{all}");
    let letter = letters_to(&letters, "fay");
    let own = "You were withdrawn from spring (two losses on time), so all your games there are annulled.";
    assert!(letter.contains(own), "{letter}");
}

#[test]
fn a_missing_first_move_says_who_loses_the_game() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let _ = inside.letters();
    let boards = playing(&mut inside);
    let letters = wait(&mut inside, 30);
    for (board, [first, second]) in &boards {
        let lost = letters_to(&letters, first);
        assert!(lost.contains("Ratings are unchanged. You lose the game in spring."), "{lost}");
        let won = letters_to(&letters, second);
        assert!(won.contains(&format!("{first} did not make a first move in time.")), "{won}");
        assert!(won.contains("Ratings are unchanged. You win the game in spring."), "{won}");
        assert!(!won.contains(&format!("Board {board} will not be played")), "{won}");
        let said = format!("{first} did not make a first move in time, in a game of spring.");
        for verb in ["show", "history"] {
            let answer = inside.say(second, &format!("{verb} {board}"));
            assert!(flat(&inside.composer.answer(&answer).unwrap()).contains(&said), "{answer:?}");
        }
    }
    let (_server, serving) = on_the_web(&mut inside);
    for (board, [first, _]) in &boards {
        let page = Visitor::new(&serving.web()).get(&format!("/boards/{board}"));
        let said = format!("{first} did not make a first move in time.");
        assert!(flat(page.text()).contains(&said), "{}", page.text());
        assert!(page.text().contains("A game of <a href=\"/events/spring/1\">spring</a>"), "{}", page.text());
    }
}

#[test]
fn a_letter_about_ended_boards_does_not_explain_how_to_answer_them() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol"]);
    begin(&mut inside);
    let _ = inside.letters();
    let letters = wait(&mut inside, 30);
    let several = letters.values().flatten().map(|letter| flat(letter));
    let ended: Vec<String> = several.filter(|letter| letter.matches("did not make a first move").count() > 1).collect();
    for letter in &ended {
        assert!(!letter.contains("To answer several boards") || letter.contains("It is your turn"), "{letter}");
    }
}

#[test]
fn a_one_off_event_has_no_next_edition() {
    let mut inside = with_event("--kind=league --once", &["alice", "bob", "carol"]);
    begin(&mut inside);
    assert!(!shown(&mut inside).contains("In the next edition"), "{}", shown(&mut inside));
    finish(&mut inside);
    assert!(!shown(&mut inside).contains("In the next edition"), "{}", shown(&mut inside));
    let mut again = with_event("--kind=league", &["alice", "bob", "carol"]);
    begin(&mut again);
    assert!(shown(&mut again).contains("In the next edition: alice, bob and carol."), "{}", shown(&mut again));
}

#[test]
fn answers_about_events_fit_their_columns() {
    let mut inside = with_event("--kind=league", &["alice"]);
    for userid in LONG {
        inside.add_player(userid);
        inside.say(userid, &format!("join spring {userid} -"));
    }
    assert!(widest(&shown(&mut inside)).chars().count() <= 78, "{}", shown(&mut inside));
    begin(&mut inside);
    let text = shown(&mut inside);
    assert!(text.contains("In progress:") && widest(&text).chars().count() <= 78, "{text}");
    assert!(event(&mut inside).shown.is_some());
}

#[test]
fn every_proposed_command_has_its_own_line() {
    let mut inside = Inside::with_players(&LONG);
    let [one, two, ..] = LONG;
    for (line, command) in [
        (format!("calendar {one} - new"), format!("calendar {one} PASSWORD off")),
        (format!("block {one} - {two}"), format!("unblock {one} PASSWORD USERID")),
        (format!("set {one} -"), format!("set {one} PASSWORD key=value")),
        (format!("vacation {one} -"), format!("vacation {one} PASSWORD until YYYY-MM-DD")),
    ] {
        let answer = inside.say(one, &line);
        let text = inside.composer.answer(&answer).unwrap();
        assert!(text.lines().any(|line| line.ends_with(&command)), "{text}");
        assert!(widest(&text).chars().count() <= 78, "{text}");
    }
    let answer = inside.try_say(one, &format!("report {one} - {two}"), Some("He is rude")).unwrap();
    let text = inside.composer.answer(&answer).unwrap();
    assert!(text.contains(&format!("\n    block {one} PASSWORD {two}\n")), "{text}");
}

#[test]
fn a_letter_that_asks_about_one_event_can_be_answered_with_yes() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin", "fay"]);
    begin(&mut inside);
    let _ = wait(&mut inside, 1);
    for (board, players) in playing(&mut inside) {
        if !players.contains(&"fay".to_owned()) {
            inside.say(&players[1], &format!("resign {board} {} -", players[1]));
        } else if players[0] != "fay" {
            inside.say(&players[0], &format!("move {board} {} - f6", players[0]));
        }
    }
    let letter = letters_to(&wait(&mut inside, 40), "fay");
    let asks = "To join, reply to this letter with \"yes\", or with: join spring";
    assert!(letter.contains(asks), "{letter}");
}
