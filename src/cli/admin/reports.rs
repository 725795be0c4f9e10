//! Lists players, boards, mail, letters, bounces, ratings and months, and searches them.

use serde::Serialize;
use serde_json::Value;

use super::names::{check_game, check_known, meant, no_player};
use super::table::{Page, card, table};
use crate::cli::exit::{Exit, refused, say};
use crate::numbers::BoardNumber;
use crate::service::administration;
use crate::store::{InboxId, OutboxId, Report, ReportPage, ReportRow, Result, Transaction};

/// The maximum number of effects shown for one message. No message has this many.
const EFFECTS: ReportPage = ReportPage { skip: 0, most: 10_000 };

/// Prints a page of a report.
pub(crate) fn show(tx: &Transaction<'_>, report: &Report<'_>, page: &Page, as_json: bool) -> anyhow::Result<Exit> {
    let named = match report {
        Report::Boards { player, against, .. } => [*player, *against],
        Report::Acts { of } => [*of, None],
        Report::RatingHistory(userid) => [Some(*userid), None],
        _ => [None, None],
    };
    for userid in named.into_iter().flatten() {
        if administration::player(tx, userid)?.is_none() {
            return Err(refused(no_player(tx, userid)?));
        }
    }
    if let Report::Boards { game: Some(game), .. } = report {
        check_game(game)?;
    }
    let range = page.to_read();
    let rows = administration::report(tx, report, range)?;
    if let Report::Inbox { from: Some(name), .. } | Report::Letters { to: Some(name), .. } = report
        && rows.is_empty()
        && range.skip == 0
    {
        check_known(tx, name)?;
    }
    list(rows, page, as_json)
}

/// Prints the rows of a page.
pub(crate) fn list(mut rows: Vec<ReportRow>, page: &Page, as_json: bool) -> anyhow::Result<Exit> {
    let more = page.cut(&mut rows);
    say(as_json, &rows, || table(&rows) + &more.unwrap_or_default())
}

/// A message as JSON.
#[derive(Serialize)]
struct Mail {
    #[serde(flatten)]
    mail: ReportRow,
    actions: Vec<ReportRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quarantined: Option<Vec<String>>,
}

/// Returns the error for a missing message.
pub(crate) fn no_message(mail: InboxId) -> String {
    format!("there is no message {}; `turnpost admin inbox` lists them", mail.0)
}

/// Prints a message and its effects.
pub(crate) fn mail(tx: &Transaction<'_>, mail: InboxId, as_json: bool) -> anyhow::Result<Exit> {
    let found = administration::report(tx, &Report::Mail(mail), EFFECTS)?;
    let Some(mut found) = found.into_iter().next() else {
        return Err(refused(no_message(mail)));
    };
    // Show the actions in a separate table, with one row for each action.
    found.0.retain(|(name, _)| name != "actions");
    let actions = administration::report(tx, &Report::MailActions(mail), EFFECTS)?;
    let quarantined = administration::masked_mail(tx, mail)?;
    let shown = Mail { mail: found, actions, quarantined };
    say(as_json, &shown, || {
        let Mail { mail, actions, quarantined } = &shown;
        let actions = if actions.is_empty() { "No actions are stored.\n".to_owned() } else { table(actions) };
        let lines: String = quarantined.iter().flatten().map(|line| format!("  {line}\n")).collect();
        let text = quarantined.as_ref();
        let text = text.map(|_| format!("\nIts text, with every word masked that may be a password:\n\n{lines}"));
        card(mail) + "\n" + &actions + &text.unwrap_or_default()
    })
}

/// The maximum number of rows that a search shows for each table.
const MOST: u32 = 10;

/// The search results as JSON.
#[derive(Serialize)]
struct Found {
    players: Vec<ReportRow>,
    boards: Vec<ReportRow>,
    messages: Vec<ReportRow>,
    letters: Vec<ReportRow>,
}

/// Prints the players whose userid or address contains the text. For a number, also prints the board, the message and
/// the letter with this number. For any other text that matches exactly one player, also prints that player's boards,
/// messages and letters. If it matches no player or several, prints those of the player or address that equals the
/// text.
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
            Report::Inbox { from: Some(&whose), on: None, refused: false, quarantined: false },
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
        let names = if text.contains('@') { administration::addresses(tx)? } else { administration::userids(tx)? };
        let meant = meant(text, &names);
        return Err(refused(format_args!(
            "nothing was found for {text}.{meant} Search for a part of a userid or address, or for the number of a \
             board, message or letter"
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
    let [players, boards, messages, letters] = kinds.map(|(_, rows, _)| rows);
    say(as_json, Found { players, boards, messages, letters }, || shown)
}

/// Reads one more row than is shown, to detect whether there are more rows.
fn report(tx: &Transaction<'_>, report: &Report<'_>) -> Result<Vec<ReportRow>> {
    administration::report(tx, report, ReportPage { skip: 0, most: MOST + 1 })
}

fn userid(player: &ReportRow) -> Option<&str> {
    player.0.iter().find(|(name, _)| name == "player").and_then(|(_, value)| Value::as_str(value))
}
