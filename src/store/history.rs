//! History for administrators in addition to the records: the effects of messages, and proposals with their answers.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{Cells, Name, Named, Row, Side, Time, Typed, all, one, params, run, run_some_later};
use super::{InboxId, OutboxId, PlayerId, Proposal, Result, Transaction, Via};
use crate::command::Settings;
use crate::numbers::{BoardNumber, EntryNumber};

/// A proposal in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeProposal {
    /// The board.
    pub board: BoardNumber,
    /// The last entry of the record before the proposal.
    pub entry: EntryNumber,
    /// The kind of the proposal and its author.
    pub proposal: Proposal,
    /// The channel of the proposal.
    pub via: Via,
    /// The time of the proposal.
    pub made_at: DateTime<Utc>,
}

/// A proposal with its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnsweredProposal {
    /// The proposal.
    pub made: MadeProposal,
    /// The answer and its time; `None`: it is open, or has lapsed.
    pub answer: Option<(ProposalAnswer, DateTime<Utc>)>,
}

/// The answer to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalAnswer {
    /// The opponent accepted it.
    Accepted,
    /// The opponent rejected it.
    Rejected,
    /// The proposer withdrew it.
    Withdrawn,
}

impl Named for ProposalAnswer {
    const NAMES: &'static [(Self, &'static str)] = &[
        (ProposalAnswer::Accepted, "accepted"),
        (ProposalAnswer::Rejected, "rejected"),
        (ProposalAnswer::Withdrawn, "withdrawn"),
    ];
}

pub(crate) const SENT_AS: &str = "SELECT sent_settings FROM outbox \
     WHERE id = ?1 AND sent_at IS NOT NULL AND sent_settings IS NOT NULL";
pub(crate) const CAUSE: &str = "SELECT mail FROM mail_actions WHERE kind = 'notice' AND item = ?1 LIMIT 1";
pub(crate) const PROPOSALS: &str = "SELECT board, entry, kind, seat, via, made_at, answered_at, answer FROM proposals \
     WHERE board = ?1 ORDER BY id";
/// A proposal from before this table existed has no row.
pub(crate) const ANSWER: &str = "UPDATE proposals SET answer = ?2, answered_at = ?3 \
     WHERE id = (SELECT max(id) FROM proposals WHERE board = ?1) AND answer IS NULL \
     AND entry = (SELECT entries FROM boards WHERE number = ?1)";

/// Reads [`PROPOSALS`].
fn proposal(row: &Row<'_>) -> Result<AnsweredProposal> {
    let mut cells = Cells::of(row);
    let (board, entry) = (cells.take()?, cells.take()?);
    let (Name(kind), Side(by)) = (cells.take()?, cells.take()?);
    let (Name(via), made_at) = (cells.take()?, cells.time()?);
    let made = MadeProposal { board, entry, proposal: Proposal { kind, by }, via, made_at };
    let (answered_at, answer) = (cells.time_if_any()?, cells.take::<Option<Name<_>>>()?);
    Ok(AnsweredProposal { made, answer: answer.map(|Name(answer)| answer).zip(answered_at) })
}

/// History for administrators. It does not affect games.
impl Transaction<'_> {
    /// Starts processing a message. Until it is closed, every board, entry, comment, proposal and notice that this
    /// transaction adds is recorded as an effect of the message.
    pub fn begin_mail(&mut self, mail: InboxId) -> Result<()> {
        self.set_current_mail(Some(mail))
    }

    /// Records the player who wrote a message.
    pub fn set_mail_author(&mut self, mail: InboxId, author: PlayerId) -> Result<()> {
        let sql = "UPDATE inbox SET author = ?2 WHERE id = ?1";
        let nowhere = format!("there is no mail {}", mail.0);
        run_some_later(self.writable_queue()?, sql, params![mail.0, author.0], &nowhere)
    }

    /// Records why a command of a message was refused, with the parsed command without its password.
    pub fn add_refusal(&mut self, mail: InboxId, command: &str, reason: &str) -> Result<()> {
        let sql = "INSERT INTO refusals (mail, command, reason) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![mail.0, command, reason])?;
        Ok(())
    }

    /// Returns the reader's settings when a notice was sent; `None` if it was not sent, or if its reader is not a
    /// player.
    pub fn sent_as(&self, notice: OutboxId) -> Result<Option<Settings>> {
        one(self.db(), SENT_AS, params![notice.0], |row| row.get(0).map(|Typed(settings)| settings))
    }

    /// Returns the message that caused a notice, if any.
    pub fn causing_mail(&self, notice: OutboxId) -> Result<Option<InboxId>> {
        one(self.db(), CAUSE, params![notice.0], |row| row.get(0).map(InboxId))
    }

    /// Lists the proposals on a board, in order.
    pub fn proposals(&self, board: BoardNumber) -> Result<Vec<AnsweredProposal>> {
        all(self.db(), PROPOSALS, params![board], proposal)
    }

    /// Records a proposal.
    pub fn add_proposal(&mut self, made: &MadeProposal) -> Result<()> {
        let sql = "INSERT INTO proposals (board, entry, seat, kind, via, made_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let MadeProposal { board, entry, proposal, via, made_at } = made;
        let (kind, seat) = (Name(proposal.kind), Side(proposal.by));
        run(self.writable_board()?, sql, params![board, entry, seat, kind, Name(*via), Time(*made_at)])?;
        Ok(())
    }

    /// Records the answer to the last proposal on a board.
    pub fn answer_proposal(&mut self, board: BoardNumber, answer: ProposalAnswer, now: DateTime<Utc>) -> Result<()> {
        run(self.writable_board()?, ANSWER, params![board, Name(answer), Time(now)])?;
        Ok(())
    }
}
