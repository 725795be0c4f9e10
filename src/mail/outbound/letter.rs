//! A letter that is ready to be sent, the result of sending it, and why it was not accepted.

use std::sync::Arc;

use lettre::Address;
use lettre::address::Envelope;

use crate::mail::oauth::OAuthError;
use crate::store::{OutboxId, OutboxNotice, PlayerId, Work};
use crate::text;

/// A letter that is ready to be sent.
pub(crate) struct PreparedLetter {
    /// The notices in the letter; the first one determines its number and Message-ID.
    pub(crate) notices: Vec<OutboxNotice>,
    /// The encoded message, with headers and body.
    pub(crate) mail: Vec<u8>,
    /// The recipients who have not received it yet.
    pub(crate) recipients: Vec<Recipient>,
}

pub(crate) struct Recipient {
    pub(crate) address: String,
    /// The envelope sender, to which a bounce is sent.
    pub(crate) envelope_sender: String,
}

/// The result of sending a letter to one recipient.
pub(crate) type SendResult = Result<(), SendError>;

/// A letter and its result for each recipient.
pub(crate) type SentLetter = (Arc<PreparedLetter>, Vec<SendResult>);

impl PreparedLetter {
    /// Creates a letter that cannot be sent to anyone.
    pub(crate) fn without_recipients(notices: Vec<OutboxNotice>) -> PreparedLetter {
        PreparedLetter { notices, mail: Vec::new(), recipients: Vec::new() }
    }

    pub(crate) fn id(&self) -> OutboxId {
        self.notices[0].id
    }

    /// Returns the work that its node leased in order to send it.
    pub(crate) fn work(&self) -> Work {
        work(&self.notices)
    }

    /// Returns the player who reads the letter; `None` if it is for an address without a player.
    pub(crate) fn reader(&self) -> Option<PlayerId> {
        reader(&self.notices)
    }
}

/// Returns the player who reads the letter of these notices; `None` if it is for an address without a player.
pub(crate) fn reader(notices: &[OutboxNotice]) -> Option<PlayerId> {
    notices[0].player.as_ref().map(|player| player.id)
}

/// Returns the work that a node leases in order to send the letter of these notices.
pub(crate) fn work(notices: &[OutboxNotice]) -> Work {
    reader(notices).map_or(Work::Letter(notices[0].id), Work::LettersTo)
}

impl Recipient {
    /// Returns the envelope for this recipient.
    pub(crate) fn envelope(&self) -> Result<Envelope, SendError> {
        let parsed = |text: &str| {
            text.parse::<Address>()
                .map_err(|error| SendError::Permanent(format!("{text:?} is not a mail address: {error}")))
        };
        Envelope::new(Some(parsed(&self.envelope_sender)?), vec![parsed(&self.address)?])
            .map_err(|error| SendError::Permanent(error.to_string()))
    }
}

/// Why a letter was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Retrying is useless: the recipient is refused, or the letter cannot be sent.
    #[error("{0}")]
    Permanent(String),
    /// A later attempt may succeed.
    #[error("{0}")]
    Temporary(String),
    /// The mail server refuses us, independently of the letter: for example a wrong password or an untrusted
    /// certificate. A later attempt may succeed once that is fixed.
    #[error("{0}")]
    Relay(String),
    /// No access token is available until the administrator acts; the letter was not tried.
    #[error("{0}")]
    Unauthorized(String),
    /// The mail server refuses the letter for a reason unrelated to the recipient: for example, relaying is denied or
    /// we are blocked. A later attempt may succeed once that is fixed.
    #[error("{0}")]
    Policy(String),
    /// The server did not answer in time. A later attempt may succeed.
    #[error("{0}")]
    Hung(String),
}

impl From<OAuthError> for SendError {
    fn from(error: OAuthError) -> SendError {
        match error {
            OAuthError::Permanent(why) => SendError::Unauthorized(why),
            OAuthError::Temporary(why) => SendError::Temporary(why),
        }
    }
}

impl SendError {
    /// Returns whether retrying is useless.
    pub fn is_permanent(&self) -> bool {
        matches!(self, SendError::Permanent(_))
    }
}

/// Returns a server's text as one line without control characters.
pub(crate) fn one_line(text: &str) -> String {
    text::line(text).chars().take(500).collect::<String>().trim().to_owned()
}
