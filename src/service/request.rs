//! Requests: what every adapter hands in.

use std::borrow::Cow;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use crate::command::{Command, ParsedLine, Password};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::Refusal;
use crate::store::{self, ProposalKind, Transaction, Via};
use crate::text::Message;
use crate::token;

use crate::service::comment;
use crate::service::rejection::{Rejection, RequestResult};

/// A request: which command, from whom, with what comment, when.
#[derive(Clone)]
pub struct Request {
    /// The line as understood.
    pub line: ParsedLine,
    /// Who asks, as far as the adapter can tell.
    pub from: Origin,
    /// The text that came with the command (a mail's new text), if any.
    pub comment: Option<String>,
    /// The address that limits count for, of a request over the web.
    pub client: Option<IpAddr>,
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
        /// What the reply token that came with it grants: for that, `-` needs no password of the player.
        token: Option<TokenGrant>,
        /// The receiving server says that it really comes from the domain of its `From` (DMARC).
        dmarc_passed: bool,
    },
    /// Somebody who has not said who they are, and can look at what is public.
    Visitor,
    /// A player whom the adapter has authenticated by a session or a token: their `-` needs no password.
    Known {
        /// Their userid.
        userid: String,
        /// The adapter, for the record.
        via: Via,
    },
}

/// What a reply token grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenGrant {
    /// To speak for a player at a board.
    Board(BoardGrant),
    /// To answer another player's message.
    Message(MessageGrant),
}

/// The right to speak for a player at one board, as long as its record does not grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardGrant {
    /// The player's userid.
    pub userid: String,
    /// The board's number.
    pub board: BoardNumber,
    /// The length of its record.
    pub entry: EntryNumber,
    /// The proposal that the letter showed, and no other, may be accepted or rejected.
    pub proposal: Option<ProposalKind>,
    /// The letter asked the player to confirm a message that may end the game.
    pub agreed: bool,
}

/// The right to send a message for a player to one other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageGrant {
    /// The player's userid.
    pub userid: String,
    /// The userid of the player who wrote the message that is answered.
    pub writer: String,
}

impl TokenGrant {
    /// The userid of the player for whom it speaks.
    pub fn userid(&self) -> &str {
        match self {
            TokenGrant::Board(BoardGrant { userid, .. }) | TokenGrant::Message(MessageGrant { userid, .. }) => userid,
        }
    }
}

impl Origin {
    /// How the request came, for the record.
    pub fn via(&self) -> Via {
        match self {
            Origin::Shell { .. } => Via::Shell,
            Origin::Mail { .. } => Via::Mail,
            Origin::Visitor => Via::Visitor,
            Origin::Known { via, .. } => *via,
        }
    }
}

impl Request {
    /// A request that did not come as a line of the command language.
    pub(in crate::service) fn without_line(from: Origin, client: Option<IpAddr>, now: DateTime<Utc>) -> Request {
        let line = ParsedLine { command: Command::Help { topics: Vec::new() }, say: None, shown: String::new() };
        Request { line, from, comment: None, client, now }
    }

    /// The request without passwords and reply tokens in its comment: a mail program may quote what holds a token, and
    /// whoever reads the comment could answer in the writer's name.
    pub(in crate::service) fn without_secrets(&self, tx: &Transaction<'_>) -> store::Result<Cow<'_, Request>> {
        let said = self.comment_text();
        if said.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let text = comment::without_words(&said, &self.line.command.given_passwords());
        let text = token::redacted(&text, &tx.reply_key()?).unwrap_or(text);
        if text == said {
            return Ok(Cow::Borrowed(self));
        }
        let line = ParsedLine { say: None, ..self.line.clone() };
        Ok(Cow::Owned(Request { line, comment: Some(text), ..self.clone() }))
    }

    /// Returns the password that was typed, or that a `-` means.
    pub(in crate::service) fn typed<'a>(&'a self, password: &'a Password) -> Option<&'a str> {
        match (password, &self.from) {
            (Password::Given(password), _) => Some(password),
            (Password::FromContext, Origin::Shell { password }) => password.as_deref(),
            (Password::FromContext, Origin::Mail { .. } | Origin::Visitor | Origin::Known { .. }) => None,
        }
    }

    /// Returns whether it needs the hash of a password.
    pub fn gives_password(&self) -> bool {
        let command = &self.line.command;
        command.password().is_some_and(|password| self.typed(password).is_some())
            || !command.given_passwords().is_empty()
    }

    /// Whether it is a client's try: something that a visitor asks for, or that a password or a code is given for.
    pub fn is_try(&self) -> bool {
        let command = &self.line.command;
        let by_what_is_given = match command.password() {
            Some(password) => matches!(password, Password::Given(_)),
            None => matches!(command, Command::ConfirmAddress { .. } | Command::ForgottenPassword { .. }),
        };
        self.client.is_some() && (self.from == Origin::Visitor || by_what_is_given)
    }

    /// Where limits count it: the shell, the sender of a mail, the address of a client.
    pub(in crate::service) fn source(&self) -> String {
        match (&self.from, self.client) {
            (Origin::Shell { .. }, _) => "shell".to_owned(),
            (Origin::Mail { sender, .. }, _) => sender.clone(),
            (Origin::Visitor | Origin::Known { .. }, Some(client)) => client.to_string(),
            (Origin::Visitor | Origin::Known { .. }, None) => "web".to_owned(),
        }
    }

    /// The comment that came with the command, cleaned; empty when there was none.
    pub(in crate::service) fn comment_text(&self) -> String {
        self.line.say.as_deref().or(self.comment.as_deref()).map(comment::clean).unwrap_or_default()
    }

    /// The rejection of this request for a word of its line.
    pub(in crate::service) fn rejection(&self, word: &str, message: Message) -> Rejection {
        Rejection::of_line(&self.line.shown, word, message)
    }

    /// The rejection of this request by the rules.
    pub(in crate::service) fn rejection_by_rules(&self, refusal: Refusal) -> Rejection {
        Rejection::by_rules(&self.line.shown, refusal)
    }

    /// Refuses this request for a word of its line.
    pub(in crate::service) fn refuse<T>(&self, word: &str, message: Message) -> RequestResult<T> {
        Err(self.rejection(word, message).into())
    }
}
