//! Words of other game servers for what a verb does here. They are no synonyms; an error proposes the verb.

/// Words for verbs of games.
const OF_GAMES: &[(&str, &str)] = &[
    ("cancel", "decline"),
    ("delete", "decline"),
    ("draw", "propose"),
    ("forfeit", "resign"),
    ("invite", "challenge"),
    ("moves", "history"),
    ("play", "move"),
    ("quit", "resign"),
    ("remove", "decline"),
    ("takeback", "undo"),
];
/// Words for commands of the server.
const OF_SERVER: &[(&str, &str)] =
    &[("delete", "signoff"), ("quit", "signoff"), ("register", "signup"), ("unregister", "signoff")];

/// Returns the verb of games that does what another server calls so.
pub(super) fn of_games(word: &str) -> Option<&'static str> {
    meant(word, OF_GAMES)
}

/// Returns the command of the server that does what another server calls so.
pub(super) fn of_server(word: &str) -> Option<&'static str> {
    meant(word, OF_SERVER)
}

fn meant(word: &str, words: &[(&str, &'static str)]) -> Option<&'static str> {
    words.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map(|(_, meant)| *meant)
}
