//! One line → [`Command`], and the message when it cannot be. Pure; the one parser that every face uses.

mod args;
mod canonical;
mod error;
mod game;
mod parse;
mod plan;
mod secret;
mod server;
mod settings;
mod usage;
mod words;

pub use error::ParseError;
pub use parse::{begins_command, parse, parse_words};
pub use plan::{Branch, Plan, Reply, When};
pub use secret::Password;
pub use settings::{MailForm, NoValue, Reminders, Rhythm, SETTING_KEYS, Setting, Weekend};
pub use usage::{Usage, usages};

use crate::rules::Options;

/// One command, understood but not yet obeyed. Userids are as typed; games are the catalogue's names.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `signup userid password [address…]`
    Signup {
        /// The new userid.
        userid: String,
        /// The new password.
        password: Password,
        /// Where letters go; empty: the sender's own address.
        addresses: Vec<String>,
    },
    /// `confirm userid code`: the owner of an address answers the letter that asked.
    ConfirmAddress {
        /// Whose address.
        userid: String,
        /// The code that the letter carried.
        code: String,
    },
    /// `change password userid current new`
    ChangePassword {
        /// Whose.
        userid: String,
        /// The present password.
        current: Password,
        /// The one from now on.
        new: Password,
    },
    /// `change address userid password address…`
    ChangeAddress {
        /// Whose.
        userid: String,
        /// The password.
        password: Password,
        /// All addresses from now on.
        addresses: Vec<String>,
    },
    /// `help [topic…]`
    Help {
        /// Lower-case words; empty: the overview.
        topics: Vec<String>,
    },
    /// `list [game…]`: the games and players of the server.
    List {
        /// Catalogue names; empty: all.
        games: Vec<&'static str>,
    },
    /// `show userid…`: players, without a game.
    ShowPlayers {
        /// Who.
        userids: Vec<String>,
    },
    /// `show board[#n]…`: boards, without their game, for a board's number is its own.
    ShowBoards {
        /// Boards, each after so many plies (none: now).
        boards: Vec<(u32, Option<u32>)>,
        /// Without the names of the empty cells (`--plain`).
        plain: bool,
    },
    /// `all show userid [all|active|next]`: a player's boards of all games.
    AllShow {
        /// Whose.
        userid: String,
        /// Which boards; `next` unless said.
        which: Which,
    },
    /// A command that begins with a game.
    Game {
        /// The catalogue's name.
        game: &'static str,
        /// What to do.
        verb: Verb,
    },
}

impl Command {
    /// Whether it can change anything: it then needs a transaction that writes, and may leave notices to send.
    pub fn changes(&self) -> bool {
        match self {
            Command::Help { .. }
            | Command::List { .. }
            | Command::ShowPlayers { .. }
            | Command::ShowBoards { .. }
            | Command::AllShow { .. } => false,
            Command::Game { verb, .. } => {
                matches!(verb, Verb::Challenge { .. } | Verb::Move { .. } | Verb::Resign { .. } | Verb::Decline { .. })
            }
            _ => true,
        }
    }

    /// The password it carries, or the first of two.
    pub fn password(&self) -> Option<&Password> {
        match self {
            Command::Signup { password, .. }
            | Command::ChangePassword { current: password, .. }
            | Command::ChangeAddress { password, .. } => Some(password),
            Command::Game {
                verb: Verb::Move { password, .. } | Verb::Resign { password, .. } | Verb::Decline { password, .. },
                ..
            } => Some(password),
            _ => None,
        }
    }
}

/// What a game command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// `challenge [-options] userid1 userid2`
    Challenge {
        /// The game's options, checked against its list, in the list's order.
        options: Options,
        /// Who moves first.
        first: String,
        /// Who answers.
        second: String,
    },
    /// `move board[#ply] userid password text`; `board` is a synonym of `move`.
    Move {
        /// The board's number.
        board: u32,
        /// Whose move.
        userid: String,
        /// The password.
        password: Password,
        /// The move text as typed.
        text: String,
        /// `f3#14`: only if it is ply 14.
        ply: Option<u32>,
    },
    /// `resign board userid password`, or `move … resign`
    Resign {
        /// The board's number.
        board: u32,
        /// Who resigns.
        userid: String,
        /// The password.
        password: Password,
    },
    /// `decline board userid password`: removes a board before one's own first move.
    Decline {
        /// The board's number.
        board: u32,
        /// Who declines.
        userid: String,
        /// The password.
        password: Password,
    },
    /// `show board[#n]…`
    Show {
        /// Boards, each after so many plies (none: now).
        boards: Vec<(u32, Option<u32>)>,
        /// Without the names of the empty cells (`--plain`).
        plain: bool,
    },
    /// `show userid [all|active|next]` and `games [userid…] [all|active|next]`
    Games {
        /// Whose; empty: everybody's.
        userids: Vec<String>,
        /// Which boards.
        which: Which,
    },
    /// `history board`
    History {
        /// The board's number.
        board: u32,
        /// `--format=json`
        json: bool,
    },
    /// `preview board[#n] move…`, `preview new [-options] move…`
    Preview {
        /// Where it starts.
        from: PreviewFrom,
        /// The move texts as typed.
        moves: Vec<String>,
        /// Without the names of the empty cells (`--plain`).
        plain: bool,
    },
}

/// Where a preview starts.
#[derive(Clone, Debug, PartialEq)]
pub enum PreviewFrom {
    /// A board after so many plies (none: now).
    Board(u32, Option<u32>),
    /// An empty board under these options.
    New(Options),
}

/// Which boards a list shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// Every board that was ever played.
    All,
    /// Those in progress.
    #[default]
    Active,
    /// Those that wait for this player.
    Next,
}

/// A line understood, with the server options that every command can carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The command.
    pub command: Command,
    /// `--say="…"`: a comment given on the line itself.
    pub say: Option<String>,
    /// The line as understood, canonical, every password written `***`.
    pub shown: String,
}
