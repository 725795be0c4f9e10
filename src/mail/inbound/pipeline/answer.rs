//! The answer to a message whose commands were executed, and its verdict.

use super::author::Author;
use super::conversation::Answered;
use super::refusals;
use super::run::Outcome;
use super::stage::{CurrentMail, Stage};
use crate::message;
use crate::service::{Answer, AnswerEntry};
use crate::store::{Transaction, Verdict, VerdictKind};
use crate::text::Message;

/// Answers with the results of the commands, unless notices already report all of them.
pub(crate) fn answer(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    outcome: Outcome,
) -> Stage<Verdict> {
    let (kind, code) = match outcome.done {
        1.. => (VerdictKind::Done, "verdict.run"),
        0 => (VerdictKind::Refused, "verdict.none-run"),
    };
    refusals::record(tx, mail, author, &outcome.entries)?;
    let mut boards = outcome.boards;
    if outcome.entries.iter().any(is_rejected) {
        // If the author repeats the line, it may be meant for any board of the letter.
        boards.extend(author.choice());
    }
    let of_password;
    let conversation = match outcome.authenticated {
        Some(player) => {
            of_password = author.conversation.with_password(tx, player)?;
            &of_password
        }
        None => &author.conversation,
    };
    let done = outcome.done;
    let answer = Answer { entries: outcome.entries, done, ..Answer::default() };
    let mut answer = conversation.about(tx, &boards, answer)?;
    if answer.about.is_none() {
        answer = conversation.about(tx, &author.answered(), answer)?;
    }
    if done > 0 {
        conversation.end_refusals(tx)?;
    }
    let answered = match (answer.entries.is_empty(), done) {
        (true, _) => Answered::Yes,
        (false, 1..) => conversation.answer(tx, answer)?,
        (false, 0) => conversation.refuse(tx, answer)?,
    };
    let unanswered = match answered {
        Answered::Yes => None,
        Answered::TooManyInAnHour => Some(message!("verdict.too-many-answers")),
        Answered::TooManyRefusals => Some(message!("verdict.too-many-refusals")),
        Answered::TooManyToStranger => Some(message!("verdict.too-many-to-stranger")),
    };
    let reason = match unanswered {
        Some(why) => Message::new(code).with("unanswered", why),
        None => Message::new(code).with("unanswered", false),
    };
    Ok(mail.verdict(kind, outcome.commands.join("\n"), reason))
}

fn is_rejected(entry: &AnswerEntry) -> bool {
    matches!(entry, AnswerEntry::Rejected(_))
}
