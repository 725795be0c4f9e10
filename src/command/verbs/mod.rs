//! Every verb of the language, in the groups of `help commands`.

mod account;
mod board;
mod events;
mod following;
mod looking;
mod server;
mod starting;

pub use server::is_solution;

use super::spec::{ReplyForm, VerbSpec};
use super::words::resolve;

/// The groups. Each verb is defined in exactly one of them.
const GROUPS: [&[VerbSpec]; 7] =
    [account::VERBS, starting::VERBS, board::VERBS, server::VERBS, looking::VERBS, following::VERBS, events::VERBS];

/// Returns every verb.
pub fn verbs() -> impl Iterator<Item = &'static VerbSpec> + Clone {
    GROUPS.into_iter().flatten()
}

/// Finds an action at a board by its name, a synonym or an abbreviation, if replies may use it.
pub fn board_verb(word: &str) -> Option<&'static VerbSpec> {
    game_verb(word).filter(|spec| spec.is_at_board() && spec.reply != ReplyForm::No)
}

/// Returns the names and synonyms of the verbs that follow a game.
pub(crate) fn game_names() -> impl Iterator<Item = &'static str> + Clone {
    verbs().filter(|spec| spec.is_of_game()).flat_map(VerbSpec::names)
}

/// Finds the verb of a game by its name, a synonym or an abbreviation.
pub(crate) fn game_verb(word: &str) -> Option<&'static VerbSpec> {
    let name = resolve(word, game_names())?;
    verbs().find(|spec| spec.is_of_game() && spec.names().any(|other| other == name))
}

/// Returns the first words of the server commands without duplicates.
pub(crate) fn server_words() -> Vec<&'static str> {
    let mut words: Vec<&str> = Vec::new();
    for word in verbs().filter(|spec| !spec.is_of_game()).filter_map(|spec| spec.name.split(' ').next()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Finds the first word of a server command by the word itself or an abbreviation.
pub(crate) fn server_word(word: &str) -> Option<&'static str> {
    resolve(word, server_words())
}

/// Returns the server commands that start with this word, each with its optional second word.
pub(crate) fn server_verbs(first: &str) -> Vec<(Option<&'static str>, &'static VerbSpec)> {
    let second = |spec: &'static VerbSpec| match spec.name.split_once(' ') {
        Some((word, second)) => (word == first).then_some((Some(second), spec)),
        None => (spec.name == first).then_some((None, spec)),
    };
    verbs().filter(|spec| !spec.is_of_game()).filter_map(second).collect()
}
