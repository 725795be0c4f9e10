//! Ties of cups in which games are drawn, checked in the letters and pages that players read.

use chrono::TimeDelta;

use super::{begin, finish, flat, playing, shown, wait, with_event};
use crate::common::inside::Inside;

/// Lets the players agree to end a game without a result, which a cup treats as a draw.
fn draw(inside: &mut Inside, board: u32, [first, second]: &[String; 2]) {
    inside.say(first, &format!("move {board} {first} - f6"));
    inside.say(second, &format!("abandon {board} {second} -"));
    inside.say(first, &format!("accept {board} {first} -"));
}

#[test]
fn both_players_read_who_wins_a_tie_after_two_draws() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let (board, players) = playing(&mut inside)[0].clone();
    let [slow, winner] = &players;
    inside.pass(TimeDelta::days(3));
    draw(&mut inside, board, &players);
    let letters = inside.letters();
    let first = letters.values().flatten().map(|letter| flat(letter)).collect::<String>();
    assert!(!first.contains("of the tie"), "{first}");
    assert!(first.contains("In spring, this game counts as a draw."), "{first}");
    inside.tick();
    let letters = inside.letters();
    let letter = flat(&letters[&format!("{winner}@example.org")].concat());
    assert!(letter.contains(&format!("against {slow} in a semi-final of spring begins")), "{letter}");
    assert!(
        letter.contains("This is the second game of a tie. If neither player wins it, the player who has used"),
        "{letter}"
    );
    let swapped = [winner.clone(), slow.clone()];
    let (replay, _) = playing(&mut inside).into_iter().find(|(_, of)| *of == swapped).unwrap();
    draw(&mut inside, replay, &swapped);
    let letters = inside.letters();
    let why = "Neither game of the tie has a winner.";
    let decisions = [
        (winner, "You win the tie, because you used less time".to_owned()),
        (slow, format!("{winner} wins the tie, because they used less time")),
    ];
    for (to, decides) in decisions {
        let letter = flat(&letters[&format!("{to}@example.org")].concat());
        assert!(letter.contains(&format!("{why} {decides}")), "{to}: {letter}");
    }
    let text = shown(&mut inside);
    assert!(text.contains(&format!("        {winner} wins by using less time in the two games\n")), "{text}");
}

/// In Hex, only a game that both players end without a result has no winner.
#[test]
fn the_first_letter_of_a_cup_mentions_no_draws_in_a_game_without_draws() {
    let mut inside = with_event("--kind=cup --once", &["alice", "bob", "carol", "dave"]);
    let _ = inside.letters();
    begin(&mut inside);
    let letter = flat(&inside.letters()["bob@example.org"].concat());
    let replays = "A game without a winner is replayed once with swapped sides. If the replay has no winner either, the \
                   player who used less time in the two games wins.";
    assert!(letter.contains(replays) && !letter.contains("drawn"), "{letter}");
}

#[test]
fn letters_of_a_cup_show_its_rounds() {
    let mut inside = with_event("--kind=cup", &["alice", "bob", "carol", "dave"]);
    begin(&mut inside);
    let (board, [first, second]) = playing(&mut inside)[0].clone();
    inside.say(&first, &format!("move {board} {first} - f6"));
    let _ = inside.letters();
    inside.say(&second, &format!("abandon {board} {second} -"));
    let proposed = flat(&inside.letters()[&format!("{first}@example.org")].concat());
    assert!(proposed.contains("ratings would not change. In spring, it would count as a draw."), "{proposed}");
    finish(&mut inside);
    let report = wait(&mut inside, 8)["dave@example.org"].concat();
    assert!(report.contains("New results in edition 1 of spring (Hex):\n\nSemi-finals\n"), "{report}");
    finish(&mut inside);
    let letters = inside.letters();
    for letters in letters.values() {
        let end = letters.iter().find(|letter| letter.contains("has ended.")).unwrap();
        assert!(end.contains("\nFinal\n") && end.contains("\nThird place\n"), "{end}");
        assert!(flat(end).contains("if at least three players have joined. You take part automatically"), "{end}");
    }
}
