//! Lists from the store: players, boards, mail, letters, bounces, ratings, months.

use serde::Serialize;

use crate::cli::exit::{Exit, print, refused};
use crate::service::administration;
use crate::service::transfer::TransferError;
use crate::store::{InboxId, Report, ReportPage, ReportRow, Transaction};

use super::page::Page;
use super::table::{card, table};

/// The maximum number of effects shown for one message. No message has as many.
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
            return Ok(refused(TransferError::NoPlayer(userid.to_owned())));
        }
    }
    list(administration::report(tx, report, page.to_read())?, page, as_json)
}

/// Prints the rows of a page.
pub(crate) fn list(mut rows: Vec<ReportRow>, page: &Page, as_json: bool) -> anyhow::Result<Exit> {
    let more = page.cut(&mut rows);
    match as_json {
        true => print(&(serde_json::to_string(&rows)? + "\n"))?,
        false => print(&(table(&rows) + &more.unwrap_or_default()))?,
    }
    Ok(Exit::Done)
}

/// A message as JSON.
#[derive(Serialize)]
struct Mail {
    #[serde(flatten)]
    mail: ReportRow,
    actions: Vec<ReportRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    set_aside: Option<Vec<String>>,
}

/// Prints a message and its effects.
pub(crate) fn mail(tx: &Transaction<'_>, mail: InboxId, as_json: bool) -> anyhow::Result<Exit> {
    let found = administration::report(tx, &Report::Mail(mail), EFFECTS)?;
    let Some(mut found) = found.into_iter().next() else {
        return Ok(refused(format_args!("there is no mail {}; `turnpost admin inbox` lists them", mail.0)));
    };
    // Each effect has a separate line.
    found.0.retain(|(name, _)| name != "actions");
    let actions = administration::report(tx, &Report::MailActions(mail), EFFECTS)?;
    let set_aside = administration::masked_mail(tx, mail)?;
    if as_json {
        print(&(serde_json::to_string(&Mail { mail: found, actions, set_aside })? + "\n"))?;
    } else {
        let actions = if actions.is_empty() { "It did nothing.\n".to_owned() } else { table(&actions) };
        let lines: String = set_aside.iter().flatten().map(|line| format!("  {line}\n")).collect();
        let text = set_aside.map(|_| format!("\nIts text, with every word masked that may be a password:\n\n{lines}"));
        print(&(card(&found) + "\n" + &actions + &text.unwrap_or_default()))?;
    }
    Ok(Exit::Done)
}
