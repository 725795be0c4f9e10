//! The answer to a mail whose commands were run, and its verdict.

use super::author::Author;
use super::conversation::Answered;
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
    if outcome.any_done {
        author.conversation.end_refusals(tx)?;
    }
    if !outcome.entries.is_empty() {
        let answered = match outcome.any_done {
            true => author.conversation.answer(tx, outcome.entries, about)?,
            false => author.conversation.refuse(tx, outcome.entries, about)?,
        };
        reason.push_str(match answered {
            Answered::Yes => "",
            Answered::TooManyInAnHour => " It was not answered: the address has had too many answers in an hour.",
            Answered::TooManyRefusals => " It was not answered: the address has had too many refusals in a row.",
            Answered::TooManyToStranger => " It was not answered: the address has had too many letters in a day.",
        });
    }
    Ok(mail.verdict(kind, outcome.commands.join("\n"), reason))
}
