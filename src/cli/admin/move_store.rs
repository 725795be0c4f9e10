//! Moves a server to another database: `turnpost admin move`.
//!
//! The import into the new database reads the export of the old one and verifies everything, in one transaction. Then
//! both databases are compared, and the old one is marked as unusable. The old database is locked from the first read,
//! so nothing writes to it. If the command is interrupted, the new database is either empty or complete, and the same
//! command resumes the move.

use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::{self, Path};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::cli::exit::{Exit, refused, say};
use crate::config::DATABASE_FILE;
use crate::serve::Instance;
use crate::service::transfer::{self, Counts, Fingerprint, Passphrase, TransferError};
use crate::store::{self, Location, PostgresUrl, Store, StoreError, Transaction};
use crate::world::World;

use super::transfer::{counts_by_name, said};

/// The length of the temporary passphrase that encrypts the keys in transit.
const PASSPHRASE: usize = 32;
/// The interval between queries to the old database while the new one is written. Without these queries, the database
/// server would close the idle transaction.
const STILL_HERE: Duration = Duration::from_secs(1);

/// The database to which `turnpost admin move` moves a server.
#[derive(Clone, Debug)]
pub(crate) enum MoveTo {
    /// The database file in the data directory.
    File,
    /// A PostgreSQL database.
    Postgres(PostgresUrl),
}

impl FromStr for MoveTo {
    type Err = String;

    fn from_str(text: &str) -> Result<MoveTo, String> {
        if text == "file" {
            return Ok(MoveTo::File);
        }
        text.parse().map(MoveTo::Postgres).map_err(|error| {
            format!(
                "{error}; it is an address such as postgresql://user@host/database, or `file` for the data directory"
            )
        })
    }
}

impl MoveTo {
    fn location(&self, data: &Path) -> Location {
        match self {
            MoveTo::File => Location::File(data.join(DATABASE_FILE)),
            MoveTo::Postgres(url) => Location::Postgres(url.clone()),
        }
    }

    /// Returns what the administrator can do if the target is the old database of a moved server.
    fn way_out(&self) -> &'static str {
        match self {
            MoveTo::File => "move it away first",
            MoveTo::Postgres(_) => "name an empty database, or empty this one first",
        }
    }

    /// Returns instructions for the administrator to change the configuration.
    fn advice(&self) -> String {
        match self {
            MoveTo::File => "remove `database` from turnpost.toml.".to_owned(),
            MoveTo::Postgres(url) => {
                let password = if url.has_password() { ", and add the password, which is not shown here" } else { "" };
                format!("set `database` in turnpost.toml{password}:\n\n    database = \"{url}\"")
            }
        }
    }
}

/// Moves the server to another database.
pub(crate) fn run(instance: &mut Instance, to: &MoveTo, as_json: bool) -> anyhow::Result<Exit> {
    let (world, now) = (instance.world, (instance.world.now)());
    let target = to.location(&instance.data);
    if target.is_same(&instance.config.location(&instance.data)) {
        return Err(refused(format_args!("the server already uses {target}")));
    }
    // The other nodes have other working directories.
    let target = match target {
        Location::File(file) => Location::File(path::absolute(file)?),
        Location::Postgres(_) => target,
    };
    let _exclusive = instance.lock_exclusively()?;
    store::create(&target, world)?;
    let mut new = match store::open(&target, world) {
        Err(StoreError::Moved(_)) => {
            let way_out = to.way_out();
            return Err(refused(format_args!("{target} is the old database of a moved server: {way_out}")));
        }
        opened => opened?,
    };
    for store in [&mut instance.store, &mut new] {
        if let Some(serving) = store.read()?.serving_nodes(now)?.first() {
            return Err(refused(format_args!("{} is using the database; stop it first", serving.node)));
        }
    }
    let mut tx = instance.store.write()?;
    let before = transfer::fingerprint(&tx, world, now, &|_| {})?;
    match copy(&tx, &mut *new, world, &before.counts) {
        // An earlier run of the same command may have copied the data.
        Ok(()) | Err(TransferError::NotEmpty(_)) => {}
        Err(error) => return Err(error.into()),
    }
    let after = fingerprint(&tx, &mut *new, world, now, &before.counts)?;
    if after.digest != before.digest {
        return Err(refused(format_args!(
            "{target} contains different data: nothing was moved, and the old database is unchanged. Empty the new \
             one, and repeat the command"
        )));
    }
    let open = tx.open_challenges(None)?.len();
    tx.set_moved_to(&target.to_string())?;
    tx.commit()?;
    let mut moved = counts_by_name(&after.counts, open);
    moved.insert("moved to".to_owned(), target.to_string().into());
    say(as_json, moved, || {
        let (said, advice) = (said(&after.counts, open, "\n"), to.advice());
        format!("Moved to {target} and compared: {said}\nThe old database is no longer used. Now {advice}\n")
    })
}

/// Exports the old database, and imports the export into the new one at the same time.
fn copy(tx: &Transaction<'_>, new: &mut dyn Store, world: World, counts: &Counts) -> Result<(), TransferError> {
    let passphrase = world.letters(PASSPHRASE);
    let passphrase = Passphrase::new(&passphrase);
    let (lines, out) = io::pipe()?;
    let progress = Progress::of("copying", counts);
    thread::scope(|scope| {
        let importing = scope.spawn(|| {
            let mut target = new.write()?;
            transfer::import(&mut target, world, passphrase.as_ref(), BufReader::new(Lines { lines, progress }))?;
            Ok(target.commit()?)
        });
        let exported = transfer::export_server(tx, world, passphrase.as_ref(), (world.now)(), &mut BufWriter::new(out));
        // The import's error is more helpful than a broken pipe.
        joined(importing, tx)?;
        exported.map(drop)
    })
}

/// Returns the fingerprint of the new database.
fn fingerprint(
    tx: &Transaction<'_>,
    new: &mut dyn Store,
    world: World,
    now: DateTime<Utc>,
    counts: &Counts,
) -> Result<Fingerprint, TransferError> {
    let progress = Progress::of("comparing", counts);
    thread::scope(|scope| {
        let reading = scope.spawn(|| transfer::fingerprint(&new.read()?, world, now, &|lines| progress.add(lines)));
        joined(reading, tx)
    })
}

/// Waits for a thread that works on the new database, and returns its result. Meanwhile, keeps the transaction of the
/// old database open.
fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, TransferError>>, tx: &Transaction<'_>) -> Result<T, TransferError> {
    while !thread.is_finished() {
        thread::park_timeout(STILL_HERE);
        tx.server_id()?;
    }
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The progress of one step of the move. A terminal shows it as a percentage.
struct Progress {
    step: &'static str,
    total: u64,
    done: AtomicU64,
}

impl Progress {
    /// Starts a step that handles an export of this size.
    fn of(step: &'static str, counts: &Counts) -> Progress {
        Progress { step, total: counts.total().max(1), done: AtomicU64::new(0) }
    }

    fn add(&self, lines: u64) {
        let before = self.done.fetch_add(lines, Ordering::Relaxed);
        let percent = |lines: u64| lines.min(self.total) * 100 / self.total;
        let (old, new) = (percent(before), percent(before + lines));
        if new > old && io::stderr().is_terminal() {
            // Ignore errors, because the terminal may be closed.
            let _ = write!(io::stderr(), "\r{} {new} %{}", self.step, if new == 100 { "\n" } else { "" });
        }
    }
}

/// A reader that counts lines.
struct Lines<R> {
    lines: R,
    progress: Progress,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.lines.read(buffer)?;
        self.progress.add(transfer::lines_in(&buffer[..read]));
        Ok(read)
    }
}
