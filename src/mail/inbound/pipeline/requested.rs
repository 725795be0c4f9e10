//! The commands found in a message, and the remarks on its other parts.

use std::collections::BTreeSet;

use super::conversation::{new_password, passwords_below};
use super::stage::CurrentMail;
use crate::command::{BoardAction, Command, GameCommand, ParsedLine};
use crate::mail::inbound::reply::MOST_THANKS;
use crate::mail::inbound::reply_line::is_about_player;
use crate::message;
use crate::service::{Passwords, Rejection, ServiceResult, without_words};
use crate::store::Player;
use crate::text::Message;

/// The maximum number of different passwords to check for one message.
pub(crate) const MAX_PASSWORDS: usize = 3;

/// The commands of a message, in order.
pub(crate) struct RequestedCommands {
    pub(crate) commands: Vec<RequestedCommand>,
    /// Why other parts of the message were not read or not sent.
    pub(crate) remarks: Vec<Remark>,
}

/// Why part of a message was not read or not sent.
pub(crate) struct Remark {
    pub(crate) message: Message,
    /// The text that was not sent.
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

    /// Creates a request that is refused for this reason; its text is returned to its writer.
    pub(crate) fn refused(message: Message, text: Option<String>) -> RequestedCommands {
        let rejection = Rejection { message, ..Rejection::default() };
        RequestedCommands { commands: vec![RequestedCommand::new(Err(rejection), text)], remarks: Vec::new() }
    }

    /// Replaces the move in a reply to a letter about boards by the answer to the letter's puzzle, if there is one.
    /// Returns the text below the move to its writer.
    pub(crate) fn with_answer_to_puzzle(mut self, answer: RequestedCommands) -> RequestedCommands {
        let Some(answer) = answer.commands.into_iter().next() else { return self };
        match self.commands.first_mut() {
            Some(first) => {
                let text = std::mem::replace(first, answer).comment;
                let text = text.filter(|text| text.split_whitespace().nth(MOST_THANKS).is_some());
                self.remarks.extend(text.map(|text| Remark { message: message!("mail.text-for-nobody"), text }));
            }
            None => self.commands.push(answer),
        }
        self
    }

    /// Returns the words in the comments and the remarks that may be the password of the player with this userid,
    /// likeliest first. Together with the passwords in the commands, these are at most [`MAX_PASSWORDS`].
    pub(crate) fn passwords_below(&self, userid: &str) -> Vec<String> {
        let lines = self.commands.iter().filter_map(|command| command.line.as_ref().ok());
        let given: BTreeSet<&str> = lines.flat_map(|line| line.command.given_passwords()).collect();
        let comments = self.commands.iter().filter_map(|command| command.comment.as_deref());
        let texts: Vec<&str> = comments.chain(self.remarks.iter().map(|remark| remark.text.as_str())).collect();
        let mut found = passwords_below(&texts.join("\n"), userid);
        found.retain(|word| !given.contains(word.as_str()));
        found.truncate(MAX_PASSWORDS.saturating_sub(given.len()));
        found
    }

    /// Removes the player's password, and a new one after it, from the comments and the remarks.
    pub(crate) fn remove_password_below(
        &mut self,
        mail: &CurrentMail<'_>,
        player: &Player,
        passwords: &Passwords,
    ) -> ServiceResult<()> {
        for word in self.passwords_below(&player.userid) {
            if mail.inbox.service.is_password_of(player, &word, passwords)? {
                let comments = self.commands.iter_mut().filter_map(|command| command.comment.as_mut());
                let texts = comments.chain(self.remarks.iter_mut().map(|remark| &mut remark.text));
                texts.for_each(|text| {
                    let new = new_password(text, &word).map(str::to_owned);
                    let words: Vec<&str> = std::iter::once(word.as_str()).chain(new.as_deref()).collect();
                    *text = without_words(text, &words);
                });
            }
        }
        Ok(())
    }
}

pub(crate) struct RequestedCommand {
    /// The line to execute, or why it cannot be executed.
    pub(crate) line: Result<ParsedLine, Rejection>,
    /// The text below the line.
    pub(crate) comment: Option<String>,
    /// Whether the line, a whole command below another line of a reply, may instead belong to the reply's text.
    pub(crate) may_be_text: bool,
}

impl RequestedCommand {
    pub(crate) fn new(line: Result<ParsedLine, Rejection>, comment: Option<String>) -> RequestedCommand {
        RequestedCommand { line, comment, may_be_text: false }
    }

    /// Returns whether the command is a note, which only its writer reads.
    pub(crate) fn is_note(&self) -> bool {
        self.line.as_ref().is_ok_and(|line| match &line.command {
            Command::Game { command: GameCommand::AtBoard { action, .. }, .. } => *action == BoardAction::Note,
            _ => false,
        })
    }
}
