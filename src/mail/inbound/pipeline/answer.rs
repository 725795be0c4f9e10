//! The answer to a mail whose commands were run, and its verdict.

use super::author::Author;
use super::run::Outcome;
use super::stage::{CurrentMail, Stage};
use crate::service::{Answer, AnswerEntry};
use crate::store::{Transaction, Verdict, VerdictKind};

/// Answers what the commands came to, unless notices say all of it.
pub(super) fn answer(
    tx: &mut dyn Transaction,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    outcome: Outcome,
) -> Stage<Verdict> {
    let (kind, mut reason) = match outcome.done {
        1.. => (VerdictKind::Done, "Its commands were run.".to_owned()),
        0 => (VerdictKind::Refused, "None of its commands was run.".to_owned()),
    };
    let mut boards = outcome.boards;
    let several = author.token_holder().filter(|holder| holder.is_of_several());
    if let Some(holder) = several.filter(|_| outcome.entries.iter().any(is_rejected)) {
        // Whoever is to say it again may mean any board of the letter.
        boards.extend(holder.numbers());
    }
    let mut about = author.conversation.about(tx, &boards)?.into_iter();
    let answer = Answer { entries: outcome.entries, about: about.next(), also: about.collect(), done: outcome.done };
    if !answer.entries.is_empty() && !author.conversation.answer(tx, answer)? {
        reason.push_str(" It was not answered: the address has had too many answers in an hour.");
    }
    Ok(mail.verdict(kind, outcome.commands.join("\n"), reason))
}

fn is_rejected(entry: &AnswerEntry) -> bool {
    matches!(entry, AnswerEntry::Rejected(_))
}
