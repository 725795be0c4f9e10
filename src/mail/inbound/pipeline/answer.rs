//! The answer to a mail whose commands were run, and its verdict.

use super::author::Author;
use super::conversation::Answered;
use super::run::Outcome;
use super::stage::{CurrentMail, Stage};
use crate::message;
use crate::store::{Transaction, Verdict, VerdictKind};
use crate::text::Message;

/// Answers what the commands came to, unless notices say all of it.
pub(super) fn answer(
    tx: &mut dyn Transaction,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    outcome: Outcome,
) -> Stage<Verdict> {
    let (kind, code) = match outcome.any_done {
        true => (VerdictKind::Done, "verdict.run"),
        false => (VerdictKind::Refused, "verdict.none-run"),
    };
    let about = author.conversation.about(tx, &outcome.boards)?;
    if outcome.any_done {
        author.conversation.end_refusals(tx)?;
    }
    let answered = match (outcome.entries.is_empty(), outcome.any_done) {
        (true, _) => Answered::Yes,
        (false, true) => author.conversation.answer(tx, outcome.entries, about)?,
        (false, false) => author.conversation.refuse(tx, outcome.entries, about)?,
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
