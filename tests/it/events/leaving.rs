//! Players who leave an event, never move, or are blocked: how their games end, and which letters are sent.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use super::{begin, event, finish, flat, playing, shown, wait, with_event};
use crate::common::inside::{Inside, WORLD};

/// Joins the letters to a player into one text.
fn letters_to(letters: &BTreeMap<String, Vec<String>>, player: &str) -> String {
    letters.get(&format!("{player}@example.org")).map(|letters| flat(&letters.concat())).unwrap_or_default()
}

/// Returns a player's boards in progress, with the opponents.
fn boards_of(inside: &mut Inside, player: &str) -> Vec<(u32, String)> {
    let own = playing(inside).into_iter().filter(|(_, players)| players.iter().any(|of| of == player));
    own.map(|(board, players)| (board, players.into_iter().find(|of| of != player).unwrap())).collect()
}

/// Returns a player's rated wins and losses.
fn rated(inside: &mut Inside, userid: &str) -> (u32, u32) {
    inside.read(|tx| {
        let id = tx.player(userid).unwrap().unwrap().id;
        tx.standing("hex", id).unwrap().map_or((0, 0), |standing| (standing.wins, standing.losses))
    })
}

/// Plays the first two moves on a board.
fn open(inside: &mut Inside, board: u32) {
    let (_, players) = playing(inside).into_iter().find(|(number, _)| *number == board).unwrap();
    for (player, text) in players.iter().zip(["f6", "g7"]) {
        inside.say(player, &format!("move {board} {player} - {text}"));
    }
}

#[test]
fn a_player_who_leaves_a_league_late_loses_the_other_games_as_if_they_had_resigned() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave", "erin"]);
    begin(&mut inside);
    let own = boards_of(&mut inside, "dave");
    for (board, opponent) in &own[..2] {
        inside.say(opponent, &format!("resign {board} {opponent} -"));
    }
    open(&mut inside, own[2].0);
    let _ = inside.letters();
    inside.say("dave", "leave spring dave -");
    let letters = inside.letters();
    for (board, opponent) in &own[2..] {
        let letter = letters_to(&letters, opponent);
        assert!(letter.contains("dave has left spring, so they lose this game."), "{letter}");
        assert!(letter.contains(&format!("Board {board} has ended: you have won (resignation).")), "{letter}");
        assert!(!letter.contains("time ran out") && !letter.contains("first move"), "{letter}");
    }
    let letter = letters_to(&letters, "dave");
    assert!(letter.contains("You have left spring, so you lose this game."), "{letter}");
    assert_eq!(rated(&mut inside, "dave"), (2, 2));
    let rows = event(&mut inside).shown.unwrap().divisions.remove(0).rows;
    let dave = rows.iter().find(|row| row.userid == "dave").unwrap();
    assert_eq!((dave.points.as_str(), dave.games), ("2", 4));
    let shown = inside.shown("alice", own[2].0);
    assert!(flat(&shown).contains("dave has left spring, so they lose this game."), "{shown}");
}

#[test]
fn the_opponent_of_a_player_who_leaves_a_cup_or_ladder_reads_that_they_left() {
    for kind in ["cup", "ladder"] {
        let mut inside = with_event(&format!("--kind={kind}"), &["alice", "bob", "carol", "dave"]);
        begin(&mut inside);
        if kind == "ladder" {
            inside.say("carol", "event challenge spring bob carol -");
        }
        let (_, [first, second]) = playing(&mut inside)[0].clone();
        let _ = inside.letters();
        // The second player leaves although it is the first player's turn.
        inside.say(&second, &format!("leave spring {second} -"));
        let letter = letters_to(&inside.letters(), &first);
        assert!(letter.contains(&format!("{second} has left spring, so they lose this game.")), "{letter}");
        assert!(!letter.contains("first move in time") && !letter.contains("time ran out"), "{letter}");
        assert_eq!(rated(&mut inside, &first), (1, 0));
    }
}

/// Blocks or unblocks a player as the administrator.
fn set_blocked(inside: &mut Inside, userid: &str, blocked: bool) {
    let (service, now) = (inside.config.service(WORLD), inside.now());
    let mut tx = inside.store.write().unwrap();
    let player = tx.player(userid).unwrap().unwrap();
    match blocked {
        true => drop(service.block(&mut tx, &player, now).unwrap().unwrap()),
        false => service.unblock(&mut tx, &player).unwrap(),
    }
    tx.commit().unwrap();
}

#[test]
fn an_unblocked_player_plays_in_the_next_edition_only_after_joining_again() {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let _ = inside.letters();
    set_blocked(&mut inside, "dave", true);
    let letters = inside.letters();
    let letter = letters_to(&letters, "bob");
    assert!(letter.contains("dave was withdrawn from spring, so all their games there are annulled."), "{letter}");
    assert!(!letter.contains("has left") && !letter.contains("on time"), "{letter}");
    set_blocked(&mut inside, "dave", false);
    assert_eq!(event(&mut inside).entrants, ["alice", "bob", "carol"]);
    finish(&mut inside);
    begin(&mut inside);
    assert_eq!(playing(&mut inside).len(), 3);
    assert!(boards_of(&mut inside, "dave").is_empty());
    inside.say("dave", "join spring dave -");
    finish(&mut inside);
    begin(&mut inside);
    assert_eq!(boards_of(&mut inside, "dave").len(), 3);
}

#[test]
fn an_unblocked_player_returns_to_a_ladder_only_after_joining_again() {
    let mut inside = with_event("--kind=ladder", &["alice", "bob", "carol"]);
    inside.say("bob", "event challenge spring alice bob -");
    let _ = inside.letters();
    set_blocked(&mut inside, "bob", true);
    let letter = letters_to(&inside.letters(), "alice");
    assert!(letter.contains("bob was withdrawn from spring, so they lose this game."), "{letter}");
    set_blocked(&mut inside, "bob", false);
    let places = |inside: &mut Inside| -> Vec<String> {
        begin(inside);
        event(inside).shown.unwrap().places.into_iter().map(|row| row.userid).collect()
    };
    assert_eq!(places(&mut inside), ["alice", "carol"]);
    inside.say("bob", "join spring bob -");
    assert_eq!(places(&mut inside), ["alice", "carol", "bob"]);
}

/// Creates a league in which erin must move first against carol.
fn with_silent_erin() -> Inside {
    let mut inside = with_event("--kind=league", &["alice", "bob", "carol", "erin"]);
    begin(&mut inside);
    let _ = inside.letters();
    inside
}

/// Lets the first player of each board move, unless it is erin.
fn move_against_erin(inside: &mut Inside) {
    for (board, [first, _]) in playing(inside).into_iter().filter(|(_, players)| players[0] != "erin") {
        inside.say(&first, &format!("move {board} {first} - f6"));
    }
}

const ANNULLED: &str = "erin was withdrawn from spring (two losses on time), so all their games there are annulled.";

#[test]
fn the_winner_of_a_game_without_a_first_move_reads_when_it_is_annulled() {
    let mut inside = with_silent_erin();
    let (board, _) = playing(&mut inside).into_iter().find(|(_, players)| *players == ["erin", "carol"]).unwrap();
    wait(&mut inside, 10);
    move_against_erin(&mut inside);
    let others: Vec<_> =
        playing(&mut inside).into_iter().filter(|(_, players)| !players.contains(&"erin".to_owned())).collect();
    for (board, [_, second]) in &others {
        inside.say(second, &format!("move {board} {second} - g7"));
    }
    let letter = letters_to(&wait(&mut inside, 14), "carol");
    assert!(letter.contains("Ratings are unchanged. You win the game in spring."), "{letter}");
    // The other players play on.
    for (board, [first, _]) in &others {
        inside.say(first, &format!("move {board} {first} - c3"));
    }
    let letters = wait(&mut inside, 20);
    let letter = letters_to(&letters, "carol");
    assert!(letter.contains(&format!("Board {board} (Hex, erin against carol) is void")), "{letter}");
    assert!(letter.contains(ANNULLED), "{letter}");
    let reports = &letters["carol@example.org"];
    let is_reported = |letter: &&String| letter.contains("New results in") && letter.contains("erin -:- carol");
    let report = flat(reports.iter().find(is_reported).unwrap_or_else(|| panic!("{reports:#?}")));
    assert!(report.contains("w: withdrawn -: annulled"), "{report}");
    assert!(shown(&mut inside).contains("\n\nw: withdrawn\n-: annulled\n"), "{}", shown(&mut inside));
}

#[test]
fn a_letter_after_the_annulment_does_not_say_that_its_reader_wins() {
    let mut inside = with_silent_erin();
    for (board, players) in playing(&mut inside) {
        if !players.contains(&"erin".to_owned()) {
            inside.say(&players[1], &format!("resign {board} {} -", players[1]));
        }
    }
    move_against_erin(&mut inside);
    let mut letters = BTreeMap::new();
    for _ in 0..30 {
        inside.pass(TimeDelta::days(1));
        // Letters are written only after the boards have ended and the event is updated.
        inside.tick();
        inside.tick();
        letters = inside.letters();
        if letters_to(&letters, "carol").contains(ANNULLED) {
            break;
        }
    }
    let letter = letters_to(&letters, "carol");
    assert!(letter.contains(ANNULLED), "{letter}");
    assert!(!letter.contains("You win the game") && !letter.contains("erin did not make"), "{letter}");
}
