//! Runs the commands of a mail in the service.

use super::super::authentication::dmarc_passed;
use super::author::Author;
use super::commands::{RequestedCommand, RequestedCommands};
use super::conversation::refusal;
use super::stage::CurrentMail;
use crate::command::{Command, GameCommand, ParsedLine};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::service::{AnswerEntry, Origin, Rejection, Request, Response, TokenGrant};
use crate::store::{self, Transaction};
use crate::token;

/// What the commands of a mail came to.
#[derive(Default)]
pub(super) struct Outcome {
    /// The answers that no notice gives anyway.
    pub(super) entries: Vec<AnswerEntry>,
    /// The commands as understood, passwords `***`.
    pub(super) commands: Vec<String>,
    /// The boards that they name.
    pub(super) boards: Vec<BoardNumber>,
    /// Whether at least one was done.
    pub(super) any_done: bool,
}

/// Runs the commands, in order.
pub(super) fn run(
    tx: &mut dyn Transaction,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
    requested: RequestedCommands,
) -> store::Result<Outcome> {
    let sender = mail.incoming.sender.clone().unwrap_or_default();
    let results = &mail.incoming.authentication_results;
    let mut runner = Runner {
        mail,
        dmarc_passed: dmarc_passed(results, mail.inbox.service.authserv_id, &sender),
        sender,
        token: author.token_holder().map(|holder| holder.granted.clone()),
    };
    let mut outcome = Outcome::default();
    for RequestedCommand { line, comment } in requested.commands {
        let line = match line {
            Ok(line) => line,
            Err(rejection) => {
                outcome.boards.extend(rejection.board.as_ref().map(|board| board.number));
                outcome.entries.push(AnswerEntry::Rejected(rejection));
                continue;
            }
        };
        outcome.commands.push(line.shown.clone());
        outcome.boards.extend(boards_of(&line.command));
        match runner.run(tx, line, comment)? {
            Ok(response) => {
                outcome.any_done = true;
                // The service's own notice tells the sender these.
                if !response.is_told() {
                    outcome.entries.push(AnswerEntry::Done(Box::new(response)));
                }
            }
            Err(rejection) => outcome.entries.push(AnswerEntry::Rejected(rejection)),
        }
    }
    outcome.entries.extend(requested.remarks.into_iter().map(refusal));
    hide_tokens(tx, &mut outcome)?;
    Ok(outcome)
}

/// Takes reply tokens out of the lines that are kept and shown.
fn hide_tokens(tx: &dyn Transaction, outcome: &mut Outcome) -> store::Result<()> {
    let key = tx.reply_key()?;
    let rejected = outcome.entries.iter_mut().filter_map(|entry| match entry {
        AnswerEntry::Rejected(rejection) => Some(&mut rejection.line),
        AnswerEntry::Done(_) => None,
    });
    for line in rejected.chain(&mut outcome.commands) {
        if let Some(hidden) = token::redacted(line, &key) {
            *line = hidden;
        }
    }
    Ok(())
}

/// The origin of the commands of one mail.
struct Runner<'a> {
    mail: &'a CurrentMail<'a>,
    sender: String,
    dmarc_passed: bool,
    token: Option<TokenGrant>,
}

impl Runner<'_> {
    fn run(
        &mut self,
        tx: &mut dyn Transaction,
        line: ParsedLine,
        comment: Option<String>,
    ) -> store::Result<Result<Response, Rejection>> {
        let inbox = self.mail.inbox;
        let from = Origin::Mail {
            sender: self.sender.clone(),
            message_id: self.mail.incoming.message_id.clone(),
            token: self.token.clone(),
            dmarc_passed: self.dmarc_passed,
        };
        let before = record_length(tx, self.token.as_ref())?;
        let response = inbox.service.answer(tx, &Request { line, from, comment, now: inbox.now })?;
        if response.is_ok() {
            // The author meant what the mail itself does: the rest of the mail is not stale because of it.
            let after = record_length(tx, self.token.as_ref())?;
            if let Some(token) = self.token.as_mut().filter(|token| Some(token.entry) == before) {
                token.entry = after.unwrap_or(token.entry);
            }
        }
        Ok(response)
    }
}

/// The number of entries of the board that a token is for.
fn record_length(tx: &dyn Transaction, token: Option<&TokenGrant>) -> store::Result<Option<EntryNumber>> {
    let Some(token) = token else { return Ok(None) };
    Ok(tx.board(token.board)?.map(|board| board.entries))
}

/// The boards that a command names.
fn boards_of(command: &Command) -> Vec<BoardNumber> {
    match command {
        Command::ShowBoards { boards, .. } | Command::Game { command: GameCommand::Show { boards, .. }, .. } => {
            boards.iter().map(|shown| shown.board).collect()
        }
        Command::Game { command: GameCommand::AtBoard { board, .. } | GameCommand::History { board, .. }, .. } => {
            vec![*board]
        }
        _ => Vec::new(),
    }
}
