//! The answer to a mail whose commands were run, and its verdict.

use super::author::Author;
use super::refusals;
use super::run::Outcome;
use super::stage::{CurrentMail, Stage};
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
    refusals::record(tx, mail, author, &outcome.entries)?;
    let about = author.conversation.about(tx, &outcome.boards)?;
    let mut unanswered = false;
    if !outcome.entries.is_empty() && !author.conversation.answer(tx, outcome.entries, about)? {
        unanswered = true;
    }
    let reason = Message::new(code).with("unanswered", unanswered);
    Ok(mail.verdict(kind, outcome.commands.join("\n"), reason))
}
