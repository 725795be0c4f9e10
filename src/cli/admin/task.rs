//! The subcommands of `turnpost admin`.

use std::path::PathBuf;

use clap::Subcommand;

use super::player::PlayerTask;
use crate::numbers::BoardNumber;

/// What the administrator looks at or does.
#[derive(Subcommand)]
pub(in crate::cli) enum Task {
    /// Players and their addresses
    Players,
    /// Change, block or remove a player
    Player {
        #[command(subcommand)]
        task: PlayerTask,
    },
    /// Boards and open challenges
    Boards,
    /// The whole record of a board, checked
    Board {
        /// The board's number
        number: BoardNumber,
    },
    /// Running clocks, and when they next act
    Clocks,
    /// The newest mails, and what became of them
    Inbox,
    /// The newest letters, and whether they were sent
    Outbox {
        /// Only those that were not delivered
        #[arg(long)]
        undelivered: bool,
    },
    /// Send a letter again, whatever became of it
    Resend {
        /// Its number in the outbox
        letter: i64,
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
    /// Replay every record and recompute hashes, results and ratings
    Check,
    /// Write the whole server, or one player's data, as lines of JSON
    Export {
        /// Only the data of this player
        userid: Option<String>,
        /// The file to write, readable only by you, instead of standard output: it holds password hashes
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Read the export of a whole server into an empty database, and check all of it
    Import {
        /// The file to read, or - for standard input
        file: PathBuf,
    },
}
