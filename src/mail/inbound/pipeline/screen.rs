//! The first stages: messages that are not letters of players.

use std::cell::OnceCell;

use super::super::bounce::{self, Bounce};
use super::super::context::InboxContext;
use super::super::read::read;
use super::super::recipients::{Addressing, tags};
use super::conversation::{Conversation, answer_address};
use super::stage::{CurrentMail, Stage, Stop};
use crate::message;
use crate::service::{Answer, AnswerEntry, Bounced};
use crate::store::{self, InboxMail, Transaction, Verdict, VerdictKind};
use crate::text::Message;
use crate::token::Unsubscribe;

/// Reads a message, or closes one whose headers cannot be read. Needs no transaction.
pub(crate) fn read_mail<'a>(inbox: &InboxContext<'a>, stored: &InboxMail) -> Result<CurrentMail<'a>, Verdict> {
    match read(&stored.raw, inbox.server_address) {
        Ok(incoming) => Ok(CurrentMail {
            inbox: *inbox,
            id: stored.id,
            truncated: stored.truncated,
            incoming,
            addressing: Addressing::of(&stored.raw),
            answered: OnceCell::new(),
            whole: OnceCell::new(),
            in_reply: OnceCell::new(),
        }),
        Err(error) => Err(Verdict {
            kind: VerdictKind::Ignored,
            sender: None,
            identity: None,
            commands: String::new(),
            reason: inbox.words(&error.message()),
        }),
    }
}

/// Closes a second copy of a message.
pub(crate) fn second_copy(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    let Some(first) = tx.mail_seen(&mail.incoming.identity)? else { return Ok(()) };
    let verdict = mail.verdict(VerdictKind::Repeated, String::new(), message!("verdict.second-copy", mail = first.0));
    // The identity is stored with the first copy.
    Err(Stop::Decided(Verdict { identity: None, ..verdict }))
}

/// Closes a bounce of one of our letters.
pub(crate) fn bounce(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    let found = bounce::bounce(tx, &mail.incoming, &mail.addressing.recipients, mail.inbox.server_address)?;
    let Some(bounce) = found else { return Ok(()) };
    let reason = record_bounce(tx, mail.inbox, &bounce)?;
    mail.ignored(reason)
}

/// Records a bounce; returns the result.
fn record_bounce(tx: &mut Transaction<'_>, inbox: InboxContext<'_>, bounce: &Bounce) -> store::Result<Message> {
    let (letter, address) = (bounce.letter.0, &bounce.delivery.address);
    let Some(failure) = &bounce.failure else {
        return Ok(message!("verdict.no-failure", letter, address));
    };
    let why = &failure.said;
    Ok(match inbox.service.bounced(tx, bounce.letter, &bounce.delivery, failure, inbox.now)? {
        Bounced::Paused => message!("verdict.bounce-paused", letter, address, why),
        Bounced::Counted(count) => message!("verdict.bounce-counted", letter, address, why, count),
        Bounced::Nothing => message!("verdict.bounce-ignored", letter, address, why),
    })
}

/// Closes a message to the unsubscribe address.
pub(crate) fn unsubscribe(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    let Some(unsubscribe) = unsubscribe_token(tx, mail)? else { return Ok(()) };
    let Some((player, response)) = mail.inbox.service.unsubscribe(tx, unsubscribe, mail.inbox.now)? else {
        return Ok(());
    };
    let commands = format!("unsubscribe {}", player.userid);
    let address = answer_address(tx, &player, mail.incoming.sender.as_deref().unwrap_or_default())?;
    let conversation = Conversation::new(mail, address, Some(player));
    let entries = vec![AnswerEntry::Done(Box::new(response))];
    conversation.answer(tx, Answer { entries, done: 1, ..Answer::default() })?;
    let reason = message!("verdict.unsubscribed");
    Err(Stop::Decided(mail.verdict(VerdictKind::Done, commands, reason)))
}

fn unsubscribe_token(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> store::Result<Option<Unsubscribe>> {
    let own_address = mail.inbox.server_address;
    let texts: Vec<String> =
        mail.addressing.recipients.iter().flat_map(|header| tags(header, own_address, "u-")).collect();
    if texts.is_empty() {
        return Ok(None);
    }
    let key = tx.reply_key()?;
    Ok(texts.iter().find_map(|text| Unsubscribe::verify(text, &key)))
}

/// Closes machine mail, which is never answered.
pub(crate) fn machine_mail(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<()> {
    match &mail.incoming.machine {
        Some(reason) => mail.ignored_request(tx, reason.clone()),
        None => Ok(()),
    }
}
