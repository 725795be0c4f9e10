//! `turnpost admin`: what the database holds, for the administrator, and what only he does.

mod board;
mod decide;
mod lists;
mod table;
mod transfer;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::Value;

use crate::serve::Instance;
use crate::store::{OutboxId, Store};
use crate::world::World;

use super::Exit;
use super::line::print;
use table::table;

/// What to look at or do.
#[derive(Subcommand)]
pub(super) enum Admin {
    /// Players and their addresses
    Players,
    /// Every board and open challenge
    Boards,
    /// One board's whole record, checked
    Board {
        /// Its number
        number: u32,
    },
    /// Boards whose clock runs, and what it waits for
    Clocks,
    /// The last mails that came, and what became of them
    Inbox,
    /// The last letters, and whether they left
    Outbox {
        /// Only those not delivered
        #[arg(long)]
        undelivered: bool,
    },
    /// Send a letter again, whatever became of it
    Resend {
        /// Its number in the outbox
        letter: i64,
    },
    /// End a game by your decision; both players are told it and the reason
    Adjudicate {
        /// The board's number
        board: u32,
        /// The winner's userid, or `draw`
        winner: String,
        /// What both players read
        #[arg(long)]
        reason: String,
    },
    /// Check that every record replays and its hashes hold, that results and ratings follow from the records, and more
    Check,
    /// Write everything, or everything of one player, as lines of JSON
    Export {
        /// Only what is kept of this player, for himself
        userid: Option<String>,
        /// A file instead of standard output, readable by you only: an export holds the hashes of the passwords
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Read the export of a whole server into an empty database, checking all of it
    Import {
        /// The file, or - for standard input
        file: PathBuf,
    },
}

/// Runs one of them.
pub(super) fn admin(data: &Path, what: Admin, as_json: bool) -> anyhow::Result<Exit> {
    super::logs::start(super::logs::Level::Warn, false);
    let mut instance = Instance::open(data, World::REAL)?;
    let now = (instance.world.now)();
    let rows = match what {
        Admin::Resend { letter } => return resend(&mut instance, letter),
        Admin::Adjudicate { board, winner, reason } => {
            return decide::adjudicate(&mut instance, board, &winner, &reason);
        }
        Admin::Export { userid, output } => {
            return transfer::export(&mut instance, userid.as_deref(), output.as_deref());
        }
        Admin::Import { file } => return transfer::import(&mut instance, &file),
        Admin::Check => return decide::check(&*instance.store.read()?, as_json),
        Admin::Board { number } => return board::board(&*instance.store.read()?, number, as_json),
        Admin::Players => lists::players(&*instance.store.read()?)?,
        Admin::Boards => lists::boards(&*instance.store.read()?)?,
        Admin::Clocks => lists::clocks(&*instance.store.read()?, now)?,
        Admin::Inbox => lists::inbox(&*instance.store.read()?)?,
        Admin::Outbox { undelivered } => lists::outbox(&*instance.store.read()?, undelivered)?,
    };
    print(&if as_json { Value::from(rows).to_string() + "\n" } else { table(&rows) })?;
    Ok(Exit::Done)
}

/// What the administrator asked for is refused, with a reason.
fn refused(why: impl std::fmt::Display) -> anyhow::Result<Exit> {
    eprintln!("turnpost: {why}");
    Ok(Exit::Refused)
}

fn resend(instance: &mut Instance, letter: i64) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    if !tx.resend(OutboxId(letter), now)? {
        return refused(format_args!("there is no letter {letter}; `turnpost admin outbox` lists them"));
    }
    tx.commit()?;
    instance.process_or_wake()?;
    let letters = instance.store.read()?.outbox(false, u32::MAX)?;
    let letter = letters.into_iter().find(|row| row.id.0 == letter);
    let state = letter.map_or_else(String::new, |row| lists::state(&row));
    print(&format!("{state}\n"))?;
    Ok(Exit::Done)
}
