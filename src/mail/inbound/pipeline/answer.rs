//! The answer to a mail whose commands were run, and its verdict.

use super::author::Author;
use super::run::Outcome;
use super::stage::{CurrentMail, Stage};
use crate::store::{Transaction, Verdict, VerdictKind};

/// Answers what the commands came to, unless notices say all of it.
pub(super) fn answer(
    tx: &mut dyn Transaction,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    outcome: Outcome,
) -> Stage<Verdict> {
    let (kind, mut reason) = match outcome.any_done {
        true => (VerdictKind::Done, "Its commands were run.".to_owned()),
        false => (VerdictKind::Refused, "None of its commands was run.".to_owned()),
    };
    let about = author.conversation.about(tx, &outcome.boards)?;
    if !outcome.entries.is_empty() && !author.conversation.answer(tx, outcome.entries, about)? {
        reason.push_str(" It was not answered: the address has had too many answers in an hour.");
    }
    Ok(mail.verdict(kind, outcome.commands.join("\n"), reason))
}
