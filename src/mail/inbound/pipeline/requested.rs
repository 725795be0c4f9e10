//! The commands found in a message, and the remarks on its other parts.

use super::conversation::word_below;
use super::stage::CurrentMail;
use crate::command::{Command, ParsedLine};
use crate::mail::inbound::reply_line::is_about_player;
use crate::mail::inbound::reply_token::BoardReply;
use crate::message;
use crate::service::{Passwords, Rejection, ServiceResult, without_words};
use crate::text::Message;

/// The commands of a message, in order.
pub(crate) struct RequestedCommands {
    pub(crate) commands: Vec<RequestedCommand>,
    /// Why other parts of the message were not read or not sent.
    pub(crate) remarks: Vec<Remark>,
}

/// Why part of a message was not read or not sent.
pub(crate) struct Remark {
    pub(crate) message: Message,
    /// The unsent text.
    pub(crate) text: String,
}

impl Remark {
    pub(crate) fn not_read(message: Message) -> Remark {
        Remark { message, text: String::new() }
    }

    pub(crate) fn may_be_private(text: String) -> Remark {
        let message = match is_about_player(&text) {
            true => message!("mail.may-be-about-player"),
            false => message!("mail.may-be-private"),
        };
        Remark { message, text }
    }
}

impl RequestedCommands {
    /// Creates a request for the single command that the message implies.
    pub(crate) fn only(command: Command) -> RequestedCommands {
        let command = RequestedCommand::new(Ok(ParsedLine::of(command)), None);
        RequestedCommands { commands: vec![command], remarks: Vec::new() }
    }
}

/// One command of a message.
pub(crate) struct RequestedCommand {
    /// The line to execute, or why it cannot be executed.
    pub(crate) line: Result<ParsedLine, Rejection>,
    /// The text that accompanies the line.
    pub(crate) comment: Option<String>,
    /// Whether the line is a move at the top of a reply, above its comment.
    pub(crate) is_short_move: bool,
}

impl RequestedCommand {
    pub(crate) fn new(line: Result<ParsedLine, Rejection>, comment: Option<String>) -> RequestedCommand {
        RequestedCommand { line, comment, is_short_move: false }
    }

    /// Returns the word below a move that may be a password.
    pub(crate) fn word_below(&self) -> Option<&str> {
        self.comment.as_deref().filter(|_| self.is_short_move).and_then(word_below)
    }

    /// Removes that word from the comment if it is the player's password.
    pub(crate) fn remove_password_below(
        &mut self,
        mail: &CurrentMail<'_>,
        answered: &BoardReply,
        passwords: &Passwords,
    ) -> ServiceResult<()> {
        if let (Some(text), Some(word)) = (&self.comment, self.word_below())
            && mail.inbox.service.is_password_of(&answered.player, word, passwords)?
        {
            self.comment = Some(without_words(text, &[word]));
        }
        Ok(())
    }
}
