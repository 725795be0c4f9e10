//! One board of a backup.

use std::path::Path;

use super::archive;
use super::error::Result;
use super::prove::DATABASE;
use super::scratch::Scratch;
use crate::numbers::BoardNumber;
use crate::service::record::{Record, record};
use crate::store;
use crate::world::World;

/// Reads the record of a board from a backup. Restores the backup in the directory `data`, and removes that again.
///
/// # Errors
/// [`BackupError`](super::BackupError), if the file is not a backup, or is damaged.
pub fn board_record(file: &Path, data: &Path, number: BoardNumber, world: World) -> Result<Option<Record>> {
    let scratch = Scratch::beside(&data.join(DATABASE))?;
    archive::extract(file, scratch.path())?;
    let mut store = store::open(scratch.path().join(DATABASE), world)?;
    let tx = store.read()?;
    let board = tx.board(number)?;
    Ok(board.map(|board| record(&tx, &board)).transpose()?)
}
