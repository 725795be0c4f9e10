//! The database: players, boards, moves, inbox, outbox. The only room with SQL, behind a trait that speaks of those
//! and not of tables, so that another database can stand beside it.

mod sqlite;
mod types;

pub use sqlite::SqliteStore;
pub use types::*;

use chrono::{DateTime, Utc};

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was made by a later turnpost.
    #[error(
        "the database is of version {found}, made by a newer turnpost; this one knows versions up to {known}: install the newer turnpost, or restore a backup"
    )]
    TooNew {
        /// What the file says.
        found: u32,
        /// The last migration embedded here.
        known: u32,
    },
    /// The database is busy beyond the timeout; try again later.
    #[error("the database is busy; try again later")]
    Busy,
    /// Anything else.
    #[error("the database failed: {0}")]
    Failed(String),
}

/// What every call gives.
pub type Result<T> = std::result::Result<T, StoreError>;

/// A database that transactions are begun on.
pub trait Store: Send {
    /// A transaction that sees one moment and changes nothing.
    fn read(&mut self) -> Result<Box<dyn Ledger + '_>>;
    /// A transaction that writes; at most one at a time, others wait up to the busy timeout.
    fn write(&mut self) -> Result<Box<dyn Ledger + '_>>;
    /// Everything committed leaves the log and reaches the main file, and nothing erased is left in either (a mail
    /// that held a password, say). Cheap when there is nothing to do; skipped when another process is reading.
    fn settle(&mut self) -> Result<()>;
}

/// One transaction. Dropped without [`Ledger::commit`], it changes nothing.
pub trait Ledger {
    /// Makes everything done here durable, at once.
    fn commit(self: Box<Self>) -> Result<()>;

    /// Random letters that name this database in Message-IDs, made at its birth.
    fn server_id(&self) -> Result<String>;

    // Players and addresses

    /// The player of this userid, any case.
    fn player(&self, userid: &str) -> Result<Option<Player>>;
    /// Every player, by userid.
    fn players(&self) -> Result<Vec<Player>>;
    /// The player who owns this confirmed address, any case.
    fn player_by_address(&self, address: &str) -> Result<Option<Player>>;
    /// A new player; the userid is free (checked before).
    fn add_player(&mut self, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId>;
    /// Replaces the password hash.
    fn set_password(&mut self, player: PlayerId, password_hash: &str) -> Result<()>;
    /// A player's addresses, in the order they were given.
    fn addresses(&self, player: PlayerId) -> Result<Vec<Address>>;
    /// Adds an address; confirmed when `code` is `None`, else awaiting that code.
    fn add_address(&mut self, player: PlayerId, address: &str, code: Option<&str>, now: DateTime<Utc>) -> Result<()>;
    /// Removes an address.
    fn remove_address(&mut self, player: PlayerId, address: &str) -> Result<()>;
    /// Confirms the address that awaits this code; gives it, or `None` when no address of the player awaits it.
    fn confirm_address(&mut self, player: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>>;
    /// Counts a wrong password given for this userid (also one that nobody has).
    fn count_wrong_password(&mut self, userid: &str, now: DateTime<Utc>) -> Result<()>;
    /// How many wrong passwords were given for this userid since `since`.
    fn wrong_passwords(&self, userid: &str, since: DateTime<Utc>) -> Result<u32>;

    // Boards

    /// A new board; its number is the next one.
    fn add_board(&mut self, board: &NewBoard) -> Result<u32>;
    /// The board with its seats and result.
    fn board(&self, number: u32) -> Result<Option<Board>>;
    /// Boards of a game (or all), of a player (or all), in progress only or not, by number.
    fn boards(&self, game: Option<&str>, player: Option<PlayerId>, active_only: bool) -> Result<Vec<Board>>;
    /// The moves of a board, in order.
    fn moves(&self, number: u32) -> Result<Vec<Move>>;
    /// Appends a move; its ply is the next one, and so is the turn (`None` when the game is over). Both are refused
    /// by the database itself when out of order.
    fn add_move(&mut self, number: u32, mv: &Move, to_move: Option<Seat>) -> Result<()>;
    /// Ends a board.
    fn end_board(&mut self, number: u32, result: &BoardResult) -> Result<()>;
    /// Takes a declined board out of play: it is listed no more, and keeps its number.
    fn decline_board(&mut self, number: u32, by: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// A comment made with ply `ply` (0: with the challenge).
    fn add_comment(&mut self, comment: &Comment) -> Result<()>;
    /// The comments of a board, in order.
    fn comments(&self, number: u32) -> Result<Vec<Comment>>;

    // Inbox

    /// Keeps a raw mail that has arrived.
    fn add_mail(&mut self, raw: &[u8], truncated: bool, via: &str, now: DateTime<Utc>) -> Result<InboxId>;
    /// The oldest mails not yet dealt with, at most so many.
    fn waiting_mail(&self, most: u32) -> Result<Vec<InboxMail>>;
    /// Counts one attempt at reading this mail, before it is made (so that a crash counts too); gives how many.
    fn count_attempt(&mut self, id: InboxId) -> Result<u32>;
    /// The mail of this identity that was dealt with before, if any.
    fn mail_seen(&self, identity: &str) -> Result<Option<InboxId>>;
    /// Closes a mail: what became of it, and what of it is kept. The raw text is erased (it may hold a password).
    fn close_mail(&mut self, id: InboxId, verdict: &Verdict, now: DateTime<Utc>) -> Result<()>;
    /// Inbox rows for the administrator, newest first, at most so many.
    fn inbox(&self, most: u32) -> Result<Vec<InboxRow>>;

    // Outbox

    /// Writes a notice to be told. Its Message-ID is `<id.server_id@domain>`.
    fn add_notice(&mut self, notice: &NewNotice) -> Result<OutboxId>;
    /// Notices due at `now`, oldest first, at most so many.
    fn due_notices(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>>;
    /// When the next notice becomes due, if any waits.
    fn next_due(&self) -> Result<Option<DateTime<Utc>>>;
    /// A notice was handed to the transport.
    fn notice_sent(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<()>;
    /// A notice failed; tried again at `retry_at`, or given up when `None`.
    fn notice_failed(&mut self, id: OutboxId, error: &str, retry_at: Option<DateTime<Utc>>) -> Result<()>;
    /// Makes a notice due again at once, whatever its state; false when there is none of this number.
    fn resend(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<bool>;
    /// Outbox rows for the administrator, newest first, at most so many.
    fn outbox(&self, undelivered_only: bool, most: u32) -> Result<Vec<OutboxNotice>>;
}
