//! Restores one board from a backup or an export.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Context;
use serde_json::json;

use crate::backup::{self, BackupError};
use crate::cli::exit::{Exit, print, refused};
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::Record;
use crate::service::transfer::{self, RestoredBoard};
use crate::store::{ActKind, Store};

use super::acts::{self, NewAct};

/// Adds the entries of a board that a file has in addition to the stored ones.
pub(crate) fn restore(
    instance: &mut Instance,
    file: &Path,
    number: BoardNumber,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let record = match record(instance, file, number) {
        Ok(Some(record)) => record,
        Ok(None) => return Ok(refused(format_args!("{} does not contain board {number}", file.display()))),
        Err(error) => match error.downcast_ref::<BackupError>() {
            Some(damage) if damage.is_damage() => return Ok(refused(format_args!("{}: {damage}", file.display()))),
            _ => return Err(error),
        },
    };
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    let RestoredBoard { added, entries } = match transfer::restore_board(&mut tx, &record, now)? {
        Ok(restored) => restored,
        Err(why) => return Ok(refused(instance.composer.message(&why)?)),
    };
    let detail = format!("{added} entries from {}", file.display());
    acts::log(&mut tx, now, &NewAct { board: Some(number), detail: &detail, ..NewAct::new(ActKind::RestoreBoard) })?;
    tx.commit()?;
    print(&match as_json {
        true => json!({ "board": number, "added": added, "entries": entries }).to_string() + "\n",
        false => format!("Board {number} has {entries} entries; {added} of them were added.\n"),
    })?;
    Ok(Exit::Done)
}

/// Returns the record of a board in a backup or an export.
fn record(instance: &Instance, file: &Path, number: BoardNumber) -> anyhow::Result<Option<Record>> {
    match backup::board_record(file, &instance.data, number, instance.world) {
        Err(BackupError::NotABackup(_)) => {
            let export = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
            Ok(transfer::record_in_export(number, instance.world, BufReader::new(export))?)
        }
        record => Ok(record?),
    }
}
