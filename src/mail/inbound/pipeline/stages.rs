//! The order of the stages.

use super::super::context::InboxContext;
use super::stage::{Stage, Stop};
use super::{answer, author, commands, readable, run, screen};
use crate::store::{self, InboxMail, Transaction, Verdict};

/// Processes one mail inside the caller's transaction.
pub(in crate::mail::inbound) fn process_mail(
    tx: &mut dyn Transaction,
    inbox: &InboxContext<'_>,
    mail: &InboxMail,
) -> store::Result<Verdict> {
    match stages(tx, inbox, mail) {
        Ok(verdict) | Err(Stop::Decided(verdict)) => Ok(verdict),
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn stages(tx: &mut dyn Transaction, inbox: &InboxContext<'_>, mail: &InboxMail) -> Stage<Verdict> {
    let mail = &screen::headers(inbox, mail)?;
    screen::second_copy(tx, mail)?;
    screen::bounce(tx, mail)?;
    screen::unsubscribe(tx, mail)?;
    screen::machine_mail(mail)?;
    let author = author::author(tx, mail)?;
    readable::readable(tx, mail, &author)?;
    let requested = commands::commands(tx, mail, &author)?;
    let outcome = run::run(tx, mail, &author, requested)?;
    answer::answer(tx, mail, &author, outcome)
}
