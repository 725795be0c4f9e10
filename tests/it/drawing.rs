//! The drawings of every game: each fits a mail, names what it shows, and tells the sides apart.

use std::collections::{BTreeMap, HashSet};

use crate::common::{characters, drawn_words, words};
use turnpost::draw::ascii::Style;
use turnpost::draw::sentences::sentences;
use turnpost::draw::{png, svg};
use turnpost::rules::{Game, Options, Play, Seat, catalogue, catalogue::GAMES};

fn start(game: &str, options: &str) -> Box<dyn Play> {
    catalogue::find(game).unwrap().start(&Options::from_canonical(options)).unwrap()
}

fn after(game: &str, options: &str, line: &str) -> Box<dyn Play> {
    let mut play = start(game, options);
    line.split_whitespace().for_each(|text| drop(play.play(text).unwrap()));
    play
}

fn picture(play: &dyn Play) -> String {
    let sides = Seat::BOTH.map(|seat| (play.mark(seat), words(&play.side(seat))));
    let look = svg::Annotations { title: "A board", sides, captured: &[], links: &BTreeMap::new(), picked: &[] };
    svg::draw(&play.scene(), &look, &drawn_words).unwrap()
}

fn told(play: &dyn Play) -> String {
    sentences(&play.scene(), &Seat::BOTH.map(|seat| (play.mark(seat), play.side(seat))), &drawn_words).unwrap()
}

/// Every game's board with a few moves, the largest too.
fn boards() -> Vec<(&'static dyn Game, Box<dyn Play>)> {
    let mut boards: Vec<(&dyn Game, Box<dyn Play>)> =
        GAMES.iter().map(|game| (*game, game.start(&Options::default()).unwrap())).collect();
    boards.push((catalogue::find("brique").unwrap(), start("brique", "-size=19")));
    for (_, play) in &mut boards {
        for _ in 0..4 {
            let moves = play.legal_moves();
            play.play(&moves[moves.len() / 2]).unwrap();
        }
    }
    boards
}

#[test]
fn characters_fit_a_mail_and_name_every_cell_that_can_be_named() {
    for (game, play) in boards() {
        let text = characters(&play.scene(), Style::Named);
        assert!(text.lines().all(|line| line.chars().count() <= 78), "{}\n{text}", game.name());
        assert!(text.lines().all(|line| line == line.trim_end()));
        let words: HashSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        for cell in play.scene().cells.iter().filter(|cell| cell.piece.is_none() && cell.label.is_some()) {
            assert!(words.contains(cell.name.as_str()), "{}: {} is not in\n{text}", game.name(), cell.name);
        }
    }
}

#[test]
fn pictures_have_a_group_with_an_id_and_a_title_for_every_cell() {
    for (_, play) in boards() {
        let svg = picture(play.as_ref());
        let scene = play.scene();
        for cell in &scene.cells {
            assert!(svg.contains(&format!("id=\"{}\"><title>{}: ", cell.id, cell.name)), "{}", cell.id);
        }
        let count = |class: &str| svg.matches(&format!("class=\"{class}\"")).count();
        let pieces = |light: bool| {
            scene.cells.iter().filter(|cell| cell.piece.is_some_and(|mark| (mark == scene.light) == light)).count()
        };
        assert_eq!((count("light"), count("dark")), (pieces(true), pieces(false)));
    }
}

#[test]
fn the_same_picture_is_the_same_small_file() {
    for (game, play) in boards() {
        let svg = picture(play.as_ref());
        let file = png::render(&svg, 720);
        assert!(file.starts_with(b"\x89PNG") && file.len() < 64_000, "{}: {} bytes", game.name(), file.len());
        assert_eq!(file, png::render(&svg, 720));
    }
}

#[test]
fn brackets_stand_around_dark_squares_and_letters_along_the_rim() {
    let expected = "\
\x20    a   b   c   d   e
   +bbb+bbb+bbb+bbb+bbb+
 5 |a5 [b5 ]c5 [d5 ]e5 |
   w---+---+---+---+---w
 4 [a4 ]b4 [c4 ]d4 [e4 ]
   w---+---+---+---+---w
 3 |a3 [b3 ](w)[d3 ]e3 |
   w---+---+---+---+---w
 2 [a2 ] b [c2 ]d2 [e2 ]
   w---+---+---+---+---w
 1 |a1 [b1 ]c1 [d1 ]e1 |
   +bbb+bbb+bbb+bbb+bbb+
     a   b   c   d   e
";
    assert_eq!(characters(&after("brique", "-size=5", "b2 c3").scene(), Style::Named), expected);
}

#[test]
fn exchanged_colours_leave_the_picture_as_it_was() {
    let (before, swapped) = (after("brique", "", "h8"), after("brique", "", "h8 swap"));
    let stone = |play: &dyn Play| picture(play).lines().find(|line| line.contains("id=\"h8\"")).unwrap().to_owned();
    assert!(stone(before.as_ref()).contains("Black (b)") && stone(swapped.as_ref()).contains("Black (b)"));
    assert!(
        picture(swapped.as_ref()).contains("class=\"dark\"") && !picture(swapped.as_ref()).contains("class=\"light\"")
    );
}

#[test]
fn sentences_go_region_by_region() {
    assert_eq!(
        told(after("brique", "-size=5", "b2 c3 d2").as_ref()),
        "Row 5 to Row 4: all empty.\nRow 3: White (w) on c3; empty a3, b3, d3 and e3.\n\
         Row 2: Black (b) on b2 and d2; empty a2, c2 and e2.\nRow 1: all empty.\n"
    );
    let tessella = told(start("tessella", "").as_ref());
    assert!(tessella.contains("Row 6: Dark (d) on b6 and h6; empty c6 to g6.\n"), "{tessella}");
    let marque = told(after("marque", "", "f3 f1,f2").as_ref());
    let expected = "Base A: Black (x) on f1 and f2; empty d1, d2, e2 and e3.\n\
                    Base B: White (o) on f3; empty d3, d4, e5, e6 and f4.\nBase C to Base G: all empty.\n\
                    Squares: all empty.\nTriangles outside the bases: all empty.\n";
    assert_eq!(marque, expected);
}
