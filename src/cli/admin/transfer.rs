//! Exports, imports and backs up a server, and restores it or one of its boards.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Cursor, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Map, Value, json};

use super::names::no_player;
use super::table::{act, counted, counted_parts};
use crate::backup::{self, Backup, BackupError, Contents, Verified};
use crate::cli::exit::{ErrorWith, Exit, not_printed, refused, report, say};
use crate::cli::streams::{Patience, PatientInput};
use crate::numbers::BoardNumber;
use crate::serve::{Instance, NoDatabase};
use crate::service::transfer::{self, Counts, Passphrase, RestoredBoard, TransferError};
use crate::service::{Record, administration};
use crate::store::{Act, ActKind, Store};
use crate::world::World;

/// The error message for an export of the complete server with neither `--passphrase-file` nor `--without-key`.
pub(crate) const WITH_OR_WITHOUT_KEY: &str = "an export of the whole server needs either --passphrase-file FILE, whose \
     first line is the passphrase that seals the key of the server, or --without-key: then letters that were sent before \
     cannot be answered on the new server";

/// The time limits for reading an export from standard input.
const PATIENCE: Patience = Patience {
    silence: Duration::from_secs(10 * 60),
    whole: Duration::from_secs(24 * 60 * 60),
    advice: "Nothing is imported",
};

/// The contents of an export.
pub(crate) enum Exported {
    /// The data of the player with this userid.
    Player(String),
    /// The complete server, with its key encrypted by the passphrase in this file.
    WithKey(PathBuf),
    /// The complete server without its key.
    WithoutKey,
}

/// Writes the complete server, or one player's data, to a file or to standard output.
pub(crate) fn export(instance: &mut Instance, what: &Exported, output: Option<&Path>) -> anyhow::Result<Exit> {
    let world = instance.world;
    let now = (world.now)();
    let tx = instance.store.read()?;
    if let Exported::Player(userid) = what
        && administration::player(&tx, userid)?.is_none()
    {
        return Err(refused(no_player(&tx, userid)?));
    }
    let passphrase = match what {
        Exported::WithKey(file) => Some(passphrase(file)?),
        Exported::Player(_) | Exported::WithoutKey => None,
    };
    let mut out: Box<dyn Write> = match output {
        Some(path) => {
            let file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path);
            Box::new(BufWriter::new(file.with_context(|| format!("cannot write {}", path.display()))?))
        }
        None => Box::new(BufWriter::new(std::io::stdout().lock())),
    };
    let done = match what {
        Exported::Player(userid) => transfer::export_player(&tx, userid, now, &mut out),
        Exported::WithKey(_) | Exported::WithoutKey => {
            transfer::export_server(&tx, world, passphrase.as_ref(), now, &mut out).map(drop)
        }
    };
    match done {
        // The program that reads standard output has ended, for example `head`.
        Err(TransferError::Io(error)) if error.kind() == ErrorKind::BrokenPipe && output.is_none() => Ok(Exit::Done),
        Err(TransferError::Io(error)) if output.is_none() => Err(not_printed(&error)),
        done => {
            done?;
            Ok(Exit::Done)
        }
    }
}

/// Reads the passphrase from the first line of a file.
fn passphrase(file: &Path) -> anyhow::Result<Passphrase> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let first = text.lines().next().unwrap_or_default();
    Passphrase::new(first).ok_or_else(|| {
        let why = format!("the first line of {} is empty; write the passphrase there", file.display());
        ErrorWith(Exit::Unusable, why).into()
    })
}

/// Imports the export of a complete server into an empty one. Creates the server if there is none.
pub(crate) fn import(data: &Path, file: &Path, passphrase_file: Option<&Path>, as_json: bool) -> anyhow::Result<Exit> {
    let passphrase = passphrase_file.map(passphrase).transpose()?;
    let lines: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(BufReader::new(PatientInput::standard(PATIENCE)?))
    } else {
        Box::new(BufReader::new(File::open(file).with_context(|| format!("cannot read {}", file.display()))?))
    };
    let imported = match Instance::open(data, World::REAL) {
        Err(error) if error.is::<NoDatabase>() => import_as_new(data, passphrase.as_ref(), lines),
        opened => import_into(&mut *opened?.store, passphrase.as_ref(), lines),
    };
    match imported {
        Ok((counts, open)) => say(as_json, counts_by_name(&counts, open), || said(&counts, open, "\n") + "\n"),
        Err(error) => match error.downcast_ref().and_then(TransferError::message) {
            Some(why) => Err(refused(Instance::without_database(data, World::REAL)?.composer.message(&why)?)),
            None => Err(error.context(format!("cannot import {}", file.display()))),
        },
    }
}

/// Creates a server with the content of an export. Creates it only after the whole export is imported, because a server
/// without data would reject the mail of every player.
fn import_as_new(
    data: &Path,
    passphrase: Option<&Passphrase>,
    mut lines: Box<dyn BufRead>,
) -> anyhow::Result<(Counts, usize)> {
    // Check the first line early, because a later error leaves empty tables in PostgreSQL.
    let mut first = Vec::new();
    lines.read_until(b'\n', &mut first).map_err(TransferError::Io)?;
    transfer::check_first_line(&String::from_utf8_lossy(&first), passphrase)?;
    let lines = Cursor::new(first).chain(lines);
    let imported = Instance::create_filled(data, World::REAL, |store| import_into(store, passphrase, lines))?;
    let Some(imported) = imported else {
        return Err(refused("another command has just created a server here; nothing is imported"));
    };
    report(format_args!("a new server: {}", data.display()));
    Ok(imported)
}

/// Imports an export into an empty database. Returns the counts, and the number of challenges that are still open.
fn import_into(
    store: &mut dyn Store,
    passphrase: Option<&Passphrase>,
    lines: impl BufRead,
) -> anyhow::Result<(Counts, usize)> {
    let mut tx = store.write()?;
    let counts = transfer::import(&mut tx, World::REAL, passphrase, lines)?;
    let open = tx.open_challenges(None)?.len();
    tx.commit()?;
    store.checkpoint()?;
    Ok((counts, open))
}

/// Returns the counts of an export for JSON output. `open` is the number of challenges that are still open.
pub(crate) fn counts_by_name(counts: &Counts, open: usize) -> Map<String, Value> {
    let names = ["players", "open challenges", "boards", "entries", "notices", "messages"];
    names.into_iter().map(str::to_owned).zip(of(counts, open).map(Value::from)).collect()
}

/// Describes the counts of an export in two sentences, with `between` after the first. `open` is the number of
/// challenges that are still open.
pub(crate) fn said(counts: &Counts, open: usize, between: &str) -> String {
    let nouns = [
        ("player", "players"),
        ("open challenge", "open challenges"),
        ("board", "boards"),
        ("entry", "entries"),
        ("notice of a letter", "notices of letters"),
        ("message", "messages"),
    ];
    let numbers = of(counts, open).into_iter().zip(nouns);
    let parts: Vec<String> = numbers.map(|(count, (one, more))| counted(count, one, more)).collect();
    format!("{}.{between}{}.", parts[..4].join(", "), parts[4..].join(", "))
}

fn of(counts: &Counts, open: usize) -> [usize; 6] {
    let rows = |table| counts.of(table) as usize;
    // The rows of challenges include closed ones.
    [rows("players"), open, rows("boards"), rows("entries"), rows("outbox"), rows("inbox")]
}

/// Creates a backup file, and checks that it can be restored.
pub(crate) fn make(instance: &mut Instance, file: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let Instance { data, config, world, store, .. } = instance;
    let Verified { made_at, bytes, contents, missing } =
        match (Backup { data, config, world: *world }).make(&mut **store, file) {
            Err(error) if error.is_damage() => return Err(refused(error)),
            made => made?,
        };
    for missing in &missing {
        report(format_args!("{} is omitted, because it does not exist", missing.display()));
    }
    let Contents { boards, entries } = contents;
    let made = json!({ "file": file, "made at": made_at, "bytes": bytes, "boards": boards, "entries": entries,
        "missing": missing });
    say(as_json, made, || {
        let parts = counted_parts(boards, entries);
        format!("{}: {bytes} bytes; restored and checked: {parts}.\n", file.display())
    })
}

/// Restores a backup as a new data directory.
pub(crate) fn restore(file: &Path, data: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let (manifest, contents) = match backup::restore(file, data, World::REAL) {
        Err(error @ BackupError::Exists(_)) => return Err(refused(error)),
        Err(error @ BackupError::NotABackup(_)) => {
            return Err(refused(format_args!("{error}; `turnpost admin import` reads exports. Nothing was restored")));
        }
        Err(error) if error.is_damage() => {
            return Err(refused(format_args!("{}: {error}\nNothing was restored.", file.display())));
        }
        restored => restored?,
    };
    let Contents { boards, entries } = contents;
    let restored = json!({ "data": data, "made at": manifest.made_at, "boards": boards, "entries": entries,
        "files": manifest.files });
    let made_at = manifest.made_at.format("%Y-%m-%dT%H:%M:%SZ");
    let elsewhere = manifest.files.iter().filter_map(|file| {
        let from = file.from.as_ref()?;
        Some(format!(
            "{} is a copy of {}: put it there, or write its path in turnpost.toml.\n",
            file.name,
            from.display()
        ))
    });
    let elsewhere: String = elsewhere.collect();
    let parts = counted_parts(boards, entries);
    say(as_json, restored, || format!("{}: {parts}, as of {made_at}.\n{elsewhere}", data.display()))
}

/// Adds entries to a board that are in a backup or an export but missing in the database.
pub(crate) fn restore_board(
    instance: &mut Instance,
    file: &Path,
    number: BoardNumber,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let record = match record(instance, file, number) {
        Ok(Some(record)) => record,
        Ok(None) => {
            let why = "name a backup, or an export of the server or of a player of the board";
            return Err(refused(format_args!("{} does not contain board {number}: {why}", file.display())));
        }
        Err(error) => match error.downcast_ref::<BackupError>() {
            Some(damage) if damage.is_damage() => return Err(refused(format_args!("{}: {damage}", file.display()))),
            _ => match error.downcast_ref().and_then(TransferError::message) {
                Some(why) => return Err(refused(instance.composer.message(&why)?)),
                None => return Err(error),
            },
        },
    };
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    let RestoredBoard { added, entries } = match transfer::restore_board(&mut tx, &record, now)? {
        Ok(restored) => restored,
        Err(why) => return Err(refused(instance.composer.message(&why)?)),
    };
    let detail = format!("{} from {}", counted(added, "entry", "entries"), file.display());
    tx.add_act(&Act { board: Some(number), detail, ..act(ActKind::RestoreBoard, now) })?;
    tx.commit()?;
    say(as_json, json!({ "board": number, "added": added, "entries": entries }), || match (added, entries.0) {
        (1, 1) => format!("Board {number} has 1 entry, which was added.\n"),
        (1, _) => format!("Board {number} has {entries} entries; 1 of them was added.\n"),
        _ => format!("Board {number} has {entries} entries; {added} of them were added.\n"),
    })
}

/// Returns the record of a board in a backup or an export.
fn record(instance: &Instance, file: &Path, number: BoardNumber) -> anyhow::Result<Option<Record>> {
    match backup::board_record(file, &instance.data, number, instance.world) {
        Err(BackupError::NotABackup(_)) => {
            let reading = || format!("cannot read {}", file.display());
            let export = File::open(file).with_context(reading)?;
            transfer::record_in_export(number, instance.world, BufReader::new(export)).with_context(reading)
        }
        record => Ok(record?),
    }
}
