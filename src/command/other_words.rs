//! Words of other game servers for our verbs. They are not synonyms; an error suggests the verb.

/// Words for verbs of games.
const OF_GAMES: &[(&str, &str)] = &[
    ("abort", "abandon"),
    ("cancel", "decline"),
    ("delete", "decline"),
    ("draw", "propose"),
    ("forfeit", "resign"),
    ("invite", "challenge"),
    ("moves", "history"),
    ("play", "move"),
    ("quit", "resign"),
    ("remove", "decline"),
    ("showas", "show"),
    ("takeback", "undo"),
];
/// Words for commands of the server.
const OF_SERVER: &[(&str, &str)] = &[
    ("add", "change address"),
    ("delete", "signoff"),
    ("quit", "signoff"),
    ("register", "signup"),
    ("rules", "help"),
    ("showas", "show"),
    ("unregister", "signoff"),
];
/// Pairs of words for a command of the server.
const OF_TWO: &[(&str, &str, &str)] = &[("sign", "up", "signup"), ("sign", "off", "signoff")];
/// Words that other servers accept after a game, and the commands that precede the game here.
const AFTER_GAME: &[(&str, &str)] = &[("rules", "help")];
/// Words for lists of boards.
const LISTS: &[(&str, &str)] = &[("inactive", "all")];

/// Returns the verb of games for another server's word.
pub(crate) fn of_games(word: &str) -> Option<&'static str> {
    meant(word, OF_GAMES)
}

/// Returns the command of the server for another server's word.
pub(crate) fn of_server(word: &str) -> Option<&'static str> {
    meant(word, OF_SERVER)
}

/// Returns the server command for these two words: `signup` for `sign up`.
pub(crate) fn of_two(first: &str, second: &str) -> Option<&'static str> {
    let is = |typed: &str, word: &str| typed.eq_ignore_ascii_case(word);
    OF_TWO.iter().find(|(one, two, _)| is(first, one) && is(second, two)).map(|(_, _, meant)| *meant)
}

/// Returns the server command for this word after a game: `help` for `rules`.
pub(crate) fn after_game(word: &str) -> Option<&'static str> {
    meant(word, AFTER_GAME)
}

/// Returns our filter for another server's name of a list.
pub(crate) fn list(word: &str) -> Option<&'static str> {
    meant(word, LISTS)
}

fn meant(word: &str, words: &[(&str, &'static str)]) -> Option<&'static str> {
    words.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map(|(_, meant)| *meant)
}
