//! Requests, which the adapters create, and the cleaning of players' texts.

use std::borrow::Cow;
use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::rejection::{Rejection, RequestResult};
use crate::command::{Command, ParsedLine, Password};
use crate::message;
use crate::numbers::{BoardNumber, EntryNumber};
use crate::rules::Refusal;
use crate::store::{self, Channel, ProposalKind, Transaction};
use crate::text::{self, Message};
use crate::token;

/// A request: the command, its origin, its comment and its time.
#[derive(Clone)]
pub struct Request {
    /// The line as the server understood it.
    pub line: ParsedLine,
    /// The channel and the sender, which the adapter has determined.
    pub from: Origin,
    /// The comment for the command, if any. In mail, this is the text after the command.
    pub comment: Option<String>,
    /// The client's IP address, for rate limits; `None` unless the request arrived over the web.
    pub client: Option<IpAddr>,
    /// The time of the request.
    pub now: DateTime<Utc>,
}

/// The channel of a request, and the identity of its sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The local command line. Its user can write to the data directory, and is trusted with everything that needs no
    /// password.
    Shell {
        /// The password to use if the line contains `-` as the password.
        password: Option<String>,
    },
    /// Incoming mail.
    Mail {
        /// The `From` address.
        sender: String,
        /// The Message-ID, with angle brackets.
        message_id: Option<String>,
        /// What the reply token permits. With a token, the line may contain `-` as the password.
        token: Option<TokenGrant>,
        /// Whether the mail server verified the domain of the `From` (DMARC).
        dmarc_passed: bool,
    },
    /// An anonymous visitor, who can view public data.
    Visitor,
    /// A player whom the adapter authenticated by a session or a token. Their lines may contain `-` as the password.
    Known {
        /// The player's userid.
        userid: String,
        /// The channel of the adapter, which is stored with the player's actions.
        via: Channel,
    },
}

/// What a reply token permits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenGrant {
    /// To act for a player at a board.
    Board(BoardGrant),
    /// To reply to another player's message.
    Message(MessageGrant),
    /// To join or leave an event.
    Event(EventGrant),
}

/// The right to act for a player at one board, until an entry is added to its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardGrant {
    /// The player's userid.
    pub userid: String,
    /// The board's number.
    pub board: BoardNumber,
    /// The length of the board's record that the letter showed.
    pub entry: EntryNumber,
    /// The proposal that the letter showed, the only one that may be accepted or rejected.
    pub proposal: Option<ProposalKind>,
    /// Whether the letter asked the player to confirm a message that may end the game.
    pub agreed: bool,
}

/// The right to send a message for a player to one other player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageGrant {
    /// The player's userid.
    pub userid: String,
    /// The userid of the author of the answered message.
    pub writer: String,
}

/// The right to join the events that a letter is about, for its reader. A message from a confirmed address of the
/// reader may also leave them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventGrant {
    /// The player's userid.
    pub userid: String,
    /// The names of the events.
    pub events: Vec<String>,
}

impl TokenGrant {
    /// Returns the userid of the player for whom the grant is valid.
    pub fn userid(&self) -> &str {
        match self {
            TokenGrant::Board(BoardGrant { userid, .. })
            | TokenGrant::Message(MessageGrant { userid, .. })
            | TokenGrant::Event(EventGrant { userid, .. }) => userid,
        }
    }
}

impl Origin {
    /// Returns the channel through which the request arrived.
    pub fn via(&self) -> Channel {
        match self {
            Origin::Shell { .. } => Channel::Shell,
            Origin::Mail { .. } => Channel::Mail,
            Origin::Visitor => Channel::Visitor,
            Origin::Known { via, .. } => *via,
        }
    }
}

impl Request {
    /// Creates a request without a line of the command language.
    pub(crate) fn without_line(from: Origin, client: Option<IpAddr>, now: DateTime<Utc>) -> Request {
        let line = ParsedLine { command: Command::Help { topics: Vec::new() }, say: None, shown: String::new() };
        Request { line, from, comment: None, client, now }
    }

    /// Removes passwords and reply tokens from the comment. A mail program may quote a token, and readers of the
    /// comment could then act in the author's name.
    pub(crate) fn without_secrets(&self, tx: &Transaction<'_>) -> store::Result<Cow<'_, Request>> {
        let said = self.whole_text();
        if said.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let text = without_words(&said, &self.line.command.given_passwords());
        let text = token::redacted(&text, &tx.reply_key()?).unwrap_or(text);
        if text == said {
            return Ok(Cow::Borrowed(self));
        }
        let line = ParsedLine { say: None, ..self.line.clone() };
        Ok(Cow::Owned(Request { line, comment: Some(text), ..self.clone() }))
    }

    /// Returns the typed password or, for `-` on the command line, the password from the environment or prompt.
    pub(crate) fn typed<'a>(&'a self, password: &'a Password) -> Option<&'a str> {
        match (password, &self.from) {
            (Password::Given(password), _) => Some(password),
            (Password::FromContext, Origin::Shell { password }) => password.as_deref(),
            (Password::FromContext, Origin::Mail { .. } | Origin::Visitor | Origin::Known { .. }) => None,
        }
    }

    /// Returns whether the request needs a password hash.
    pub fn gives_password(&self) -> bool {
        let command = &self.line.command;
        command.password().is_some_and(|password| self.typed(password).is_some())
            || !command.given_passwords().is_empty()
    }

    /// Returns whether a request over the web could be an attempt to guess a password or code: it is from a visitor,
    /// contains a password or code, or asks for a new password. Failed attempts are limited.
    pub fn is_try(&self) -> bool {
        let command = &self.line.command;
        let by_what_is_given = match command.password() {
            Some(password) => matches!(password, Password::Given(_)),
            None => matches!(command, Command::ConfirmAddress { .. } | Command::ForgottenPassword { .. }),
        };
        self.client.is_some() && (self.from == Origin::Visitor || by_what_is_given)
    }

    /// Returns the source to which rate limits apply: the shell, the sender of a message, or the address of a client.
    pub(crate) fn source(&self) -> String {
        match (&self.from, self.client) {
            (Origin::Shell { .. }, _) => "shell".to_owned(),
            (Origin::Mail { sender, .. }, _) => sender.clone(),
            (Origin::Visitor | Origin::Known { .. }, Some(client)) => client.to_string(),
            (Origin::Visitor | Origin::Known { .. }, None) => "web".to_owned(),
        }
    }

    /// Returns the comment of the command, cleaned and truncated by [`clean`]; empty if there is no comment.
    pub(crate) fn comment_text(&self) -> String {
        self.line.say.as_deref().or(self.comment.as_deref()).map(clean).unwrap_or_default()
    }

    /// Returns the complete comment of the command, cleaned but not truncated; empty if there is no comment.
    fn whole_text(&self) -> String {
        let text = self.line.say.as_deref().or(self.comment.as_deref());
        text.map(|text| without_blanks(&text::lines(text))).unwrap_or_default()
    }

    /// Refuses the request if its comment is too long.
    pub(crate) fn check_length(&self) -> RequestResult<()> {
        let length = self.whole_text().chars().count();
        if length <= LONGEST_TEXT {
            return Ok(());
        }
        self.refuse("", message!("service.text-too-long", length, most = LONGEST_TEXT))
    }

    /// Creates the rejection of this request, and points at `word` in its line.
    pub(crate) fn rejection(&self, word: &str, message: Message) -> Rejection {
        Rejection::of_line(&self.line.shown, word, message)
    }

    /// Creates the rejection of this request if the rules of a game refuse it.
    pub(crate) fn rejection_by_rules(&self, refusal: Refusal) -> Rejection {
        Rejection::by_rules(&self.line.shown, refusal)
    }

    /// Refuses this request, with a rejection that points at `word` in its line.
    pub(crate) fn refuse<T>(&self, word: &str, message: Message) -> RequestResult<T> {
        Err(self.rejection(word, message).into())
    }
}

/// The maximum length of a player's text, in characters.
pub const LONGEST_TEXT: usize = 2_000;

/// Cleans a player's text for storage: removes control characters and trailing blanks, and truncates it to 2,000
/// characters.
pub fn clean(text: &str) -> String {
    without_blanks(&text::lines(text).chars().take(LONGEST_TEXT).collect::<String>())
}

/// Removes trailing blanks from each line, and blanks around the text.
fn without_blanks(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Replaces these words in a text by `***`, except inside longer words. Ignores words of up to three characters.
pub fn without_words(text: &str, words: &[&str]) -> String {
    let mut text = text.to_owned();
    for word in words.iter().filter(|word| word.chars().count() > 3) {
        let mut clean = String::with_capacity(text.len());
        let mut rest = text.as_str();
        let continues = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        while let Some(at) = rest.find(word) {
            let (before, after) = (&rest[..at], &rest[at + word.len()..]);
            let part = continues(before.chars().next_back()) || continues(after.chars().next());
            clean.push_str(before);
            clean.push_str(if part { word } else { "***" });
            rest = after;
        }
        clean.push_str(rest);
        text = clean;
    }
    text
}
