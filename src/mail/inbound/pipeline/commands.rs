//! What a mail asks for.

use super::super::commands::{FoundCommands, FoundLine, find_commands};
use super::super::reply::{ReplyLine, take_reply_lines};
use super::super::reply_token::{ReplyToken, TokenHolder};
use super::author::Author;
use super::stage::{CurrentMail, Stage};
use crate::command::{self, ParsedLine};
use crate::message;
use crate::service::{Rejection, Service, without_words};
use crate::store::{self, Transaction};
use crate::text::Message;

/// The commands of a mail, in order.
pub(super) struct RequestedCommands {
    pub(super) commands: Vec<RequestedCommand>,
    /// Why the lines after them were not read.
    pub(super) stopped: Option<Message>,
}

/// One command of a mail.
pub(super) struct RequestedCommand {
    /// The line to run, or why it cannot be run.
    pub(super) line: Result<ParsedLine, Rejection>,
    /// The text that goes with it.
    pub(super) comment: Option<String>,
}

/// Finds the commands of a mail. One without any is decided: a stranger's is ignored, and a player is told once a day.
pub(super) fn commands(
    tx: &mut dyn Transaction,
    mail: &CurrentMail<'_>,
    author: &Author<'_>,
) -> Stage<RequestedCommands> {
    let incoming = &mail.incoming;
    let mut found = find_commands(incoming.subjects.first().map(String::as_str), &incoming.text);
    let reply = match &author.token {
        ReplyToken::Missing => None,
        ReplyToken::Invalid | ReplyToken::AnotherPlayers { .. } | ReplyToken::Valid(_) => {
            take_reply_lines(&mut found, &incoming.text, author.token_holder())
        }
    };
    if !author.is_known() && !found.has_command() {
        return mail.ignored("Its sender is not known, and it has no command.");
    }
    if found.lines.is_empty() && reply.is_none() {
        author.conversation.answer_no_command(tx)?;
        return mail.refused("It has no command.");
    }
    let stopped = found.stopped.take();
    let (reply_lines, comment) = reply.unwrap_or_default();
    let mut commands = reply_commands(tx, mail, &author.token, &reply_lines)?;
    if let Some(first) = commands.first_mut() {
        let is_move = reply_lines.first().is_some_and(ReplyLine::is_move);
        first.comment = comment.map(|text| match author.token_holder().filter(|_| is_move) {
            Some(holder) => without_password(holder, text),
            None => text,
        });
    }
    let comment = found.comment.take();
    commands.extend(whole_commands(tx, mail, found)?);
    if let (Some(last), Some(_)) = (commands.last_mut(), &comment) {
        last.comment = comment;
    }
    hide_passwords(&mut commands);
    Ok(RequestedCommands { commands, stopped })
}

/// The comment of a move in a reply. The old form of the command ends in the password, so habit may put it alone on the
/// line below the move: a single word there is compared with it.
fn without_password(holder: &TokenHolder, text: String) -> String {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let is_word = first.chars().count() > 3 && !first.contains(char::is_whitespace);
    match is_word && Service::is_password_of(&holder.player, first) {
        true => without_words(&text, &[first]),
        false => text,
    }
}

/// Takes the passwords of the mail's commands out of its comments: what stands below one command may be the end of
/// another.
fn hide_passwords(commands: &mut [RequestedCommand]) {
    let given = |command: &RequestedCommand| match &command.line {
        Ok(line) => line.command.given_passwords().into_iter().map(str::to_owned).collect(),
        Err(_) => Vec::new(),
    };
    let passwords: Vec<String> = commands.iter().flat_map(given).collect();
    let passwords: Vec<&str> = passwords.iter().map(String::as_str).collect();
    for command in commands {
        let texts = command.comment.iter_mut().chain(command.line.iter_mut().filter_map(|line| line.say.as_mut()));
        texts.for_each(|text| *text = without_words(text, &passwords));
    }
}

/// The commands of lines that leave out the board and the player.
fn reply_commands(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    token: &ReplyToken,
    lines: &[ReplyLine],
) -> store::Result<Vec<RequestedCommand>> {
    let mut commands = Vec::new();
    for reply in lines {
        let rejected = |message| Err(Rejection { message, ..Rejection::default() });
        let line = match token {
            ReplyToken::Valid(holder) => completed(tx, mail, holder, &reply.words(holder))?,
            ReplyToken::AnotherPlayers { board } => rejected(message!("mail.another-players-letter", board = *board)),
            ReplyToken::Missing | ReplyToken::Invalid => rejected(message!("mail.no-token")),
        };
        commands.push(RequestedCommand { line, comment: None });
    }
    Ok(commands)
}

/// The commands that are written out.
fn whole_commands(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    found: FoundCommands,
) -> store::Result<Vec<RequestedCommand>> {
    let mut commands = Vec::new();
    for found in found.lines {
        let line = match found {
            FoundLine::Command(line) => Ok(line),
            FoundLine::NotUnderstood(error) => Err(mail.inbox.service.not_understood(tx, error)?),
        };
        commands.push(RequestedCommand { line, comment: None });
    }
    Ok(commands)
}

/// The command that a line of a reply stands for.
fn completed(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
    words: &[String],
) -> store::Result<Result<ParsedLine, Rejection>> {
    let board = holder.granted.board;
    let line = match command::parse_words(words) {
        Ok(line) => line,
        Err(error) => {
            let board = mail.inbox.service.board_now(tx, board, mail.inbox.now)?.map(Box::new);
            return Ok(Err(Rejection { board, ..mail.inbox.service.not_understood(tx, error)? }));
        }
    };
    // Where a letter was about several boards, the line can only be meant for the one that waits for its reader.
    if holder.several && tx.waiting_for(holder.player.id)? != [board] {
        let shown = mail.inbox.service.shown(tx, &line)?;
        return Ok(Err(Rejection {
            message: message!("mail.which-board"),
            nearest: Some(shown.replacen(" - ", " PASSWORD ", 1)),
            line: shown,
            ..Rejection::default()
        }));
    }
    Ok(Ok(line))
}
