//! Processes one message in stages. Each stage passes the message on, or ends the processing with a verdict.
//!
//! 1. `screen`: parses the message before any transaction. Ends the processing of second copies, bounces, messages to
//!    the unsubscribe address and machine mail. Determines the author, by reply token or sender, and the address for
//!    answers. Ends the processing of unreadable messages: too long, malformed, or with two subjects.
//! 2. `commands`: finds the commands of the message. `nothing_found` answers a message without commands.
//! 3. `run`: executes each command in the service, writes the answer, and returns the verdict.
//!
//! [`prepare`] determines before the transaction which passwords the stages need. `stage`, `requested` and
//! `conversation` contain the types and functions that the stages share.
//!
//! The author of a message with a valid reply token is the player to whom it was issued, regardless of `From`. The
//! first new line may then be a move without a board or a userid, and the answer is sent to one of the player's own
//! addresses.
//!
//! A command from any sender is answered, even if it is mistyped or the message has two subjects. Any other message
//! (without a command, or too long) is answered only at the confirmed address of a player.

mod commands;
mod conversation;
mod nothing_found;
mod requested;
mod run;
mod screen;
mod stage;

use super::reply_token::answered_boards;
use super::waiting::MailBoards;
use crate::command::Command;
use crate::service::{PasswordChecks, Passwords, ServiceResult};
use crate::store::{self, Transaction, Verdict};
use commands::{Glance, find, glance};
use run::{Runner, answer};
use screen::{Author, author, readable, second_copy, unreadable};
use stage::{Stage, Stop};

pub(crate) use screen::{HeaderAuthor, quarantine, read_mail};
pub(crate) use stage::CurrentMail;

/// The result of preparing a message before its transaction.
#[derive(Default)]
pub(crate) struct Preparation {
    /// The passwords to hash before the message is processed.
    pub(crate) checks: PasswordChecks,
    /// The boards of the answered letter, and those that the message's commands name.
    pub(crate) boards: MailBoards,
}

/// Prepares a message. A message whose commands will not be executed needs no preparation. The author and the commands
/// are determined only if a command may contain a password, or if the message was prepared before (`again`).
///
/// # Errors
/// Returns errors of the store.
pub(crate) fn prepare(tx: &Transaction<'_>, mail: &CurrentMail<'_>, again: bool) -> store::Result<Preparation> {
    if mail.incoming.machine.is_some() || mail.incoming.sender.is_none() {
        return Ok(Preparation::default());
    }
    let answered = answered_boards(tx, &mail.addressing, mail.inbox.server_address)?;
    let is_unreadable = unreadable(mail).is_some();
    mail.know_letter(tx)?;
    let Glance { may_give_password, boards: foreign } = match is_unreadable {
        true => Glance::default(),
        false => glance(mail, answered.as_deref()),
    };
    if is_unreadable || !(again || may_give_password) {
        let boards = MailBoards { own: answered.unwrap_or_default(), foreign };
        return Ok(Preparation { boards, ..Preparation::default() });
    }
    match preparation(tx, mail) {
        Ok(preparation) => Ok(preparation),
        Err(Stop::Decided(_)) => Ok(Preparation::default()),
        Err(Stop::Failed(error)) => Err(error.without_password()),
    }
}

fn preparation(tx: &Transaction<'_>, mail: &CurrentMail<'_>) -> Stage<Preparation> {
    let author = author(tx, mail)?;
    let own = author.board_reply().map(|answered| answered.numbers().collect());
    let mut boards = MailBoards { own: own.unwrap_or_default(), ..MailBoards::default() };
    let Some(requested) = find(tx, mail, &author)? else {
        return Ok(Preparation { boards, ..Preparation::default() });
    };
    let service = mail.inbox.service;
    let mut checks = PasswordChecks::default();
    let mut runner = Runner::new(mail, &author);
    if let Some(player) = author.token.player() {
        for word in requested.passwords_below(&player.userid) {
            service.check_word(player, &word, &mut checks);
        }
    }
    for command in requested.commands {
        let Ok(line) = command.line else { continue };
        add_boards(tx, &author, &line.command, &mut boards)?;
        if runner.limit(&line.command).is_none() {
            let request = runner.request(line, None);
            if request.gives_password() {
                checks.extend(service.password_checks(tx, &request)?);
            }
        }
    }
    if checks.take_time() {
        second_copy(tx, mail)?;
    }
    Ok(Preparation { checks, boards })
}

/// Adds the boards that a command names.
fn add_boards(
    tx: &Transaction<'_>,
    author: &Author<'_>,
    command: &Command,
    boards: &mut MailBoards,
) -> store::Result<()> {
    let author = author.conversation.player.as_ref().map(|player| player.id);
    for number in command.boards() {
        if boards.own.contains(&number) {
            continue;
        }
        let players = tx.board(number)?.map(|board| board.players);
        match players.is_some_and(|players| players.iter().any(|player| Some(player.id) == author)) {
            true => boards.own.push(number),
            false => boards.foreign.push(number),
        }
    }
    Ok(())
}

/// Processes one message inside the caller's transaction, with the passwords that were hashed after [`prepare`]. After
/// an error, the caller must undo the changes.
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
    let author = author(tx, mail)?;
    readable(tx, mail, &author)?;
    mail.know_letter(tx)?;
    screen::unsubscribe_by_reply(tx, mail, &author)?;
    let requested = commands::commands(tx, mail, &author, passwords)?;
    let outcome = run::run(tx, mail, &author, requested, passwords)?;
    answer(tx, mail, &author, outcome)
}

#[cfg(test)]
mod tests {
    use super::screen::read_mail;
    use crate::compose::Composer;
    use crate::config::Config;
    use crate::mail::inbound::InboxContext;
    use crate::mail::inbound::receive::receive;
    use crate::store::{self, MailSource, VerdictKind};
    use crate::world::World;

    use super::*;

    fn verdicts(mails: &[String]) -> Vec<Verdict> {
        let mut store = store::in_memory(World::REAL).unwrap();
        let config = Config::default();
        let service = config.service(World::REAL);
        let now = (World::REAL.now)();
        let composer = Composer::new(None, None).unwrap();
        let inbox = InboxContext { service: &service, server_address: "turnpost@localhost", composer: &composer, now };
        let mut process = |mail: &String| {
            let id = receive(&mut *store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
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
    fn a_second_copy_does_not_replace_the_first() {
        let mail = "From: alice@example.org\nMessage-ID: <1@a>\nSubject: help\n\n".to_owned();
        let [first, second] = <[Verdict; 2]>::try_from(verdicts(&[mail.clone(), mail])).unwrap();
        assert_eq!((first.kind, second.kind), (VerdictKind::Done, VerdictKind::Repeated));
        assert!(first.identity.is_some() && second.identity.is_none());
    }
}
