//! The order of the stages.

use super::stage::{CurrentMail, Stage, Stop};
use super::{answer, author, commands, readable, run, screen};
use crate::service::{Passwords, ServiceResult};
use crate::store::{Transaction, Verdict};

/// Processes one message inside the caller's transaction, with the passwords that [`prepare`](super::prepare()) named.
/// After an error, the caller must undo its changes.
pub(crate) fn decide(
    tx: &mut Transaction<'_>,
    mail: &CurrentMail<'_>,
    passwords: &Passwords,
) -> ServiceResult<Verdict> {
    match stages(tx, mail, passwords) {
        Ok(verdict) | Err(Stop::Decided(verdict)) => Ok(verdict),
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn stages(tx: &mut Transaction<'_>, mail: &CurrentMail<'_>, passwords: &Passwords) -> Stage<Verdict> {
    screen::second_copy(tx, mail)?;
    screen::bounce(tx, mail)?;
    screen::unsubscribe(tx, mail)?;
    screen::machine_mail(tx, mail)?;
    let author = author::author(tx, mail)?;
    readable::readable(tx, mail, &author)?;
    mail.know_letter(tx)?;
    let requested = commands::commands(tx, mail, &author, passwords)?;
    let outcome = run::run(tx, mail, &author, requested, passwords)?;
    answer::answer(tx, mail, &author, outcome)
}

#[cfg(test)]
mod tests {
    use super::super::screen::read_mail;
    use super::*;
    use crate::compose::Composer;
    use crate::config::Config;
    use crate::mail::inbound::context::InboxContext;
    use crate::mail::inbound::receive::receive;
    use crate::store::{self, MailSource, Store, VerdictKind};
    use crate::world::World;

    /// Processes messages one after the other.
    fn verdicts(mails: &[String]) -> Vec<Verdict> {
        let mut store = store::in_memory(World::REAL).unwrap();
        let config = Config::default();
        let service = config.service(World::REAL);
        let now = (World::REAL.now)();
        let composer = Composer::new(None, None).unwrap();
        let inbox = InboxContext { service: &service, server_address: "turnpost@localhost", composer: &composer, now };
        let mut process = |mail: &String| {
            let id = receive(&mut store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
            let mail = store.read().unwrap().waiting_mail(&[id]).unwrap().remove(0);
            let mut tx = store.write().unwrap();
            let decided = |mail: CurrentMail<'_>| decide(&mut tx, &mail, &Passwords::default()).unwrap();
            let verdict = read_mail(&inbox, &mail).map_or_else(|verdict| verdict, decided);
            tx.close_mail(mail.id, &verdict, now).unwrap();
            tx.commit().unwrap();
            verdict
        };
        mails.iter().map(&mut process).collect()
    }

    #[test]
    fn each_stage_closes_its_messages() {
        let from = "From: alice@example.org\n";
        let long = "x".repeat(70_000);
        for (mail, kind, reason) in [
            (format!("X: {long}\n\n"), VerdictKind::Ignored, "headers are longer"),
            (format!("{from}Auto-Submitted: auto-replied\nSubject: help\n\n"), VerdictKind::Ignored, "Auto-Submitted"),
            ("From: a@b.org, c@d.org\nSubject: help\n\n".to_owned(), VerdictKind::Ignored, "exactly one sender"),
            (format!("{from}Subject: {long}\n\n").replace(&long, &long[..5_000]), VerdictKind::Ignored, "too long"),
            (format!("{from}Subject: a\nSubject: b\n\n"), VerdictKind::Ignored, "more than one subject"),
            (format!("{from}Subject: help\nSubject: b\n\n"), VerdictKind::Refused, "more than one subject"),
            (format!("{from}Subject: hi\n\nNice weather.\n"), VerdictKind::Ignored, "no command"),
            (format!("{from}Subject: help\n\n"), VerdictKind::Done, "were run"),
            (format!("{from}Subject: show 1\n\n"), VerdictKind::Refused, "None of its commands"),
        ] {
            let verdict = verdicts(&[mail]).remove(0);
            assert!(verdict.kind == kind && verdict.reason.contains(reason), "{verdict:?}");
        }
    }

    #[test]
    fn a_second_copy_leaves_the_identity_to_the_first() {
        let mail = "From: alice@example.org\nMessage-ID: <1@a>\nSubject: help\n\n".to_owned();
        let [first, second] = <[Verdict; 2]>::try_from(verdicts(&[mail.clone(), mail])).unwrap();
        assert_eq!((first.kind, second.kind), (VerdictKind::Done, VerdictKind::Repeated));
        assert!(first.identity.is_some() && second.identity.is_none());
    }
}
