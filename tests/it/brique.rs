//! The rules of Brique.

use turnpost::rules::brique::{Brique, Position};
use turnpost::rules::{Game, GameState, Options, Play, RefusalKind, Seat};

use crate::common::words;

fn board(rows: &str, to_move: Seat) -> GameState<Position> {
    GameState::new(Position::from_rows(&rows.split(' ').collect::<Vec<_>>(), to_move).unwrap())
}

/// Returns the rows of the board from the top.
fn rows(play: &dyn Play) -> String {
    let scene = play.scene();
    let side = scene.cells.len().isqrt();
    let square = |piece: Option<char>| piece.map_or('.', |mark| mark.to_ascii_uppercase());
    let lines = scene.cells.chunks(side);
    lines.map(|line| line.iter().map(|cell| square(cell.piece)).collect()).collect::<Vec<String>>().join(" ")
}

fn refused(play: &mut dyn Play, text: &str) -> (RefusalKind, String) {
    let refusal = play.play(text).unwrap_err();
    (refusal.kind, words(&refusal.whole_message()))
}

#[test]
fn squares_fall_to_the_owner_of_both_escorts() {
    let mut play = board("...BB ..... BBWW. ...W. .....", Seat::First);
    let played = play.play("c4").unwrap();
    assert_eq!(rows(&play), "...BB ..BB. BBBW. ...W. .....");
    assert_eq!(played.effects.captured, ["c3"], "c3 had an enemy square, and d4 was empty");
    let marked: Vec<String> = play.scene().cells.into_iter().filter(|cell| cell.last).map(|cell| cell.name).collect();
    assert_eq!(marked, ["c4", "d4", "c3"]);
}

#[test]
fn only_the_last_stone_is_marked_as_the_last_move() {
    let mut play = board("..B.. ...B. ..... ..... .....", Seat::First);
    play.play("c4").unwrap();
    let marked: Vec<String> = play.scene().cells.into_iter().filter(|cell| cell.last).map(|cell| cell.name).collect();
    assert_eq!(marked, ["c4"]);
}

#[test]
fn a_square_without_two_escorts_never_falls() {
    // The light square a5 in the corner has no escorts, and the light square a1 has one.
    let play = board(".B... B.... ..... B.... .B...", Seat::First);
    let mut played = play.clone();
    played.play("e1").unwrap();
    assert_eq!(rows(&played), ".B... B.... ..... B.... .B..B");
}

#[test]
fn chains_win_from_edge_to_edge() {
    let black = board("..BWW ..BBB .WWBB .WBBW .BBWW", Seat::Second);
    assert_eq!(black.outcome().map(|end| (end.winner, end.reason.as_str())), Some((Some(Seat::First), "chain")));
    let white = board("B.WBB ..BBW W.BWW B.WWB WWWBB", Seat::First);
    assert_eq!(white.outcome().map(|end| (end.winner, end.reason.as_str())), Some((Some(Seat::Second), "chain")));
}

#[test]
fn the_win_is_tested_after_squares_have_fallen() {
    // c3 and b2 touch only diagonally. The move c3 fills b3, which is next to both.
    let mut play = board("..B.. ..B.. .W... .B... .B...", Seat::First);
    assert!(play.outcome().is_none());
    assert_eq!(play.play("c3").unwrap().effects.captured, ["b3"]);
    assert_eq!(play.outcome().unwrap().winner, Some(Seat::First));
}

#[test]
fn swap_exchanges_the_colours_and_not_the_stone() {
    let mut play = Brique.start(&Options::from_canonical("-size=5")).unwrap();
    assert_eq!((play.mark(Seat::First), play.mark(Seat::Second)), ('b', 'w'));
    assert_eq!(refused(play.as_mut(), "swap").0, RefusalKind::Illegal);
    play.play("c3").unwrap();
    assert_eq!(play.legal_moves().last().unwrap(), "swap");
    assert!(
        words(&play.aim()).ends_with("White may swap now: the players then exchange colours, and the stone stays.")
    );
    let played = play.play("SWAP").unwrap();
    assert_eq!((played.seat, played.text.as_str(), played.effects.passed_over), (Seat::Second, "swap", false));
    assert!(played.effects.captured.is_empty() && !words(&play.aim()).contains("swap"));
    assert_eq!(Seat::BOTH.map(|seat| words(&play.side(seat))), ["White", "Black"]);
    assert_eq!((play.to_move(), rows(play.as_ref())), (Some(Seat::First), "..... ..... ..B.. ..... .....".to_owned()));
    let (kind, message) = refused(play.as_mut(), "swap");
    assert_eq!((kind, message.as_str()), (RefusalKind::Illegal, "Only White may swap, and only on their first turn."));
    play.play("c4").unwrap();
    assert_eq!(rows(play.as_ref()), "..... ..W.. ..B.. ..... .....");
    for text in ["b3", "a5", "a3", "a4", "d3", "b5", "e3"] {
        play.play(text).unwrap();
    }
    assert_eq!(play.outcome(), None, "Black's chain from the left to the right joins White's edges");
}

#[test]
fn a_player_who_swapped_wins_with_black() {
    let mut play = Brique.start(&Options::from_canonical("-size=5")).unwrap();
    for text in ["c3", "swap", "a5", "c4", "a4", "c5", "a3", "c2", "a2", "c1"] {
        play.play(text).unwrap();
    }
    assert_eq!(play.outcome().unwrap().winner, Some(Seat::Second));
    assert_eq!(refused(play.as_mut(), "a1").1, "The game has ended: Black has won.");
}

#[test]
fn sizes_are_five_to_nineteen() {
    for size in 5..=19_usize {
        let play = Brique.start(&Options::from_canonical(&format!("-size={size}"))).unwrap();
        assert_eq!(play.legal_count(), size * size);
    }
    for wrong in ["-size=4", "-size=20", "-size=09", "-size=+9", "-size", "-size=", "-length=9"] {
        let refusal = Brique.start(&Options::from_canonical(wrong)).err().unwrap();
        assert_eq!(refusal.kind, RefusalKind::Options, "{wrong}");
    }
}

#[test]
fn refusals_contain_the_reason() {
    let mut play = Brique.start(&Options::default()).unwrap();
    play.play("H8").unwrap();
    let mut said = |text: &str, kind: RefusalKind, part: &str| {
        let (found, message) = refused(play.as_mut(), text);
        assert_eq!(found, kind, "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
    };
    said("h8", RefusalKind::Illegal, "Square h8 is already taken by Black.");
    said("h16", RefusalKind::NotAMove, "rows 1 to 15 from the bottom. Did you mean h15?");
    said("8h", RefusalKind::NotAMove, "Did you mean h8?");
    said("p3", RefusalKind::NotAMove, "columns are a to o");
    said("h08", RefusalKind::NotAMove, "Did you mean h8?");
    said("swop", RefusalKind::NotAMove, "Did you mean swap?");
    said("", RefusalKind::NotAMove, "A move is one square, a1 to o15");
    said("é1", RefusalKind::NotAMove, "A move is one square");
    said("h8,h9", RefusalKind::NotAMove, "A move is one square");
}
