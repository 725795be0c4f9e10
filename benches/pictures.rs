//! Measures the time and the file size of a letter's picture, for each game: `cargo bench --bench pictures`.
//!
//! The goal is at most 5 ms and 40 kB for a picture of the width used in letters. For comparison, resvg renders the
//! same picture from SVG to a PNG file in full colours. Both take turns, and each number is the median of several
//! rounds. After `--`, you can name a directory in which the bench writes the files.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};
use turnpost::compose::Composer;
use turnpost::draw::layout::{Annotations, lay_out};
use turnpost::draw::picture::Picture;
use turnpost::draw::{png, svg};
use turnpost::rules::catalogue::GAMES;
use turnpost::rules::{Game, Options, Seat};
use turnpost::text::Message;

/// The width of a letter's picture.
const WIDTH: u32 = 720;
/// The numbers of plies after which a board is drawn.
const PLIES: [usize; 3] = [0, 12, 40];
const ROUNDS: usize = 15;

/// Returns the picture of a game after this many plies, or at its end.
fn picture(composer: &Composer, game: &dyn Game, plies: usize) -> Picture {
    let mut play = game.start(&Options::default()).expect("the game starts");
    let mut captured = Vec::new();
    for ply in 0..plies {
        let moves = play.legal_moves();
        let Some(text) = moves.get((ply * 7_919 + moves.len() / 3) % moves.len().max(1)) else { break };
        captured = play.play(text).expect("the move is legal").effects.captured;
    }
    let words = |message: &Message| composer.message(message);
    let sides = Seat::BOTH.map(|seat| (play.mark(seat), words(&play.side(seat)).expect("each side has a name")));
    let captured = captured.as_slice();
    let annotations = Annotations { title: "A board", sides, captured, clickable: None };
    lay_out(&play.scene(), &annotations, &words).expect("each message has a sentence")
}

/// Renders the same picture with resvg.
fn by_resvg(svg: &str, options: &usvg::Options<'_>) -> Vec<u8> {
    let tree = usvg::Tree::from_str(svg, options).expect("the picture is valid SVG");
    let scale = WIDTH as f32 / tree.size().width();
    let mut pixels = Pixmap::new(WIDTH, (tree.size().height() * scale) as u32).expect("the picture has a size");
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().expect("the picture can be encoded")
}

fn timed(act: impl FnOnce() -> Vec<u8>) -> (Duration, usize) {
    let start = Instant::now();
    let file = act();
    (start.elapsed(), file.len())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

fn main() {
    let directory = std::env::args().skip(1).find(|word| !word.starts_with('-')).map(PathBuf::from);
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts.set_monospace_family("Hack");
    let options = usvg::Options { fontdb: fonts.into(), ..usvg::Options::default() };
    let composer = Composer::new(None, None).expect("the embedded templates are valid");
    println!("{:<10} {:>5}  {:>8} {:>7}   {:>8} {:>7}", "", "plies", "ms", "octets", "resvg ms", "octets");
    for game in GAMES {
        for plies in PLIES {
            let picture = picture(&composer, *game, plies);
            let text = svg::write(&picture);
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            let mut sizes = (0, 0);
            for _ in 0..ROUNDS {
                let (time, size) = timed(|| png::render(&picture, WIDTH));
                ours.push(time);
                let (their_time, their_size) = timed(|| by_resvg(&text, &options));
                theirs.push(their_time);
                sizes = (size, their_size);
            }
            let (ours, theirs, (size, their_size)) = (median(ours), median(theirs), sizes);
            println!("{:<10} {plies:>5}  {ours:>8.2} {size:>7}   {theirs:>8.2} {their_size:>7}", game.name());
            if let Some(directory) = &directory {
                let file = |ending: &str| directory.join(format!("{}-{plies}{ending}", game.name()));
                let written = std::fs::write(file(".png"), png::render(&picture, WIDTH))
                    .and_then(|()| std::fs::write(file(".svg"), &text))
                    .and_then(|()| std::fs::write(file("-resvg.png"), by_resvg(&text, &options)));
                written.expect("the directory is writable");
            }
        }
    }
}
