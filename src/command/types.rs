//! A command, and the commands that concern a player's own account.

use std::fmt;

use super::error::Password;
use super::game_types::{BoardFilter, BoardPosition, GameCommand};
use super::options::EventKind;
use super::settings::Setting;
use super::terms::Terms;
use crate::numbers::{BoardNumber, PuzzleNumber};
use crate::rules::Options;

/// A parsed command. Userids are as typed; games are the catalogue's names.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `signup userid password [address…]`
    Signup {
        /// The new userid.
        userid: String,
        /// The new password.
        password: Password,
        /// The addresses for letters. If empty, the sender's address is used.
        addresses: Vec<String>,
    },
    /// `confirm userid code`: confirms an address with the code from the confirmation letter.
    ConfirmAddress {
        /// The player with the address.
        userid: String,
        /// The code from the letter.
        code: String,
    },
    /// `change password userid current new`
    ChangePassword {
        /// The player.
        userid: String,
        /// The current password.
        current: Password,
        /// The new password.
        new: Password,
    },
    /// `password [userid]`: sends the player a code that sets a new password.
    ForgottenPassword {
        /// The player; `None` means the owner of the sender's address.
        userid: Option<String>,
    },
    /// `password userid code new`: sets a new password with the code from the letter for a forgotten password.
    NewPassword {
        /// The player.
        userid: String,
        /// The code.
        code: String,
        /// The new password.
        new: Password,
    },
    /// `help [topic…]`
    Help {
        /// Lower-case words; empty for the overview.
        topics: Vec<String>,
    },
    /// `list [game…]`: the games and players of the server.
    List {
        /// Catalogue names; empty for all games.
        games: Vec<&'static str>,
    },
    /// `show userid…`: players, independently of a game.
    ShowPlayers {
        /// The players.
        userids: Vec<String>,
    },
    /// `show board[#n]…`: boards without the name of their game, because board numbers are unique.
    ShowBoards {
        /// The boards.
        boards: Vec<BoardPosition>,
        /// Whether to omit the names of empty cells (`--plain`).
        plain: bool,
    },
    /// `analyse board`: the computer player's evaluation of a finished board. It is computed on the first request.
    Analyse {
        /// The board.
        board: BoardNumber,
    },
    /// `puzzle [game [number [move|solution]]]`: a position of a finished board in which one move wins.
    Puzzle {
        /// The catalogue's name of the game; `None` for any.
        game: Option<&'static str>,
        /// The number of the puzzle; `None` for the puzzle of the day.
        number: Option<PuzzleNumber>,
        /// The request about the puzzle.
        action: PuzzleAction,
    },
    /// `all show userid [all|active|next]`: a player's boards of all games.
    AllShow {
        /// The player.
        userid: String,
        /// Which boards; `next` by default.
        filter: BoardFilter,
    },
    /// `events`: the events of the server.
    Events,
    /// `event name [edition]`: the standings and boards of an edition.
    Event {
        /// The event.
        name: String,
        /// The edition; `None` for the last one.
        edition: Option<u32>,
    },
    /// An action of a player on their own account.
    Account {
        /// The player.
        userid: String,
        /// The player's password.
        password: Password,
        /// The action.
        action: AccountAction,
    },
    /// A command of a game.
    Game {
        /// The catalogue's name of the game; `None` if a board number identifies it.
        game: Option<&'static str>,
        /// The rest of the command.
        command: GameCommand,
    },
}

/// An action of a player on their own account.
#[derive(Clone, Debug, PartialEq)]
pub enum AccountAction {
    /// `change address userid password address…`
    Addresses(Vec<String>),
    /// `vacation userid password until 2026-12-24`
    VacationUntil(Day),
    /// `vacation userid password off`
    VacationOff,
    /// `vacation userid password`: shows the remaining vacation.
    Vacation,
    /// `set userid password [key=value…]`; empty: shows the settings.
    Set(Vec<Setting>),
    /// `signoff userid password [code]`: leaves the server; the code confirms the request.
    Signoff(Option<String>),
    /// `message userid password to…`
    Message(Vec<String>),
    /// `broadcast userid password`: a message to everyone, from an administrator.
    Broadcast,
    /// `event new name game … userid password`
    NewEvent(Box<EventPlan>),
    /// `join name userid password`: takes part in each edition of an event.
    Join(String),
    /// `leave name userid password`
    Leave(String),
    /// `event challenge name opponent userid password`: challenges a player for their place in a ladder.
    ChallengeInEvent {
        /// The event.
        event: String,
        /// The challenged player.
        opponent: String,
    },
    /// `block userid password [other]`; without a player: shows the blocked players.
    Block(Option<String>),
    /// `unblock userid password other`
    Unblock(String),
    /// `report userid password other`: reports a player to the administrators.
    Report(String),
    /// `calendar userid password [new|off]`
    Calendar(CalendarAction),
}

/// A request about the private address of a player's calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalendarAction {
    /// Shows the address.
    Show,
    /// `new`: creates a new address, which replaces the old one.
    New,
    /// `off`: revokes the address.
    Off,
}

/// A new event as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPlan {
    /// The name.
    pub name: String,
    /// The catalogue's name of the game.
    pub game: &'static str,
    /// The options of the event's boards.
    pub options: Options,
    /// The terms of the event's boards.
    pub terms: Terms<Option<u32>>,
    /// The kind.
    pub kind: EventKind,
    /// The maximum number of players of a division.
    pub division: Option<u32>,
    /// Whether two players of a division play two games.
    pub twice: bool,
    /// Whether the event has only one edition.
    pub once: bool,
}

/// A request about a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub enum PuzzleAction {
    /// The puzzle itself.
    Show,
    /// Tries this move, as typed.
    Try(String),
    /// `solution`: shows the winning move.
    Solution,
}

/// A day as typed, `2026-12-24`. The service checks it against the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    /// The year, of four digits.
    pub year: i32,
    /// The month, 1 to 12.
    pub month: u32,
    /// The day of the month, 1 to 31.
    pub day: u32,
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl Command {
    /// Returns the boards that a `show` or `history`, or an action at a board, names.
    pub fn boards(&self) -> Vec<BoardNumber> {
        match self {
            Command::ShowBoards { boards, .. } | Command::Game { command: GameCommand::Show { boards, .. }, .. } => {
                boards.iter().map(|shown| shown.board).collect()
            }
            Command::Game {
                command: GameCommand::AtBoard { board, .. } | GameCommand::History { board, .. }, ..
            } => vec![*board],
            _ => Vec::new(),
        }
    }

    /// Returns the command's password, or the first of two.
    pub fn password(&self) -> Option<&Password> {
        match self {
            Command::Signup { password, .. } | Command::NewPassword { new: password, .. } => Some(password),
            _ => self.credentials().map(|(_, password)| password),
        }
    }

    /// Returns the userid of the acting player and their current password.
    pub fn credentials(&self) -> Option<(&str, &Password)> {
        match self {
            Command::ChangePassword { userid, current: password, .. }
            | Command::Account { userid, password, .. }
            | Command::Game {
                command:
                    GameCommand::AtBoard { userid, password, .. } | GameCommand::Preference { userid, password, .. },
                ..
            } => Some((userid, password)),
            _ => None,
        }
    }

    /// Returns the userid of the player whose current password the command contains.
    pub fn authenticated_userid(&self) -> Option<&str> {
        self.credentials().filter(|(_, password)| password.given().is_some()).map(|(userid, _)| userid)
    }

    /// Returns the typed passwords.
    pub fn given_passwords(&self) -> Vec<&str> {
        let new = match self {
            Command::ChangePassword { new, .. } => Some(new),
            _ => None,
        };
        self.password().into_iter().chain(new).filter_map(Password::given).collect()
    }
}
