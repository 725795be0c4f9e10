//! The database: players, boards, moves, inbox, outbox. The only room with SQL, behind a trait that speaks of those
//! and not of tables, so that another database can stand beside it.

mod list;
mod result_reason;
mod sqlite;
mod types;

pub use list::*;
pub use result_reason::ResultReason;
pub use sqlite::SqliteStore;
pub use types::*;

use chrono::{DateTime, Utc};

use crate::clock::Span;
use crate::token::Key;

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
    fn read(&mut self) -> Result<Box<dyn Transaction + '_>>;
    /// A transaction that writes; at most one at a time, others wait up to the busy timeout.
    fn write(&mut self) -> Result<Box<dyn Transaction + '_>>;
    /// Everything committed leaves the log and reaches the main file, and nothing erased is left in either (a mail
    /// that held a password, say). Cheap when there is nothing to do; skipped when another process is reading.
    fn settle(&mut self) -> Result<()>;
}

/// One transaction. Dropped without [`Transaction::commit`], it changes nothing.
pub trait Transaction {
    /// Makes everything done here durable, at once.
    fn commit(self: Box<Self>) -> Result<()>;

    /// Random letters that name this database in Message-IDs, made at its birth.
    fn server_id(&self) -> Result<String>;
    /// What reply tokens are signed with, made at this database's birth and exported nowhere.
    fn reply_key(&self) -> Result<Key>;

    // Players and addresses

    /// The player of this userid, any case.
    fn player(&self, userid: &str) -> Result<Option<Player>>;
    /// The player of this key.
    fn player_by_id(&self, player: PlayerId) -> Result<Option<Player>>;
    /// Every player, by userid.
    fn players(&self) -> Result<Vec<Player>>;
    /// The player who owns this confirmed address, any case.
    fn player_by_address(&self, address: &str) -> Result<Option<Player>>;
    /// A new player; the userid is free (checked before).
    fn add_player(&mut self, userid: &str, password_hash: &str, now: DateTime<Utc>) -> Result<PlayerId>;
    /// Replaces the password hash; the player's tokens are gone with the old one.
    fn set_password(&mut self, player: PlayerId, password_hash: &str) -> Result<()>;
    /// A player's addresses, in the order they were given.
    fn addresses(&self, player: PlayerId) -> Result<Vec<Address>>;
    /// Adds an address; confirmed when `code` is `None`, else awaiting that code.
    fn add_address(&mut self, player: PlayerId, address: &str, code: Option<&str>, now: DateTime<Utc>) -> Result<()>;
    /// Removes an address.
    fn remove_address(&mut self, player: PlayerId, address: &str) -> Result<()>;
    /// Confirms the address that awaits this code; gives it, or `None` when no address of the player awaits it.
    fn confirm_address(&mut self, player: PlayerId, code: &str, now: DateTime<Utc>) -> Result<Option<String>>;
    /// Sends nothing to a confirmed address any more, and says why.
    fn pause_address(&mut self, player: PlayerId, address: &str, why: &str, now: DateTime<Utc>) -> Result<()>;
    /// Sends to it again.
    fn resume_address(&mut self, player: PlayerId, address: &str) -> Result<()>;
    /// Counts a wrong password given for this userid (also one that nobody has).
    fn count_wrong_password(&mut self, userid: &str, now: DateTime<Utc>) -> Result<()>;
    /// How many wrong passwords were given for this userid since `since`.
    fn wrong_passwords(&self, userid: &str, since: DateTime<Utc>) -> Result<u32>;

    // Who is logged in on the web

    /// A session begins: the SHA-256 of what its cookie holds.
    fn begin_session(&mut self, hash: &[u8; 32], player: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// Whose session it is, if it began since then.
    fn session(&self, hash: &[u8; 32], since: DateTime<Utc>) -> Result<Option<PlayerId>>;
    /// It ends.
    fn end_session(&mut self, hash: &[u8; 32]) -> Result<()>;
    /// All of a player's end, and no link by mail that he has asked for counts any more.
    fn end_sessions(&mut self, player: PlayerId) -> Result<()>;
    /// Drops sessions that began before then, and links that were asked for before then.
    fn forget_sessions(&mut self, before: DateTime<Utc>) -> Result<()>;
    /// A link by mail was asked for.
    fn add_login_link(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<LinkId>;
    /// The link of this number.
    fn login_link(&self, id: LinkId) -> Result<Option<LoginLink>>;
    /// It has been used, and counts no more.
    fn use_login_link(&mut self, id: LinkId) -> Result<()>;
    /// How many a player has asked for since then.
    fn login_links_since(&self, player: PlayerId, since: DateTime<Utc>) -> Result<u32>;

    /// Replaces what a player has set.
    fn set_settings(&mut self, player: PlayerId, settings: &Settings) -> Result<()>;
    /// Notes whether a letter was written since the player last did something.
    fn set_notified(&mut self, player: PlayerId, notified: bool) -> Result<()>;
    /// Keeps the code that will confirm a player's leaving.
    fn begin_signoff(&mut self, player: PlayerId, code: &str, now: DateTime<Utc>) -> Result<()>;
    /// The player leaves: no password is his any more, his addresses, tokens, hook, wishes, notes and what he follows
    /// are gone. His userid and boards stay.
    fn leave(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// A player's vacations, by time.
    fn vacations(&self, player: PlayerId) -> Result<Vec<Span>>;
    /// Adds a vacation.
    fn add_vacation(&mut self, player: PlayerId, span: &Span) -> Result<()>;
    /// Ends the vacation of `now` then, and removes later ones.
    fn cut_vacation(&mut self, player: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// What a player looks for and takes in a game.
    fn game_preferences(&self, player: PlayerId, game: &str) -> Result<GamePreferences>;
    /// Replaces it.
    fn set_game_preferences(&mut self, player: PlayerId, game: &str, preferences: &GamePreferences) -> Result<()>;
    /// Who looks for opponents in a game, by userid: how many.
    fn seekers(&self, game: &str) -> Result<Vec<Seeker>>;

    // Tokens of players' programs

    /// Keeps one.
    fn add_token(&mut self, token: &PersonalToken) -> Result<()>;
    /// The one of this hash.
    fn token(&self, hash: &[u8; 32]) -> Result<Option<PersonalToken>>;
    /// A player's, the oldest first.
    fn tokens(&self, player: PlayerId) -> Result<Vec<PersonalToken>>;
    /// Notes that one was shown.
    fn token_used(&mut self, hash: &[u8; 32], now: DateTime<Utc>) -> Result<()>;
    /// Removes one.
    fn remove_token(&mut self, hash: &[u8; 32]) -> Result<()>;

    // Hooks of players' programs

    /// The address of a player's program.
    fn webhook(&self, player: PlayerId) -> Result<Option<Webhook>>;
    /// Replaces it.
    fn set_webhook(&mut self, webhook: &Webhook) -> Result<()>;
    /// Removes it, and the calls that wait for it.
    fn remove_webhook(&mut self, player: PlayerId) -> Result<()>;
    /// Notes that a turn is to be told at a player's hook.
    fn add_webhook_call(&mut self, player: PlayerId, board: u32, entry: u32, now: DateTime<Utc>) -> Result<()>;
    /// Calls due at `now`, one a player, the longest due first, at most so many.
    fn due_webhook_calls(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<WebhookCall>>;
    /// When the next call is due.
    fn next_webhook_call(&self) -> Result<Option<DateTime<Utc>>>;
    /// A call is done with.
    fn remove_webhook_call(&mut self, id: i64) -> Result<()>;
    /// A call failed, and is tried again then.
    fn retry_webhook_call(&mut self, id: i64, due_at: DateTime<Utc>) -> Result<()>;

    // Open challenges

    /// Keeps an open challenge; its number (given here, whatever the argument says) is the next board's.
    fn add_open_challenge(&mut self, challenge: &OpenChallenge) -> Result<u32>;
    /// The open challenge of this number, also one that is closed.
    fn open_challenge(&self, number: u32) -> Result<Option<OpenChallenge>>;
    /// The open challenges of a game (or all), by number.
    fn open_challenges(&self, game: Option<&str>) -> Result<Vec<OpenChallenge>>;
    /// Closes one that was taken or withdrawn.
    fn close_open_challenge(&mut self, number: u32, now: DateTime<Utc>) -> Result<()>;

    // Boards

    /// A new board; its number is the one it brings, else the next one.
    fn add_board(&mut self, board: &NewBoard) -> Result<u32>;
    /// The board with its seats and result.
    fn board(&self, number: u32) -> Result<Option<Board>>;
    /// Boards of a game (or all), of a player (or all), in progress only or not, by number.
    fn boards(&self, game: Option<&str>, player: Option<PlayerId>, active_only: bool) -> Result<Vec<Board>>;
    /// Boards of a game (or all), of a player (or all), whose numbers are greater than `after`, by number, at most so
    /// many.
    fn boards_after(&self, game: Option<&str>, player: Option<PlayerId>, after: u32, most: u32) -> Result<Vec<Board>>;
    /// A page of a list of boards, at most so many.
    fn board_page(&self, list: &BoardList<'_>, cursor: Cursor, most: u32) -> Result<Vec<Board>>;
    /// How many boards a player has.
    fn tally(&self, player: PlayerId) -> Result<Tally>;
    /// The record of a board, in order.
    fn entries(&self, number: u32) -> Result<Vec<Entry>>;
    /// Appends an entry; the turn after it is `to_move` (`None` when the game is over). Whatever is out of order is
    /// refused by the database itself. What ends a board is appended before [`Transaction::end_board`].
    fn add_entry(&mut self, number: u32, entry: &Entry, to_move: Option<Seat>) -> Result<()>;
    /// Ends a board.
    fn end_board(&mut self, number: u32, result: &BoardResult) -> Result<()>;
    /// Takes a declined board out of play: it is listed no more, and keeps its number.
    fn decline_board(&mut self, number: u32, by: PlayerId, now: DateTime<Utc>) -> Result<()>;
    /// Boards in progress on which it is this player's turn, by number.
    fn waiting_for(&self, player: PlayerId) -> Result<Vec<u32>>;
    /// How many open challenges and boards this player has made that nobody took, or on which the one challenged has
    /// not moved yet.
    fn unanswered(&self, challenger: PlayerId) -> Result<u32>;
    /// Sets the clock of the player to move.
    fn set_clock(&mut self, number: u32, clock: Option<&BoardClock>) -> Result<()>;
    /// Boards whose clock asks for something at `now`, the longest overdue first, at most so many.
    fn due_boards(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<u32>>;
    /// When the next clock asks for something.
    fn next_clock(&self) -> Result<Option<DateTime<Utc>>>;
    /// Replaces what is arranged at a seat.
    fn set_seat(&mut self, number: u32, seat: Seat, state: &SeatState) -> Result<()>;
    /// Opens a proposal, or clears it.
    fn set_proposal(&mut self, number: u32, proposal: Option<Proposal>) -> Result<()>;
    /// Keeps a comment.
    fn add_comment(&mut self, comment: &Comment) -> Result<()>;
    /// The comments of a board, in order.
    fn comments(&self, number: u32) -> Result<Vec<Comment>>;

    /// A player's private note on a board.
    fn note(&self, number: u32, player: PlayerId) -> Result<Option<String>>;
    /// Replaces it; `None` removes it.
    fn set_note(&mut self, number: u32, player: PlayerId, text: Option<&str>, now: DateTime<Utc>) -> Result<()>;

    // Followers

    /// Follows something, for its ends only or for every move; `None` follows it no more.
    fn follow(&mut self, player: PlayerId, what: &Followed, ends_only: Option<bool>) -> Result<()>;
    /// Who follows a board, by itself or with its game, for ends only or not; each once, the fuller wish counting.
    fn followers(&self, number: u32) -> Result<Vec<Follower>>;
    /// What a player follows, for ends only or not.
    fn following(&self, player: PlayerId) -> Result<Vec<Following>>;

    // Changes

    /// The number of the last change of a board or open challenge; it grows with every change that is seen by looking
    /// at one. 0: there was none.
    fn last_change(&self) -> Result<i64>;
    /// The changes behind this one, in order, at most so many: their numbers, and the boards'. Of several changes of
    /// one board only the last is told.
    fn changes_since(&self, seq: i64, most: u32) -> Result<Vec<BoardChange>>;
    /// As [`Transaction::changes_since`], of the boards that a player plays or has played; all of them.
    fn changes_for(&self, player: PlayerId, seq: i64) -> Result<Vec<BoardChange>>;
    /// The number of a board's last change; 0: it has not changed since changes are counted.
    fn change_of(&self, number: u32) -> Result<i64>;

    // Ratings

    /// Where a player stands in a game, once a rated board of his has ended.
    fn standing(&self, game: &str, player: PlayerId) -> Result<Option<Standing>>;
    /// Everybody's standing in a game, best rating first.
    fn standings(&self, game: &str) -> Result<Vec<Standing>>;
    /// A page of the standings in a game, without the `skip` best and those who have left; at most so many.
    fn standings_page(&self, game: &str, skip: u32, most: u32) -> Result<Vec<Standing>>;
    /// A player's standings in all games.
    fn standings_of(&self, player: PlayerId) -> Result<Vec<Standing>>;
    /// Replaces a standing.
    fn set_standing(&mut self, standing: &Standing) -> Result<()>;
    /// Notes what an ended board did to its players' ratings, and that it is the next to do so.
    fn rate_board(&mut self, number: u32, changes: &[RatingChange; 2]) -> Result<()>;
    /// What a board did to its players' ratings.
    fn rating_changes(&self, number: u32) -> Result<Option<[RatingChange; 2]>>;
    /// The boards that changed ratings, in the order in which they did.
    fn rated_boards(&self) -> Result<Vec<u32>>;

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
    /// Notices due at `now` that are no part of a letter yet, oldest first, at most so many.
    fn loose_notices(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<OutboxNotice>>;
    /// Settles that these notices are told in one letter, under the first one's id.
    fn bind_letter(&mut self, notices: &[OutboxId]) -> Result<()>;
    /// Letters due at `now`, oldest first, at most so many: the notices of each, in order.
    fn due_letters(&self, now: DateTime<Utc>, most: u32) -> Result<Vec<Vec<OutboxNotice>>>;
    /// When the next notice becomes due, if any waits.
    fn next_due(&self) -> Result<Option<DateTime<Utc>>>;
    /// A letter was handed to the transport.
    fn letter_sent(&mut self, letter: OutboxId, now: DateTime<Utc>) -> Result<()>;
    /// A letter failed; tried again at `retry_at`, or given up when `None`.
    fn letter_failed(&mut self, letter: OutboxId, error: &str, retry_at: Option<DateTime<Utc>>) -> Result<()>;
    /// What became of a letter at each address that it was given to the transport for.
    fn deliveries(&self, letter: OutboxId) -> Result<Vec<Delivery>>;
    /// Notes what became of a letter at an address.
    fn set_delivery(&mut self, letter: OutboxId, delivery: &Delivery) -> Result<()>;
    /// How many letters bounced at an address since then.
    fn bounces_since(&self, address: &str, since: DateTime<Utc>) -> Result<u32>;
    /// Holds notices that wait to be told, until [`Transaction::release_held`].
    fn hold(&mut self, notices: &[OutboxId]) -> Result<()>;
    /// Makes the letter that tells a notice due again at once, at every address and whatever its state; false when there is no notice of
    /// this number.
    fn resend(&mut self, id: OutboxId, now: DateTime<Utc>) -> Result<bool>;
    /// Makes what was held back for a player due; how many.
    fn release_held(&mut self, player: PlayerId, due_at: DateTime<Utc>) -> Result<u32>;
    /// The newest reminder of a board at this entry of its record.
    fn reminder(&self, board: u32, entry: u32) -> Result<Option<OutboxNotice>>;
    /// How many `answer` notices were written to an address since then, of those whose facts hold `saying`.
    fn answers_since(&self, address: &str, since: DateTime<Utc>, saying: &str) -> Result<u32>;
    /// Outbox rows for the administrator, newest first, at most so many.
    fn outbox(&self, undelivered_only: bool, most: u32) -> Result<Vec<OutboxNotice>>;
}
