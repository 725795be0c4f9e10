//! Works the inbox off.
//!
//! Each mail has two transactions. The first counts the attempt, so that a crash in the second counts too; the second
//! holds what the mail changes, the answers to it and its verdict, so that all of it happens or nothing. A mail that
//! failed [`ATTEMPTS`] times is set aside as poison, and the queue goes on.
//!
//! Who is answered: a command that was understood is answered whoever sent it. Everything else (nothing understood,
//! two subjects, too long) is answered only to the confirmed address of a player. At most [`ANSWERS_AN_HOUR`] answers
//! go to an address in an hour, and one a day says that no command was found.

use std::panic::{AssertUnwindSafe, catch_unwind};

use chrono::{DateTime, TimeDelta, Utc};

use super::find::{FoundLine, find};
use super::read::{Incoming, read};
use crate::compose::{Reply, ReplyEntry};
use crate::desk::{Desk, Origin, Refused, Request};
use crate::store::{self, InboxId, InboxMail, Ledger, NewNotice, Player, Store, Verdict, VerdictKind};

/// How often a mail is tried before it is set aside.
pub const ATTEMPTS: u32 = 3;
/// How many mails are taken from the store at once; each may be a megabyte.
const BATCH: u32 = 16;
/// The most answers to an address in an hour.
const ANSWERS_AN_HOUR: u32 = 20;
const NO_COMMAND: &str = "No command was found in this mail.";

/// A mail that was dealt with, for the log.
#[derive(Clone, Debug)]
pub struct Dealt {
    /// Its number.
    pub id: InboxId,
    /// What became of it.
    pub verdict: Verdict,
}

/// Deals with waiting mails, oldest first, and gives how many were closed; `log` hears of each. A mail whose reading
/// panicked changes nothing, waits for the next pass, and is not counted.
///
/// # Errors
/// The store's: the pass stops, and the mail waits.
pub fn work_inbox(
    store: &mut dyn Store,
    desk: &Desk<'_>,
    server_address: &str,
    now: DateTime<Utc>,
    log: &mut dyn FnMut(&Dealt),
) -> anyhow::Result<usize> {
    let waiting = store.read()?.waiting_mail(BATCH)?;
    let mut closed = 0;
    for mail in waiting {
        let mut ledger = store.write()?;
        let attempts = ledger.count_attempt(mail.id)?;
        ledger.commit()?;
        let verdict = if attempts > ATTEMPTS {
            let verdict = plain(VerdictKind::Poison, format!("Reading it failed {ATTEMPTS} times."));
            let mut ledger = store.write()?;
            ledger.close_mail(mail.id, &verdict, now)?;
            ledger.commit()?;
            verdict
        } else {
            match catch_unwind(AssertUnwindSafe(|| deal_with(store, desk, server_address, &mail, now))) {
                Ok(verdict) => verdict?,
                Err(_) => {
                    // What the panic says may quote the mail, and with it a password.
                    tracing::error!(mail = mail.id.0, attempts, "reading a mail panicked; it changed nothing");
                    continue;
                }
            }
        };
        closed += 1;
        log(&Dealt { id: mail.id, verdict });
    }
    Ok(closed)
}

fn deal_with(
    store: &mut dyn Store,
    desk: &Desk<'_>,
    server_address: &str,
    mail: &InboxMail,
    now: DateTime<Utc>,
) -> store::Result<Verdict> {
    let mut ledger = store.write()?;
    let verdict = match read(&mail.raw, server_address) {
        Ok(incoming) => judge(&mut *ledger, desk, mail, &incoming, now)?,
        Err(reason) => plain(VerdictKind::Ignored, reason),
    };
    ledger.close_mail(mail.id, &verdict, now)?;
    ledger.commit()?;
    Ok(verdict)
}

fn plain(kind: VerdictKind, reason: impl Into<String>) -> Verdict {
    Verdict { kind, sender: None, identity: None, commands: String::new(), reason: reason.into() }
}

/// What becomes of a mail whose headers could be read.
fn judge(
    ledger: &mut dyn Ledger,
    desk: &Desk<'_>,
    mail: &InboxMail,
    incoming: &Incoming,
    now: DateTime<Utc>,
) -> store::Result<Verdict> {
    let sender = incoming.sender.clone();
    if let Some(first) = ledger.mail_seen(&incoming.identity)? {
        // Without the identity, which the first copy holds.
        let reason = format!("A second copy of mail {}.", first.0);
        return Ok(Verdict { sender, ..plain(VerdictKind::Repeated, reason) });
    }
    let verdict = |kind, commands: String, reason: String| Verdict {
        kind,
        sender: sender.clone(),
        identity: Some(incoming.identity.clone()),
        commands,
        reason,
    };
    let ignored = |reason: &str| Ok(verdict(VerdictKind::Ignored, String::new(), reason.to_owned()));
    if let Some(reason) = &incoming.machine {
        return ignored(reason);
    }
    let Some(address) = &incoming.sender else {
        return ignored("It does not have exactly one sender.");
    };
    let conversation = Conversation {
        address,
        player: ledger.player_by_address(address)?,
        message_id: incoming.message_id.as_deref(),
        now,
        domain: desk.domain,
    };
    let known = conversation.player.is_some();

    let trouble = if mail.truncated {
        Some(format!("The mail is longer than {} MB; it was not read.", super::MAX_MAIL / 1_000_000))
    } else {
        incoming.trouble.clone()
    };
    if let Some(trouble) = trouble {
        if known {
            conversation.answer(ledger, vec![refused(&trouble)])?;
            return Ok(verdict(VerdictKind::Refused, String::new(), trouble));
        }
        return ignored(&trouble);
    }
    if incoming.subjects.len() > 1 {
        let reason = "The mail has more than one subject; none of its commands was run.";
        if known || incoming.subjects.iter().any(|subject| find(Some(subject), &incoming.text).has_command()) {
            conversation.answer(ledger, vec![refused(reason)])?;
            return Ok(verdict(VerdictKind::Refused, String::new(), reason.to_owned()));
        }
        return ignored(reason);
    }

    let found = find(incoming.subjects.first().map(String::as_str), &incoming.text);
    if !known && !found.has_command() {
        return ignored("Nobody we know, and nothing we understand.");
    }
    if found.lines.is_empty() {
        if !conversation.was_told_today(ledger)? {
            conversation.answer(ledger, vec![no_command()])?;
        }
        return Ok(verdict(VerdictKind::Refused, String::new(), NO_COMMAND.to_owned()));
    }

    let mut entries = Vec::new();
    let mut commands = Vec::new();
    let mut kind = VerdictKind::Refused;
    let mut comment = found.comment;
    let last = found.lines.len() - 1;
    for (index, line) in found.lines.into_iter().enumerate() {
        let line = match line {
            FoundLine::Command(line) => line,
            FoundLine::NotUnderstood(error) => {
                entries.push(ReplyEntry::Refused(Refused::from(error)));
                continue;
            }
        };
        commands.push(line.shown.clone());
        let from = Origin::Mail { sender: address.clone(), message_id: incoming.message_id.clone() };
        let comment = if index == last { comment.take() } else { None };
        match desk.answer(ledger, &Request { line, from, comment, now })? {
            Ok(answer) => {
                kind = VerdictKind::Done;
                // The desk's own notice tells these to the sender.
                if !answer.is_told() {
                    entries.push(ReplyEntry::Answer(Box::new(answer)));
                }
            }
            Err(refused) => entries.push(ReplyEntry::Refused(refused)),
        }
    }
    if let Some(stopped) = &found.stopped {
        entries.push(refused(stopped));
    }
    let mut reason = match kind {
        VerdictKind::Done => "Its commands were run.".to_owned(),
        _ => "None of its commands was run.".to_owned(),
    };
    if !entries.is_empty() && !conversation.answer(ledger, entries)? {
        reason.push_str(" It was not answered: the address has had too many answers in an hour.");
    }
    Ok(verdict(kind, commands.join("\n"), reason))
}

/// Whom an answer goes to.
struct Conversation<'a> {
    address: &'a str,
    player: Option<Player>,
    message_id: Option<&'a str>,
    now: DateTime<Utc>,
    domain: &'a str,
}

impl Conversation<'_> {
    /// Writes one notice with these answers; false when the address has had too many.
    fn answer(&self, ledger: &mut dyn Ledger, entries: Vec<ReplyEntry>) -> store::Result<bool> {
        if ledger.answers_since(self.address, self.now - TimeDelta::hours(1), "")? >= ANSWERS_AN_HOUR {
            return Ok(false);
        }
        let facts = serde_json::to_string(&Reply { entries })
            .map_err(|error| store::StoreError::Failed(format!("an answer cannot be written as JSON: {error}")))?;
        ledger.add_notice(&NewNotice {
            player: self.player.as_ref().map(|player| player.id),
            address: Some(self.address.to_owned()),
            kind: "answer".to_owned(),
            board: None,
            entry: None,
            due_at: Some(self.now),
            facts,
            in_reply_to: self.message_id.map(str::to_owned),
            domain: self.domain.to_owned(),
            created_at: self.now,
        })?;
        Ok(true)
    }

    fn was_told_today(&self, ledger: &dyn Ledger) -> store::Result<bool> {
        Ok(ledger.answers_since(self.address, self.now - TimeDelta::days(1), NO_COMMAND)? > 0)
    }
}

fn refused(message: &str) -> ReplyEntry {
    ReplyEntry::Refused(Refused { message: message.to_owned(), ..Refused::default() })
}

fn no_command() -> ReplyEntry {
    ReplyEntry::Refused(Refused {
        message: NO_COMMAND.to_owned(),
        nearest: Some("help".to_owned()),
        not_understood: true,
        ..Refused::default()
    })
}
