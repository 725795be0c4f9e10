//! The computer player's evaluation of a board, in progress or not.

use crate::cli::exit::{Exit, print, refused};
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::{AnalysisTask, Response, administration};
use crate::store::Store;

/// Analyses a board immediately. Stores nothing, so that players learn nothing about a board in progress.
pub(crate) fn analyse(instance: &mut Instance, number: BoardNumber, as_json: bool) -> anyhow::Result<Exit> {
    let tx = instance.store.read()?;
    let Some(board) = administration::board(&tx, number)? else {
        return Ok(refused(format_args!("there is no board {number}")));
    };
    let entries = tx.entries(number)?;
    drop(tx);
    let mut task = AnalysisTask::new(&board, &entries)?;
    while task.go_on(&|| false) {}
    let analysed = task.shown(&board, &entries)?;
    if as_json {
        print(&(serde_json::to_string(&analysed)? + "\n"))?;
    } else {
        print(&instance.composer.answer(&Response::Analysed(analysed))?)?;
    }
    Ok(Exit::Done)
}
