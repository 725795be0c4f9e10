//! One letter: what became of it at each address, and its text.

use serde::Serialize;
use serde_json::json;

use crate::cli::exit::{Exit, print, refused};
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{Delivery, DeliveryState, OutboxId, Report, ReportPage, ReportRow, Store};
use crate::token;

use super::table::{card, row, table};

/// A letter as JSON.
#[derive(Serialize)]
struct Letter {
    #[serde(flatten)]
    letter: ReportRow,
    deliveries: Vec<ReportRow>,
    subject: String,
    text: String,
}

/// Shows a letter. Its text is composed again from the same notices, for its reader as they were then; reply tokens and links that log in are left out.
pub(super) fn show(instance: &mut Instance, number: i64, as_json: bool) -> anyhow::Result<Exit> {
    let tx = instance.store.read()?;
    let notices = administration::letter(&*tx, OutboxId(number))?;
    let Some(leading) = notices.first() else {
        return Ok(refused(format_args!("there is no letter {number}; `turnpost admin outbox` lists them")));
    };
    let found = administration::report(&*tx, &Report::Letter(leading.id), ReportPage { skip: 0, most: 1 })?;
    let found = found.into_iter().next().unwrap_or_default();
    let deliveries: Vec<ReportRow> = tx.deliveries(leading.id)?.into_iter().map(delivery).collect();
    let letter = instance.composer.letter(&*tx, &notices, &instance.config.address)?;
    let key = tx.reply_key()?;
    let [subject, text] = [letter.subject, letter.text].map(|text| token::redacted(&text, &key).unwrap_or(text));
    if as_json {
        let letter = Letter { letter: found, deliveries, subject, text };
        print(&(serde_json::to_string(&letter)? + "\n"))?;
        return Ok(Exit::Done);
    }
    let deliveries = if deliveries.is_empty() { "It went to no address yet.\n".to_owned() } else { table(&deliveries) };
    print(&format!("{}\n{deliveries}\nSubject: {subject}\n\n{text}", card(&found)))?;
    Ok(Exit::Done)
}

fn delivery(delivery: Delivery) -> ReportRow {
    let Delivery { address, state, at, error } = delivery;
    let state = match state {
        DeliveryState::Failed => "not taken yet",
        DeliveryState::Sent => "sent",
        DeliveryState::Refused => "refused",
        DeliveryState::Bounced => "bounced",
    };
    row([("address", json!(address)), ("state", json!(state)), ("at", json!(at)), ("error", json!(error))])
}
