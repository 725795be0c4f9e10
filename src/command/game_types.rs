//! The commands of a game: the words after `marque`.

use std::fmt;

use super::error::Password;
use super::plan::Plan;
use super::terms::Terms;
use crate::numbers::{BoardNumber, Ply};
use crate::rules::Options;

/// A command of a game, without the game's name.
#[derive(Clone, Debug, PartialEq)]
pub enum GameCommand {
    /// `challenge [-options] [--options] userid1 userid2`
    Challenge {
        /// The game's options, in the order in which the game lists them.
        options: Options,
        /// The players of the first and the second seat. `None` means `anyone`; at most one seat is open.
        players: [Option<String>; 2],
        /// The terms that the challenge sets. The server's defaults complete them.
        terms: Terms<Option<u32>>,
    },
    /// An action of a player at a board: `VERB board userid password …`.
    AtBoard {
        /// The board's number.
        board: BoardNumber,
        /// The player.
        userid: String,
        /// The player's password.
        password: Password,
        /// The action.
        action: BoardAction,
    },
    /// A player's preference about the game: `VERB … userid password …`.
    Preference {
        /// The player.
        userid: String,
        /// The player's password.
        password: Password,
        /// The preference.
        preference: GamePreference,
    },
    /// `show board[#n]…`
    Show {
        /// The boards.
        boards: Vec<BoardPosition>,
        /// Whether to omit the names of empty cells (`--plain`).
        plain: bool,
    },
    /// `show userid [all|active|next]` and `games [userid…] [all|active|next]`
    Games {
        /// The players; empty for everyone.
        userids: Vec<String>,
        /// The boards to list.
        filter: BoardFilter,
    },
    /// `history board`
    History {
        /// The board's number.
        board: BoardNumber,
        /// Whether to print JSON (`--format=json`).
        json: bool,
    },
    /// `standings`: the best players.
    Standings,
    /// `preview board[#n] move…`, `preview new [-options] move…`
    Preview {
        /// The position that the preview starts from.
        from: PreviewFrom,
        /// The move texts as typed.
        moves: Vec<String>,
        /// Whether to omit the names of empty cells (`--plain`).
        plain: bool,
    },
}

/// An action of a player at a board.
#[derive(Clone, Debug, PartialEq)]
pub enum BoardAction {
    /// `move … text`
    Move {
        /// The move text as typed.
        text: String,
        /// `f3#14`: the move is only valid as ply 14.
        ply: Option<Ply>,
    },
    /// `submit … text`: shows the board after the move, and stores the move for `confirm`.
    Submit {
        /// The move text as typed.
        text: String,
        /// `f3#14`: the move is only valid as ply 14.
        ply: Option<Ply>,
    },
    /// `confirm`: plays the submitted move.
    Confirm,
    /// `queue … text`: a move to play at the player's next turn; `None` means `queue … off`.
    Queue(Option<String>),
    /// `if … "k4 then h2; else stop"`: conditional replies; `None` means `if … off`.
    If(Option<Plan>),
    /// `resign`: ends the game, even out of turn.
    Resign,
    /// `decline`: removes a board on which the player was challenged, before their own first move. Also withdraws their
    /// open challenge.
    Decline,
    /// `propose`: offers a draw.
    Propose,
    /// `undo`: requests to undo the player's last move.
    Undo,
    /// `abandon`: proposes to end the game without a result.
    Abandon,
    /// `accept`: accepts the open proposal, or an open challenge. `accept … invitation`: accepts a private open
    /// challenge.
    Accept(Option<String>),
    /// `reject`: rejects the open proposal.
    Reject,
    /// `rematch`: after the end, starts the same game with swapped sides.
    Rematch,
    /// `chat`: sends the comment to players and followers.
    Chat,
    /// `note`: saves the comment as the player's private note; without a comment, shows the note.
    Note,
}

/// A player's preference about a game.
#[derive(Clone, Debug, PartialEq)]
pub enum GamePreference {
    /// `seek userid password n`: the number of opponents that the player is looking for.
    Seek(u32),
    /// `limit userid password n|all|none`: the maximum number of simultaneous boards; `None` for no limit.
    Limit(Option<u32>),
    /// `subscribe|unsubscribe puzzles userid password`: whether the player receives the puzzle of the day.
    Puzzles(bool),
    /// `subscribe|notify|unsubscribe board|all userid password`
    Follow {
        /// One board, or every board of the game.
        what: FollowTarget,
        /// Which letters the follower receives.
        how: FollowMode,
    },
}

/// The boards that a player follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowTarget {
    /// One board.
    Board(BoardNumber),
    /// Every board of the game.
    All,
}

/// Which letters a follower receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowMode {
    /// `subscribe`: a letter for every move.
    Moves,
    /// `notify`: a letter when a board ends.
    Ends,
    /// `unsubscribe`: no letters.
    Off,
}

/// A board at its current or an earlier position: `123`, `123#7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPosition {
    /// The board's number.
    pub board: BoardNumber,
    /// The ply after which to show the board; `None` for the current position.
    pub ply: Option<Ply>,
}

impl fmt::Display for BoardPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ply {
            None => write!(f, "{}", self.board),
            Some(ply) => write!(f, "{}#{ply}", self.board),
        }
    }
}

/// The position that a preview starts from.
#[derive(Clone, Debug, PartialEq)]
pub enum PreviewFrom {
    /// A board.
    Board(BoardPosition),
    /// A new board with these options.
    New(Options),
}

/// The boards that a list shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardFilter {
    /// All boards, including finished ones.
    All,
    /// Boards in progress.
    #[default]
    Active,
    /// Boards awaiting this player.
    Next,
}

impl BoardFilter {
    pub(crate) const EACH: [BoardFilter; 3] = [BoardFilter::All, BoardFilter::Active, BoardFilter::Next];

    /// Returns the word that a player types for the filter.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            BoardFilter::All => "all",
            BoardFilter::Active => "active",
            BoardFilter::Next => "next",
        }
    }
}

impl GameCommand {
    /// Returns the command's board, which identifies the game if the command does not name the game.
    pub fn board(&self) -> Option<BoardNumber> {
        match self {
            GameCommand::AtBoard { board, .. } | GameCommand::History { board, .. } => Some(*board),
            GameCommand::Preview { from: PreviewFrom::Board(position), .. } => Some(position.board),
            GameCommand::Preference {
                preference: GamePreference::Follow { what: FollowTarget::Board(board), .. },
                ..
            } => Some(*board),
            GameCommand::Preview { .. }
            | GameCommand::Preference { .. }
            | GameCommand::Challenge { .. }
            | GameCommand::Show { .. }
            | GameCommand::Games { .. }
            | GameCommand::Standings => None,
        }
    }
}
