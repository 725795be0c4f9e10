//! Replies to the letter that asks an address's owner for confirmation.

use super::super::consent::{Consent, consent};
use super::super::reply_token::AskedOwner;
use super::stage::{CurrentMail, Stage, Stop};
use crate::command::Command;
use crate::message;
use crate::store::{self, Transaction, VerdictKind};

/// Returns the command that confirms the address, if a reply agrees. A reply that refuses is closed, as is one with
/// another meaning, unless it can be read like any other message.
pub(crate) fn agreed(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>, owner: &AskedOwner) -> Stage<Option<Command>> {
    if is_confirmed(tx, owner)? {
        return Ok(None);
    }
    let AskedOwner { address, asked } = owner;
    let said = consent(mail.subject(), &mail.incoming.text);
    let is_other_mail = asked.owner.is_some() || mail.whole_commands().has_command();
    let service = mail.inbox.service;
    let (message_id, now) = (mail.incoming.message_id.as_deref(), mail.inbox.now);
    let (answered, kind, reason) = match said {
        Consent::Refused => {
            let stopped = service.stop_confirmations(tx, address, asked, message_id, now)?;
            (stopped, VerdictKind::Done, message!("verdict.confirmations-stopped", address))
        }
        _ if is_other_mail => return Ok(None),
        Consent::Given => {
            let (userid, code) = (asked.userid.clone(), asked.code.clone());
            return Ok(Some(Command::ConfirmAddress { userid, code }));
        }
        Consent::Unclear => {
            let again = service.ask_again(tx, address, asked, message_id, now)?;
            (again, VerdictKind::Refused, message!("verdict.unclear-consent"))
        }
    };
    if !answered {
        return mail.ignored(message!("verdict.consent-answered-before"));
    }
    Err(Stop::Decided(mail.verdict(kind, String::new(), reason)))
}

/// Returns whether the address has been confirmed for the player in the meantime.
fn is_confirmed(tx: &Transaction<'_>, owner: &AskedOwner) -> store::Result<bool> {
    let player = tx.player_by_address(&owner.address)?;
    Ok(player.is_some_and(|player| player.userid.eq_ignore_ascii_case(&owner.asked.userid)))
}
