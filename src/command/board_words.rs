//! Redundant words before the number of a board: `show board 1`, and `board#1` of the old server.

use super::typography::plain_word;
use super::verbs::game_verb;
use super::words::{is_option, number};
use crate::rules::catalogue;

const BOARD: &str = "board";

/// Returns the line without redundant words before board numbers. Keeps `board` if it is the verb.
pub(crate) fn without_board_words(words: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut rest = words.iter().peekable();
    while let Some(typed) = rest.next() {
        let word = plain_word(typed).to_ascii_lowercase();
        let next_is_number = rest.peek().is_some_and(|next| begins_number(&plain_word(next)));
        let place = Place::after(&kept);
        let is_board = word == BOARD || word == "board#";
        match (place, word.strip_prefix("board#").filter(|end| begins_number(end))) {
            (Place::FirstArgument, None) if is_board && next_is_number => {}
            (Place::Verb, None) if is_board && next_is_number => kept.push(typed.trim_end_matches('#').to_owned()),
            (Place::FirstArgument, Some(number)) => kept.push(number.to_owned()),
            (Place::Verb, Some(number)) => kept.extend([BOARD.to_owned(), number.to_owned()]),
            _ => kept.push(typed.clone()),
        }
    }
    kept
}

/// The place of a word on a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Verb,
    FirstArgument,
    Later,
}

impl Place {
    fn after(words: &[String]) -> Place {
        let before: Vec<String> = words.iter().filter(|word| !is_option(word)).map(|word| plain_word(word)).collect();
        let is_game = |word: &String| catalogue::find(word).is_some();
        let is_verb = |word: &String| {
            game_verb(word).is_some() || ["show", "analyse"].iter().any(|verb| verb.eq_ignore_ascii_case(word))
        };
        match before.as_slice() {
            [] => Place::Verb,
            [game] if is_game(game) => Place::Verb,
            [verb] if is_verb(verb) => Place::FirstArgument,
            [game, verb] if is_game(game) && is_verb(verb) => Place::FirstArgument,
            _ => Place::Later,
        }
    }
}

/// Returns whether a word starts with a board's number, for example `12`, `#12` or `12#7`.
fn begins_number(word: &str) -> bool {
    let word = word.trim_start_matches('#');
    word.split('#').next().and_then(number).is_some()
}
