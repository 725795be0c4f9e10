//! What an administrator looks back at, beside the records: what mails did, and what became of proposals.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{InboxId, OutboxId, PlayerId, Proposal, Result, Via};
use crate::command::MailForm;
use crate::numbers::{BoardNumber, EntryNumber};

/// A proposal as it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeProposal {
    /// The board.
    pub board: BoardNumber,
    /// The last entry of its record then.
    pub entry: EntryNumber,
    /// What was proposed, and by whom.
    pub proposal: Proposal,
    /// How it came.
    pub via: Via,
    /// When it was made.
    pub made_at: DateTime<Utc>,
}

/// What became of a proposal that did not lapse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalAnswer {
    /// The opponent accepted it.
    Accepted,
    /// The opponent rejected it.
    Rejected,
    /// The proposer took it back.
    Withdrawn,
}

/// How the reader of a letter wanted letters when it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentAs {
    /// The form of the letter.
    pub form: MailForm,
    /// The reader's time zone.
    pub zone: String,
}

/// The history beside the records. Nothing is decided by it.
pub trait History {
    /// Begins to process a mail: until it is closed, every board, entry, comment, proposal and notice that this
    /// transaction adds is an effect of it.
    fn begin_mail(&mut self, mail: InboxId) -> Result<()>;
    /// Notes which player wrote a mail.
    fn set_mail_author(&mut self, mail: InboxId, author: PlayerId) -> Result<()>;
    /// Notes why a command of a mail was refused; the command is as it was understood, without its password.
    fn add_refusal(&mut self, mail: InboxId, command: &str, reason: &str) -> Result<()>;
    /// How the reader of a notice wanted letters when it was sent; `None` when it was not, or has no reader who is a player.
    fn sent_as(&self, notice: OutboxId) -> Result<Option<SentAs>>;
    /// The mail that caused a notice, if one did.
    fn causing_mail(&self, notice: OutboxId) -> Result<Option<InboxId>>;
    /// Notes a proposal.
    fn add_proposal(&mut self, made: &MadeProposal) -> Result<()>;
    /// Notes the answer to the last proposal on a board.
    fn answer_proposal(&mut self, board: BoardNumber, answer: ProposalAnswer, now: DateTime<Utc>) -> Result<()>;
}
