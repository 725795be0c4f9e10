//! Editions that nobody wins, and players who never move.

use std::collections::BTreeMap;

use super::{WEEK, begin, event, event_at, flat, playing, wait, with_event};
use crate::common::inside::Inside;

const THREE: [&str; 3] = ["alice", "bob", "carol"];

fn letters_to(letters: &BTreeMap<String, Vec<String>>, player: &str) -> String {
    letters.get(&format!("{player}@example.org")).map(|letters| flat(&letters.concat())).unwrap_or_default()
}

/// Checks that the first edition has no winner. `letters` contains the letters about its end.
fn nobody_has_won(inside: &mut Inside, letters: &BTreeMap<String, Vec<String>>) {
    for player in THREE {
        let letter = letters_to(letters, player);
        assert!(letter.contains("has ended. Nobody has won it."), "{letter}");
        assert!(!letter.contains("Congratulations") && !letter.contains("you have won"), "{letter}");
        let shown = inside.say("bob", &format!("show {player}"));
        let shown = inside.composer.answer(&shown).unwrap();
        assert!(!shown.contains("Won: spring"), "{shown}");
    }
    let view = event_at(inside, "event spring 1");
    assert_eq!(view.editions.last().unwrap().winner, None);
}

#[test]
fn nobody_wins_a_league_that_all_players_have_left() {
    let mut inside = with_event("--kind=league", &THREE);
    begin(&mut inside);
    let _ = inside.letters();
    for player in THREE {
        inside.say(player, &format!("leave spring {player} -"));
    }
    assert!(!event(&mut inside).row.running);
    let letters = inside.letters();
    nobody_has_won(&mut inside, &letters);
}

#[test]
fn a_league_in_which_nobody_moves_has_no_winner_and_does_not_begin_again() {
    let mut inside = with_event("--kind=league", &THREE);
    begin(&mut inside);
    let letters = wait(&mut inside, 30);
    nobody_has_won(&mut inside, &letters);
    for player in THREE {
        let letter = letters_to(&letters, player);
        assert!(letter.contains("You made no move in edition 1 of spring (Hex)."), "{letter}");
        assert!(letter.contains("You will not play in the next edition unless you join again."), "{letter}");
    }
    assert!(event(&mut inside).entrants.is_empty());
    wait(&mut inside, 30);
    assert_eq!(event(&mut inside).row.edition, Some(1));
    for player in THREE {
        inside.say(player, &format!("join spring {player} -"));
    }
    inside.pass(WEEK);
    inside.tick();
    assert_eq!(playing(&mut inside).len(), 3);
}

#[test]
fn a_player_who_does_not_move_in_a_cup_is_asked_and_the_others_play_on() {
    let mut inside = with_event("--kind=cup", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let (_, [absent, winner]) = playing(&mut inside)[0].clone();
    let (board, [_, second]) = playing(&mut inside)[1].clone();
    inside.say(&second, &format!("resign {board} {second} -"));
    let mut letters = wait(&mut inside, 30);
    // The absent player is also paired in the third-place game, and loses it on time.
    for (board, players) in playing(&mut inside) {
        if !players.contains(&absent) {
            inside.say(&players[0], &format!("move {board} {} - f6", players[0]));
            inside.say(&winner, &format!("resign {board} {winner} -"));
        } else if players[0] != absent {
            inside.say(&players[0], &format!("move {board} {} - f6", players[0]));
        }
    }
    letters.extend(wait(&mut inside, 30));
    let view = event_at(&mut inside, "event spring 1");
    assert!(view.editions.last().unwrap().winner.is_some());
    let mut entrants = vec!["alice", "bob", "carol", "dave"];
    entrants.retain(|player| *player != absent);
    assert_eq!(view.entrants, entrants);
    assert!(letters_to(&letters, &absent).contains("You made no move in edition 1 of spring (Hex)."));
}
