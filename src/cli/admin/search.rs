//! Searches players, boards, mail and letters together.

use serde::Serialize;
use serde_json::Value;

use crate::cli::exit::{Exit, print, refused};
use crate::numbers::BoardNumber;
use crate::service::administration;
use crate::store::{InboxId, OutboxId, Report, ReportPage, ReportRow, Result, Transaction};

use super::table::table;

/// The maximum number of rows shown of each kind.
const MOST: u32 = 10;

/// The search results as JSON.
#[derive(Serialize)]
struct Found {
    players: Vec<ReportRow>,
    boards: Vec<ReportRow>,
    messages: Vec<ReportRow>,
    letters: Vec<ReportRow>,
}

/// Prints the players whose userid or address contains the text. If there is exactly one, their boards, mail and
/// letters follow. Otherwise those of the exactly named userid or unknown address follow. A number finds the board,
/// the message and the letter with that number.
pub(crate) fn search(tx: &Transaction<'_>, text: &str, as_json: bool) -> anyhow::Result<Exit> {
    let players = report(tx, &Report::Players { named: Some(text), idle_days: None, paused: false, by_boards: false })?;
    let whose = match &players[..] {
        [player] => userid(player).unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    };
    let (boards, messages, letters) = match text.parse::<BoardNumber>() {
        Ok(board) => {
            (Report::Board(board), Report::Mail(InboxId(board.0.into())), Report::Letter(OutboxId(board.0.into())))
        }
        Err(_) => (
            Report::Boards { player: Some(&whose), against: None, game: None, active: false },
            Report::Inbox { from: Some(&whose), on: None, refused: false, set_aside: false },
            Report::Letters { to: Some(&whose), undelivered: false },
        ),
    };
    let (boards, messages, letters) = (report(tx, &boards)?, report(tx, &messages)?, report(tx, &letters)?);
    let mut kinds = [
        ("Players", players, "players".to_owned()),
        ("Boards", boards, format!("boards --player {whose}")),
        ("Messages", messages, format!("inbox --from {whose}")),
        ("Letters", letters, format!("outbox --to {whose}")),
    ];
    if kinds.iter().all(|(_, rows, _)| rows.is_empty()) {
        return Ok(refused(format_args!(
            "nothing is found for {text}: a part of a userid or address finds players, and a number the board, message or \
             letter that has it"
        )));
    }
    let mut shown = String::new();
    for (name, rows, all) in &mut kinds {
        let more = rows.len() > MOST as usize;
        rows.truncate(MOST as usize);
        if !rows.is_empty() {
            let separator = if shown.is_empty() { "" } else { "\n" };
            shown += &format!("{separator}{name}\n{}", table(rows));
        }
        if more {
            shown += &format!("There is more: turnpost admin {all}\n");
        }
    }
    if as_json {
        let [players, boards, messages, letters] = kinds.map(|(_, rows, _)| rows);
        shown = serde_json::to_string(&Found { players, boards, messages, letters })? + "\n";
    }
    print(&shown)?;
    Ok(Exit::Done)
}

/// Reads one row more than shown, to detect whether there are more.
fn report(tx: &Transaction<'_>, report: &Report<'_>) -> Result<Vec<ReportRow>> {
    administration::report(tx, report, ReportPage { skip: 0, most: MOST + 1 })
}

fn userid(player: &ReportRow) -> Option<&str> {
    player.0.iter().find(|(name, _)| name == "player").and_then(|(_, value)| Value::as_str(value))
}
