//! Single arguments: boards, userids, filters, games.

use super::error::WordError;
use super::game_types::{BoardFilter, BoardPosition};
use super::other_words;
use super::words::{excerpt, number};
use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::catalogue;
use crate::text::nearest;

/// The punctuation that may follow a word of a list.
pub(crate) const LIST_MARKS: [char; 3] = [',', ';', ':'];

/// Removes the characters that lists and sentences add around a number: `#1`, `1,`, `1.`.
fn bare_number(word: &str) -> &str {
    word.trim_start_matches('#').trim_end_matches(LIST_MARKS).trim_end_matches('.')
}

/// Reads a board's number.
pub(crate) fn board_number(word: &str) -> Option<BoardNumber> {
    number(bare_number(word)).filter(|board| *board > 0).map(BoardNumber)
}

/// Reads `123` or `123#7`.
pub(crate) fn board_at(i: usize, word: &str) -> Result<BoardPosition, WordError> {
    let (board, ply) = match bare_number(word).split_once('#') {
        Some((board, ply)) => (board, Some(ply)),
        None => (word, None),
    };
    match (board_number(board), ply, ply.and_then(number).map(Ply)) {
        (Some(board), None, _) => Ok(BoardPosition { board, ply: None }),
        (Some(board), _, Some(ply)) => Ok(BoardPosition { board, ply: Some(ply) }),
        (Some(board), ..) => {
            let message = message!("command.no-ply-number", word = excerpt(word));
            Err(WordError::at(i, message).near(Some(board.to_string())))
        }
        (None, ..) => Err(not_a_board(i, word)),
    }
}

/// Creates the error for a word in the place of a board number.
pub(crate) fn not_a_board(i: usize, word: &str) -> WordError {
    let bare = bare_number(word).split_once('#').map(|(board, _)| board);
    let near = bare.and_then(board_number);
    let message = message!("command.not-a-board", word = excerpt(word));
    WordError::at(i, message).near(near.map(|board| board.to_string()))
}

/// Writes a word with a ply: `f3#14`.
pub(crate) fn numbered(text: &str, ply: Option<Ply>) -> String {
    ply.map_or_else(|| text.to_owned(), |ply| format!("{text}#{ply}"))
}

/// Words of the language that would be confused with players.
const RESERVED: [&str; 7] = ["all", "active", "next", "anyone", "new", "end", "server"];

/// Checks a userid, new or old.
pub(crate) fn userid(i: usize, word: &str) -> Result<String, WordError> {
    let word = word.trim_end_matches(LIST_MARKS);
    let letters = word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic());
    if !(letters && begins && (2..=20).contains(&word.len())) {
        return Err(WordError::at(i, message!("command.not-a-userid", word = excerpt(word))));
    }
    if RESERVED.iter().any(|reserved| reserved.eq_ignore_ascii_case(word)) {
        return Err(WordError::at(i, message!("command.reserved-word", word = excerpt(word))));
    }
    Ok(word.to_owned())
}

/// Returns whether a word can be a userid. In a sentence, a comma may follow a word.
pub fn is_userid(word: &str) -> bool {
    !word.ends_with(LIST_MARKS) && userid(0, word).is_ok()
}

/// Returns the words after a userid and a password, if the arguments start with them. These words distinguish a
/// command from a sentence.
pub(crate) fn after_password<'a, 'b>(args: &'a [&'b str]) -> Option<&'a [&'b str]> {
    match args {
        [player, _, rest @ ..] if is_userid(player) => Some(rest),
        _ => None,
    }
}

/// Returns whether the arguments start with a board's number and optionally a userid. Commands do, and sentences such
/// as "Move along" do not.
pub(crate) fn begins_with_board(args: &[&str]) -> bool {
    args.first().is_some_and(|word| is_board(word)) && args.get(1).is_none_or(|word| is_userid(word))
}

/// Reads `all`, `active` or `next`.
pub(crate) fn filter(word: &str) -> Option<BoardFilter> {
    BoardFilter::EACH.into_iter().find(|filter| filter.word().eq_ignore_ascii_case(word))
}

/// Reads `all`, `active` or `next`, and fails on any other word.
pub(crate) fn need_filter(i: usize, word: &str) -> Result<BoardFilter, WordError> {
    filter(word).ok_or_else(|| {
        let near = other_words::list(word).or_else(|| nearest(word, BoardFilter::EACH.map(BoardFilter::word)));
        WordError::at(i, message!("command.not-a-filter", word = excerpt(word))).near(near)
    })
}

/// The canonical word that cancels a prepared move.
pub(crate) const OFF: &str = "off";

/// Returns whether a word cancels a prepared move: `off` or `none`.
pub fn is_off(word: &str) -> bool {
    word.eq_ignore_ascii_case(OFF) || word.eq_ignore_ascii_case("none")
}

/// Returns whether a word is probably a board's number rather than a userid.
pub(crate) fn is_board(word: &str) -> bool {
    word.trim_start_matches('#').starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the names of the games.
pub(crate) fn games() -> Vec<String> {
    catalogue::GAMES.iter().map(|game| game.name().to_owned()).collect()
}
