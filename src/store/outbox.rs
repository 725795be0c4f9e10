//! Notices, and the letters that they become.

use chrono::{DateTime, Utc};

use super::{NodeName, PlayerId, PlayerRef, Result};
use crate::clock::Span;
use crate::numbers::{BoardNumber, EntryNumber};

/// The number of an outbox row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutboxId(pub i64);

/// How many of the newest notices are searched for letters about a board. An index would cost every turn more than this
/// search costs the few replies that need it.
pub(in crate::store) const RECENT_NOTICES: u32 = 20_000;

/// A notice to be added to the outbox.
#[derive(Clone, Debug)]
pub struct NewNotice {
    /// The player whom it is for, if it is for one.
    pub player: Option<PlayerId>,
    /// The one address it goes to, when not to all confirmed addresses of the player.
    pub address: Option<String>,
    /// The name of its templates: `challenge`, `move`, `end`, `reminder`, `answer`, …
    pub kind: String,
    /// The board it is about.
    pub board: Option<BoardNumber>,
    /// The last entry of that board's record then.
    pub entry: Option<EntryNumber>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// The domain of its Message-ID.
    pub domain: String,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it is due; `None`: it is held until the player has done something.
    pub due_at: Option<DateTime<Utc>>,
}

/// A notice of the outbox.
#[derive(Clone, Debug)]
pub struct OutboxNotice {
    /// Its number.
    pub id: OutboxId,
    /// The player whom it is for.
    pub player: Option<PlayerRef>,
    /// The one address, when it does not go to all of the player's.
    pub address: Option<String>,
    /// See [`NewNotice::kind`].
    pub kind: String,
    /// The board it is about.
    pub board: Option<BoardNumber>,
    /// The last entry of that board's record then.
    pub entry: Option<EntryNumber>,
    /// The facts, as JSON.
    pub facts: String,
    /// Message-ID of the mail it answers.
    pub in_reply_to: Option<String>,
    /// Message-ID of the letter it is part of, with angle brackets; until it is part of one, its own.
    pub message_id: String,
    /// The leading notice of its letter, once it is part of one.
    pub letter: Option<OutboxId>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its letter was bound, which is when that was first to be sent.
    pub bound_at: Option<DateTime<Utc>>,
    /// How many attempts were made at sending it.
    pub attempts: u32,
    /// When it is due (again); `None` when it was sent, given up or is held.
    pub due_at: Option<DateTime<Utc>>,
    /// When the transport took it.
    pub sent_at: Option<DateTime<Utc>>,
    /// The last error.
    pub error: Option<String>,
}

/// Notices, before they become letters and as the administrator sees them.
pub trait Outbox {
    /// Adds a notice. Its Message-ID is `<id.server_id@domain>`.
    fn add_notice(&mut self, notice: &NewNotice) -> Result<OutboxId>;
    /// Lists notices due at `now` that are part of no letter, the longest due first, at most `most`. A transaction that
    /// writes beside others leaves out what another is writing, and has what it is given to itself until it ends.
    fn loose_notices(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>>;
    /// When the next notice or letter is due.
    fn next_due(&self) -> Result<Option<DateTime<Utc>>>;
    /// Holds those of these notices that wait to be sent, until [`Outbox::release_held`]. A letter stays bound: it may
    /// have been taken by the mail server just before a crash, and must keep its Message-ID.
    fn hold(&mut self, notices: &[OutboxId]) -> Result<()>;
    /// Makes the notices held for a player due; returns how many there are.
    fn release_held(&mut self, player: PlayerId, due_at: DateTime<Utc>) -> Result<u32>;
    /// Lists the notices for a player about a board that are part of no letter and due in this time.
    fn notices_due(&self, player: PlayerId, board: BoardNumber, due: &Span) -> Result<Vec<OutboxId>>;
    /// Removes a notice, unless it is part of a letter.
    fn remove_notice(&mut self, notice: OutboxId) -> Result<()>;
    /// Gives up a letter that was not sent, or a notice that is part of none, for this reason; `false` when there is none
    /// that waits or is held.
    fn drop_letter(&mut self, notice: OutboxId, why: &str, now: DateTime<Utc>) -> Result<bool>;
    /// Since when the administrator lets no letter leave.
    fn letters_held_at(&self) -> Result<Option<DateTime<Utc>>>;
    /// Lets no letter leave, or lets them leave again.
    fn set_letters_held_at(&mut self, since: Option<DateTime<Utc>>) -> Result<()>;
    /// The newest reminder about a board at this entry of its record.
    fn reminder(&self, board: BoardNumber, entry: EntryNumber) -> Result<Option<OutboxNotice>>;
    /// Lists the `answer` notices that were written to an address in this time, the oldest first.
    fn answers(&self, address: &str, time: &Span) -> Result<Vec<OutboxNotice>>;
    /// Lists rows for the administrator, newest first, at most `most`.
    fn outbox(&self, undelivered_only: bool, most: u32) -> Result<Vec<OutboxNotice>>;
}

/// Letters: notices bound together, which from then on move together. A letter is named by any of its notices, and has
/// the number of the leading one.
///
/// Needs: a notice becomes part of one letter, also when two transactions bind it at the same time.
pub trait Letters {
    /// Binds these notices to one letter at `now`; the first of them leads it. Fails when one is part of a letter, or held.
    fn bind_letter(&mut self, notices: &[OutboxId], now: DateTime<Utc>) -> Result<()>;
    /// Lists the letters due at `now`, the longest due first, at most `most`: the notices of each, in order. With a node,
    /// only those whose sending no other node has leased. Beside others as [`Outbox::loose_notices`].
    fn due_letters(&self, now: DateTime<Utc>, most: u32, node: Option<&NodeName>) -> Result<Vec<Vec<OutboxNotice>>>;
    /// Lists the notices of the letter of this number, in order; none when there is no such letter.
    fn letter(&self, letter: OutboxId) -> Result<Vec<OutboxNotice>>;
    /// Lists the letters that showed a player a board at this entry of its record, newest first. Searches at most
    /// `most` of the player's notices among the newest 20,000. A letter with several matching notices is listed several
    /// times.
    fn letters_about(
        &self,
        player: PlayerId,
        board: BoardNumber,
        entry: EntryNumber,
        most: u32,
    ) -> Result<Vec<OutboxId>>;
    /// Marks a letter as handed to the transport.
    fn letter_sent(&mut self, letter: OutboxId, now: DateTime<Utc>) -> Result<()>;
    /// Counts a failed attempt at sending a letter, which is due again at `retry_at`, or given up when that is `None`.
    fn letter_failed(&mut self, letter: OutboxId, error: &str, retry_at: Option<DateTime<Utc>>) -> Result<()>;
    /// Lists the letters that were given up, in order.
    fn given_up(&self) -> Result<Vec<OutboxId>>;
    /// Lists the letters that were sent or given up since this time, in order; those to a player or an address, or all.
    fn letters_since(&self, since: DateTime<Utc>, to: Option<&str>) -> Result<Vec<OutboxId>>;
    /// Makes a notice's letter due at once, at every address and whatever its state; false when there is no such
    /// notice.
    fn resend(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<bool>;
}
