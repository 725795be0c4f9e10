//! What the administrator does with comments.

use clap::Subcommand;
use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{self, ActKind};

use super::acts::{self, NewAct};

/// What the administrator does with comments.
#[derive(Subcommand)]
pub(in crate::cli) enum CommentTask {
    /// Erase the text of a comment; its place says that the administrator removed it. This cannot be undone
    Remove {
        /// The board's number
        board: BoardNumber,
        /// The comment's number, which `turnpost admin board BOARD` shows
        number: usize,
    },
}

/// Does something with a comment.
pub(super) fn run(instance: &mut Instance, task: &CommentTask, as_json: bool) -> anyhow::Result<Exit> {
    let CommentTask::Remove { board, number } = *task;
    let words = instance.composer.message(&administration::removed_comment())?;
    let (now, detail) = ((instance.world.now)(), format!("comment {number}"));
    let removed = store::write_alone(&mut *instance.store, |tx| {
        let removed = administration::remove_comment(tx, board, number, &words)?;
        if let Some(comment) = &removed {
            let (board, player) = (Some(board), Some(comment.player));
            acts::log(tx, now, &NewAct { board, player, detail: &detail, ..NewAct::new(ActKind::RemoveComment) })?;
        }
        store::Result::Ok(removed)
    })?;
    if removed.is_none() {
        return Ok(refused(format_args!(
            "board {board} has no comment {number}; `turnpost admin board {board}` shows their numbers"
        )));
    }
    // The text is in no free page and no log either.
    instance.store.settle()?;
    print(&match as_json {
        true => json!({ "board": board, "comment": number, "removed": true }).to_string() + "\n",
        false => format!("Comment {number} on board {board} is removed.\n"),
    })?;
    instance.process_or_wake()?;
    Ok(Exit::Done)
}
