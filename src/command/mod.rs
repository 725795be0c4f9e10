//! One line → [`Command`], and the message when it cannot be. Pure; the one parser that every face uses.

mod account;
mod args;
mod at;
mod canonical;
mod error;
mod game;
mod letter;
mod options;
mod parse;
mod plan;
mod plan_text;
mod secret;
mod server;
mod settings;
mod usage;
mod values;
mod verb;
mod words;

pub use error::ParseError;
pub use parse::{begins_command, parse, parse_words};
pub use plan::{Branch, Plan, Reply, When};
pub use plan_text::PlanError;
pub use secret::Password;
pub use settings::{Dmarc, Letters, MailForm, NoValue, Reminders, Rhythm, SETTING_KEYS, Setting, Weekend};
pub use usage::{Usage, usages};
pub use verb::{Act, Followed, Following, PreviewFrom, Terms, Verb, Which, Wish};

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
    /// What a player does with his own account.
    Account {
        /// Who.
        userid: String,
        /// His password.
        password: Password,
        /// What.
        what: Account,
    },
    /// A command that begins with a game.
    Game {
        /// The catalogue's name.
        game: &'static str,
        /// What to do.
        verb: Verb,
    },
}

/// What a player does with his own account.
#[derive(Clone, Debug, PartialEq)]
pub enum Account {
    /// `change address userid password address…`
    Addresses(Vec<String>),
    /// `vacation userid password until 2026-12-24`
    VacationUntil(Day),
    /// `vacation userid password off`
    VacationOff,
    /// `vacation userid password`: how much is left.
    Vacation,
    /// `set userid password [key=value…]`; empty: what is set.
    Set(Vec<Setting>),
    /// `signoff userid password [code]`: leaves; the code confirms it.
    Signoff(Option<String>),
    /// `message userid password to…`
    Message(Vec<String>),
    /// `broadcast userid password`: to everybody, by an administrator.
    Broadcast,
}

/// A day as typed, `2026-12-24`; whether the calendar has it, the service knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// Four digits.
    pub year: i32,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
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
            Command::Game { verb, .. } => verb.changes(),
            Command::Signup { .. }
            | Command::ConfirmAddress { .. }
            | Command::ChangePassword { .. }
            | Command::Account { .. } => true,
        }
    }

    /// The password it carries, or the first of two.
    pub fn password(&self) -> Option<&Password> {
        match self {
            Command::Signup { password, .. }
            | Command::ChangePassword { current: password, .. }
            | Command::Account { password, .. } => Some(password),
            Command::Game { verb, .. } => verb.password(),
            _ => None,
        }
    }
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

impl Line {
    /// The line of a command that was not typed.
    pub fn of(command: Command) -> Line {
        let shown = canonical::shown(&command, None);
        Line { command, say: None, shown }
    }
}
