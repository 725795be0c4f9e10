//! What the store speaks of.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

pub use crate::rules::Seat;

/// A player's key in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(pub i64);
/// An inbox row's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxId(pub i64);
/// An outbox row's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxId(pub i64);

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Key.
    pub id: PlayerId,
    /// As signed up (its case is kept; it is unique in any case).
    pub userid: String,
    /// argon2 in PHC form.
    pub password_hash: String,
    /// When he signed up.
    pub created_at: DateTime<Utc>,
}

/// An address of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `alice@example.org`
    pub address: String,
    /// When its owner confirmed it; letters go to confirmed addresses only.
    pub confirmed_at: Option<DateTime<Utc>>,
}

/// A board to be made.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// The catalogue's name.
    pub game: String,
    /// Canonical options text, may be empty.
    pub options: String,
    /// First seat, second seat.
    pub players: [PlayerId; 2],
    /// Who moves first.
    pub to_move: Seat,
    /// Who made the challenge (`None`: the administrator's shell).
    pub challenger: Option<PlayerId>,
    /// The hash that the first move's is chained to.
    pub hash: String,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// A board's state beside its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its number.
    pub number: u32,
    /// The catalogue's name.
    pub game: String,
    /// Canonical options text.
    pub options: String,
    /// First seat, second seat: keys and userids.
    pub players: [(PlayerId, String); 2],
    /// Whose turn; `None` when over.
    pub to_move: Option<Seat>,
    /// Plies made.
    pub plies: u32,
    /// The chain's first hash.
    pub genesis: String,
    /// The hash of the last move, or the genesis.
    pub head: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When the last ply was made, or the board.
    pub moved_at: DateTime<Utc>,
    /// The result, when over.
    pub result: Option<BoardResult>,
    /// Declined before it began.
    pub declined: bool,
    /// Who made the challenge (`None`: the administrator's shell).
    pub challenger: Option<PlayerId>,
}

/// How a board ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardResult {
    /// Who won; `None` is a draw.
    pub winner: Option<Seat>,
    /// `formation`, `repetition`, `no moves`, `resignation`, …
    pub reason: String,
    /// When.
    pub ended_at: DateTime<Utc>,
}

/// One ply of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// From 1.
    pub ply: u32,
    /// Who made it.
    pub seat: Seat,
    /// Canonical move text.
    pub text: String,
    /// When.
    pub made_at: DateTime<Utc>,
    /// `shell`, `mail`, …
    pub via: String,
    /// Lower-case hex SHA-256 over the hash before and this move.
    pub hash: String,
}

/// What a player said with a ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The board.
    pub board: u32,
    /// The ply it came with; 0: with the challenge.
    pub ply: u32,
    /// Who.
    pub player: PlayerId,
    /// Its text; control characters are gone.
    pub text: String,
    /// When.
    pub said_at: DateTime<Utc>,
}

/// A mail that waits to be read.
#[derive(Clone, Debug)]
pub struct InboxMail {
    /// Its number.
    pub id: InboxId,
    /// As it came.
    pub raw: Vec<u8>,
    /// It was longer than the limit, and only its head is here.
    pub truncated: bool,
    /// How often reading was tried.
    pub attempts: u32,
    /// When it came.
    pub received_at: DateTime<Utc>,
}

/// What became of a mail.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Which kind.
    pub kind: VerdictKind,
    /// `From` address, if it has one.
    pub sender: Option<String>,
    /// What makes a second copy known.
    pub identity: Option<String>,
    /// The commands as understood, one a line, passwords `***`.
    pub commands: String,
    /// Why, in a sentence.
    pub reason: String,
}

/// The kinds of verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictKind {
    /// Its commands were obeyed (the last one at least understood).
    Done,
    /// Answered with an error; nothing changed.
    Refused,
    /// A second copy.
    Repeated,
    /// Nobody we know and nothing we understand, or a machine: no answer.
    Ignored,
    /// Reading it failed three times.
    Poison,
}

/// An inbox row as the administrator sees it.
#[derive(Clone, Debug)]
pub struct InboxRow {
    /// Number.
    pub id: InboxId,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// `None`: waits.
    pub verdict: Option<Verdict>,
    /// Attempts at reading it.
    pub attempts: u32,
}

/// A notice to be written.
#[derive(Clone, Debug)]
pub struct NewNotice {
    /// To whom (a player), or nobody we know.
    pub player: Option<PlayerId>,
    /// The one address it goes to, when not to all confirmed addresses of the player.
    pub address: Option<String>,
    /// `challenge`, `move`, `end`, `decline`, `answer`, `confirm`
    pub kind: String,
    /// The board it is about.
    pub board: Option<u32>,
    /// And its ply then.
    pub ply: Option<u32>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// The domain of its Message-ID.
    pub domain: String,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// A notice of the outbox.
#[derive(Clone, Debug)]
pub struct OutboxNotice {
    /// Its number.
    pub id: OutboxId,
    /// To whom: key and userid.
    pub player: Option<(PlayerId, String)>,
    /// The one address, when not to all of the player's.
    pub address: Option<String>,
    /// See [`NewNotice::kind`].
    pub kind: String,
    /// The board it is about.
    pub board: Option<u32>,
    /// And its ply then.
    pub ply: Option<u32>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// With angle brackets.
    pub message_id: String,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// Attempts at sending.
    pub attempts: u32,
    /// When it is due (again); `None` when sent or given up.
    pub due_at: Option<DateTime<Utc>>,
    /// When the transport took it.
    pub sent_at: Option<DateTime<Utc>>,
    /// The last error.
    pub error: Option<String>,
}
