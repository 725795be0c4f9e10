//! A letter that is ready to be sent, and the result of sending it.

use std::sync::Arc;

use lettre::Address;
use lettre::address::Envelope;

use super::send_error::SendError;
use crate::store::{OutboxId, OutboxNotice, PlayerId, Work};

/// A letter that is ready to be sent.
pub(super) struct PreparedLetter {
    /// The notices in the letter; the first one determines its number and Message-ID.
    pub(super) notices: Vec<OutboxNotice>,
    /// The encoded message, with headers and body.
    pub(super) mail: Vec<u8>,
    /// The recipients who have not received it yet.
    pub(super) recipients: Vec<Recipient>,
}

pub(super) struct Recipient {
    pub(super) address: String,
    /// The envelope sender, to which a bounce is sent.
    pub(super) envelope_sender: String,
}

/// The result of sending a letter to one recipient.
pub(super) type SendResult = Result<(), SendError>;

/// A letter and its result for each recipient.
pub(super) type SentLetter = (Arc<PreparedLetter>, Vec<SendResult>);

impl PreparedLetter {
    /// Creates a letter that cannot be sent to anyone.
    pub(super) fn without_recipients(notices: Vec<OutboxNotice>) -> PreparedLetter {
        PreparedLetter { notices, mail: Vec::new(), recipients: Vec::new() }
    }

    pub(super) fn id(&self) -> OutboxId {
        self.notices[0].id
    }

    /// Returns the work that its node leased in order to send it.
    pub(super) fn work(&self) -> Work {
        work(&self.notices)
    }

    /// Returns the player who reads the letter; `None` if it is for an address without a player.
    pub(super) fn reader(&self) -> Option<PlayerId> {
        reader(&self.notices)
    }
}

/// Returns the player who reads the letter of these notices; `None` if it is for an address without a player.
pub(super) fn reader(notices: &[OutboxNotice]) -> Option<PlayerId> {
    notices[0].player.as_ref().map(|player| player.id)
}

/// Returns the work that a node leases in order to send the letter of these notices.
pub(super) fn work(notices: &[OutboxNotice]) -> Work {
    reader(notices).map_or(Work::Letter(notices[0].id), Work::LettersTo)
}

impl Recipient {
    /// Returns the envelope for this recipient.
    pub(super) fn envelope(&self) -> Result<Envelope, SendError> {
        let parsed = |text: &str| {
            text.parse::<Address>()
                .map_err(|error| SendError::Permanent(format!("{text:?} is not a mail address: {error}")))
        };
        Envelope::new(Some(parsed(&self.envelope_sender)?), vec![parsed(&self.address)?])
            .map_err(|error| SendError::Permanent(error.to_string()))
    }
}
