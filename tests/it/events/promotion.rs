//! Promotion between the divisions of a league.

use std::collections::BTreeMap;

use super::{begin, event, finish, flat, with_event};
use crate::common::inside::Inside;

/// The players, in alphabetical order and in the order of their ranks. alice is an administrator.
const PLAYERS: [&str; 13] =
    ["alice", "bob", "carol", "dave", "erin", "fay", "gil", "hal", "ida", "jim", "kim", "lea", "max"];

fn divisions(inside: &mut Inside) -> Vec<Vec<String>> {
    let divisions = event(inside).shown.unwrap().divisions.into_iter();
    divisions
        .map(|division| {
            let mut players: Vec<String> = division.rows.into_iter().map(|row| row.userid).collect();
            players.sort();
            players
        })
        .collect()
}

fn letter_to(letters: &BTreeMap<String, Vec<String>>, player: &str) -> String {
    flat(&letters[&format!("{player}@example.org")].concat())
}

#[test]
fn promoted_players_play_in_the_upper_division_even_if_others_left_the_lower_one() {
    let mut inside = with_event("--kind=league --division=10", &PLAYERS);
    begin(&mut inside);
    assert_eq!(divisions(&mut inside), [&PLAYERS[..7], &PLAYERS[7..]]);
    finish(&mut inside);
    for player in ["lea", "max"] {
        inside.say(player, &format!("leave spring {player} -"));
    }
    let _ = inside.letters();
    begin(&mut inside);
    let upper = ["alice", "bob", "carol", "dave", "erin", "hal", "ida"];
    assert_eq!(divisions(&mut inside), [&upper[..], &["fay", "gil", "jim", "kim"]]);
    let letters = inside.letters();
    for (player, words) in [
        ("ida", "Edition 2 of spring (Hex) begins; you have moved up to division 1 of 2."),
        ("gil", "Edition 2 of spring (Hex) begins; you have moved down to division 2 of 2."),
        ("bob", "Edition 2 of spring (Hex) begins; you play in division 1 of 2."),
        ("kim", "Edition 2 of spring (Hex) begins; you play in division 2 of 2."),
    ] {
        let letter = letter_to(&letters, player);
        assert!(letter.contains(words), "{letter}");
    }
}
