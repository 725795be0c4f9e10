//! Proving a backup: what was restored of it is checked as `turnpost admin check` does.

use std::path::Path;

use super::error::{BackupError, Result};
use crate::compose::Composer;
use crate::service::{self, CheckReport};
use crate::store::{self, FileCheck, StoreError};
use crate::world::World;

/// The name of the database.
pub(super) const DATABASE: &str = "turnpost.db";

/// What a proved backup holds.
#[derive(Clone, Copy, Debug)]
pub struct Contents {
    /// Boards, whose records were replayed.
    pub boards: u32,
    /// Entries of those records, whose hashes were computed again.
    pub entries: u32,
}

/// Checks the restored database in a directory: the file by SQLite, and everything in it by the service.
pub(super) fn prove(directory: &Path, world: World) -> Result<Contents> {
    let mut faults = Vec::new();
    let contents = check(&directory.join(DATABASE), world, &mut faults);
    match contents {
        Ok(contents) if faults.is_empty() => Ok(contents),
        Err(error) if !matches!(error, BackupError::Store(_)) => Err(error),
        contents => {
            faults.extend(contents.err().map(|error| format!("{DATABASE}: {error}")));
            Err(BackupError::Damaged(faults))
        }
    }
}

fn check(database: &Path, world: World, faults: &mut Vec<String>) -> Result<Contents> {
    let mut store = store::open(database, world)?;
    faults.extend(store.faults(FileCheck::Full)?.iter().map(|fault| format!("{DATABASE}: {fault}")));
    let checked = store.read().and_then(|tx| service::check(&tx));
    let CheckReport { boards, entries, differences, .. } = match checked {
        // That is among the faults already.
        Err(StoreError::Damaged(_)) if !faults.is_empty() => CheckReport::default(),
        checked => checked?,
    };
    let composer = Composer::new(None, None).map_err(BackupError::Words)?;
    for difference in &differences {
        faults.push(composer.message(difference).map_err(BackupError::Words)?);
    }
    Ok(Contents { boards, entries })
}
