//! Messages to the server: what their authors intend, and their raw content.

use std::fmt;

use chrono::{DateTime, Utc};

use turnpost::numbers::{BoardNumber, EntryNumber};

/// The intended effect of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// Plays this move, in canonical spelling.
    Move(String),
    /// Resigns or declines.
    Resign,
    /// Accepts a proposal.
    Accept,
    /// Prepares one of these moves, or a resignation as the word `resign`.
    Prepare(Vec<String>),
    /// Plays the submitted move.
    Confirm,
    /// Writes to the other player.
    Chat,
    /// Starts a board or an open challenge.
    Begin,
    /// Leaves the server.
    Leave,
    /// Joins this event.
    Join(String),
    /// Leaves this event.
    LeaveEvent(String),
    /// Anything else, for example a setting or an invalid command.
    Other,
}

/// The intended effect of a command, and its author.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    /// The author, as an index of the players.
    pub(crate) player: usize,
    pub(crate) board: BoardNumber,
    pub(crate) meant: Meant,
    /// Set if a reply token is the only credential: the last entry of the board when the letter with the token was
    /// sent.
    pub(crate) token_of: Option<EntryNumber>,
}

/// A group of messages that must be processed in order of arrival. A message may belong to several queues.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Queue {
    /// The messages from this address, in lower case.
    Sender(String),
    /// The messages about this board: replies to letters about it, and messages with a command that names it.
    Board(BoardNumber),
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Queue::Sender(address) => write!(f, "the same sender, {address}"),
            Queue::Board(number) => write!(f, "the same board, {number}"),
        }
    }
}

/// The password in a message's commands.
#[derive(Clone, Debug)]
pub(crate) struct GivenPassword {
    /// The player's index.
    pub(crate) player: usize,
    pub(crate) password: String,
    /// The new password that the message sets.
    pub(crate) new: Option<String>,
}

/// A message of a player or a stranger.
#[derive(Clone, Debug)]
pub(crate) struct SentMail {
    /// The effects that the model follows, in the order of the commands. Empty if the message must not change a board
    /// or an event, or sign off a player.
    pub(crate) intents: Vec<Intent>,
    /// `None` if the model does not check a password, for example for a forgery.
    pub(crate) password: Option<GivenPassword>,
    /// The queues to which the message belongs; none for automatic mail.
    pub(crate) queues: Vec<Queue>,
    /// A word that occurs only in this message's comment.
    pub(crate) remark: Option<String>,
    /// The author; `None` for a forgery or a bounce.
    pub(crate) author: Option<usize>,
    pub(crate) raw: Vec<u8>,
    /// A description for the trace.
    pub(crate) summary: String,
}

/// The parts of a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) body: String,
    /// The Message-ID of the letter to which this message replies.
    pub(crate) answers: Option<String>,
    /// Further header lines, each with its line break.
    pub(crate) headers: String,
}

impl Parts {
    /// Formats the message as a mail program would. `number` becomes part of its Message-ID.
    pub(crate) fn octets(&self, number: usize, date: DateTime<Utc>) -> Vec<u8> {
        let Parts { from, to, subject, body, answers, headers } = self;
        let answers =
            answers.as_ref().map_or_else(String::new, |id| format!("In-Reply-To: {id}\r\nReferences: {id}\r\n"));
        let date = date.to_rfc2822();
        let body = body.replace('\n', "\r\n");
        format!(
            "From: {from}\r\nTo: {to}\r\nSubject: {subject}\r\nDate: {date}\r\nMessage-ID: <{number}@players.example>\r\n\
             {answers}{headers}MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n"
        )
        .into_bytes()
    }
}

/// Returns another copy of a message, as if it had taken another route. Only its `Received` headers differ.
pub(crate) fn copy(raw: &[u8], hop: usize) -> Vec<u8> {
    let mut copy = format!("Received: from mx{hop}.players.example by server.example; hop {hop}\r\n").into_bytes();
    copy.extend_from_slice(raw);
    copy
}
