//! What a mail asks for.

use super::super::commands::{FoundCommands, FoundLine, find_commands};
use super::super::reply::{AnsweredLetter, FoundInReply, MeantLine, find_in_reply};
use super::super::reply_line::ReplyLine;
use super::super::reply_token::{ReplyToken, TokenHolder};
use super::author::Author;
use super::stage::{CurrentMail, Stage};
use super::unclear;
use crate::command::{self, ParsedLine};
use crate::message;
use crate::service::{AnswerEntry, Rejection};
use crate::store::{self, Transaction};
use crate::text::Message;

/// The commands of a mail, in order.
pub(super) struct RequestedCommands {
    pub(super) commands: Vec<RequestedCommand>,
    /// Why what follows them was not read, or not sent.
    pub(super) remarks: Vec<Message>,
}

/// One command of a mail.
pub(super) struct RequestedCommand {
    /// The line to run, or why it cannot be run.
    pub(super) line: Result<ParsedLine, Rejection>,
    /// The text that goes with it.
    pub(super) comment: Option<String>,
}

/// Finds the commands of a mail. One without any is decided: a stranger's is ignored, who answers a letter is told each
/// time, and any other player once a day.
pub(super) fn commands(
    tx: &mut dyn Transaction,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
) -> Stage<RequestedCommands> {
    let incoming = &mail.incoming;
    let subject = incoming.subjects.first().map(String::as_str);
    let whole = find_commands(subject, &incoming.text);
    if !author.is_known() && !whole.has_command() {
        return mail.ignored("Its sender is not known, and it has no command.");
    }
    let requested = match &author.token {
        ReplyToken::Missing => whole_commands(whole),
        ReplyToken::Invalid | ReplyToken::AnotherPlayers { .. } | ReplyToken::Valid(_) => {
            let letter = author.token_holder().map(|holder| answered_letter(tx, holder)).transpose()?;
            let found = find_in_reply(subject, &incoming.text, letter.unwrap_or_default());
            commands_of_reply(tx, mail, &author.token, found)?
        }
    };
    if requested.commands.is_empty() {
        match author.token_holder() {
            Some(holder) => {
                let entry = AnswerEntry::Rejected(unclear::nothing_found(tx, mail, holder)?);
                let about = author.conversation.about(tx, &[holder.granted.board])?;
                author.conversation.answer(tx, vec![entry], about)?;
            }
            None => author.conversation.answer_no_command(tx)?,
        }
        return mail.refused("It has no command.");
    }
    Ok(requested)
}

/// What the letter that a token comes from says.
fn answered_letter(tx: &dyn Transaction, holder: &TokenHolder) -> store::Result<AnsweredLetter> {
    let board = tx.board(holder.granted.board)?;
    let proposal = board.and_then(|board| {
        let open = board.proposal?;
        let to_reader = board.players[open.by.other().index()].id == holder.player.id;
        (to_reader && holder.granted.proposal == Some(open.kind)).then_some(open.kind)
    });
    Ok(AnsweredLetter { proposal, several: holder.several })
}

/// The commands of a mail that answers no letter.
fn whole_commands(found: FoundCommands) -> RequestedCommands {
    let FoundCommands { lines, comment, stopped, held } = found;
    let mut commands: Vec<RequestedCommand> =
        lines.into_iter().map(|line| RequestedCommand { line: whole_command(line), comment: None }).collect();
    if let Some(last) = commands.last_mut() {
        last.comment = comment;
    }
    RequestedCommands { commands, remarks: stopped.into_iter().chain(held).collect() }
}

/// The commands of a mail that answers a letter.
fn commands_of_reply(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    token: &ReplyToken,
    found: FoundInReply,
) -> store::Result<RequestedCommands> {
    let rejected = |message| Err(Rejection { message, ..Rejection::default() });
    let (mut commands, mut remarks) = (Vec::new(), Vec::new());
    for (line, comment) in found.lines {
        let line = match (line, token) {
            (MeantLine::Whole(line), _) => whole_command(line),
            (MeantLine::Short(line), ReplyToken::Valid(holder)) => completed(tx, mail, holder, &line)?,
            (MeantLine::Unclear { nearest }, ReplyToken::Valid(holder)) => {
                Err(unclear::unclear(tx, mail, holder, nearest)?)
            }
            (MeantLine::Short(_), ReplyToken::AnotherPlayers { board }) => {
                rejected(message!("mail.another-players-letter", board = *board))
            }
            (MeantLine::Short(_), _) => rejected(message!("mail.no-token")),
            (MeantLine::Unclear { .. }, _) => continue,
            (MeantLine::MayBePrivate, _) => {
                remarks.push(message!("mail.may-be-private"));
                continue;
            }
        };
        commands.push(RequestedCommand { line, comment });
    }
    remarks.extend(found.stopped);
    Ok(RequestedCommands { commands, remarks })
}

/// The command of a line that is written out.
fn whole_command(line: FoundLine) -> Result<ParsedLine, Rejection> {
    match line {
        FoundLine::Command(line) => Ok(line),
        FoundLine::NotUnderstood(error) => Err(Rejection::from(error)),
    }
}

/// The command that a line of a reply stands for.
fn completed(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
    reply: &ReplyLine,
) -> store::Result<Result<ParsedLine, Rejection>> {
    let board = holder.granted.board;
    let line = match command::parse_words(&reply.words(holder)) {
        Ok(line) => line,
        Err(error) => {
            let board = mail.inbox.service.board_now(tx, board, mail.inbox.now)?.map(Box::new);
            return Ok(Err(Rejection { board, ..Rejection::from(error) }));
        }
    };
    // Where a letter was about several boards, the line can only be meant for the one that waits for its reader.
    if holder.several && tx.waiting_for(holder.player.id)? != [board] {
        return Ok(Err(Rejection {
            message: message!("mail.which-board"),
            nearest: Some(line.shown.replacen(" - ", " PASSWORD ", 1)),
            line: line.shown,
            ..Rejection::default()
        }));
    }
    Ok(Ok(line))
}
