//! Proves a backup: restores it and runs the checks of `turnpost admin check`.

use std::path::Path;

use super::error::{BackupError, Result};
use crate::compose::Composer;
use crate::service::{self, CheckReport};
use crate::store::{self, FileCheck, StoreError};
use crate::world::World;

/// The name of the database.
pub(crate) const DATABASE: &str = "turnpost.db";

/// The contents of a proved backup.
#[derive(Clone, Copy, Debug)]
pub struct Contents {
    /// The number of boards with replayed records.
    pub boards: u32,
    /// The number of their entries with recomputed hashes.
    pub entries: u32,
}

/// Checks the restored database in a directory: the database checks the file, and the service checks the content.
pub(crate) fn prove(directory: &Path, world: World) -> Result<Contents> {
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
        // The faults already include this damage.
        Err(StoreError::Damaged(_)) if !faults.is_empty() => CheckReport::default(),
        checked => checked?,
    };
    let composer = Composer::new(None, None).map_err(BackupError::Words)?;
    for difference in &differences {
        faults.push(composer.message(difference).map_err(BackupError::Words)?);
    }
    Ok(Contents { boards, entries })
}
