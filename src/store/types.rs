//! What the store speaks of.

use chrono::{DateTime, TimeDelta, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Limits;
use crate::command::{Dmarc, MailForm, Reminders, Rhythm, UnsolicitedLetters, Weekend};
use crate::rating::Rating;
pub use crate::rules::Seat;

use super::result_reason::ResultReason;

/// A player's key in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlayerId(pub i64);

/// A player as other things name them: by key and userid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerRef {
    /// Key in the database.
    pub id: PlayerId,
    /// The name that people know.
    pub userid: String,
}

/// An inbox row's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxId(pub i64);
/// An outbox row's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxId(pub i64);

/// The number of a link that logs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkId(pub i64);

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
    /// What he has set.
    pub settings: Settings,
    /// A letter was written since he last did something (for [`Rhythm::Once`]).
    pub notified: bool,
    /// The code that confirms his leaving, and when it was given.
    pub signoff: Option<(String, DateTime<Utc>)>,
    /// When he left.
    pub left_at: Option<DateTime<Utc>>,
}

/// What a player has set about himself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How letters show boards.
    pub mail: MailForm,
    /// How often letters come.
    pub rhythm: Rhythm,
    /// Which reminders come.
    pub reminders: Reminders,
    /// A name of the IANA time zone database.
    pub zone: String,
    /// The days on which his clocks stand still.
    pub weekend: Weekend,
    /// What is sent that he has not asked for.
    pub letters: UnsolicitedLetters,
    /// What mail in his name must show.
    pub dmarc: Dmarc,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mail: MailForm::default(),
            rhythm: Rhythm::default(),
            reminders: Reminders::default(),
            zone: "UTC".to_owned(),
            weekend: Weekend::default(),
            letters: UnsolicitedLetters::default(),
            dmarc: Dmarc::default(),
        }
    }
}

/// What a player looks for and takes in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GamePreferences {
    /// Opponents he looks for.
    pub seeks: u32,
    /// Boards he takes at a time; `None`: any.
    pub most: Option<u32>,
}

/// An address of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// `alice@example.org`
    pub address: String,
    /// When its owner confirmed it; letters go to confirmed addresses only.
    pub confirmed_at: Option<DateTime<Utc>>,
    /// Letters bounced there: since when nothing is sent to it, and why.
    pub paused: Option<(DateTime<Utc>, String)>,
}

/// A link by mail that logs in once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginLink {
    /// Whom.
    pub player: PlayerId,
    /// When it was asked for.
    pub asked_at: DateTime<Utc>,
    /// It counts no more.
    pub used: bool,
}

/// What became of a letter at one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// `alice@example.org`
    pub address: String,
    /// Which it is.
    pub state: DeliveryState,
    /// When.
    pub at: DateTime<Utc>,
    /// What the receiving side said against it.
    pub error: Option<String>,
}

/// How far a letter has come at one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// The transport did not take it, and may later.
    Failed,
    /// The transport took it.
    Sent,
    /// The transport will never take it.
    Refused,
    /// It was taken, and came back.
    Bounced,
}

/// A board to be made.
#[derive(Clone, Debug)]
pub struct NewBoard {
    /// Its number, when it was given already: to an open challenge, or by the server it is imported from.
    pub number: Option<u32>,
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
    /// Whether its end changes ratings.
    pub rated: bool,
    /// Shown to its players only.
    pub private: bool,
    /// Its time settings.
    pub limits: Limits,
    /// The hash that the first entry's is chained to.
    pub hash: String,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// A board's state beside its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Its number.
    pub number: u32,
    /// The catalogue's name.
    pub game: String,
    /// Canonical options text.
    pub options: String,
    /// First seat, second seat: keys and userids.
    pub players: [PlayerRef; 2],
    /// Whose turn; `None` when over.
    pub to_move: Option<Seat>,
    /// Entries of its record.
    pub entries: u32,
    /// Plies that stand.
    pub plies: u32,
    /// The chain's first hash.
    pub genesis: String,
    /// The hash of the last entry, or the genesis.
    pub head: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When the last entry was made, or the board.
    pub moved_at: DateTime<Utc>,
    /// The result, when over.
    pub result: Option<BoardResult>,
    /// Declined, or never begun: taken out of play.
    pub declined: bool,
    /// Who made the challenge (`None`: the administrator's shell).
    pub challenger: Option<PlayerId>,
    /// Whether its end changes ratings.
    pub rated: bool,
    /// The how-manieth rated board it was to end.
    pub rated_as: Option<u32>,
    /// Shown to its players only.
    pub private: bool,
    /// Its time settings.
    pub limits: Limits,
    /// The clock of the player to move, if it has one.
    pub clock: Option<BoardClock>,
    /// What is arranged at each seat.
    pub seats: [SeatState; 2],
    /// The open proposal.
    pub proposal: Option<Proposal>,
}

/// The clock of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardClock {
    /// Counted from here on.
    pub since: DateTime<Utc>,
    /// Counted before that, on this ply. In whole seconds, as every duration of the store.
    pub thought: TimeDelta,
    /// Reminders told on this ply.
    pub reminded: u32,
    /// When it asks for something next; `None`: never.
    pub due_at: Option<DateTime<Utc>>,
}

/// What is arranged at a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeatState {
    /// Thinking on earlier plies.
    pub used: TimeDelta,
    /// Conditional replies, canonical.
    pub plan: Option<String>,
    /// A move to be confirmed, and the entry after which it was submitted.
    pub submitted: Option<(String, u32)>,
    /// Resigns when the turn comes.
    pub resigns: bool,
}

/// Something proposed to the other player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// What.
    pub kind: ProposalKind,
    /// By whom.
    pub by: Seat,
}

/// What can be proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProposalKind {
    /// To end the game as a draw.
    Draw,
    /// To take the proposer's last move back.
    Undo,
}

/// An open challenge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenChallenge {
    /// Its number, and that of the board which it becomes; 0 until it is stored.
    pub number: u32,
    /// The catalogue's name.
    pub game: String,
    /// Canonical options text.
    pub options: String,
    /// Whose: key and userid.
    pub challenger: PlayerRef,
    /// The challenger's seat.
    pub seat: Seat,
    /// Whether the board will be rated.
    pub rated: bool,
    /// Whether it will be shown to its players only.
    pub private: bool,
    /// Its time settings.
    pub limits: Limits,
    /// What was said with it.
    pub comment: Option<String>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was taken or withdrawn.
    pub closed_at: Option<DateTime<Utc>>,
}

/// How a board ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardResult {
    /// Who won; `None` is a draw.
    pub winner: Option<Seat>,
    /// Why.
    pub reason: ResultReason,
    /// When.
    pub ended_at: DateTime<Utc>,
}

/// One entry of a board's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// From 1.
    pub entry: u32,
    /// What it is.
    pub kind: EntryKind,
    /// Plies that stand after it.
    pub ply: u32,
    /// Whose (`None`: the administrator's).
    pub seat: Option<Seat>,
    /// The canonical move text of a move; else a word, and an adjudication's reason.
    pub text: String,
    /// When.
    pub made_at: DateTime<Utc>,
    /// `shell`, `mail`, `plan`, …
    pub via: String,
    /// Lower-case hex SHA-256 over the hash before and this entry.
    pub hash: String,
}

/// What an entry of a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A ply.
    Move,
    /// Plies taken back, by agreement.
    Undo,
    /// A resignation.
    Resign,
    /// A draw, by agreement.
    Draw,
    /// Time ran out.
    Forfeit,
    /// The administrator ended it.
    Adjudge,
}

/// What a player said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The board.
    pub board: u32,
    /// The entry it came with or after; 0: with the challenge.
    pub entry: u32,
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
    /// The name of its templates: `challenge`, `move`, `end`, `reminder`, `answer`, …
    pub kind: String,
    /// The board it is about.
    pub board: Option<u32>,
    /// And the last entry of its record then.
    pub entry: Option<u32>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// The domain of its Message-ID.
    pub domain: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When it is to be told; `None`: it is held until the player has done something.
    pub due_at: Option<DateTime<Utc>>,
}

/// A notice of the outbox.
#[derive(Clone, Debug)]
pub struct OutboxNotice {
    /// Its number.
    pub id: OutboxId,
    /// To whom: key and userid.
    pub player: Option<PlayerRef>,
    /// The one address, when not to all of the player's.
    pub address: Option<String>,
    /// See [`NewNotice::kind`].
    pub kind: String,
    /// The board it is about.
    pub board: Option<u32>,
    /// And the last entry of its record then.
    pub entry: Option<u32>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// With angle brackets; that of the letter it became a part of.
    pub message_id: String,
    /// The notice whose letter tells this one too, once that is settled.
    pub letter: Option<OutboxId>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// Attempts at sending.
    pub attempts: u32,
    /// When it is due (again); `None` when sent, given up or held.
    pub due_at: Option<DateTime<Utc>>,
    /// When the transport took it.
    pub sent_at: Option<DateTime<Utc>>,
    /// The last error.
    pub error: Option<String>,
}

/// Where a player stands in a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The catalogue's name.
    pub game: String,
    /// Who: key and userid.
    pub player: PlayerRef,
    /// His rating.
    pub rating: Rating,
    /// Rated boards won.
    pub wins: u32,
    /// Rated boards lost.
    pub losses: u32,
    /// Rated boards drawn.
    pub draws: u32,
}

/// What a rated board did to a rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingChange {
    /// As it was.
    pub before: Rating,
    /// As it is after the board.
    pub after: Rating,
}

/// What a player's program shows in place of his password. The token itself is kept nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalToken {
    /// SHA-256 of its text.
    pub hash: [u8; 32],
    /// Whose.
    pub player: PlayerId,
    /// What he calls it.
    pub label: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was last shown, to the hour.
    pub used_at: Option<DateTime<Utc>>,
}

/// The address at which a player's program wants to hear that it is his turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Whose.
    pub player: PlayerId,
    /// `https://bot.example.org/turn`
    pub url: String,
    /// What is sent is signed with it.
    pub secret: String,
    /// When it was given.
    pub created_at: DateTime<Utc>,
    /// Calls that failed in a row.
    pub failures: u32,
    /// Nothing is sent: since when, and why.
    pub paused: Option<(DateTime<Utc>, String)>,
}

/// A turn that is to be told at a [`Webhook`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookCall {
    /// Its number.
    pub id: i64,
    /// Whose hook.
    pub player: PlayerId,
    /// The board.
    pub board: u32,
    /// The length of its record when the turn came.
    pub entry: u32,
    /// When that was.
    pub created_at: DateTime<Utc>,
    /// Attempts made.
    pub attempts: u32,
}

/// A player who looks for opponents in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeker {
    /// Who looks.
    pub player: PlayerRef,
    /// How many opponents they look for.
    pub seeks: u32,
}

/// A player who follows a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Follower {
    /// Who follows.
    pub player: PlayerId,
    /// Only the end is reported to them, not every move.
    pub ends_only: bool,
}

/// Something that a player follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Following {
    /// The board or game.
    pub what: Followed,
    /// Only ends are reported, not every move.
    pub ends_only: bool,
}

/// The latest change of a board or open challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardChange {
    /// Position in the sequence of all changes.
    pub seq: i64,
    /// The number of the board or open challenge.
    pub board: u32,
}

/// What somebody follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// A board.
    Board(u32),
    /// Every board of a game, by the catalogue's name.
    Game(String),
}
