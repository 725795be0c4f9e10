//! Letters: shows a letter and its state at each address, and sends, holds, releases or drops letters.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;

use crate::cli::exit::{Exit, print, refused, say, unconfirmed};
use crate::compose::addressees;
use crate::mail::outbound::Relay;
use crate::serve::Instance;
use crate::service::administration;
use crate::store::{self, Act, ActKind, Delivery, DeliveryState, OutboxId, Report, ReportPage, ReportRow, Transaction};

use super::names::check_known;
use super::overview;
use super::table::{act, card, counted, table};

/// A letter as JSON.
#[derive(Serialize)]
struct Letter {
    #[serde(flatten)]
    letter: ReportRow,
    deliveries: Vec<ReportRow>,
    subject: String,
    text: String,
}

/// Shows a letter. Its text is composed again from the stored notices, with the recipient's settings when it was sent,
/// or the current settings if it has not been sent. Reply tokens, login links, codes and invitations are masked.
pub(crate) fn show(instance: &mut Instance, number: i64, as_json: bool) -> anyhow::Result<Exit> {
    let tx = instance.store.read()?;
    let notices = administration::letter(&tx, OutboxId(number))?;
    let Some(leading) = notices.first() else {
        return Err(refused(no_letter(OutboxId(number))));
    };
    let found = administration::report(&tx, &Report::Letter(leading.id), ReportPage { skip: 0, most: 1 })?;
    let found = found.into_iter().next().unwrap_or_default();
    let deliveries: Vec<ReportRow> = administration::deliveries(&tx, leading.id)?.into_iter().map(delivery).collect();
    let letter = instance.composer.letter(&tx, &notices, &instance.config.address)?;
    let subject = administration::without_secrets(&tx, &notices, letter.subject)?;
    let text = administration::without_secrets(&tx, &notices, letter.text)?;
    let shown = Letter { letter: found, deliveries, subject, text };
    say(as_json, &shown, || {
        let Letter { letter, deliveries, subject, text } = &shown;
        let deliveries =
            if deliveries.is_empty() { "It has not been sent yet.\n".to_owned() } else { table(deliveries) };
        format!("{}\n{deliveries}\nSubject: {subject}\n\n{text}", card(letter))
    })
}

fn no_letter(letter: OutboxId) -> String {
    format!("there is no letter {}; `turnpost admin outbox` lists them", letter.0)
}

fn delivery(delivery: Delivery) -> ReportRow {
    let Delivery { address, state, at, error } = delivery;
    let state = match state {
        DeliveryState::Failed => "not accepted yet",
        DeliveryState::Sent => "sent",
        DeliveryState::Refused => "refused",
        DeliveryState::Bounced => "bounced",
    };
    ReportRow::of([("address", json!(address)), ("state", json!(state)), ("at", json!(at)), ("error", json!(error))])
}

/// Sends these letters again or, with `given_up`, all letters that the server has stopped trying to send.
pub(crate) fn resend(instance: &mut Instance, letters: &[i64], given_up: bool, as_json: bool) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    let letters: Vec<OutboxId> =
        if given_up { administration::given_up(&tx)? } else { letters.iter().copied().map(OutboxId).collect() };
    for letter in &letters {
        if !administration::resend(&mut tx, *letter, now)? {
            return Err(refused(no_letter(*letter)));
        }
    }
    log_letters(&mut tx, now, ActKind::Resend, &letters)?;
    tx.commit()?;
    // Forget that the mail server failed: an administrator who sends letters again has fixed the cause.
    Relay::forget(&instance.data)?;
    instance.process_or_wake()?;
    show_states(instance, &letters, as_json)
}

/// Resends the letters that were sent or given up since this time. Without `yes`, only shows the number
/// of these letters.
pub(crate) fn resend_since(
    instance: &mut Instance,
    since: DateTime<Utc>,
    to: Option<&str>,
    yes: bool,
    as_json: bool,
) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    let letters = administration::letters_since(&tx, since, to)?;
    if let Some(name) = to.filter(|_| letters.is_empty()) {
        check_known(&tx, name)?;
    }
    let mut addresses = BTreeSet::new();
    for letter in &letters {
        let recipients = addressees(&tx, &administration::letter(&tx, *letter)?)?;
        addresses.extend(recipients.into_iter().map(|address| address.to_lowercase()));
    }
    let (count, reached) = (letters.len(), addresses.len());
    if yes {
        for letter in &letters {
            administration::resend(&mut tx, *letter, now)?;
        }
        log_letters(&mut tx, now, ActKind::Resend, &letters)?;
        tx.commit()?;
        Relay::forget(&instance.data)?;
    } else {
        drop(tx);
    }
    if as_json {
        print(&format!("{}\n", json!({ "letters": count, "addresses": reached, "resent": yes })))?;
    }
    let found = format!("{} to {}", counted(count, "letter", "letters"), counted(reached, "address", "addresses"));
    if !yes {
        return Ok(unconfirmed(format_args!("{found} would be sent again: repeat the command with --yes")));
    }
    if !as_json {
        print(&format!("Sent again: {found}.\n"))?;
    }
    instance.process_or_wake()?;
    Ok(Exit::Done)
}

/// Holds all letters.
pub(crate) fn hold(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let service = instance.config.service(instance.world);
    let mut tx = instance.store.write()?;
    let now = (instance.world.now)();
    let sends = tx.letters_held_at()?.is_none();
    let since = service.hold_letters(&mut tx, now)?;
    administration::log_if(&mut tx, sends, &act(ActKind::Hold, now))?;
    tx.commit()?;
    say(as_json, json!({ "letters_held_at": since }), || {
        "No letters are sent and all clocks are stopped until `turnpost admin release`. If you release the letters \
         within a day, the clocks count the time of the hold.\n"
            .to_owned()
    })
}

/// Sends held letters.
pub(crate) fn release(instance: &mut Instance, as_json: bool) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let mut tx = instance.store.write()?;
    let held = instance.config.service(instance.world).release_letters(&mut tx, now)?;
    administration::log_if(&mut tx, held, &act(ActKind::Release, now))?;
    tx.commit()?;
    instance.process_or_wake()?;
    say(as_json, json!({ "letters_held_at": null, "released": held }), || {
        if held { "Letters are sent again.\n" } else { "Letters were not held.\n" }.to_owned()
    })
}

/// Marks unsent letters as given up.
pub(crate) fn drop_letters(instance: &mut Instance, letters: &[i64], as_json: bool) -> anyhow::Result<Exit> {
    let now = (instance.world.now)();
    let letters: Vec<OutboxId> = letters.iter().copied().map(OutboxId).collect();
    let mut tx = instance.store.write()?;
    for letter in &letters {
        let notices = administration::letter(&tx, *letter)?;
        let Some(leading) = notices.first() else {
            return Err(refused(no_letter(*letter)));
        };
        if !administration::drop_letter(&mut tx, *letter, "dropped by the administrator", now)? {
            let (number, state) = (letter.0, overview::state(leading));
            return Err(refused(format_args!("letter {number} is not waiting to be sent; its state is \"{state}\"")));
        }
    }
    log_letters(&mut tx, now, ActKind::Drop, &letters)?;
    tx.commit()?;
    show_states(instance, &letters, as_json)
}

/// Records in the log of acts what an administrator did with letters.
fn log_letters(tx: &mut Transaction<'_>, now: DateTime<Utc>, kind: ActKind, letters: &[OutboxId]) -> store::Result<()> {
    let detail = match letters {
        [] => return Ok(()),
        [letter] => format!("letter {}", letter.0),
        [first, .., last] => format!("{} letters, numbers {} to {}", letters.len(), first.0, last.0),
    };
    tx.add_act(&Act { detail, ..act(kind, now) })
}

/// Prints the states of letters.
fn show_states(instance: &mut Instance, letters: &[OutboxId], as_json: bool) -> anyhow::Result<Exit> {
    let tx = instance.store.read()?;
    let mut states = Vec::new();
    for letter in letters {
        let notices = administration::letter(&tx, *letter)?;
        states.push((letter.0, notices.first().map_or_else(String::new, overview::state)));
    }
    let shown = |(letter, state): &(i64, String)| match (as_json, letters) {
        (true, _) => format!("{}\n", json!({ "letter": letter, "state": state })),
        (false, [_]) => format!("{state}\n"),
        (false, _) => format!("letter {letter}: {state}\n"),
    };
    let text: String = states.iter().map(shown).collect();
    print(match text.is_empty() && !as_json {
        true => {
            "The server has not given up any letter. It tries undelivered letters again by itself; `turnpost admin \
             resend NUMBER` sends one immediately.\n"
        }
        false => &text,
    })?;
    Ok(Exit::Done)
}
