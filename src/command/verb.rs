//! What a game command does: the words after `marque`.

use super::{Password, Plan};
use crate::rules::Options;

/// What a game command does.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// `challenge [-options] [--options] userid1 userid2`
    Challenge {
        /// The game's options, checked against its list, in the list's order.
        options: Options,
        /// First seat, second seat; `None` is `anyone`, and at most one of them is.
        players: [Option<String>; 2],
        /// Clocks and such, as far as they were given.
        terms: Terms,
    },
    /// Something that a player does at a board: `marque VERB board userid password …`.
    At {
        /// The board's number.
        board: u32,
        /// Who.
        userid: String,
        /// His password.
        password: Password,
        /// What.
        act: Act,
    },
    /// Something that a player wants of a game: `marque VERB … userid password …`.
    Wish {
        /// Who.
        userid: String,
        /// His password.
        password: Password,
        /// What.
        wish: Wish,
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
    /// `standings`
    Standings,
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

/// What a player does at a board.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// `move … text`; `board` is a synonym of `move`.
    Move {
        /// The move text as typed.
        text: String,
        /// `f3#14`: only if it is ply 14.
        ply: Option<u32>,
    },
    /// `submit … text`: shows the board after it, and keeps it for `confirm`.
    Submit {
        /// The move text as typed.
        text: String,
        /// `f3#14`: only if it is ply 14.
        ply: Option<u32>,
    },
    /// `confirm`: plays what was submitted.
    Confirm,
    /// `queue … text`: played when the turn comes; `None` is `queue … off`.
    Queue(Option<String>),
    /// `if … "k4 then h2; else stop"`: conditional replies; `None` is `if … off`.
    If(Option<Plan>),
    /// `resign`; out of turn at one's next turn, and again takes that back.
    Resign,
    /// `decline`: removes a board before one's own first move; withdraws one's own open challenge.
    Decline,
    /// `propose`: a draw.
    Propose,
    /// `undo`: asks for one's last move back.
    Undo,
    /// `accept`: the open proposal, or an open challenge.
    Accept,
    /// `reject`: the open proposal.
    Reject,
    /// `chat`: the comment goes to players and followers.
    Chat,
    /// `note`: the comment becomes one's private note; without one, the note is shown.
    Note,
}

/// What a player wants of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// `seek userid password n`: opponents looked for; 0 ends it.
    Seek(u32),
    /// `limit userid password n|all|none`: boards taken at a time; `None` is all.
    Limit(Option<u32>),
    /// `subscribe|notify|unsubscribe board|all userid password`
    Follow {
        /// One board, or all of the game.
        what: Followed,
        /// How.
        how: Following,
    },
}

/// What is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// A board.
    Board(u32),
    /// Every board of the game.
    All,
}

/// How something is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// `subscribe`: a letter for every move.
    Moves,
    /// `notify`: a letter when a board ends.
    Ends,
    /// `unsubscribe`
    Not,
}

/// What a challenge says about clocks and such; `None`: as the server has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// `--nagtime=7`: days of thinking before the first reminder; 0: none.
    pub nag: Option<u32>,
    /// `--forfeittime=21`: days of thinking on one move before the game is forfeited; 0: never.
    pub forfeit: Option<u32>,
    /// `--totaltime=90`: days of thinking on all of one's moves; 0: no limit.
    pub total: Option<u32>,
    /// `--unrated`
    pub unrated: bool,
    /// `--private`: shown to its players only.
    pub private: bool,
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

impl Verb {
    /// As [`super::Command::changes`].
    pub(super) fn changes(&self) -> bool {
        matches!(self, Verb::Challenge { .. } | Verb::At { .. } | Verb::Wish { .. })
    }

    /// As [`super::Command::password`].
    pub(super) fn password(&self) -> Option<&Password> {
        match self {
            Verb::At { password, .. } | Verb::Wish { password, .. } => Some(password),
            _ => None,
        }
    }
}
