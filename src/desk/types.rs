//! What every face hands in and gets back.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::command::Line;

/// A request: which command, from whom, with what beside it, when.
pub struct Request {
    /// The line as understood.
    pub line: Line,
    /// Who asks, as far as the face can tell.
    pub from: Origin,
    /// What follows the command (a mail's new text), if anything.
    pub comment: Option<String>,
    /// The present time.
    pub now: DateTime<Utc>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The local shell: whoever can write the data directory is trusted with what needs no password.
    Shell {
        /// What a password `-` stands for.
        password: Option<String>,
    },
    /// A mail.
    Mail {
        /// The address of its `From`.
        sender: String,
        /// Its Message-ID, with angle brackets.
        message_id: Option<String>,
    },
}

impl Origin {
    /// `shell` or `mail`, for the record.
    pub fn via(&self) -> &'static str {
        match self {
            Origin::Shell { .. } => "shell",
            Origin::Mail { .. } => "mail",
        }
    }
}

/// What a request was answered with: facts, for a template or as JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub enum Answer {
    /// A player signed up.
    SignedUp {
        /// Who.
        userid: String,
        /// Addresses that letters go to already.
        addresses: Vec<String>,
        /// Addresses whose owners were asked to confirm.
        awaiting: Vec<String>,
    },
    /// An address was confirmed.
    AddressConfirmed {
        /// Whose.
        userid: String,
        /// Which.
        address: String,
    },
    /// A password was changed.
    PasswordChanged {
        /// Whose.
        userid: String,
    },
    /// Addresses were changed.
    AddressesChanged {
        /// Whose.
        userid: String,
        /// Addresses that letters go to.
        addresses: Vec<String>,
        /// Addresses whose owners were asked to confirm.
        awaiting: Vec<String>,
    },
    /// A board was made.
    Challenged {
        /// It.
        board: BoardView,
    },
    /// A move was made; the game may be over with it.
    Moved {
        /// The board now.
        board: BoardView,
    },
    /// A player resigned.
    Resigned {
        /// The board now.
        board: BoardView,
    },
    /// A board was declined.
    Declined {
        /// The board as it was.
        board: BoardView,
        /// Who declined.
        by: String,
    },
    /// Boards to look at.
    Shown {
        /// They.
        boards: Vec<BoardView>,
    },
    /// What if: an unsaved board.
    Previewed {
        /// It.
        board: BoardView,
    },
    /// The moves of a board.
    History {
        /// The board.
        board: BoardView,
        /// It was asked for as JSON.
        #[serde(default)]
        json: bool,
    },
    /// Boards in a list.
    Games {
        /// Title of the game.
        game: String,
        /// The boards.
        boards: Vec<BoardRow>,
    },
    /// The games and players of the server.
    Listed {
        /// Games.
        games: Vec<GameRow>,
        /// Userids of all players.
        players: Vec<PlayerRow>,
    },
    /// Players.
    Players {
        /// They.
        players: Vec<PlayerRow>,
    },
    /// Pages of help.
    Help {
        /// Names of the pages (templates `help/NAME.txt`).
        pages: Vec<String>,
    },
}

impl Answer {
    /// The answer's name, which its templates carry: `signed-up`, `moved`.
    pub fn name(&self) -> &'static str {
        match self {
            Answer::SignedUp { .. } => "signed-up",
            Answer::AddressConfirmed { .. } => "address-confirmed",
            Answer::PasswordChanged { .. } => "password-changed",
            Answer::AddressesChanged { .. } => "addresses-changed",
            Answer::Challenged { .. } => "challenged",
            Answer::Moved { .. } => "moved",
            Answer::Resigned { .. } => "resigned",
            Answer::Declined { .. } => "declined",
            Answer::Shown { .. } => "shown",
            Answer::Previewed { .. } => "previewed",
            Answer::History { .. } => "history",
            Answer::Games { .. } => "games",
            Answer::Listed { .. } => "listed",
            Answer::Players { .. } => "players",
            Answer::Help { .. } => "help",
        }
    }
}

/// Why a request was not done; nothing is changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Refused {
    /// The line as understood, passwords `***`.
    pub line: String,
    /// Byte column and length of the word at fault in `line`.
    pub at: Option<(usize, usize)>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// The nearest valid word or command.
    pub nearest: Option<String>,
    /// How the command is written.
    pub usage: Option<String>,
    /// The board as it is, when the line named one that the asker plays on.
    pub board: Option<Box<BoardView>>,
    /// The line was not understood (exit status 2), as against refused (1).
    pub not_understood: bool,
}

/// A board at one ply, with everything a reader is told of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardView {
    /// Its number; 0 for a preview from `new`.
    pub number: u32,
    /// The catalogue's name.
    pub game: String,
    /// `Marque`
    pub title: String,
    /// Canonical options text, may be empty.
    pub options: String,
    /// The win condition in words.
    pub aim: String,
    /// First seat, second seat.
    pub seats: Vec<SeatView>,
    /// Who made the challenge; `null` when it came from the administrator's shell.
    pub challenger: Option<String>,
    /// Plies made.
    pub plies: u32,
    /// The userid whose turn it is; `null` when over.
    pub to_move: Option<String>,
    /// The moves, in order.
    pub moves: Vec<MoveView>,
    /// The result, when over.
    pub result: Option<ResultView>,
    /// Declined before it began.
    pub declined: bool,
    /// What was said with the last ply.
    pub comments: Vec<CommentView>,
    /// Occupied cells: (`f3`, `o`).
    pub pieces: Vec<(String, String)>,
    /// The ASCII board.
    pub drawing: String,
    /// The hash of the last move, or the chain's first.
    pub hash: String,
}

/// One player of a board.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatView {
    /// Who.
    pub userid: String,
    /// `White (o)`
    pub side: String,
    /// `o`
    pub mark: char,
}

/// One ply.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MoveView {
    /// From 1.
    pub ply: u32,
    /// Who.
    pub userid: String,
    /// `o`
    pub mark: char,
    /// Canonical move text.
    pub text: String,
    /// Cells captured.
    pub captured: Vec<String>,
    /// The player after it had no legal move and was passed over.
    pub passed_over: bool,
    /// When; `null` in a preview.
    pub made_at: Option<DateTime<Utc>>,
    /// The chained hash; empty in a preview.
    pub hash: String,
}

/// How it ended.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResultView {
    /// The winner's userid; `null` is a draw.
    pub winner: Option<String>,
    /// The loser's.
    pub loser: Option<String>,
    /// `formation`, `resignation`, …
    pub reason: String,
}

/// What somebody said.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CommentView {
    /// Who.
    pub userid: String,
    /// What.
    pub text: String,
}

/// A board in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoardRow {
    /// Number.
    pub number: u32,
    /// Options.
    pub options: String,
    /// First seat, second seat.
    pub players: [String; 2],
    /// Plies made.
    pub plies: u32,
    /// Whose turn.
    pub to_move: Option<String>,
    /// The result, when over.
    pub result: Option<ResultView>,
    /// When the last ply was made, or the board.
    pub moved_at: DateTime<Utc>,
}

/// A game in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameRow {
    /// `marque`
    pub name: String,
    /// `Marque`
    pub title: String,
    /// Who designed it.
    pub designer: String,
    /// Its options, as they are typed.
    pub options: Vec<String>,
    /// Boards in progress.
    pub active: usize,
}

/// A player in a list.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlayerRow {
    /// Who.
    pub userid: String,
    /// Since when.
    pub since: DateTime<Utc>,
    /// Boards in progress.
    pub active: usize,
    /// Boards that wait for him.
    pub next: usize,
    /// Boards that ended.
    pub finished: usize,
}
