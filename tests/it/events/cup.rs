//! Ties of cups that draws decide, as their players read them.

use chrono::TimeDelta;

use super::{begin, flat, playing, shown, with_event};
use crate::common::inside::Inside;

/// Ends a game without a result, which is treated as a draw. The first player moves, and the second one proposes.
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
    inside.tick();
    let letters = inside.letters();
    let letter = flat(&letters[&format!("{winner}@example.org")].concat());
    assert!(letter.contains(&format!("against {slow} in a semi-final of spring begins")), "{letter}");
    let swapped = [winner.clone(), slow.clone()];
    let (replay, _) = playing(&mut inside).into_iter().find(|(_, of)| *of == swapped).unwrap();
    draw(&mut inside, replay, &swapped);
    let letters = inside.letters();
    let why = "Both games of the tie are drawn, so the thinking time in both decides:";
    for (to, decides) in [(winner, "you win the tie.".to_owned()), (slow, format!("{winner} wins the tie."))] {
        let letter = flat(&letters[&format!("{to}@example.org")].concat());
        assert!(letter.contains(&format!("{why} {decides}")), "{to}: {letter}");
    }
    let text = shown(&mut inside);
    assert!(text.contains(&format!("        {winner} wins by the thinking time in both games\n")), "{text}");
}
