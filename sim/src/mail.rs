//! The mails that come in: what is meant by them, and their octets.

use std::fmt;

use chrono::{DateTime, Utc};

use turnpost::numbers::{BoardNumber, EntryNumber};

/// What a command of a mail asks for, as far as it may change a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// To play this move, in its canonical spelling.
    Move(String),
    /// To resign or to decline.
    Resign,
    /// To accept what is proposed.
    Accept,
    /// To have one of these moves played later, or to resign then, which is the word `resign`.
    Prepare(Vec<String>),
    /// To play what was submitted.
    Confirm,
    /// To say something to the other player.
    Chat,
    /// To begin a board, or to offer one.
    Begin,
    /// To leave the server.
    Leave,
    /// Something else that is to be done: words for others, a setting.
    Other,
}

/// What a mail asks for, with what shows that it may.
#[derive(Clone, Debug)]
pub(crate) struct Intent {
    /// Who asks, by their place among the players.
    pub(crate) player: usize,
    pub(crate) board: BoardNumber,
    pub(crate) meant: Meant,
    /// The length of the board's record when the letter was written whose token is all that the mail shows.
    pub(crate) token_of: Option<EntryNumber>,
}

/// A queue of mails: they are processed in the order in which they arrived. A mail may belong to several.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Queue {
    /// The mails from this address, in lower case.
    Sender(String),
    /// The mails about this board: replies to letters about it, and those with a command that names it.
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

/// The password in the commands of a mail.
#[derive(Clone, Debug)]
pub(crate) struct GivenPassword {
    /// Its player, by their place among the players.
    pub(crate) player: usize,
    pub(crate) password: String,
    /// The password that the mail sets instead.
    pub(crate) new: Option<String>,
}

/// A mail of a player or of anybody.
#[derive(Clone, Debug)]
pub(crate) struct SentMail {
    /// What its commands may do, in order; empty for a mail that must be refused.
    pub(crate) intents: Vec<Intent>,
    /// `None` if no command has one.
    pub(crate) password: Option<GivenPassword>,
    /// The queues that it belongs to; machine mail belongs to none.
    pub(crate) queues: Vec<Queue>,
    /// A word that stands in its comment and in no other mail's.
    pub(crate) remark: Option<String>,
    /// The player who wrote it.
    pub(crate) author: Option<usize>,
    pub(crate) raw: Vec<u8>,
    /// What it is, for the trace.
    pub(crate) summary: String,
}

/// The parts of a mail.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) body: String,
    /// The Message-ID that it answers.
    pub(crate) answers: Option<String>,
    /// Further header lines, each with its line break.
    pub(crate) headers: String,
}

impl Parts {
    /// The mail as a mail program would send it; `number` makes its Message-ID.
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

/// Another copy of a mail, as a second way brings it: only what servers on the way wrote is different.
pub(crate) fn copy(raw: &[u8], hop: usize) -> Vec<u8> {
    let mut copy = format!("Received: from mx{hop}.players.example by server.example; hop {hop}\r\n").into_bytes();
    copy.extend_from_slice(raw);
    copy
}
