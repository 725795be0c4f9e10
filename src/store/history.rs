//! What an administrator looks back at, beside the records: what mails did, and what became of proposals.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Cells, Name, Named, Side, Time, Typed, one, params, run, run_one};
use super::{InboxId, OutboxId, PlayerId, Proposal, Result, Transaction, Via};
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

impl Named for ProposalAnswer {
    const NAMES: &'static [(Self, &'static str)] = &[
        (ProposalAnswer::Accepted, "accepted"),
        (ProposalAnswer::Rejected, "rejected"),
        (ProposalAnswer::Withdrawn, "withdrawn"),
    ];
}

/// How the reader of a letter wanted letters when it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentAs {
    /// The form of the letter.
    pub form: MailForm,
    /// The reader's time zone.
    pub zone: String,
}

pub(super) const SENT_AS: &str = "SELECT sent_form, sent_zone FROM outbox \
     WHERE id = ?1 AND sent_at IS NOT NULL AND sent_form IS NOT NULL";
pub(super) const CAUSE: &str = "SELECT mail FROM mail_actions WHERE kind = 'notice' AND item = ?1 LIMIT 1";
/// A proposal that was open before proposals were noted has no row.
pub(super) const ANSWER: &str = "UPDATE proposals SET answer = ?2, answered_at = ?3 \
     WHERE id = (SELECT max(id) FROM proposals WHERE board = ?1) AND answer IS NULL \
     AND entry = (SELECT entries FROM boards WHERE number = ?1)";

/// The history beside the records. Nothing is decided by it.
impl Transaction<'_> {
    /// Begins to process a mail: until it is closed, every board, entry, comment, proposal and notice that this
    /// transaction adds is an effect of it.
    pub fn begin_mail(&mut self, mail: InboxId) -> Result<()> {
        self.set_current_mail(Some(mail))
    }

    /// Notes which player wrote a mail.
    pub fn set_mail_author(&mut self, mail: InboxId, author: PlayerId) -> Result<()> {
        let sql = "UPDATE inbox SET author = ?2 WHERE id = ?1";
        run_one(self.writable_shared()?, sql, params![mail.0, author.0], &format!("there is no mail {}", mail.0))
    }

    /// Notes why a command of a mail was refused; the command is as it was understood, without its password.
    pub fn add_refusal(&mut self, mail: InboxId, command: &str, reason: &str) -> Result<()> {
        let sql = "INSERT INTO refusals (mail, command, reason) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![mail.0, command, reason])?;
        Ok(())
    }

    /// How the reader of a notice wanted letters when it was sent; `None` when it was not, or has no reader who is a player.
    pub fn sent_as(&self, notice: OutboxId) -> Result<Option<SentAs>> {
        one(self.db(), SENT_AS, params![notice.0], |row| {
            let mut cells = Cells::of(row);
            let Typed(form) = cells.take()?;
            Ok(SentAs { form, zone: cells.take()? })
        })
    }

    /// The mail that caused a notice, if one did.
    pub fn causing_mail(&self, notice: OutboxId) -> Result<Option<InboxId>> {
        one(self.db(), CAUSE, params![notice.0], |row| row.get(0).map(InboxId))
    }

    /// Notes a proposal.
    pub fn add_proposal(&mut self, made: &MadeProposal) -> Result<()> {
        let sql = "INSERT INTO proposals (board, entry, seat, kind, via, made_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let MadeProposal { board, entry, proposal, via, made_at } = made;
        let (kind, seat) = (Name(proposal.kind), Side(proposal.by));
        run(self.writable_board(*board)?, sql, params![board, entry, seat, kind, Name(*via), Time(*made_at)])?;
        Ok(())
    }

    /// Notes the answer to the last proposal on a board.
    pub fn answer_proposal(&mut self, board: BoardNumber, answer: ProposalAnswer, now: DateTime<Utc>) -> Result<()> {
        run(self.writable_board(board)?, ANSWER, params![board, Name(answer), Time(now)])?;
        Ok(())
    }
}
