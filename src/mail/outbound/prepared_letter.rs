//! A letter that is ready to be sent, and the result of sending it.

use std::sync::Arc;

use lettre::Address;
use lettre::address::Envelope;

use super::send_error::SendError;
use crate::store::{OutboxId, OutboxNotice, PlayerId, Work};

/// A letter that is ready to be sent.
pub(super) struct PreparedLetter {
    /// The notices that it holds; the first gives it its number and its Message-ID.
    pub(super) notices: Vec<OutboxNotice>,
    /// The mail, headers and body.
    pub(super) mail: Vec<u8>,
    /// The recipients who do not have it yet.
    pub(super) recipients: Vec<Recipient>,
}

/// One recipient of a letter.
pub(super) struct Recipient {
    pub(super) address: String,
    /// The sender of the envelope, to which a bounce goes.
    pub(super) envelope_sender: String,
}

/// The result of sending a letter to one recipient.
pub(super) type SendResult = Result<(), SendError>;

/// A letter and the result at each of its recipients.
pub(super) type SentLetter = (Arc<PreparedLetter>, Vec<SendResult>);

impl PreparedLetter {
    /// A letter that cannot be sent to anybody.
    pub(super) fn without_recipients(notices: Vec<OutboxNotice>) -> PreparedLetter {
        PreparedLetter { notices, mail: Vec::new(), recipients: Vec::new() }
    }

    /// The number of the letter.
    pub(super) fn id(&self) -> OutboxId {
        self.notices[0].id
    }

    /// What its node has leased to send it.
    pub(super) fn work(&self) -> Work {
        work(&self.notices)
    }

    /// The player to whom it goes; `None` when it is for one address that is not a player's.
    pub(super) fn reader(&self) -> Option<PlayerId> {
        reader(&self.notices)
    }
}

/// The player to whom the letter of these notices goes; `None` when it is for one address that is not a player's.
pub(super) fn reader(notices: &[OutboxNotice]) -> Option<PlayerId> {
    notices[0].player.as_ref().map(|player| player.id)
}

/// What a node leases to send the letter of these notices.
pub(super) fn work(notices: &[OutboxNotice]) -> Work {
    reader(notices).map_or(Work::Letter(notices[0].id), Work::LettersTo)
}

impl Recipient {
    /// The envelope of the letter to this recipient.
    pub(super) fn envelope(&self) -> Result<Envelope, SendError> {
        let parsed = |text: &str| {
            text.parse::<Address>()
                .map_err(|error| SendError::Permanent(format!("{text:?} is not a mail address: {error}")))
        };
        Envelope::new(Some(parsed(&self.envelope_sender)?), vec![parsed(&self.address)?])
            .map_err(|error| SendError::Permanent(error.to_string()))
    }
}
