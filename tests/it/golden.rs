//! One golden playthrough for each game. `UPDATE_GOLDEN=1 cargo test --test it golden` rewrites each file from its
//! first two lines.

use std::fmt::Write;
use std::path::Path;

use crate::common::{characters, words};
use turnpost::draw::ascii::Style;
use turnpost::rules::{Game, Options, Play, catalogue::GAMES};

fn ending(play: &dyn Play) -> String {
    match play.outcome() {
        None => "none yet".to_owned(),
        Some(outcome) => match outcome.winner {
            Some(seat) => format!("{} wins ({})", words(&play.side(seat)), outcome.reason.as_str()),
            None => format!("draw ({})", outcome.reason.as_str()),
        },
    }
}

/// Returns the playthrough for a file's options and moves.
fn playthrough(game: &dyn Game, options: &str, moves: &str) -> String {
    let mut play = game.start(&Options::from_canonical(options)).unwrap();
    let mut text = format!("options:{options}\nmoves:{moves}\naim: {}\n", words(&play.aim()));
    for (ply, word) in moves.split_whitespace().enumerate() {
        let legal = play.legal_count();
        let played = play.play(word).unwrap();
        let captured = if played.effects.captured.is_empty() {
            String::new()
        } else {
            format!(" captures {}", played.effects.captured.join(","))
        };
        let auto = if played.effects.passed_over { " (auto)" } else { "" };
        writeln!(text, "{}. {} of {legal}{captured}{auto}", ply + 1, played.text).unwrap();
    }
    let board = characters(&play.scene(), Style::Plain);
    writeln!(text, "legal: {}\noutcome: {}\n\n{board}", play.legal_count(), ending(play.as_ref())).unwrap();
    text
}

#[test]
fn playthroughs_are_as_recorded() {
    for game in GAMES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/{}.game", game.name()));
        let recorded = std::fs::read_to_string(&path).unwrap();
        let field = |name: &str| recorded.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let now = playthrough(*game, field("options:"), field("moves:"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &now).unwrap();
        } else {
            assert_eq!(now, recorded, "{}", path.display());
        }
    }
}
