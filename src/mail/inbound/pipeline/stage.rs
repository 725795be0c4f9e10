//! What the stages share: the mail, the ways a stage can end, and verdicts.

use std::cell::OnceCell;

use super::super::commands::{FoundCommands, find_commands};
use super::super::context::InboxContext;
use super::super::read::Incoming;
use super::super::recipients::Addressing;
use super::super::reply::{AnsweredLetter, FoundInReply, find_in_reply};
use crate::service::ServiceError;
use crate::store::{InboxId, StoreError, Verdict, VerdictKind};
use crate::text::Message;

/// The mail that is being processed.
pub(in crate::mail::inbound) struct CurrentMail<'a> {
    pub(super) inbox: InboxContext<'a>,
    pub(super) id: InboxId,
    /// Whether only its beginning was stored.
    pub(super) truncated: bool,
    pub(in crate::mail::inbound) incoming: Incoming,
    pub(super) addressing: Addressing,
    /// Its commands as those of a mail that answers no letter, once they were looked for.
    pub(super) whole: OnceCell<FoundCommands>,
    /// Its commands as those of an answer to this letter, once they were looked for.
    pub(super) in_reply: OnceCell<(AnsweredLetter, FoundInReply)>,
}

/// Why a stage does not pass the mail on.
pub(super) enum Stop {
    /// The mail is decided.
    Decided(Verdict),
    /// The store failed, or a password is stale.
    Failed(ServiceError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Stop {
        Stop::Failed(error.into())
    }
}

impl From<ServiceError> for Stop {
    fn from(error: ServiceError) -> Stop {
        Stop::Failed(error)
    }
}

/// What a stage passes on.
pub(super) type Stage<T> = Result<T, Stop>;

impl CurrentMail<'_> {
    /// Finds its commands as those of a mail that answers no letter.
    pub(super) fn whole_commands(&self) -> &FoundCommands {
        self.whole.get_or_init(|| find_commands(self.subject(), &self.incoming.text))
    }

    /// Finds its commands as those of an answer to this letter.
    pub(super) fn commands_in_reply(&self, letter: &AnsweredLetter) -> FoundInReply {
        let find = || find_in_reply(self.subject(), &self.incoming.text, letter);
        match self.in_reply.get_or_init(|| (letter.clone(), find())) {
            (same, found) if same == letter => found.clone(),
            _ => find(),
        }
    }

    pub(super) fn subject(&self) -> Option<&str> {
        self.incoming.subjects.first().map(String::as_str)
    }

    /// A verdict on this mail.
    pub(super) fn verdict(&self, kind: VerdictKind, commands: String, reason: Message) -> Verdict {
        let Incoming { sender, identity, .. } = &self.incoming;
        let reason = self.inbox.words(&reason);
        Verdict { kind, sender: sender.clone(), identity: Some(identity.clone()), commands, reason }
    }

    /// Decides that this mail is ignored.
    pub(super) fn ignored<T>(&self, reason: Message) -> Stage<T> {
        Err(Stop::Decided(self.verdict(VerdictKind::Ignored, String::new(), reason)))
    }

    /// Decides that this mail is refused.
    pub(super) fn refused<T>(&self, reason: Message) -> Stage<T> {
        Err(Stop::Decided(self.verdict(VerdictKind::Refused, String::new(), reason)))
    }
}
