//! The table of commands: how each is written, which of its words are passwords, which options it takes.

/// How one command is written.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The command's own words: `move`, `change password`. Those of a game stand after the game's name.
    pub name: &'static str,
    /// Whether it begins with a game's name, for which [`Usage::text`] writes `GAME`.
    pub of_game: bool,
    /// How it is written: `GAME move board userid password move`.
    pub text: &'static str,
    /// Which of its arguments, counted from 0 without options, are passwords.
    pub(super) passwords: &'static [usize],
    /// The server options that it takes, without dashes.
    pub(super) takes: &'static [&'static str],
}

const fn server(
    name: &'static str,
    text: &'static str,
    passwords: &'static [usize],
    takes: &'static [&'static str],
) -> Usage {
    Usage { name, of_game: false, text, passwords, takes }
}

const fn game(
    name: &'static str,
    text: &'static str,
    passwords: &'static [usize],
    takes: &'static [&'static str],
) -> Usage {
    Usage { name, of_game: true, text, passwords, takes }
}

const USAGES: &[Usage] = &[
    server("signup", "signup userid password [address...]", &[1], &[]),
    server("confirm", "confirm userid code", &[], &[]),
    server("change password", "change password userid current new", &[1, 2], &[]),
    server("change address", "change address userid password address...", &[1], &[]),
    server("help", "help [topic...]", &[], &[]),
    server("list", "list [game...]", &[], &[]),
    server("show", "show userid... | show board[#n]... [--plain]", &[], &["plain"]),
    server("all show", "all show userid [all|active|next]", &[], &[]),
    game("challenge", "GAME challenge [-option...] userid1 userid2 [--say=\"...\"]", &[], &["say"]),
    game("move", "GAME move board userid password move[#ply] [--say=\"...\"]", &[2], &["say"]),
    game("resign", "GAME resign board userid password [--say=\"...\"]", &[2], &["say"]),
    game("decline", "GAME decline board userid password [--say=\"...\"]", &[2], &["say"]),
    game("show", "GAME show board[#n]... [--plain] | GAME show userid [all|active|next]", &[], &["plain"]),
    game("games", "GAME games [userid...] [all|active|next]", &[], &[]),
    game("history", "GAME history board [--format=text|json]", &[], &["format"]),
    game(
        "preview",
        "GAME preview board[#n] [move...] [--plain] | GAME preview new [-option...] [move...]",
        &[],
        &["plain"],
    ),
];

/// Every command, in the order of the help.
pub fn usages() -> &'static [Usage] {
    USAGES
}

/// The row of a command that the parser knows.
pub(super) fn usage(of_game: bool, name: &str) -> &'static Usage {
    let row = USAGES.iter().find(|usage| usage.of_game == of_game && usage.name == name);
    row.unwrap_or(&USAGES[0])
}

/// The first words of server commands.
pub(super) const SERVER_WORDS: &[&str] = &["signup", "confirm", "change", "help", "list", "show", "all"];

/// The verbs of games, with their synonyms.
pub(super) const VERBS: &[&str] =
    &["challenge", "move", "board", "resign", "decline", "show", "games", "history", "preview"];
