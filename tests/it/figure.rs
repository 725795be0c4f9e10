//! Compares our drawing with the figure of the old help text, character by character.

use crate::common::{Server, characters};
use turnpost::draw::ascii::Style;
use turnpost::rules::marque::{Formation, Marque, Stones};
use turnpost::rules::scene::Cell;
use turnpost::rules::{Game, Options, Seat};

const FIGURE: &str = include_str!("../data/marque.figure");

/// Pieces that the figure draws one column off the middle of their cells: too far left in the right-hand triangles of
/// bases B and D, and too far right in the square to the upper left of base D.
const OFF: [(&str, usize, usize); 3] = [("e6", 52, 8), ("k6", 41, 18), ("h3", 32, 13)];

fn grid(text: &str) -> Vec<Vec<char>> {
    text.lines().map(|line| line.chars().collect()).collect()
}

fn cells() -> Vec<Cell> {
    Marque.start(&Options::default()).unwrap().scene().cells
}

/// Returns the figure with the pieces of `OFF` moved to the columns of our drawing.
fn straightened() -> String {
    let mut rows = grid(FIGURE);
    for (name, column, row) in OFF {
        let cell = cells().into_iter().find(|cell| cell.name == name).unwrap();
        assert_eq!((cell.spot.0.abs_diff(column as i32), cell.spot.1), (1, row as i32), "{name}");
        rows[row].swap(column, cell.spot.0 as usize);
    }
    rows.iter().map(|row| row.iter().collect::<String>() + "\n").collect()
}

fn position() -> Stones {
    let rows = grid(&straightened());
    let cells = cells();
    let stones = |mark: char| {
        let here = |cell: &&Cell| rows[cell.spot.1 as usize].get(cell.spot.0 as usize) == Some(&mark);
        cells.iter().filter(here).map(|cell| cell.name.as_str()).collect::<Vec<_>>()
    };
    let (white, black) = (stones('o'), stones('x'));
    assert_eq!((white.len(), black.len()), (36, 33));
    Stones::from_names(&white, &black).unwrap()
}

fn largest(position: &Stones, seat: Seat) -> (u32, String) {
    let chain = position.chains(seat).into_iter().max_by_key(|chain| chain.pieces).unwrap();
    (chain.pieces, chain.bases.to_string())
}

fn holders(position: &Stones, options: &str) -> Vec<Seat> {
    let formation = Formation::of(&Options::from_canonical(options)).unwrap();
    Seat::BOTH.into_iter().filter(|seat| formation.is_held_by(position, *seat)).collect()
}

#[test]
fn the_drawing_equals_the_figure() {
    let play = Marque.start_at(position(), Seat::Second, &Options::default()).unwrap();
    assert_eq!(characters(&play.scene(), Style::Plain), straightened());
}

#[test]
fn the_figure_is_evaluated_as_its_text_says() {
    let position = position();
    assert_eq!(position.occupies(Seat::First).to_string(), "AEF");
    assert_eq!(position.occupies(Seat::Second).to_string(), "BCEG");
    assert_eq!(largest(&position, Seat::First), (32, "AEF".to_owned()));
    assert_eq!(largest(&position, Seat::Second), (22, "BEG".to_owned()));
    assert_eq!(holders(&position, ""), [Seat::First]);
    assert_eq!(holders(&position, "-y"), [Seat::First]);
    assert_eq!(holders(&position, "-opposite"), []);
    assert_eq!(holders(&position, "-any_2"), [Seat::First, Seat::Second]);
    assert_eq!(holders(&position, "-any_3"), [Seat::First, Seat::Second]);
    assert_eq!(holders(&position, "-any_4"), []);
    assert_eq!(holders(&position, "-non_adj_2"), [Seat::First, Seat::Second]);
}

#[test]
fn one_more_triangle_of_c_wins_the_opposite_bases() {
    let cells = cells();
    let position = position();
    let play = Marque.start_at(position, Seat::First, &Options::default()).unwrap();
    let of = |mark: &str| {
        play.pieces().into_iter().filter(|(_, piece)| piece == mark).map(|(cell, _)| cell).collect::<Vec<_>>()
    };
    let (mut white, mut black) = (of("o"), of("x"));
    let lower_left = cells.iter().find(|cell| cell.spot == (13, 20)).unwrap().name.clone();
    black.retain(|cell| *cell != lower_left);
    white.push(lower_left);
    let white: Vec<&str> = white.iter().map(String::as_str).collect();
    let black: Vec<&str> = black.iter().map(String::as_str).collect();
    let changed = Stones::from_names(&white, &black).unwrap();
    assert_eq!(holders(&changed, "-opposite"), [Seat::First]);
}

#[test]
fn the_help_of_marque_shows_the_figure() {
    let help = Server::new().shell("help marque").out;
    assert!(help.contains(straightened().trim_end()), "{help}");
    assert!(help.contains("White has won: the chain occupies A, E and F"));
}
