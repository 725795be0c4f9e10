//! What every face hands in, and what it gets back when it is not done.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::command::ParsedLine;
use crate::text::Message;

use crate::service::BoardView;

/// A request: which command, from whom, with what beside it, when.
pub struct Request {
    /// The line as understood.
    pub line: ParsedLine,
    /// Who asks, as far as the face can tell.
    pub from: Origin,
    /// What follows the command (a mail's new text), if anything.
    pub comment: Option<String>,
    /// The present time.
    pub now: DateTime<Utc>,
}

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The local shell: whoever can write the data directory is trusted with what needs no password.
    Shell {
        /// What a password `-` stands for.
        password: Option<String>,
    },
    /// A mail.
    Mail {
        /// The address of its `From`.
        sender: String,
        /// Its Message-ID, with angle brackets.
        message_id: Option<String>,
        /// What the reply token that came with it grants: at that board, `-` needs no password of that player.
        token: Option<TokenGrant>,
        /// The server that handed it over says that it really comes from the domain of its `From` (DMARC).
        dmarc_passed: bool,
    },
    /// Somebody who has not said who he is: he can look at what everybody may see.
    Visitor,
    /// A player whom the face itself has made out, by a session or a token: his `-` needs no password.
    Known {
        /// Who.
        userid: String,
        /// The face's name, for the record.
        via: &'static str,
    },
}

/// What a reply token grants: to speak for a player at one board, as long as its record is as long as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenGrant {
    /// Who.
    pub userid: String,
    /// The board's number.
    pub board: u32,
    /// The length of its record.
    pub entry: u32,
}

impl Origin {
    /// `shell`, `mail` or the face's name, for the record.
    pub fn via(&self) -> &'static str {
        match self {
            Origin::Shell { .. } => "shell",
            Origin::Mail { .. } => "mail",
            Origin::Visitor => "visitor",
            Origin::Known { via, .. } => via,
        }
    }
}

/// Why a request was not done; nothing is changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rejection {
    /// The line as understood, passwords `***`.
    pub line: String,
    /// Byte column and length of the word at fault in `line`.
    pub at: Option<(usize, usize)>,
    /// What is wrong, in a sentence.
    pub message: Message,
    /// The nearest valid word or command.
    pub nearest: Option<String>,
    /// How the command is written.
    pub usage: Option<String>,
    /// The board as it is, when the line named one that the asker plays on.
    pub board: Option<Box<BoardView>>,
    /// The line was not understood (exit status 2), as against refused (1).
    pub not_understood: bool,
    /// What stands in the way, for a face that tells this by a number.
    #[serde(skip)]
    pub reason: Reason,
}

/// What stands in the way of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// The rules, or how things stand.
    #[default]
    State,
    /// What it names is not there.
    NotThere,
    /// It is not for who asks.
    NotYours,
    /// Who asks has not shown that he is who he says.
    Unknown,
    /// It was tried too often.
    TooOften,
}
