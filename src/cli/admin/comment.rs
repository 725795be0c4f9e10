//! Tasks of the administrator for comments.

use clap::Subcommand;
use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{self, ActKind, Comment, Store};

use super::acts::{self, NewAct};

/// Tasks of the administrator for comments.
#[derive(Subcommand)]
pub(crate) enum CommentTask {
    /// Erase the text of a comment. A note in its place says that the administrator removed it. This cannot be undone
    Remove {
        /// The board's number
        board: BoardNumber,
        /// The comment's number, which `turnpost admin board BOARD` shows
        number: usize,
        /// The reason, for the log of acts
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
        /// Confirm. Without this, the comment is shown
        #[arg(long)]
        yes: bool,
    },
}

/// Carries out a task for a comment.
pub(crate) fn run(instance: &mut Instance, task: &CommentTask, as_json: bool) -> anyhow::Result<Exit> {
    let CommentTask::Remove { board, number, ref reason, yes } = *task;
    let words = instance.composer.message(&administration::removed_comment())?;
    if !yes {
        let mut tx = instance.store.write()?;
        // This drops the transaction.
        let Some(Comment { text, .. }) = administration::remove_comment(&mut tx, board, number, &words)? else {
            return Ok(none(board, number));
        };
        return Ok(refused(format_args!(
            "comment {number} on board {board} is \"{text}\"; removing it cannot be undone: repeat the command with --yes"
        )));
    }
    let (now, detail) = ((instance.world.now)(), format!("comment {number}"));
    let removed = store::write_alone(&mut *instance.store, |tx| {
        let removed = administration::remove_comment(tx, board, number, &words)?;
        if let Some(comment) = &removed {
            let (board, player) = (Some(board), Some(comment.player));
            acts::log(
                tx,
                now,
                &NewAct { board, player, detail: &detail, reason, ..NewAct::new(ActKind::RemoveComment) },
            )?;
        }
        store::Result::Ok(removed)
    })?;
    if removed.is_none() {
        return Ok(none(board, number));
    }
    // The text must also disappear from free database pages and logs.
    instance.store.settle()?;
    print(&match as_json {
        true => json!({ "board": board, "comment": number, "removed": true }).to_string() + "\n",
        false => format!("Comment {number} on board {board} is removed.\n"),
    })?;
    instance.process_or_wake()?;
    Ok(Exit::Done)
}

fn none(board: BoardNumber, number: usize) -> Exit {
    refused(format_args!("board {board} has no comment {number}; `turnpost admin board {board}` shows their numbers"))
}
