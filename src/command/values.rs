//! Single words: what is a number, a board, a userid.

use super::Which;
use super::args::Fault;
use super::words::said;
use crate::rules::catalogue;
use crate::text::nearest;

/// Visible ASCII, and some of it.
pub(super) fn is_graphic(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_graphic())
}

/// Digits alone.
pub(super) fn number(word: &str) -> Option<u32> {
    word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit()))
}

/// `123` or `123#7`.
pub(super) fn board_at(i: usize, word: &str) -> Result<(u32, Option<u32>), Fault> {
    let (board, ply) = match word.split_once('#') {
        Some((board, ply)) => (board, Some(ply)),
        None => (word, None),
    };
    let read = number(board).filter(|board| *board > 0);
    match (read, ply, ply.and_then(number)) {
        (Some(board), None, _) => Ok((board, None)),
        (Some(board), _, Some(ply)) => Ok((board, Some(ply))),
        (Some(board), ..) => {
            let message = format!("After \"#\" stands a number of plies, and {} has none.", said(word));
            Err(Fault::at(i, message).near(Some(board.to_string())))
        }
        (None, ..) => Err(no_board(i, word)),
    }
}

pub(super) fn no_board(i: usize, word: &str) -> Fault {
    let bare = word.trim_start_matches('#');
    let bare = bare.split_once('#').map_or(bare, |(board, _)| board);
    let near = number(bare).filter(|board| *board > 0 && bare != word);
    Fault::at(i, format!("{} is not a board number.", said(word))).near(near.map(|board| board.to_string()))
}

/// Words of the language that would be mistaken for players.
const RESERVED: [&str; 7] = ["all", "active", "next", "anyone", "new", "end", "server"];

/// Checks a userid, new or old.
pub(super) fn userid(i: usize, word: &str) -> Result<String, Fault> {
    let letters = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic());
    if !(letters && begins && (2..=20).contains(&word.len())) {
        let rule = "2 to 20 letters, digits, \"_\", \".\" or \"-\", beginning with a letter";
        return Err(Fault::at(i, format!("{} is not a userid ({rule}).", said(word))));
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word)) {
        return Err(Fault::at(i, format!("{} is a word of the command language, not a userid.", said(word))));
    }
    Ok(word.to_owned())
}

/// `all`, `active` or `next`.
pub(super) fn which(word: &str) -> Option<Which> {
    match word.to_ascii_lowercase().as_str() {
        "all" => Some(Which::All),
        "active" => Some(Which::Active),
        "next" => Some(Which::Next),
        _ => None,
    }
}

/// `all`, `active` or `next`, or else what is wrong.
pub(super) fn need_which(i: usize, word: &str) -> Result<Which, Fault> {
    which(word).ok_or_else(|| {
        let near = nearest(word, ["all", "active", "next"]);
        Fault::at(i, format!("{} is none of all, active and next.", said(word))).near(near)
    })
}

/// `off` or `none`: what was prepared is dropped.
pub(super) fn is_off(word: &str) -> bool {
    word.eq_ignore_ascii_case("off") || word.eq_ignore_ascii_case("none")
}

/// Whether a word is meant as a board's number rather than a userid.
pub(super) fn is_board(word: &str) -> bool {
    word.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit())
}

/// The names of the games, as a choice: `marque, brique, tessella or lazo`.
pub(super) fn games() -> String {
    let names: Vec<&str> = catalogue::GAMES.iter().map(|game| game.name()).collect();
    match names.split_last() {
        Some((last, names)) if !names.is_empty() => format!("{} or {last}", names.join(", ")),
        _ => names.concat(),
    }
}
