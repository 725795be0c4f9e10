//! Messages that are not read: too long, malformed, or with more than one subject.

use super::super::commands::{added_to_subject, find_commands};
use super::super::unreadable::Unreadable;
use super::author::Author;
use super::conversation::refusal;
use super::stage::{CurrentMail, Stage};
use crate::message;
use crate::service::Answer;
use crate::store::Transaction;
use crate::text::Message;

/// Closes a message that cannot be read. It is answered if its author is known, or if one of several subjects is a
/// command.
pub(crate) fn readable(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>, author: &Author<'_>) -> Stage<()> {
    let Some(unreadable) = unreadable(mail) else { return Ok(()) };
    if author.is_known() || (unreadable == Unreadable::SeveralSubjects && a_subject_is_a_command(mail)) {
        let entries = vec![refusal(unreadable.message())];
        let answer = Answer { entries, ..Answer::default() };
        let answer = author.conversation.about(&*tx, &author.answered(), answer)?;
        author.conversation.refuse(tx, answer)?;
        return mail.refused(tx, reason(&unreadable));
    }
    mail.ignored_request(tx, reason(&unreadable))
}

/// Returns why a message is not read.
pub(crate) fn unreadable(mail: &CurrentMail<'_>) -> Option<Unreadable> {
    if mail.truncated {
        return Some(Unreadable::TooLong);
    }
    let several = (mail.incoming.subjects.len() > 1).then_some(Unreadable::SeveralSubjects);
    let why = mail.incoming.unreadable.clone();
    why.filter(|why| !why.is_of_text() || !is_command(mail.incoming.subjects.first())).or(several)
}

fn a_subject_is_a_command(mail: &CurrentMail<'_>) -> bool {
    let text = &mail.incoming.text;
    mail.incoming.subjects.iter().any(|subject| find_commands(Some(subject), text).has_command())
}

/// Returns whether a subject is a command.
fn is_command(subject: Option<&String>) -> bool {
    let Some(subject) = subject else { return false };
    added_to_subject(subject).is_some() || find_commands(Some(subject), "").has_command()
}

/// Returns the reason of a verdict.
fn reason(unreadable: &Unreadable) -> Message {
    message!("verdict.unreadable", why = unreadable.reason())
}
