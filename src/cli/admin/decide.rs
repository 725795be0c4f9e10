//! What the administrator decides, and whether all is well.

use serde_json::json;

use super::refused;
use crate::cli::Exit;
use crate::cli::line::print;
use crate::serve::Instance;
use crate::service;
use crate::store::{Seat, Store, Transaction};
use crate::text;

/// Ends a board for a player, or as a draw, and lets both be told.
pub(super) fn adjudicate(instance: &mut Instance, number: u32, winner: &str, reason: &str) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let reason = text::squeezed(reason);
    if reason.is_empty() {
        return refused("the reason is empty; it is what both players read");
    }
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let none = format!("there is no board {number} in progress; `turnpost admin boards` lists them");
    let Some(board) = tx.board(number)?.filter(|board| board.to_move.is_some()) else {
        return refused(none);
    };
    let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
    let plays = |seat: &Seat| board.players[seat.index()].userid.eq_ignore_ascii_case(winner);
    let seat = Seat::BOTH.into_iter().find(plays);
    if seat.is_none() && !winner.eq_ignore_ascii_case("draw") {
        return refused(format_args!("{winner} does not play on board {number}: {first} and {second} do"));
    }
    if !service.adjudicate(&mut *tx, number, seat, &reason, now)? {
        return refused(none);
    }
    tx.commit()?;
    let result = seat.map_or("a draw".to_owned(), |seat| format!("won by {}", board.players[seat.index()].userid));
    print(&format!("Board {number} is {result}: {reason}\n"))?;
    if let Err(error) = instance.hand_over() {
        // It is decided: only the letters wait.
        tracing::warn!("letters wait for the next turnpost at work: {error:#}");
    }
    Ok(Exit::Done)
}

/// Says what differs from what must hold.
pub(super) fn check(tx: &dyn Transaction, as_json: bool) -> anyhow::Result<Exit> {
    let service::Checked { boards, entries, rated, differences } = service::check(tx)?;
    if as_json {
        let found = json!({ "boards": boards, "entries": entries, "rated": rated, "differences": differences });
        print(&format!("{found}\n"))?;
    } else {
        let counted = |count: u32, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let (boards, entries) = (counted(boards, "board", "boards"), counted(entries, "entry", "entries"));
        let many = match differences.len() {
            0 => "no difference.".to_owned(),
            1 => "1 difference:".to_owned(),
            many => format!("{many} differences:"),
        };
        let lines: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
        print(&format!("{boards}, {entries}, {rated} rated: {many}\n{lines}"))?;
    }
    Ok(if differences.is_empty() { Exit::Done } else { Exit::Refused })
}
