//! What a mail asks for.

use super::super::commands::{FoundCommands, FoundLine, find_commands};
use super::super::numbered::{NumberedLine, take_numbered_lines};
use super::super::reply::{ReplyLine, take_reply_lines};
use super::super::reply_token::{ReplyToken, TokenHolder};
use super::author::Author;
use super::stage::{CurrentMail, Stage};
use crate::command::{self, ParsedLine};
use crate::message;
use crate::service::Rejection;
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
    if let Some(holder) = author.token_holder()
        && let Some(lines) = take_numbered_lines(&mut found, &incoming.text, holder)
    {
        let stopped = found.stopped.take();
        let mut commands = numbered_commands(tx, mail, holder, lines)?;
        extend(&mut commands, found);
        return Ok(RequestedCommands { commands, stopped });
    }
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
        first.comment = comment;
    }
    extend(&mut commands, found);
    Ok(RequestedCommands { commands, stopped })
}

/// Adds the commands that are written out; the comment belongs to the last of all.
fn extend(commands: &mut Vec<RequestedCommand>, mut found: FoundCommands) {
    let comment = found.comment.take();
    commands.extend(whole_commands(found));
    if let (Some(last), Some(_)) = (commands.last_mut(), &comment) {
        last.comment = comment;
    }
}

/// The commands of lines that begin with a board's number.
fn numbered_commands(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
    lines: Vec<NumberedLine>,
) -> store::Result<Vec<RequestedCommand>> {
    let mut commands = Vec::new();
    for line in lines {
        commands.push(match line {
            NumberedLine::At { board, said, comment } => {
                let Some(holder) = holder.at(board) else { continue };
                RequestedCommand { line: completed(tx, mail, &holder, &said.words(&holder))?, comment }
            }
            NumberedLine::WithoutNumber(reply) => {
                RequestedCommand { line: Err(which_board(holder, &reply)), comment: None }
            }
            NumberedLine::Wrong(message) => {
                RequestedCommand { line: Err(Rejection { message, ..Rejection::default() }), comment: None }
            }
        });
    }
    Ok(commands)
}

/// The question which of a letter's boards a line is meant for, with the line for each.
fn which_board(holder: &TokenHolder, reply: &ReplyLine) -> Rejection {
    let line = reply.example();
    let examples: Vec<String> = holder.numbers().map(|number| format!("\"{number} {line}\"")).collect();
    let boards: Vec<String> = holder.numbers().map(|number| number.to_string()).collect();
    Rejection { message: message!("mail.which-board", boards, examples), ..Rejection::default() }
}

/// The commands of lines that leave out the board and the player.
fn reply_commands(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    token: &ReplyToken,
    lines: &[ReplyLine],
) -> store::Result<Vec<RequestedCommand>> {
    let mut commands = Vec::new();
    let move_first = lines.first().is_some_and(ReplyLine::is_move);
    for reply in lines {
        let rejected = |message| Err(Rejection { message, ..Rejection::default() });
        let line = match token {
            // In answer to a letter about several boards, only a move may leave the number out, and only where one
            // board waits for it. What stands below it is meant for the same board.
            ReplyToken::Valid(holder) if holder.is_of_several() && !(move_first && holder.knows_where_to_move()) => {
                Err(which_board(holder, reply))
            }
            ReplyToken::Valid(holder) => completed(tx, mail, holder, &reply.words(holder))?,
            ReplyToken::AnotherPlayers { board } => rejected(message!("mail.another-players-letter", board = *board)),
            ReplyToken::Missing | ReplyToken::Invalid => rejected(message!("mail.no-token")),
        };
        commands.push(RequestedCommand { line, comment: None });
    }
    Ok(commands)
}

/// The commands that are written out.
fn whole_commands(found: FoundCommands) -> Vec<RequestedCommand> {
    let line = |line| match line {
        FoundLine::Command(line) => Ok(line),
        FoundLine::NotUnderstood(error) => Err(Rejection::from(error)),
    };
    found.lines.into_iter().map(|found| RequestedCommand { line: line(found), comment: None }).collect()
}

/// The command that a line of a reply stands for.
fn completed(
    tx: &dyn Transaction,
    mail: &CurrentMail<'_>,
    holder: &TokenHolder,
    words: &[String],
) -> store::Result<Result<ParsedLine, Rejection>> {
    let board = holder.granted.board;
    match command::parse_words(words) {
        Ok(line) => Ok(Ok(line)),
        Err(error) => {
            let board = mail.inbox.service.board_now(tx, board, mail.inbox.now)?.map(Box::new);
            Ok(Err(Rejection { board, ..Rejection::from(error) }))
        }
    }
}
