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

/// A verb at a board.
const fn at(name: &'static str, text: &'static str) -> Usage {
    game(name, text, &[2], &["say"])
}

const USAGES: &[Usage] = &[
    server("signup", "signup userid password [address...]", &[1], &[]),
    server("confirm", "confirm userid code", &[], &[]),
    server("change password", "change password userid current new", &[1, 2], &[]),
    server("change address", "change address userid password address...", &[1], &[]),
    server("vacation", "vacation userid password [until YYYY-MM-DD|off]", &[1], &[]),
    server("set", "set userid password [key=value...]", &[1], &[]),
    server("signoff", "signoff userid password [code]", &[1], &[]),
    server("message", "message userid password to... [--say=\"...\"]", &[1], &["say"]),
    server("broadcast", "broadcast userid password [--say=\"...\"]", &[1], &["say"]),
    game(
        "challenge",
        "GAME challenge [-option...] [--option...] userid1 userid2 [--say=\"...\"]",
        &[],
        &["nagtime", "forfeittime", "totaltime", "unrated", "private", "say"],
    ),
    game("seek", "GAME seek userid password n", &[1], &[]),
    game("limit", "GAME limit userid password n|all|none", &[1], &[]),
    at("move", "GAME move board userid password move[#ply] [--say=\"...\"]"),
    at("submit", "GAME submit board userid password move[#ply] [--say=\"...\"]"),
    at("confirm", "GAME confirm board userid password [--say=\"...\"]"),
    at("queue", "GAME queue board userid password move|off [--say=\"...\"]"),
    at("if", "GAME if board userid password \"plan\"|off [--say=\"...\"]"),
    at("propose", "GAME propose board userid password [--say=\"...\"]"),
    at("undo", "GAME undo board userid password [--say=\"...\"]"),
    at("accept", "GAME accept board userid password [--say=\"...\"]"),
    at("reject", "GAME reject board userid password [--say=\"...\"]"),
    at("resign", "GAME resign board userid password [--say=\"...\"]"),
    at("decline", "GAME decline board userid password [--say=\"...\"]"),
    at("chat", "GAME chat board userid password [--say=\"...\"]"),
    at("note", "GAME note board userid password [--say=\"...\"]"),
    server("help", "help [topic...]", &[], &[]),
    server("list", "list [game...]", &[], &[]),
    server("show", "show userid... | show board[#n]... [--plain]", &[], &["plain"]),
    server("all show", "all show userid [all|active|next]", &[], &[]),
    game("show", "GAME show board[#n]... [--plain] | GAME show userid [all|active|next]", &[], &["plain"]),
    game("games", "GAME games [userid...] [all|active|next]", &[], &[]),
    game("history", "GAME history board [--format=text|json]", &[], &["format"]),
    game(
        "preview",
        "GAME preview board[#n] [move...] [--plain] | GAME preview new [-option...] [move...]",
        &[],
        &["plain"],
    ),
    game("standings", "GAME standings", &[], &[]),
    game("subscribe", "GAME subscribe board|all userid password", &[2], &[]),
    game("notify", "GAME notify board|all userid password", &[2], &[]),
    game("unsubscribe", "GAME unsubscribe board|all userid password", &[2], &[]),
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
pub(super) const SERVER_WORDS: &[&str] = &[
    "signup",
    "confirm",
    "change",
    "vacation",
    "set",
    "signoff",
    "message",
    "broadcast",
    "help",
    "list",
    "show",
    "all",
];

/// The verbs of games, with their synonyms.
pub(super) const VERBS: &[&str] = &[
    "challenge",
    "seek",
    "limit",
    "move",
    "board",
    "submit",
    "confirm",
    "queue",
    "qmove",
    "if",
    "propose",
    "undo",
    "accept",
    "reject",
    "resign",
    "decline",
    "chat",
    "note",
    "show",
    "games",
    "history",
    "preview",
    "standings",
    "ratings",
    "subscribe",
    "notify",
    "unsubscribe",
];

/// Verbs that are other words for one of the table's.
pub(super) const SYNONYMS: &[(&str, &str)] = &[("board", "move"), ("qmove", "queue"), ("ratings", "standings")];
