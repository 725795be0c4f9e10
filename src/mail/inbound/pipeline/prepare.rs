//! Preparation of a message before its transaction: which passwords must be hashed, and which boards it concerns.

use super::super::order::MailBoards;
use super::super::reply_token::answered_boards;
use super::author::{Author, author};
use super::commands::{Glance, RequestedCommands, find, glance};
use super::readable::unreadable;
use super::run::Runner;
use super::screen::second_copy;
use super::stage::{CurrentMail, Stage, Stop};
use crate::command::Command;
use crate::service::PasswordChecks;
use crate::store::{self, Transaction};

/// The result of preparing a message before its transaction.
#[derive(Default)]
pub(crate) struct Preparation {
    /// The hashes that processing requires.
    pub(crate) checks: PasswordChecks,
    /// The boards of the answered letter, and those that its commands name.
    pub(crate) boards: MailBoards,
}

/// Prepares a message. A message that is closed before its commands are executed needs no preparation. The author and
/// commands are determined only if they may contain a password, or if the message was prepared before.
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
    let own = author.token_holder().map(|holder| holder.numbers().collect());
    let mut boards = MailBoards { own: own.unwrap_or_default(), ..MailBoards::default() };
    let Some(requested) = find(tx, mail, &author)? else {
        return Ok(Preparation { boards, ..Preparation::default() });
    };
    let service = mail.inbox.service;
    let mut checks = PasswordChecks::default();
    let mut runner = Runner::new(mail, &author);
    let RequestedCommands { commands, .. } = requested;
    for command in commands {
        if let (Some(holder), Some(word)) = (author.token_holder(), command.word_below()) {
            service.check_word(&holder.player, word, &mut checks);
        }
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
