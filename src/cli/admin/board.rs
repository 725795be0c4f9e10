//! One board: its whole record, and adjudicating it.

use std::fmt::Write;

use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::compose::Composer;
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::{administration, checked_view};
use crate::store::{Entry, Seat, Store, Transaction};

use super::table::table;

/// Shows the whole record of a board, even of one that does not replay.
pub(super) fn show(
    composer: &Composer,
    tx: &dyn Transaction,
    number: BoardNumber,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let Some(board) = administration::board(tx, number)? else {
        return Ok(refused(format_args!("there is no board {number}")));
    };
    let (differences, mut view) = checked_view(tx, &board)?;
    let differences = differences.iter().map(|difference| composer.message(difference));
    let differences = differences.collect::<anyhow::Result<Vec<_>>>()?;
    let exit = if differences.is_empty() { Exit::Done } else { Exit::Refused };
    view.as_mut().map_or(Ok(()), |view| composer.board_for_program(view))?;
    if as_json {
        print(&(json!({ "board": view, "genesis": board.genesis, "differences": differences }).to_string() + "\n"))?;
        return Ok(exit);
    }
    let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
    let options = if board.options.is_empty() { "none" } else { &board.options };
    let mut text = format!("{} board {number}: {first} against {second}\noptions: {options}\n\n", board.game);
    if let Some(drawn) = view.and_then(|view| view.drawn) {
        writeln!(text, "{}", drawn.drawing)?;
    }
    let rows = administration::entries(tx, &board)?.into_iter().map(|entry| {
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

/// Ends a game in favour of a player or as a draw; both players are told the reason.
pub(super) fn adjudicate(
    instance: &mut Instance,
    number: BoardNumber,
    winner: &str,
    reason: &str,
) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let clean: String = reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let reason = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if reason.is_empty() {
        return Ok(refused("the reason is empty; both players read it"));
    }
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let none = format!("there is no board {number} in progress; `turnpost admin boards` lists them");
    let Some(board) = administration::board(&*tx, number)?.filter(|board| board.to_move.is_some()) else {
        return Ok(refused(none));
    };
    let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
    let plays = |seat: &Seat| board.players[seat.index()].userid.eq_ignore_ascii_case(winner);
    let seat = Seat::BOTH.into_iter().find(plays);
    if seat.is_none() && !winner.eq_ignore_ascii_case("draw") {
        return Ok(refused(format_args!("{winner} does not play on board {number}: {first} and {second} do")));
    }
    if !service.adjudicate(&mut *tx, number, seat, &reason, now)? {
        return Ok(refused(none));
    }
    tx.commit()?;
    let result = seat.map_or("a draw".to_owned(), |seat| format!("won by {}", board.players[seat.index()].userid));
    print(&format!("Board {number} is {result}: {reason}\n"))?;
    if let Err(error) = instance.process_or_wake() {
        // The game has ended: only the letters wait.
        tracing::warn!("letters wait for the next turnpost that runs: {error:#}");
    }
    Ok(Exit::Done)
}
