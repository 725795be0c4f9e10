//! The subcommands of `turnpost admin`, and their help, grouped by task.

use std::path::PathBuf;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::{Command, Subcommand};
use textwrap::Options;

use super::board::CommentTask;
use super::maintenance::MaintenanceTask;
use super::move_store::MoveTo;
use super::player::PlayerTask;
use super::table::Page;
use crate::numbers::BoardNumber;

/// Inspect the server, adjudicate boards, back up, export and import
#[derive(Subcommand)]
pub(crate) enum Task {
    /// The state of the server on one screen: boards, queues, failures, the last backup. The default subcommand
    Overview,
    /// Find players by a part of their userid or address, and show their boards, mail and letters. Or find a board,
    /// message or letter by its number
    Search {
        /// A part of a userid or address, or the number of a board, message or letter
        text: String,
    },
    /// Players, their boards and addresses, and how long they have been inactive
    Players {
        /// Only players who have been inactive for this many days
        #[arg(long, value_name = "DAYS")]
        idle: Option<u32>,
        /// Only players with a paused address
        #[arg(long)]
        paused: bool,
        /// Players with the most boards in progress first
        #[arg(long)]
        by_boards: bool,
        /// Pairs who may be the same person: both used the same address or browser, or one lost every rated board to
        /// the other, five or more
        #[arg(long, conflicts_with_all = ["idle", "paused", "by_boards"])]
        suspicious: bool,
        #[command(flatten)]
        page: Page,
    },
    /// Change, block or remove a player
    Player {
        /// The reason, for the log of acts
        #[arg(long, global = true, default_value = "", hide_default_value = true)]
        reason: String,
        #[command(subcommand)]
        task: PlayerTask,
    },
    /// Ignore mail from an address or a domain, send no letters there, and let no player use it
    Block {
        /// An address, or a domain with its subdomains, such as @example.org
        #[arg(value_name = "ADDRESS|@DOMAIN")]
        sender: String,
        /// Your reason. Players do not see it
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Unblock an address or a domain
    Unblock {
        /// The address or domain
        #[arg(value_name = "ADDRESS|@DOMAIN")]
        sender: String,
    },
    /// Blocked addresses and domains, with the time and reason of each block
    Blocked {
        #[command(flatten)]
        page: Page,
    },
    /// Limits in force: too many wrong passwords, letters, refusals or password requests, and paused addresses
    Limits {
        /// Only limits of this player, address or network address
        #[arg(value_name = "USERID|ADDRESS")]
        who: Option<String>,
        /// Lift these limits. Login and password links that were sent earlier become invalid
        #[arg(long, requires = "who")]
        lift: bool,
    },
    /// Boards, even declined, expired and void ones, and open challenges, the newest first
    Boards {
        /// Only boards of this player
        #[arg(long, value_name = "USERID")]
        player: Option<String>,
        /// Only boards of these two players against each other
        #[arg(long, num_args = 2, value_name = "USERID", conflicts_with = "player")]
        pair: Vec<String>,
        /// Only boards of this game
        #[arg(long)]
        game: Option<String>,
        /// Only boards in progress
        #[arg(long)]
        active: bool,
        #[command(flatten)]
        page: Page,
    },
    /// A board: whose turn it is, and its verified record with comments and proposals
    Board {
        /// The number of the board or open challenge
        number: BoardNumber,
    },
    /// Remove a comment
    Comment {
        #[command(subcommand)]
        task: CommentTask,
    },
    /// The computer player's evaluation of a board, even of one in progress. Players can request it only for finished
    /// boards
    Analyse {
        /// The board's number
        number: BoardNumber,
    },
    /// Running clocks and their next events
    Clocks {
        #[command(flatten)]
        page: Page,
    },
    /// The newest incoming messages, and their effects or why they were refused
    Inbox {
        /// Only mail from this player or address
        #[arg(long, value_name = "USERID|ADDRESS")]
        from: Option<String>,
        /// Only mail that arrived on this day, for example 2026-11-21 (UTC)
        #[arg(long, value_name = "DATE", value_parser = date)]
        on: Option<NaiveDate>,
        /// Only mail with a refused command
        #[arg(long)]
        refused: bool,
        /// Only mail that could not be processed
        #[arg(long)]
        quarantined: bool,
        #[command(flatten)]
        page: Page,
    },
    /// One incoming message and all its effects
    Mail {
        /// The message's number in the inbox
        number: i64,
    },
    /// Retry a message that was quarantined because it could not be processed
    Retry {
        /// The message's number in the inbox
        number: i64,
    },
    /// The newest letters, and whether they were sent
    Outbox {
        /// Only letters that were not delivered
        #[arg(long)]
        undelivered: bool,
        /// Only letters to this player or address
        #[arg(long, value_name = "USERID|ADDRESS")]
        to: Option<String>,
        #[command(flatten)]
        page: Page,
    },
    /// One letter: its state at each address, and its text
    Letter {
        /// The letter's number in the outbox
        number: i64,
    },
    /// Letters that bounced or were refused permanently
    Bounces {
        #[command(flatten)]
        page: Page,
    },
    /// Effects of each rated board on a player's ratings
    Ratings {
        /// The player
        userid: String,
        #[command(flatten)]
        page: Page,
    },
    /// Numbers of games that began and ended in each month, without those that are declined, expired or void by now
    Months {
        /// Show each game in a separate row
        #[arg(long)]
        games: bool,
        #[command(flatten)]
        page: Page,
    },
    /// Send letters again, even those that were sent or given up
    Resend {
        /// The letters' numbers in the outbox
        #[arg(required_unless_present_any = ["undelivered", "since"])]
        letters: Vec<i64>,
        /// All letters that the server has given up sending
        #[arg(long, conflicts_with = "letters")]
        undelivered: bool,
        /// All letters that were sent or given up since this time, such as 2026-11-21 or 2026-11-21T14:20:00Z
        #[arg(long, value_name = "TIME", value_parser = time, conflicts_with_all = ["letters", "undelivered"])]
        since: Option<DateTime<Utc>>,
        /// Only letters to this player or address. Each letter is sent to all addresses of its recipient
        #[arg(long, value_name = "USERID|ADDRESS", requires = "since")]
        to: Option<String>,
        /// Confirm. Without --yes, `--since` only shows the number of letters
        #[arg(long, requires = "since")]
        yes: bool,
    },
    /// Write to every reachable player
    Broadcast {
        /// The text of the letter
        #[arg(long, value_name = "TEXT")]
        say: String,
        /// Confirm. Without --yes, only the number of players is shown
        #[arg(long)]
        yes: bool,
    },
    /// Hold all letters and stop all clocks until `release`. The clocks count a hold of less than a day. Mail is still
    /// processed
    Hold,
    /// End `hold`: send the letters and start the clocks
    Release,
    /// Start, end or show maintenance. During maintenance, pages return 503, mail is stored and answered later, and all
    /// clocks are stopped
    Maintenance {
        #[command(subcommand)]
        task: Option<MaintenanceTask>,
    },
    /// Stop all clocks until `resume`
    Pause {
        /// The reason. Players read it
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
        /// All boards with a running clock
        #[arg(long, conflicts_with = "board")]
        all: bool,
        /// The number of days
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=365))]
        days: u32,
    },
    /// Give up unsent letters. `resend` can still send them
    Drop {
        /// The letters' numbers in the outbox
        #[arg(required = true)]
        letters: Vec<i64>,
    },
    /// End a game by your decision. Both players receive the reason
    Adjudicate {
        /// The board's number
        board: BoardNumber,
        /// The winner's userid, or `draw`
        winner: String,
        /// The reason, which both players read
        #[arg(long)]
        reason: String,
    },
    /// Revert the end of a game. Both players receive the reason
    Reopen {
        /// The board's number
        board: BoardNumber,
        /// The minimum number of days that the player to move has left [default: the time before a first reminder]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=365))]
        days: Option<u32>,
        /// The reason, which both players read
        #[arg(long)]
        reason: String,
    },
    /// End a game without a result, remove its result and its rating changes, or withdraw an open challenge. The
    /// players receive the reason
    Void {
        /// The number of the board or open challenge
        board: BoardNumber,
        /// The reason, which the players read
        #[arg(long)]
        reason: String,
    },
    /// Acts of administrators, and changes by players to their accounts, the newest first
    Acts {
        /// Only acts by or about this player
        #[arg(long, value_name = "USERID")]
        of: Option<String>,
        #[command(flatten)]
        page: Page,
    },
    /// Authorize the server to use its mailbox, if the provider requires OAuth instead of a password
    AuthorizeMailbox {
        /// Log in with a browser and paste the address of its redirect, instead of entering a code
        #[arg(long)]
        in_browser: bool,
    },
    /// Show the log level of the running `serve`, or change it until `serve` ends
    LogLevel {
        /// off, error, warn, info, debug or trace; or with a level for a part of the program, such as
        /// info,turnpost::web=debug
        level: Option<String>,
    },
    /// Replay every record and recompute hashes, results and ratings
    Check,
    /// Write the database and the configuration to one file, while the server runs, and verify that it can be restored
    Backup {
        /// The file, readable only by you. An existing backup with this name is replaced
        file: PathBuf,
    },
    /// Restore a backup as a new data directory, named by --data
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// Add entries to a board that are missing here but exist in a backup or an export, if all earlier entries are
    /// equal
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
        /// Include the key of the server, encrypted with the passphrase in the first line of this file
        #[arg(long, value_name = "FILE", conflicts_with_all = ["userid", "without_key"])]
        passphrase_file: Option<PathBuf>,
        /// Omit the key: replies to earlier letters will not work on the new server
        #[arg(long, conflicts_with = "userid")]
        without_key: bool,
        /// The file to write, readable only by you, instead of standard output. It contains password hashes and mail
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Read the export of a complete server into an empty database, and check everything
    Import {
        /// The file to read, or - for standard input
        file: PathBuf,
        /// A file with the passphrase of the export in its first line
        #[arg(long, value_name = "FILE")]
        passphrase_file: Option<PathBuf>,
    },
    /// Move the complete server to another database, and compare both. The old database can no longer be used
    Move {
        /// The address of a PostgreSQL database, postgresql://user@host/database, or `file` for the data directory
        #[arg(long, value_name = "DATABASE")]
        to: MoveTo,
    },
}

/// Parses a date.
fn date(text: &str) -> Result<NaiveDate, String> {
    text.parse().map_err(|_| "write a day as 2026-11-21".to_owned())
}

/// Parses a time, or a date, which means the start of that day in UTC.
fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let day = || text.parse::<NaiveDate>().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc));
    time.or_else(|_| day()).map_err(|_| "write a day as 2026-11-21, or a time as 2026-11-21T14:20:00Z".to_owned())
}

/// The subcommands, grouped by purpose.
const TASKS: &[(&str, &[&str])] = &[
    ("The server", &["overview", "check", "maintenance", "log-level", "authorize-mailbox", "acts"]),
    ("Players", &["search", "players", "player", "block", "unblock", "blocked", "limits", "ratings", "broadcast"]),
    ("Boards", &["boards", "board", "adjudicate", "reopen", "void", "comment", "analyse", "months"]),
    ("Clocks", &["clocks", "extend", "pause", "resume"]),
    ("Mail", &["inbox", "mail", "retry", "outbox", "letter", "bounces", "resend", "drop", "hold", "release"]),
    ("Backups and moving", &["backup", "restore", "restore-board", "export", "import", "move"]),
];

/// The width of the help text and of its column of subcommand names, in characters.
const WIDTH: usize = 78;
const NAMES: usize = 22;

/// Groups the subcommands in the help of `admin` by task.
pub(crate) fn by_task(admin: Command) -> Command {
    let mut list = String::new();
    for (task, names) in TASKS {
        list += &format!("{task}:\n");
        for name in *names {
            let about = admin.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let start = format!("{:<NAMES$}", format!("  {name}"));
            let indent = " ".repeat(NAMES);
            let options = Options::new(WIDTH).initial_indent(&start).subsequent_indent(&indent);
            list += &(textwrap::fill(&about.unwrap_or_default(), options) + "\n");
        }
        list.push('\n');
    }
    admin.help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Subcommand;

    use super::*;
    use crate::cli::admin::Task;

    #[test]
    fn each_subcommand_has_one_place() {
        let admin = Task::augment_subcommands(Command::new("admin"));
        let there: BTreeSet<&str> = admin.get_subcommands().map(Command::get_name).collect();
        let listed: Vec<&str> = TASKS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), there);
        assert_eq!(listed.len(), there.len());
    }
}
