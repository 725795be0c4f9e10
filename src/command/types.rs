//! A command, and the commands that concern a player's own account.

use std::fmt;

use super::game_types::{BoardFilter, BoardPosition, GameCommand};
use super::password::Password;
use super::settings::Setting;
use crate::numbers::{BoardNumber, PuzzleNumber};

/// A command that was understood and not yet carried out. Userids are as typed; games are the catalogue's names.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `signup userid password [address…]`
    Signup {
        /// The new userid.
        userid: String,
        /// The new password.
        password: Password,
        /// The addresses for letters; empty: the sender's own.
        addresses: Vec<String>,
    },
    /// `confirm userid code`: the owner of an address answers the letter that asked for it.
    ConfirmAddress {
        /// The player whose address it is.
        userid: String,
        /// The code from the letter.
        code: String,
    },
    /// `change password userid current new`
    ChangePassword {
        /// The player whose password it is.
        userid: String,
        /// The present password.
        current: Password,
        /// The password from now on.
        new: Password,
    },
    /// `password [userid]`: a code that sets a new password is mailed to the player.
    ForgottenPassword {
        /// The player whose password it is; `None`: the one whose address the mail comes from.
        userid: Option<String>,
    },
    /// `password userid code new`: sets a new password by the code from that letter.
    NewPassword {
        /// The player whose password it is.
        userid: String,
        /// The code.
        code: String,
        /// The password from now on.
        new: Password,
    },
    /// `help [topic…]`
    Help {
        /// Lower-case words; empty: the overview.
        topics: Vec<String>,
    },
    /// `list [game…]`: the games and players of the server.
    List {
        /// Catalogue names; empty: all games.
        games: Vec<&'static str>,
    },
    /// `show userid…`: players, in no particular game.
    ShowPlayers {
        /// The players.
        userids: Vec<String>,
    },
    /// `show board[#n]…`: boards without the name of their game, because board numbers are unique.
    ShowBoards {
        /// The boards.
        boards: Vec<BoardPosition>,
        /// Without the names of the empty cells (`--plain`).
        plain: bool,
    },
    /// `analyse board`: what the computer player thinks of a finished board. It is made when somebody asks for it first.
    Analyse {
        /// The board.
        board: BoardNumber,
    },
    /// `puzzle [game [number [move|solution]]]`: a position of a finished board in which one move wins.
    Puzzle {
        /// The catalogue's name of the game; `None`: any.
        game: Option<&'static str>,
        /// The number of the puzzle; `None`: the puzzle of the day.
        number: Option<PuzzleNumber>,
        /// What is asked about it.
        action: PuzzleAction,
    },
    /// `all show userid [all|active|next]`: a player's boards of all games.
    AllShow {
        /// The player.
        userid: String,
        /// Which boards; `next` by default.
        filter: BoardFilter,
    },
    /// An action of a player on their own account.
    Account {
        /// The player.
        userid: String,
        /// Their password.
        password: Password,
        /// The action.
        action: AccountAction,
    },
    /// A command of a game.
    Game {
        /// The catalogue's name of the game; `None`: that of the board, whose number is enough.
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
    /// `vacation userid password`: shows how much is left.
    Vacation,
    /// `set userid password [key=value…]`; empty: shows the settings.
    Set(Vec<Setting>),
    /// `signoff userid password [code]`: leaves the server; the code confirms it.
    Signoff(Option<String>),
    /// `message userid password to…`
    Message(Vec<String>),
    /// `broadcast userid password`: a message to everybody, from an administrator.
    Broadcast,
}

/// What is asked about a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub enum PuzzleAction {
    /// The puzzle itself.
    Show,
    /// Whether this move, as typed, wins.
    Try(String),
    /// `solution`: which move wins.
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
    /// Tells whether it can change anything: if so, it needs a write transaction and may leave notices to send.
    pub fn changes(&self) -> bool {
        match self {
            Command::Help { .. }
            | Command::List { .. }
            | Command::ShowPlayers { .. }
            | Command::ShowBoards { .. }
            | Command::Puzzle { .. }
            | Command::AllShow { .. } => false,
            Command::Game { command, .. } => command.changes(),
            Command::Analyse { .. }
            | Command::Signup { .. }
            | Command::ConfirmAddress { .. }
            | Command::ChangePassword { .. }
            | Command::ForgottenPassword { .. }
            | Command::NewPassword { .. }
            | Command::Account { .. } => true,
        }
    }

    /// Tells whether it is what a player does at one board.
    pub fn is_at_board(&self) -> bool {
        matches!(self, Command::Game { command: GameCommand::AtBoard { .. }, .. })
    }

    /// Returns the boards that it names.
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

    /// Returns its password, or the first of two.
    pub fn password(&self) -> Option<&Password> {
        match self {
            Command::Signup { password, .. }
            | Command::ChangePassword { current: password, .. }
            | Command::NewPassword { new: password, .. }
            | Command::Account { password, .. } => Some(password),
            Command::Game { command, .. } => command.password(),
            Command::ConfirmAddress { .. }
            | Command::ForgottenPassword { .. }
            | Command::Help { .. }
            | Command::List { .. }
            | Command::ShowPlayers { .. }
            | Command::ShowBoards { .. }
            | Command::Analyse { .. }
            | Command::Puzzle { .. }
            | Command::AllShow { .. } => None,
        }
    }

    /// Returns the userid of the player for whom it speaks, and their present password.
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

    /// Returns the userid of the player whose present password it gives.
    pub fn authenticated_userid(&self) -> Option<&str> {
        self.credentials().filter(|(_, password)| password.given().is_some()).map(|(userid, _)| userid)
    }

    /// Returns the passwords that were typed.
    pub fn given_passwords(&self) -> Vec<&str> {
        let new = match self {
            Command::ChangePassword { new, .. } => Some(new),
            _ => None,
        };
        self.password().into_iter().chain(new).filter_map(Password::given).collect()
    }
}
