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

/// The counts in an export's last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// The number of players.
    pub players: u32,
    /// Open challenges, including closed ones.
    pub offers: u32,
    /// The number of boards.
    pub boards: u32,
    /// Entries of their records.
    pub entries: u32,
    /// Letters' notices.
    #[serde(default)]
    pub notices: u32,
    /// Messages in the inbox.
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
    /// For a complete server, since version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<ServerLine>,
}

/// Data of the database itself.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ServerLine {
    pub(super) server_id: String,
    pub(super) last_numbers: LastNumbers,
    /// When a process last watched the clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) clocks_seen_at: Option<DateTime<Utc>>,
    /// Present if the export contains the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sealed: Option<SealLine>,
}

/// The key of the instance, encrypted with a passphrase.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SealLine {
    /// The salt for deriving a key from the passphrase, in hexadecimal digits.
    pub(super) salt: String,
    pub(super) key: SealedOrPlain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Of {
    Server,
    Player,
}

/// Any other line of a server's export.
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

/// A line of the log of acts, with either `userid` or `shell`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActLine {
    pub(super) done_at: DateTime<Utc>,
    /// The player who acted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) userid: Option<String>,
    /// The account on the server's shell that acted.
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
    /// Missing in the export for the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) password_hash: Option<String>,
    pub(super) created_at: DateTime<Utc>,
    pub(super) left_at: Option<DateTime<Utc>>,
    pub(super) addresses: Vec<AddressLine>,
    pub(super) settings: SettingsLine,
    /// Exists in exports of older servers.
    #[serde(default, rename = "told", skip_serializing)]
    pub(super) _told: IgnoredAny,
    /// When an administrator blocked the player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) blocked_at: Option<DateTime<Utc>>,
    /// The boards about which the player wants no letters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) muted: Vec<BoardNumber>,
    pub(super) vacations: Vec<VacationLine>,
    /// By game.
    pub(super) wishes: BTreeMap<String, WishLine>,
    pub(super) follows: Vec<FollowLine>,
    /// The games for whose puzzle of the day the player has subscribed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) puzzles: Vec<String>,
    /// The puzzles whose solution the player knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) solved: Vec<SolvedLine>,
    /// Exists only in the export of a complete server, since version 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) account: Option<AccountLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SolvedLine {
    pub(super) game: String,
    pub(super) number: PuzzleNumber,
    pub(super) day: NaiveDate,
    /// False if the solution was shown.
    pub(super) found: bool,
}

/// Data that a player's letters, links and programs refer to.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AccountLine {
    /// The player's number, which reply tokens contain.
    pub(super) number: i64,
    /// When the player last became reachable again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) back_in_reach_at: Option<DateTime<Utc>>,
    /// Codes of addresses that await confirmation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) codes: Vec<CodeLine>,
    /// The code that confirms leaving, and when it was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signoff: Option<(String, DateTime<Utc>)>,
    /// The boards with an announced turn, and the length of the record at that time.
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
    /// The SHA-256 of its text, in hexadecimal digits.
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
    /// Since when no letters are sent to it, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) paused: Option<(DateTime<Utc>, String)>,
}

/// Each in the form of `set`.
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

/// One of the two is present.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FollowLine {
    pub(super) board: Option<BoardNumber>,
    pub(super) game: Option<String>,
    pub(super) ends_only: bool,
}

/// A puzzle. Its position and the winning move can be derived from the board.
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

/// State of a board outside its record. For a finished board, only the used time and the notes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StateLine {
    pub(super) clock: Option<ClockLine>,
    pub(super) seats: [SeatLine; 2],
    pub(super) proposal: Option<ProposalLine>,
    /// Every proposal, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) proposals: Vec<MadeProposalLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeProposalLine {
    /// The length of the record at that time.
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

/// A notice of the outbox, and the state of its letter.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoticeLine {
    /// The number, which is part of the Message-ID.
    pub(super) number: i64,
    pub(super) player: Option<String>,
    pub(super) address: Option<String>,
    pub(super) kind: String,
    pub(super) board: Option<BoardNumber>,
    pub(super) entry: Option<EntryNumber>,
    /// The stored facts. Letters are composed from these bytes.
    pub(super) facts: String,
    pub(super) in_reply_to: Option<String>,
    pub(super) domain: String,
    pub(super) created_at: DateTime<Utc>,
    pub(super) due_at: Option<DateTime<Utc>>,
    pub(super) held: bool,
    /// The leading notice of the letter that contains this one.
    pub(super) letter: Option<i64>,
    pub(super) bound_at: Option<DateTime<Utc>>,
    pub(super) attempts: u32,
    pub(super) sent_at: Option<DateTime<Utc>>,
    pub(super) error: Option<String>,
    /// The letter's form and time zone when it was sent.
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

/// A message in the inbox.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MailLine {
    pub(super) number: i64,
    pub(super) received_at: DateTime<Utc>,
    pub(super) via: MailSource,
    pub(super) truncated: bool,
    pub(super) attempts: u32,
    pub(super) author: Option<String>,
    /// The original message, if it is waiting or set aside. It may contain a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) raw: Option<SealedOrPlain>,
    /// Missing while it is waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<VerdictLine>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VerdictLine {
    pub(super) kind: VerdictKind,
    pub(super) closed_at: DateTime<Utc>,
    pub(super) sender: Option<String>,
    /// Identifies duplicates.
    pub(super) identity: Option<String>,
    pub(super) commands: String,
    pub(super) reason: String,
    /// The refused commands with the reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) refusals: Vec<(String, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) effects: Vec<MailEffect>,
}
