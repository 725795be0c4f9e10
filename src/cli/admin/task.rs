//! The subcommands of `turnpost admin`.

use std::path::PathBuf;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::Subcommand;

use super::comment::CommentTask;
use super::maintenance::MaintenanceTask;
use super::player::PlayerTask;
use crate::numbers::BoardNumber;

use super::move_store::MoveTo;
use super::page::Page;

/// What the administrator looks at or does.
#[derive(Subcommand)]
pub(in crate::cli) enum Task {
    /// The state of the server on one screen: boards, queues, what failed, the last backup; also without a subcommand
    Overview,
    /// Find players by a part of their userid or address, with their boards, mails and letters, or anything by its number
    Search {
        /// A userid or an address, or a part of one; or the number of a board, mail or letter
        text: String,
    },
    /// Players, their boards and addresses, and how long they have done nothing
    Players {
        /// Only those who have done nothing for this many days
        #[arg(long, value_name = "DAYS")]
        idle: Option<u32>,
        /// Only those with an address to which nothing is sent
        #[arg(long)]
        paused: bool,
        /// Those with the most boards in progress first
        #[arg(long)]
        by_boards: bool,
        /// Pairs who may be one person: both used an address, or one lost all of five or more rated boards to the other
        #[arg(long, conflicts_with_all = ["idle", "paused", "by_boards"])]
        suspicious: bool,
        #[command(flatten)]
        page: Page,
    },
    /// Change, block or remove a player
    Player {
        /// Why, for the log of acts
        #[arg(long, global = true, default_value = "", hide_default_value = true)]
        reason: String,
        #[command(subcommand)]
        task: PlayerTask,
    },
    /// Ignore mail from an address or a domain, send no letters there, and let no player use it
    Block {
        /// An address, or a domain with its subdomains, as @example.org
        #[arg(value_name = "ADDRESS|@DOMAIN")]
        sender: String,
        /// Your reason, which no player reads
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// End the block of an address or a domain
    Unblock {
        /// The address or domain
        #[arg(value_name = "ADDRESS|@DOMAIN")]
        sender: String,
    },
    /// Blocked addresses and domains, since when and why
    Blocked {
        #[command(flatten)]
        page: Page,
    },
    /// Limits in force: too many wrong passwords, letters, refusals or requests for passwords, and paused addresses
    Limits {
        /// Only those of this player, address or network address
        #[arg(value_name = "USERID|ADDRESS")]
        who: Option<String>,
        /// Lift them; links to log in or for a new password that were sent to them no longer work
        #[arg(long, requires = "who")]
        lift: bool,
    },
    /// Boards and open challenges, the newest first
    Boards {
        /// Only those of this player
        #[arg(long, value_name = "USERID")]
        player: Option<String>,
        /// Only those of these two players against each other
        #[arg(long, num_args = 2, value_name = "USERID", conflicts_with = "player")]
        pair: Vec<String>,
        /// Only those of this game
        #[arg(long)]
        game: Option<String>,
        /// Only those in progress
        #[arg(long)]
        active: bool,
        #[command(flatten)]
        page: Page,
    },
    /// Whose turn it is on a board, and its whole story: its record, checked, with comments and proposals
    Board {
        /// The board's number
        number: BoardNumber,
    },
    /// Remove a comment
    Comment {
        #[command(subcommand)]
        task: CommentTask,
    },
    /// What the computer player thinks of a board, in progress or not; players can ask about finished ones alone
    Analyse {
        /// The board's number
        number: BoardNumber,
    },
    /// Running clocks, and when they next act
    Clocks {
        #[command(flatten)]
        page: Page,
    },
    /// The newest mails: what became of them, why they were refused, what they did
    Inbox {
        /// Only those of this player, or from this address
        #[arg(long, value_name = "USERID|ADDRESS")]
        from: Option<String>,
        /// Only those that came on this day, as 2026-11-21 (UTC)
        #[arg(long, value_name = "DATE")]
        on: Option<NaiveDate>,
        /// Only those in which something was refused
        #[arg(long)]
        refused: bool,
        /// Only those that could not be processed
        #[arg(long)]
        set_aside: bool,
        #[command(flatten)]
        page: Page,
    },
    /// One mail, and all that it did
    Mail {
        /// Its number in the inbox
        number: i64,
    },
    /// Process a mail again that was set aside because it could not be processed
    Retry {
        /// Its number in the inbox
        number: i64,
    },
    /// The newest letters, and whether they were sent
    Outbox {
        /// Only those that were not delivered
        #[arg(long)]
        undelivered: bool,
        /// Only those to this player or address
        #[arg(long, value_name = "USERID|ADDRESS")]
        to: Option<String>,
        #[command(flatten)]
        page: Page,
    },
    /// One letter: what became of it at each address, and its text
    Letter {
        /// Its number in the outbox
        number: i64,
    },
    /// Letters that came back, or that were refused for good
    Bounces {
        #[command(flatten)]
        page: Page,
    },
    /// What each rated board did to a player's ratings
    Ratings {
        /// The player
        userid: String,
        #[command(flatten)]
        page: Page,
    },
    /// How many games began and ended in each month
    Months {
        /// Each game in a row of its own
        #[arg(long)]
        games: bool,
        #[command(flatten)]
        page: Page,
    },
    /// Send letters again, whatever became of them
    Resend {
        /// Their numbers in the outbox
        #[arg(required_unless_present_any = ["undelivered", "since"])]
        letters: Vec<i64>,
        /// All letters that were given up
        #[arg(long, conflicts_with = "letters")]
        undelivered: bool,
        /// All letters that were sent or given up since this time, as 2026-11-21 or 2026-11-21T14:20:00Z
        #[arg(long, value_name = "TIME", value_parser = time, conflicts_with_all = ["letters", "undelivered"])]
        since: Option<DateTime<Utc>>,
        /// Only those to this player or address; each is sent to all addresses of its reader
        #[arg(long, value_name = "USERID|ADDRESS", requires = "since")]
        to: Option<String>,
        /// Send them; without this, `--since` shows how many there are
        #[arg(long, requires = "since")]
        yes: bool,
    },
    /// Write to every player who can be reached
    Broadcast {
        /// The text
        #[arg(long, value_name = "TEXT")]
        say: String,
        /// Send it; without this, the number of players is shown
        #[arg(long)]
        yes: bool,
    },
    /// Send no letters and stop all clocks until `release`; mail is still processed
    Hold,
    /// Send letters and start the clocks again
    Release,
    /// Begin or end maintenance, or show it: pages answer 503, mail is stored and answered later, all clocks are stopped
    Maintenance {
        #[command(subcommand)]
        task: Option<MaintenanceTask>,
    },
    /// Stop all clocks until `resume`
    Pause {
        /// The reason that players read
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Start all clocks again
    Resume,
    /// Give the player to move more time
    Extend {
        /// The board's number
        #[arg(required_unless_present = "all")]
        board: Option<BoardNumber>,
        /// Every board with a running clock
        #[arg(long, conflicts_with = "board")]
        all: bool,
        /// How many days
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=365))]
        days: u32,
    },
    /// Give up letters that were not sent; `resend` sends them after all
    Drop {
        /// Their numbers in the outbox
        #[arg(required = true)]
        letters: Vec<i64>,
    },
    /// End a game by your decision; both players are told the reason
    Adjudicate {
        /// The board's number
        board: BoardNumber,
        /// The winner's userid, or `draw`
        winner: String,
        /// What both players read
        #[arg(long)]
        reason: String,
    },
    /// Take back the end of a game; both players are told the reason
    Reopen {
        /// The board's number
        board: BoardNumber,
        /// How many days the player to move has at least; by default the time before a first reminder
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=365))]
        days: Option<u32>,
        /// What both players read
        #[arg(long)]
        reason: String,
    },
    /// End a game without a result, or take away its result and its changes of ratings; both players are told the reason
    Void {
        /// The board's number
        board: BoardNumber,
        /// What both players read
        #[arg(long)]
        reason: String,
    },
    /// What administrators did, and what players changed of their accounts, the newest first
    Acts {
        /// Only those by or about this player
        #[arg(long, value_name = "USERID")]
        of: Option<String>,
        #[command(flatten)]
        page: Page,
    },
    /// Authorize the server to use its mailbox, where the provider wants OAuth in place of a password
    AuthorizeMailbox {
        /// By an address that you open and the one to which the browser is sent, in place of a code
        #[arg(long)]
        in_browser: bool,
    },
    /// Show the level of the log of the `serve` that is running, or change it until that ends
    LogLevel {
        /// off, error, warn, info, debug or trace; also for a part of the program, as info,turnpost::web=debug
        level: Option<String>,
    },
    /// Replay every record and recompute hashes, results and ratings
    Check,
    /// Write the database and the configuration to one file, while the server runs, and prove that it can be restored
    Backup {
        /// The file, readable only by you; a backup of this name is replaced
        file: PathBuf,
    },
    /// Restore a backup as a new data directory, the one that --data names
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// Add the entries to a board that a backup or an export has and this server does not, if the records agree before them
    RestoreBoard {
        /// The backup or the export
        file: PathBuf,
        /// The board's number
        board: BoardNumber,
    },
    /// Write the whole server, or one player's data, as lines of JSON
    Export {
        /// Only the data of this player
        userid: Option<String>,
        /// Export the key of the server, too, sealed by the passphrase in the first line of this file
        #[arg(long, value_name = "FILE", conflicts_with_all = ["userid", "without_key"])]
        passphrase_file: Option<PathBuf>,
        /// Leave out the key: letters that were sent before cannot be answered on the new server
        #[arg(long, conflicts_with = "userid")]
        without_key: bool,
        /// The file to write, readable only by you, instead of standard output: it holds password hashes and mails
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Read the export of a whole server into an empty database, and check all of it
    Import {
        /// The file to read, or - for standard input
        file: PathBuf,
        /// The passphrase of the export stands in the first line of this file
        #[arg(long, value_name = "FILE")]
        passphrase_file: Option<PathBuf>,
    },
    /// Move the whole server to another database, and compare the two; the old one is not used any more
    Move {
        /// The address of a database of PostgreSQL, postgresql://user@host/database, or `file`: the data directory
        #[arg(long, value_name = "DATABASE")]
        to: MoveTo,
    },
}

/// Reads a time, or the beginning of a day (UTC).
fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc));
    time.or_else(|_| day()).map_err(|_| "write a day as 2026-11-21, or a time as 2026-11-21T14:20:00Z".to_owned())
}
