//! Records for the administrator who wrote a message and why its commands were refused.

use super::author::Author;
use super::stage::CurrentMail;
use crate::service::AnswerEntry;
use crate::store::{self, Transaction};

/// Records the author of a message, and the reason of every refusal among the answers to it.
pub(crate) fn record(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    answers: &[AnswerEntry],
) -> store::Result<()> {
    if let Some(player) = &author.conversation.player {
        tx.set_mail_author(mail.id, player.id)?;
    }
    for answer in answers {
        if let AnswerEntry::Rejected(rejection) = answer {
            let kept = mail.inbox.service.kept(tx, rejection.clone())?;
            tx.add_refusal(mail.id, &kept.line, &mail.inbox.words(&kept.message))?;
        }
    }
    Ok(())
}
