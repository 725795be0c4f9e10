//! What a server holds, as lines of JSON, and a server rebuilt from them.
//!
//! An export is for moving to another machine or database, and for players who want their own data. Its first line says
//! what it is; then each player, open challenge and board has a line, and the last line counts them, so that a file that
//! was cut is noticed. It leaves out codes that were sent and not used, wrong passwords, mails and letters: the codes are
//! of no use elsewhere, and letters are about the past.
//!
//! An import believes nothing: each hash is computed again, each move is played, the ratings are computed from the
//! boards, and each board must pass the same check as one of our own.

mod export;
mod import;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::clock::TimeControl;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::store::{ProposalKind, StoreError};

use crate::service::board::record::{Record, RecordTimeControl};

pub use export::{export_player, export_server};
pub use import::import;

/// The name and version of the format.
pub const FORMAT: &str = "turnpost export 1";

/// Why nothing was exported or imported.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Reading or writing failed.
    #[error("it cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// A line of the import is wrong.
    #[error("line {line}: {what}; nothing is imported")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The database to import into holds something.
    #[error("an import needs an empty database, and this one has {0}; nothing is imported")]
    NotEmpty(String),
    /// Nobody has this userid.
    #[error("no player has the userid \"{0}\"")]
    NoPlayer(String),
}

type Result<T> = std::result::Result<T, TransferError>;

/// How much an export holds: its last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// The number of players.
    pub players: u32,
    /// Open challenges, closed ones too.
    pub offers: u32,
    /// The number of boards.
    pub boards: u32,
    /// Entries of their records.
    pub entries: u32,
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    of: Of,
    #[serde(skip_serializing_if = "Option::is_none")]
    userid: Option<String>,
    exported_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Of {
    Server,
    Player,
}

/// Every other line of a server's export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Player(PlayerLine),
    Offer(OfferLine),
    Board(Box<BoardLine>),
    End(Counts),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayerLine {
    userid: String,
    /// Not in the export for the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password_hash: Option<String>,
    created_at: DateTime<Utc>,
    left_at: Option<DateTime<Utc>>,
    addresses: Vec<AddressLine>,
    settings: SettingsLine,
    /// Exports of older servers have it.
    #[serde(default, rename = "told", skip_serializing)]
    _told: IgnoredAny,
    /// When an administrator blocked the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocked_at: Option<DateTime<Utc>>,
    /// The boards that the player wants no letters about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    muted: Vec<BoardNumber>,
    vacations: Vec<VacationLine>,
    /// By game.
    wishes: BTreeMap<String, WishLine>,
    follows: Vec<FollowLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddressLine {
    address: String,
    confirmed_at: Option<DateTime<Utc>>,
    /// Since when nothing is sent to it, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused: Option<(DateTime<Utc>, String)>,
}

/// Each as it is written in `set`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsLine {
    mail: String,
    rhythm: String,
    reminders: String,
    zone: String,
    weekend: String,
    #[serde(default)]
    letters: Option<String>,
    #[serde(default)]
    dmarc: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VacationLine {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WishLine {
    seeks: u32,
    most: Option<u32>,
}

/// One of the two is there.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FollowLine {
    board: Option<BoardNumber>,
    game: Option<String>,
    ends_only: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfferLine {
    number: BoardNumber,
    game: String,
    options: String,
    challenger: String,
    seat: u8,
    rated: bool,
    private: bool,
    limits: RecordTimeControl,
    comment: Option<String>,
    created_at: DateTime<Utc>,
    closed_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardLine {
    record: Record,
    state: StateLine,
}

/// What is at a board beside its record. Of a board that is over, only the time used and the notes are left.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateLine {
    clock: Option<ClockLine>,
    seats: [SeatLine; 2],
    proposal: Option<ProposalLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockLine {
    since: DateTime<Utc>,
    thought_seconds: u32,
    reminded: u32,
    due_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeatLine {
    used_seconds: u32,
    plan: Option<String>,
    submitted: Option<SubmittedLine>,
    resigns: bool,
    /// The player's private note.
    note: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SubmittedLine {
    text: String,
    after: EntryNumber,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProposalLine {
    kind: ProposalKind,
    by: u8,
}

impl From<RecordTimeControl> for TimeControl {
    fn from(RecordTimeControl { nag, forfeit, total }: RecordTimeControl) -> TimeControl {
        TimeControl { nag, forfeit, total }
    }
}

impl From<TimeControl> for RecordTimeControl {
    fn from(TimeControl { nag, forfeit, total }: TimeControl) -> RecordTimeControl {
        RecordTimeControl { nag, forfeit, total }
    }
}
