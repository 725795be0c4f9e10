//! The drawings of every game: each fits a letter, names its cells, and distinguishes the pieces of the two players.

use std::collections::{BTreeMap, HashSet};

use ::png as png_file;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use crate::common::{characters, drawn_words, words};
use turnpost::draw::ascii::Style;
use turnpost::draw::layout::{Annotations, Clickable, lay_out};
use turnpost::draw::picture::Picture;
use turnpost::draw::sentences::sentences;
use turnpost::draw::{self, Theme, png, svg};
use turnpost::rules::scene::{BLOCK, CaptionPlace};
use turnpost::rules::{Game, Options, Play, Seat, catalogue, catalogue::GAMES};

fn start(game: &str, options: &str) -> Box<dyn Play> {
    catalogue::find(game).unwrap().start(&Options::from_canonical(options)).unwrap()
}

fn after(game: &str, options: &str, line: &str) -> Box<dyn Play> {
    let mut play = start(game, options);
    line.split_whitespace().for_each(|text| drop(play.play(text).unwrap()));
    play
}

fn picture(play: &dyn Play) -> Picture {
    let sides = Seat::BOTH.map(|seat| (play.mark(seat), words(&play.side(seat))));
    let look = Annotations { title: "A board", sides, captured: &[], clickable: None };
    lay_out(&play.scene(), &look, &drawn_words).unwrap()
}

fn svg(play: &dyn Play) -> String {
    svg::write(&picture(play))
}

fn in_sentences(play: &dyn Play) -> String {
    sentences(&play.scene(), &Seat::BOTH.map(|seat| (play.mark(seat), play.side(seat))), &drawn_words).unwrap()
}

/// Returns a board of every game after a few moves, and one of Brique in its largest size.
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
fn drawings_fit_a_letter_and_name_every_cell() {
    for (game, play) in boards() {
        let text = characters(&play.scene(), Style::Named);
        assert!(text.lines().all(|line| line.chars().count() <= 78), "{}\n{text}", game.name());
        assert!(text.lines().all(|line| line == line.trim_end()));
        let words: HashSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let scene = play.scene();
        for cell in scene.cells.iter().filter(|cell| cell.piece.is_none() && cell.label.is_some()) {
            // Instead of the cell's name, captions at the edges may name its column and its row.
            let (column, row) = cell.name.split_at(cell.name.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
            let is_named = scene.has_coordinates() && words.contains(column) && words.contains(row);
            assert!(words.contains(cell.name.as_str()) || is_named, "{}: {} is not in\n{text}", game.name(), cell.name);
        }
    }
}

#[test]
fn pictures_have_a_group_with_an_id_and_a_title_for_every_cell() {
    for (_, play) in boards() {
        let svg = svg(play.as_ref());
        let scene = play.scene();
        for cell in &scene.cells {
            // On a large board, the title of an empty cell is only its name.
            let end = if scene.cells.len() > 400 && cell.piece.is_none() { "</title>" } else { ": " };
            assert!(svg.contains(&format!("id=\"{}\"><title>{}{end}", cell.id, cell.name)), "{}", cell.id);
        }
        let count = |stamp: &str| svg.matches(&format!("href=\"#{stamp}")).count();
        let pieces = |light: bool| {
            let is_one = |mark: char| mark != BLOCK && (mark == scene.light) == light;
            scene.cells.iter().filter(|cell| cell.piece.is_some_and(is_one)).count()
        };
        assert_eq!((count("light"), count("dark")), (pieces(true), pieces(false)));
    }
}

#[test]
fn a_picture_is_always_the_same_small_file() {
    for (game, play) in boards() {
        let picture = picture(play.as_ref());
        let file = png::render(&picture, 720);
        assert!(file.starts_with(b"\x89PNG") && file.len() < 40_000, "{}: {} bytes", game.name(), file.len());
        assert_eq!(file, png::render(&picture, 720));
    }
}

/// Returns the pixels of a PNG file as red, green and blue.
fn pixels(file: &[u8]) -> Vec<u8> {
    let mut decoder = png_file::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png_file::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    pixels.truncate(frame.buffer_size());
    pixels
}

#[test]
fn the_svg_and_the_png_of_a_picture_are_equal() {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_monospace_family("Hack");
    let options = usvg::Options { fontdb: fonts.into(), ..usvg::Options::default() };
    for (game, play) in boards().into_iter().chain([(catalogue::find("lazo").unwrap(), stacks())]) {
        let picture = picture(play.as_ref());
        let ours = pixels(&png::render(&picture, 720));
        let tree = usvg::Tree::from_str(&svg::write(&picture), &options).unwrap();
        let scale = 720.0 / tree.size().width();
        let mut theirs = Pixmap::new(720, (tree.size().height() * scale) as u32).unwrap();
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut theirs.as_mut());
        let theirs: Vec<u8> = theirs.data().chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
        assert_eq!(ours.len(), theirs.len(), "{}", game.name());
        let apart = |limit: u8| ours.iter().zip(&theirs).filter(|(a, b)| a.abs_diff(**b) > limit).count();
        // Edges are rounded to a tenth in SVG, and shades to a few colours in PNG. A missing or misplaced shape
        // differs much more.
        assert!(
            apart(100) < ours.len() / 10_000 && apart(30) < ours.len() / 100,
            "{}: {} {}",
            game.name(),
            apart(100),
            apart(30)
        );
    }
}

#[test]
fn the_dark_palette_has_every_colour_except_those_of_pieces() {
    let marks = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/templates/web/board-dark.css")).unwrap();
    let themes = draw::style_sheet();
    let captured = ["a1".to_owned()];
    let sides = [('o', "White".to_owned()), ('x', "Black".to_owned())];
    let (capture, nothing) = (after("marque", "", "e3 a1 b1 k10 b2"), BTreeMap::new());
    let (picked, targets) = (["u1".to_owned()], ["f3".to_owned(), "b2".to_owned()]);
    let named = targets.iter().cloned().collect();
    let clickable =
        Some(Clickable { links: &nothing, picked: &picked, is_whole: false, targets: &targets, named: &named });
    let look = Annotations { title: "", sides, captured: &captured, clickable };
    let mut pictures = vec![lay_out(&capture.scene(), &look, &drawn_words).unwrap()];
    pictures.extend(boards().iter().map(|(_, play)| picture(play.as_ref())));
    pictures.push(picture(stacks().as_ref()));
    let svgs = pictures.iter().map(svg::write).collect::<String>();
    // The colours that are the same in both palettes: the body, side, edge and ring of all pieces, and the star.
    let pieces = ["fill=\"#fffaee\"", "fill=\"#171412\"", "fill=\"#e87200\"", "fill=\"none\""];
    let lines = ["stroke=\"#fffaee\"", "stroke=\"#171412\"", "stroke=\"#5c4f3b\"", "stroke=\"#0e0c0b\""];
    let others = ["stroke=\"#e3d6bc\"", "stroke=\"#574f48\"", "fill=\"#d2c09c\"", "fill=\"#5a514a\""];
    for colour in
        svgs.split([' ', '>', '/']).filter(|word| word.starts_with("fill=\"") || word.starts_with("stroke=\""))
    {
        let replaced = marks.contains(&format!("\n  [{colour}] {{")) || themes.contains(&format!("\n[{colour}] {{"));
        assert!(replaced != [&pieces[..], &lines, &others].concat().contains(&colour), "{colour}");
    }
}

#[test]
fn a_capture_leaves_the_ghost_of_its_piece() {
    let captured = ["a1".to_owned()];
    let sides = [('o', "White".to_owned()), ('x', "Black".to_owned())];
    let look = Annotations { title: "", sides, captured: &captured, clickable: None };
    let capture = after("marque", "", "e3 a1 b1 k10 b2");
    let svg = svg::write(&lay_out(&capture.scene(), &look, &drawn_words).unwrap());
    let cell = svg.split("<g ").find(|cell| cell.starts_with("id=\"a1\"")).unwrap();
    assert!(cell.contains("class=\"ghost\" href=\"#dark") && cell.contains("class=\"captured\""), "{cell}");
}

#[test]
fn coordinates_replace_the_names_of_cells() {
    for (game, play) in boards() {
        let texts = |svg: &str, group: &str| {
            let group = svg.split(&format!("<g class=\"{group}\"")).nth(1).unwrap().split("\n</g>").next().unwrap();
            group.matches("<text").count()
        };
        let svg = svg(play.as_ref());
        assert_eq!(texts(&svg, "cells") == 0, game.name() != "marque", "{}", game.name());
        assert!(texts(&svg, "captions") > 6, "{}", game.name());
    }
}

#[test]
fn pictures_show_groups_connections_and_the_path_of_a_piece() {
    let above = |game: &str, options: &str, line: &str| picture(after(game, options, line).as_ref()).above.len();
    let chain = "e3 a1 d1,d2 b1 e4 k1 e5 k2 d3,d4";
    assert_eq!(above("marque", "-any_2", &chain[..chain.len() - 6]), 0, "one base does not form a connection");
    assert!(above("marque", "-any_2", chain) >= 2 * 6, "a bar connects each pair of its pieces");
    assert!(above("tessella", "", "f2-e2") > 0);
    let held = svg(after("marque", "", "d1 a1 d2 b1 e2").as_ref());
    assert!(held.split("class=\"captions\"").nth(1).unwrap().contains("fill=\"#fffaee\""), "White holds base A");
}

#[test]
fn levels_are_drawn_on_top_of_each_other() {
    let flat = picture(start("lazo", "-size=26").as_ref()).frame;
    let stacked = picture(after("lazo", "-size=26", "a1 c1 b1 c2 b2").as_ref());
    assert!(stacked.frame.height < 1.2 * flat.height, "{flat:?} {:?}", stacked.frame);
    let place = svg::write(&stacked);
    for title in ["id=\"a1.1\"><title>a1: Black<", "id=\"a1.2\"><title>a1, level 2: empty<"] {
        assert!(place.contains(title), "no {title} in {place}");
    }
}

/// Returns a board of Lazo with a stack of three tiles, of which the top one is light.
fn stacks() -> Box<dyn Play> {
    after("lazo", "-size=57", "a1 b1 b2 c1 c2 c3 a1 b1 b2 a1")
}

#[test]
fn a_tile_shows_its_level_and_higher_tiles_have_longer_shadows() {
    let svg = svg(stacks().as_ref());
    let stamp = |name: &str| svg.split(&format!("<g id=\"{name}")).nth(1).unwrap().split("</g>").next().unwrap();
    let shadow = |name: &str| {
        let attribute = stamp(name).split(" cy=\"").nth(1).unwrap();
        attribute.split('"').next().unwrap().parse::<f64>().unwrap()
    };
    let (ground, second, third) = (stamp("light1"), stamp("light-level2-"), stamp("light-last-level3-"));
    assert!(!ground.contains("<text"), "{ground}");
    assert!(second.contains(">2</text>") && third.contains(">3</text>"), "{second} {third}");
    let shadows = [shadow("light1"), shadow("light-level2-"), shadow("light-last-level3-")];
    assert!(shadows.is_sorted_by(|low, high| high - low > 2.0), "{shadows:?}");
    // A thumbnail omits the number, which would be too small to read.
    assert!(!svg::write_thumbnail(&picture(stacks().as_ref()), Theme::Wood).contains("<text"));
}

#[test]
fn a_star_does_not_cover_the_number_of_a_tile() {
    let arch = after("lazo", "-size=26", "c1 c2 c4 c3 d2 d3 d4 a1 d5 b3 b2 a2 c3 a3 c2");
    let svg = svg(arch.as_ref());
    // Returns the positions at which the tile and the star of a cell are drawn.
    let places = |id: &str| {
        let space = svg.split(&format!("id=\"{id}\">")).nth(1).unwrap().split("</g>").next().unwrap();
        let at = |name: &str| space.rsplit(&format!("<use href=\"#{name}")).next().unwrap().split_once(' ').unwrap().1;
        (at("dark").split("/>").next().unwrap().to_owned(), at("star").split("/>").next().unwrap().to_owned())
    };
    let (tile, star) = places("d2.1");
    assert_eq!(tile, star);
    let (tile, star) = places("c3.2");
    assert_ne!(tile, star, "the star on level 2 is next to the number of its tile");
}

#[test]
fn the_numbers_of_lazo_are_one_scale_below_the_board() {
    for (options, longest) in [("-size=26", 8), ("-size=57", 12), ("", 19)] {
        let captions = start("lazo", options).scene().captions;
        let named = |at: &dyn Fn(&str) -> bool| {
            let texts = captions.iter().filter(|caption| caption.place == CaptionPlace::Free);
            let texts = texts.map(|caption| (words(&caption.text), caption.at.y));
            texts.filter(|(text, _)| at(text)).collect::<Vec<_>>()
        };
        let numbers = named(&|text| text.parse::<usize>().is_ok());
        let expected: Vec<String> = (1..=longest).map(|number: usize| number.to_string()).collect();
        assert_eq!(numbers.iter().map(|(text, _)| text.clone()).collect::<Vec<_>>(), expected);
        let letters = named(&|text| text.parse::<usize>().is_err());
        assert!(numbers.iter().all(|(_, y)| *y == numbers[0].1 && letters.iter().all(|letter| letter.1 < *y)));
    }
}

/// Returns the contrast of two colours such as `#fffaee` (WCAG 2).
fn contrast(one: &str, other: &str) -> f64 {
    let luminance = |colour: &str| {
        let part = |at: usize| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn pieces_are_clear_on_every_cell_of_every_theme() {
    let svg = boards().iter().map(|(_, play)| svg(play.as_ref())).collect::<String>();
    // Returns the colours of a piece's body and of its outline.
    let colours = |name: &str| {
        let stamp = svg.split(&format!("<g id=\"{name}1")).nth(1).unwrap().split("</g>").next().unwrap();
        let body = stamp.split("/>").nth(1).unwrap();
        ["fill", "stroke"].map(|of| body.split(&format!(" {of}=\"")).nth(1).unwrap()[..7].to_owned())
    };
    let ([light, rim], [dark, _], [_, last]) = (colours("light"), colours("dark"), colours("light-last"));
    assert!(contrast(&light, &rim) >= 3.0 && contrast(&light, &last) >= 3.0);
    let sheet = draw::style_sheet();
    for theme in Theme::ALL {
        let rules = sheet.lines().filter(|line| line.contains(&format!("[data-theme={theme}]")));
        for (rule, scheme) in rules.zip(["light", "dark"]) {
            for name in ["cell", "shaded", "last", "last-shaded", "above"] {
                let cell = &rule.split(&format!("--{name}: ")).nth(1).unwrap()[..7];
                let clear = |colour: &str| contrast(colour, cell) >= 3.0;
                let of = format!("{name} of {theme}, {scheme}: {cell}");
                // A dark piece must be visible even without its outline.
                assert!(clear(&dark), "a dark piece is visible on {of}");
                match scheme {
                    "light" => assert!(clear(&rim) && clear(&last), "a light piece is visible on {of}"),
                    _ => assert!(clear(&light) || clear(&rim), "a light piece is visible on {of}"),
                }
            }
        }
    }
}

#[test]
fn dark_squares_have_brackets_and_the_rim_has_letters() {
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
fn exchanged_colours_do_not_change_the_picture() {
    let (before, swapped) = (after("brique", "", "h8"), after("brique", "", "h8 swap"));
    let stone = |play: &dyn Play| svg(play).split("<g ").find(|cell| cell.contains("id=\"h8\"")).unwrap().to_owned();
    assert!(stone(before.as_ref()).contains("Black") && stone(swapped.as_ref()).contains("Black"));
    assert!(svg(swapped.as_ref()).contains("href=\"#dark") && !svg(swapped.as_ref()).contains("href=\"#light"));
}

#[test]
fn sentences_describe_one_region_each() {
    assert_eq!(
        in_sentences(after("brique", "-size=5", "b2 c3 d2").as_ref()),
        "Row 5 to Row 4 (a5 to e4): all empty.\nRow 3: White on c3; empty a3, b3, d3 and e3.\n\
         Row 2: Black on b2 and d2; empty a2, c2 and e2.\nRow 1 (a1 to e1): all empty.\n"
    );
    let tessella = in_sentences(start("tessella", "").as_ref());
    assert!(tessella.contains("Row 6: Dark on b6 and h6; empty c6 to g6.\n"), "{tessella}");
    let marque = in_sentences(after("marque", "", "f3 f1,f2").as_ref());
    let expected = "Base A: Black on f1 and f2; empty d1, d2, e2 and e3.\n\
                    Base B: White on f3; empty d3, d4, e5, e6 and f4.\nBase C to Base G: all empty.\n\
                    Squares: all empty.\nTriangles outside the bases: all empty.\n";
    assert_eq!(marque, expected);
    for (game, options, expected) in [
        ("pente", "-size=13", "Row 13 to Row 1 (a13 to m1): all empty.\n"),
        ("hex", "-size=5", "Row 1 to Row 5 (a1 to e5): all empty.\n"),
        ("havannah", "-size=4", "Row a to Row g (a1 to g4): all empty.\n"),
        ("y", "-size=5", "Row a (a1): all empty.\nRow b to Row e (b1 to e5): all empty.\n"),
        (
            "twixt",
            "-size=12",
            "Row 1 (b1 to k1): all empty.\nRow 2 to Row 11 (a2 to l11): all empty.\nRow 12 (b12 to k12): all empty.\n",
        ),
    ] {
        assert_eq!(in_sentences(start(game, options).as_ref()), expected, "{game}");
    }
}

#[test]
fn a_thumbnail_has_the_pieces_and_the_colours_of_the_page() {
    let sheet = draw::style_sheet();
    for ((game, play), theme) in boards().into_iter().zip(Theme::ALL.into_iter().cycle()) {
        let name = game.name();
        let svg = svg::write_thumbnail(&picture(play.as_ref()), theme);
        let pieces = play.scene().cells.iter().filter(|cell| cell.piece.is_some()).count();
        let drawn: usize =
            ["light", "dark", "block"].iter().map(|stamp| svg.matches(&format!("href=\"#{stamp}")).count()).sum();
        assert_eq!(drawn, pieces, "{name}");
        assert!(!svg.contains("<text") && !svg.contains("<a "), "{name}");
        let style = svg.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        let (in_the_light, in_the_dark) = style.split_once("@media (prefers-color-scheme: dark) {").unwrap();
        let page: Vec<&str> = sheet.lines().filter(|line| line.contains(&format!("[data-theme={theme}]"))).collect();
        for (rules, page) in [(in_the_light, page[0]), (in_the_dark, page[1])] {
            let colours = rules.split("fill: ").skip(1).map(|rule| rule.split_once(" }").unwrap().0);
            let missing: Vec<&str> = colours.filter(|colour| !page.contains(&format!(": {colour};"))).collect();
            assert!(missing.is_empty(), "the page lacks the colours {missing:?} of a thumbnail: {page}");
        }
        assert_eq!(in_the_light.is_empty(), theme == Theme::Wood, "{in_the_light}");
    }
}
