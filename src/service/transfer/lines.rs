//! The lines of an export.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::seal::SealedOrPlain;
use crate::clock::TimeControl;
use crate::numbers::{BoardNumber, EntryNumber, Ply, PuzzleNumber};
use crate::service::board::record::{Record, RecordTimeControl};
use crate::store::{
    ActKind, DeliveryState, LastNumbers, MailEffect, MailSource, ProposalAnswer, ProposalKind, Stop, VerdictKind, Via,
};
use crate::text::Message;

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
    /// Letters' notices.
    #[serde(default)]
    pub notices: u32,
    /// Mails of the inbox.
    #[serde(default)]
    pub mails: u32,
    /// Puzzles, of all games together.
    #[serde(default)]
    pub puzzles: u32,
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) format: String,
    pub(super) of: Of,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) userid: Option<String>,
    pub(super) exported_at: DateTime<Utc>,
    /// Of a whole server, since version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<ServerLine>,
}

/// What belongs to the database itself.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerLine {
    pub(super) server_id: String,
    pub(super) last_numbers: LastNumbers,
    /// When a program last watched the clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) clocks_seen_at: Option<DateTime<Utc>>,
    /// Present when the export holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sealed: Option<SealLine>,
}

/// The key of the instance, sealed by a passphrase.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SealLine {
    /// With which the passphrase is made a key, in hexadecimal digits.
    pub(super) salt: String,
    pub(super) key: SealedOrPlain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Of {
    Server,
    Player,
}

/// Every other line of a server's export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Blocked(BlockedLine),
    Player(Box<PlayerLine>),
    Offer(OfferLine),
    Board(Box<BoardLine>),
    Puzzle(PuzzleLine),
    Outbox(Box<NoticeLine>),
    Inbox(Box<MailLine>),
    Standstill(Stop),
    Act(ActLine),
    End(Counts),
}

/// A line of the log of acts. One of `userid` and `shell` is there.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActLine {
    pub(super) done_at: DateTime<Utc>,
    /// The player who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) userid: Option<String>,
    /// The account at the server's shell that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shell: Option<String>,
    pub(super) act: ActKind,
    pub(super) board: Option<BoardNumber>,
    pub(super) player: Option<String>,
    pub(super) detail: String,
    pub(super) reason: String,
}

/// A blocked address or domain.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlockedLine {
    pub(super) sender: String,
    pub(super) blocked_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) reason: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayerLine {
    pub(super) userid: String,
    /// Not in the export for the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) password_hash: Option<String>,
    pub(super) created_at: DateTime<Utc>,
    pub(super) left_at: Option<DateTime<Utc>>,
    pub(super) addresses: Vec<AddressLine>,
    pub(super) settings: SettingsLine,
    /// Exports of older servers have it.
    #[serde(default, rename = "told", skip_serializing)]
    pub(super) _told: IgnoredAny,
    /// When an administrator blocked the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) blocked_at: Option<DateTime<Utc>>,
    /// The boards that the player wants no letters about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) muted: Vec<BoardNumber>,
    pub(super) vacations: Vec<VacationLine>,
    /// By game.
    pub(super) wishes: BTreeMap<String, WishLine>,
    pub(super) follows: Vec<FollowLine>,
    /// The games of which the player gets the puzzle of the day.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) puzzles: Vec<String>,
    /// The puzzles whose solution the player knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) solved: Vec<SolvedLine>,
    /// What is in the export of a whole server alone, since version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) account: Option<AccountLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolvedLine {
    pub(super) game: String,
    pub(super) number: PuzzleNumber,
    pub(super) day: NaiveDate,
    /// False when the solution was shown.
    pub(super) found: bool,
}

/// What a player's letters, links and programs refer to.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountLine {
    /// Reply tokens are signed over it.
    pub(super) number: i64,
    /// When the player was last out of reach and could be reached again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) back_in_reach_at: Option<DateTime<Utc>>,
    /// Of addresses that await their confirmation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) codes: Vec<CodeLine>,
    /// The code that confirms that the player leaves, and when it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signoff: Option<(String, DateTime<Utc>)>,
    /// The boards whose turn the player was told of, and the length of the record then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) turn_letters: Vec<(BoardNumber, EntryNumber)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tokens: Vec<TokenLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) webhook: Option<WebhookLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CodeLine {
    pub(super) address: String,
    pub(super) code: String,
    pub(super) added_at: DateTime<Utc>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TokenLine {
    /// SHA-256 of its text, in hexadecimal digits.
    pub(super) hash: String,
    pub(super) label: String,
    pub(super) created_at: DateTime<Utc>,
    pub(super) used_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WebhookLine {
    pub(super) url: String,
    pub(super) secret: SealedOrPlain,
    pub(super) created_at: DateTime<Utc>,
    pub(super) failures: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) paused: Option<(DateTime<Utc>, Message)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddressLine {
    pub(super) address: String,
    pub(super) confirmed_at: Option<DateTime<Utc>>,
    /// Since when nothing is sent to it, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) paused: Option<(DateTime<Utc>, String)>,
}

/// Each as it is written in `set`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingsLine {
    pub(super) mail: String,
    pub(super) rhythm: String,
    pub(super) reminders: String,
    pub(super) zone: String,
    pub(super) weekend: String,
    #[serde(default)]
    pub(super) letters: Option<String>,
    #[serde(default)]
    pub(super) own: Option<String>,
    #[serde(default)]
    pub(super) dmarc: Option<String>,
    #[serde(default)]
    pub(super) theme: Option<String>,
    #[serde(default)]
    pub(super) hints: Option<String>,
    #[serde(default)]
    pub(super) chat: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VacationLine {
    pub(super) from: DateTime<Utc>,
    pub(super) until: DateTime<Utc>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WishLine {
    pub(super) seeks: u32,
    pub(super) most: Option<u32>,
}

/// One of the two is there.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FollowLine {
    pub(super) board: Option<BoardNumber>,
    pub(super) game: Option<String>,
    pub(super) ends_only: bool,
}

/// A puzzle: its position and the move that wins follow from the board.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PuzzleLine {
    pub(super) game: String,
    pub(super) number: PuzzleNumber,
    pub(super) board: BoardNumber,
    pub(super) ply: Ply,
    /// The last day on which it was the puzzle of the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) daily: Option<NaiveDate>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfferLine {
    pub(super) number: BoardNumber,
    pub(super) game: String,
    pub(super) options: String,
    pub(super) challenger: String,
    pub(super) seat: u8,
    pub(super) rated: bool,
    pub(super) private: bool,
    pub(super) limits: RecordTimeControl,
    pub(super) comment: Option<String>,
    pub(super) created_at: DateTime<Utc>,
    pub(super) closed_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoardLine {
    pub(super) record: Record,
    pub(super) state: StateLine,
}

/// What is at a board beside its record. Of a board that is over, only the time used and the notes are left.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StateLine {
    pub(super) clock: Option<ClockLine>,
    pub(super) seats: [SeatLine; 2],
    pub(super) proposal: Option<ProposalLine>,
    /// Every proposal that was made, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) proposals: Vec<MadeProposalLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeProposalLine {
    /// The length of the record then.
    pub(super) entry: EntryNumber,
    pub(super) kind: ProposalKind,
    pub(super) by: u8,
    pub(super) via: Via,
    pub(super) made_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<(ProposalAnswer, DateTime<Utc>)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClockLine {
    pub(super) since: DateTime<Utc>,
    pub(super) thought_seconds: i64,
    pub(super) reminded: u32,
    pub(super) due_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SeatLine {
    pub(super) used_seconds: u32,
    pub(super) plan: Option<String>,
    pub(super) submitted: Option<SubmittedLine>,
    /// The player's private note.
    pub(super) note: Option<String>,
    /// In exports of earlier versions: the player resigns at their next turn.
    #[serde(default, skip_serializing)]
    pub(super) resigns: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SubmittedLine {
    pub(super) text: String,
    pub(super) after: EntryNumber,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProposalLine {
    pub(super) kind: ProposalKind,
    pub(super) by: u8,
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

/// A notice of the outbox, and what became of its letter.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoticeLine {
    /// A part of the Message-ID.
    pub(super) number: i64,
    pub(super) player: Option<String>,
    pub(super) address: Option<String>,
    pub(super) kind: String,
    pub(super) board: Option<BoardNumber>,
    pub(super) entry: Option<EntryNumber>,
    /// As it is stored: letters are made of these bytes.
    pub(super) facts: String,
    pub(super) in_reply_to: Option<String>,
    pub(super) domain: String,
    pub(super) created_at: DateTime<Utc>,
    pub(super) due_at: Option<DateTime<Utc>>,
    pub(super) held: bool,
    /// The notice that leads the letter of which this one is a part.
    pub(super) letter: Option<i64>,
    pub(super) bound_at: Option<DateTime<Utc>>,
    pub(super) attempts: u32,
    pub(super) sent_at: Option<DateTime<Utc>>,
    pub(super) error: Option<String>,
    /// The form of the letter and the time zone, as they were when it was sent.
    pub(super) sent_as: Option<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) deliveries: Vec<DeliveryLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeliveryLine {
    pub(super) address: String,
    pub(super) state: DeliveryState,
    pub(super) at: DateTime<Utc>,
    pub(super) error: Option<String>,
}

/// A mail of the inbox.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MailLine {
    pub(super) number: i64,
    pub(super) received_at: DateTime<Utc>,
    pub(super) via: MailSource,
    pub(super) truncated: bool,
    pub(super) attempts: u32,
    pub(super) author: Option<String>,
    /// The mail as it came, if it waits or was set aside: it may hold a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) raw: Option<SealedOrPlain>,
    /// Missing when it waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<VerdictLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictLine {
    pub(super) kind: VerdictKind,
    pub(super) closed_at: DateTime<Utc>,
    pub(super) sender: Option<String>,
    /// By which a second copy is recognized.
    pub(super) identity: Option<String>,
    pub(super) commands: String,
    pub(super) reason: String,
    /// The commands that were refused, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) refusals: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) effects: Vec<MailEffect>,
}
