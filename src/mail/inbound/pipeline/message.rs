//! The answer to a message of another player: it goes to that player.

use super::super::commands::find_commands;
use super::super::reply_token::Correspondent;
use super::author::Author;
use super::stage::{CurrentMail, Stage, Stop};
use crate::command::{AccountAction, Command, Dmarc, ParsedLine, Password};
use crate::message;
use crate::service::{Answer, AnswerEntry, Origin, Request, Via};
use crate::store::{Transaction, VerdictKind};

/// Sends the text of a mail that answers a player's message to the player who wrote it. A mail that begins with a
/// command is read as any other; so is that of a player who demands DMARC, which a token does not show.
pub(super) fn message(tx: &mut dyn Transaction, mail: &CurrentMail<'_>, author: &Author<'_>) -> Stage<()> {
    let Some(Correspondent { player, writer }) = author.correspondent() else { return Ok(()) };
    let subject = mail.incoming.subjects.first().map(String::as_str);
    let found = find_commands(subject, &mail.incoming.text);
    if !found.lines.is_empty() || found.comment.is_none() || player.settings.dmarc == Dmarc::Required {
        return Ok(());
    }
    let action = AccountAction::Message(vec![writer.clone()]);
    let userid = player.userid.clone();
    let line = ParsedLine::of(Command::Account { userid: userid.clone(), password: Password::FromContext, action });
    let shown = line.shown.clone();
    let (inbox, from) = (mail.inbox, Origin::Known { userid, via: Via::Mail });
    let request = Request { line, from, comment: found.comment, client: None, now: inbox.now };
    let (kind, reason, entry, done) = match inbox.service.answer(tx, &request)? {
        Ok(response) => (VerdictKind::Done, message!("verdict.run"), AnswerEntry::Done(Box::new(response)), 1),
        Err(rejection) => (VerdictKind::Refused, message!("verdict.none-run"), AnswerEntry::Rejected(rejection), 0),
    };
    let answer = Answer { entries: vec![entry], done, ..Answer::default() };
    match done {
        0 => author.conversation.refuse(tx, answer)?,
        _ => author.conversation.answer(tx, answer)?,
    };
    Err(Stop::Decided(mail.verdict(kind, shown, reason.with("unanswered", false))))
}
