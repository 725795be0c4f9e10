//! One board: its whole record, and adjudicating it.

use std::fmt::Write;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::compose::Composer;
use crate::numbers::BoardNumber;
use crate::serve::Instance;
use crate::service::{BoardView, administration, checked_view};
use crate::store::{Board, Report, ReportPage, ReportRow, Seat, Store, Transaction};

use super::table::table;

/// The most events of a board that are shown: more than a game has.
const STORY: ReportPage = ReportPage { skip: 0, most: 1_000_000 };

/// A board as JSON.
#[derive(Serialize)]
struct Story<'a> {
    state: &'a str,
    board: Option<&'a BoardView>,
    genesis: &'a str,
    differences: &'a [String],
    story: &'a [ReportRow],
}

/// Shows the whole story of a board, even of one whose record does not replay.
pub(super) fn show(
    composer: &Composer,
    tx: &dyn Transaction,
    number: BoardNumber,
    now: DateTime<Utc>,
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
    let story = administration::report(tx, &Report::Story(number), STORY)?;
    let state = state(&board, now);
    if as_json {
        let genesis = &board.genesis;
        let shown = Story { state: &state, board: view.as_ref(), genesis, differences: &differences, story: &story };
        print(&(serde_json::to_string(&shown)? + "\n"))?;
        return Ok(exit);
    }
    let [first, second] = board.players.each_ref().map(|seated| &seated.userid);
    let options = if board.options.is_empty() { "none" } else { &board.options };
    let mut text = format!("{} board {number}: {first} against {second}\n{state}\noptions: {options}\n\n", board.game);
    if let Some(drawn) = view.and_then(|view| view.drawn) {
        writeln!(text, "{}", drawn.drawing)?;
    }
    text += &table(&story);
    if differences.is_empty() {
        writeln!(text, "\nThe hash chain holds, from {}.", board.genesis)?;
    }
    for difference in &differences {
        writeln!(text, "\n{difference}")?;
    }
    print(&text)?;
    Ok(exit)
}

/// Whose turn it is and since when, or how the board ended.
fn state(board: &Board, now: DateTime<Utc>) -> String {
    let userid = |seat: Seat| &board.players[seat.index()].userid;
    let at = |time: DateTime<Utc>| time.format("%Y-%m-%dT%H:%M:%SZ");
    match (&board.result, board.to_move) {
        (Some(result), _) => {
            let how = result.winner.map_or_else(|| "drawn".to_owned(), |seat| format!("won by {}", userid(seat)));
            format!("{how} ({}), {}", result.reason, at(result.ended_at))
        }
        (None, Some(seat)) => {
            let days = (now - board.moved_at).num_days();
            format!("{}'s turn since {} ({days} days)", userid(seat), at(board.moved_at))
        }
        (None, None) => "declined".to_owned(),
    }
}

/// Ends a game in favour of a player or as a draw; both players are told the reason.
pub(super) fn adjudicate(
    instance: &mut Instance,
    number: BoardNumber,
    winner: &str,
    reason: &str,
    as_json: bool,
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
    let winner = seat.map(|seat| &board.players[seat.index()].userid);
    print(&match (as_json, winner) {
        (true, _) => format!("{}\n", json!({ "board": number, "winner": winner, "reason": reason })),
        (false, Some(winner)) => format!("Board {number} is won by {winner}: {reason}\n"),
        (false, None) => format!("Board {number} is a draw: {reason}\n"),
    })?;
    if let Err(error) = instance.process_or_wake() {
        // The game has ended: only the letters wait.
        tracing::warn!("letters wait for the next turnpost that runs: {error:#}");
    }
    Ok(Exit::Done)
}
