//! One board for the administrator.

use std::fmt::Write;

use serde_json::json;

use super::refused;
use super::table::table;
use crate::cli::Exit;
use crate::cli::line::print;
use crate::service::{Moment, board_view, check_board};
use crate::store::{Entry, StoreError, Transaction};

/// Its whole record, also of one that does not replay.
pub(super) fn board(tx: &dyn Transaction, number: u32, as_json: bool) -> anyhow::Result<Exit> {
    let Some(board) = tx.board(number)? else {
        return refused(format_args!("there is no board {number}"));
    };
    let differences = check_board(tx, &board)?;
    let exit = if differences.is_empty() { Exit::Done } else { Exit::Refused };
    let view = match board_view(tx, number, Moment::Now, Some(0), true) {
        Err(StoreError::Failed(_)) if exit == Exit::Refused => None,
        view => view?,
    };
    if as_json {
        print(&(json!({ "board": view, "genesis": board.genesis, "differences": differences }).to_string() + "\n"))?;
        return Ok(exit);
    }
    let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
    let options = if board.options.is_empty() { "none" } else { &board.options };
    let mut text = format!("{} board {number}: {first} against {second}\noptions: {options}\n\n", board.game);
    if let Some(view) = &view {
        writeln!(text, "{}", view.drawing)?;
    }
    let rows = tx.entries(number)?.into_iter().map(|entry| {
        let Entry { entry, kind, ply, seat, text, made_at, via, hash } = entry;
        let player = seat.map_or("(administrator)", |seat| &board.players[seat.index()].userid);
        json!({ "entry": entry, "kind": kind, "ply": ply, "player": player, "text": text, "made at": made_at,
                "via": via, "hash": hash })
    });
    text += &table(&rows.collect::<Vec<_>>());
    if differences.is_empty() {
        writeln!(text, "\nThe hash chain holds, from {}.", board.genesis)?;
    }
    for difference in &differences {
        writeln!(text, "\n{difference}")?;
    }
    print(&text)?;
    Ok(exit)
}
