//! History that administrators can read and that is not in the records: acts, the effects of messages, and proposals.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::{
    Cells, FromCells, all, cell, from_fields, one, params, run, run_later, run_some_later, stored_as_name,
};
use super::{Channel, InboxId, OutboxId, PlayerId, Proposal, Result, Transaction};
use crate::clock::Span;
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
    pub via: Channel,
    /// The time of the proposal.
    pub made_at: DateTime<Utc>,
}

/// A proposal with its answer, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnsweredProposal {
    /// The proposal.
    pub made: MadeProposal,
    /// The answer and its time; `None` if the proposal is open or has lapsed.
    pub answer: Option<(ProposalAnswer, DateTime<Utc>)>,
}

/// The answer to a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalAnswer {
    /// The opponent accepted the proposal.
    Accepted,
    /// The opponent rejected the proposal.
    Rejected,
    /// The proposer withdrew the proposal.
    Withdrawn,
}

pub(crate) const SENT_AS: &str = "SELECT sent_settings FROM outbox \
     WHERE id = ?1 AND sent_at IS NOT NULL AND sent_settings IS NOT NULL";
pub(crate) const CAUSE: &str = "SELECT mail FROM mail_actions WHERE kind = 'notice' AND item = ?1 LIMIT 1";
pub(crate) const PROPOSALS: &str = "SELECT board, entry, kind, seat, via, made_at, answer, answered_at FROM proposals \
     WHERE board = ?1 ORDER BY id";
/// Changes no row if the last proposal is answered or has lapsed, or if none is stored.
pub(crate) const ANSWER: &str = "UPDATE proposals SET answer = ?2, answered_at = ?3 \
     WHERE id = (SELECT max(id) FROM proposals WHERE board = ?1) AND answer IS NULL \
     AND entry = (SELECT entries FROM boards WHERE number = ?1)";

const LAST_PROPOSAL: &str = "(SELECT max(id) FROM proposals WHERE board = ?3)";

stored_as_name!(ActKind, ProposalAnswer);
from_fields!(MadeProposal { board, entry, proposal, via, made_at });
from_fields!(Proposal { kind, by });

impl FromCells for AnsweredProposal {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        Ok(AnsweredProposal { made: cells.take()?, answer: cells.take::<Option<_>>()?.zip(cells.take()?) })
    }
}

/// History for administrators. It does not affect games.
impl Transaction<'_> {
    /// Starts processing a message. Until [`Transaction::close_mail`], every board, entry, comment, proposal, answer to
    /// a proposal, and notice that this transaction adds is recorded as an effect of the message.
    pub fn begin_mail(&mut self, mail: InboxId) {
        self.mail = Some(mail.0);
    }

    /// Records an effect of the message that is being processed, if there is one. `item` is an SQL expression for the
    /// number of the affected row; `?3` in it is the board.
    pub(crate) fn note_action(&self, kind: &str, board: Option<BoardNumber>, item: &str) -> Result<()> {
        let Some(mail) = self.mail else { return Ok(()) };
        let sql = format!("INSERT INTO mail_actions (mail, kind, board, item) VALUES (?1, ?2, ?3, {item})");
        run_later(self.writable_queue()?, &sql, params![mail, kind, board])
    }

    /// Records the player who wrote a message.
    pub fn set_mail_author(&mut self, mail: InboxId, author: PlayerId) -> Result<()> {
        let sql = "UPDATE inbox SET author = ?2 WHERE id = ?1";
        let nowhere = format!("there is no message {}", mail.0);
        run_some_later(self.writable_queue()?, sql, params![mail, author], &nowhere)
    }

    /// Records why a command of a message was refused, with the parsed command without its password.
    pub fn add_refusal(&mut self, mail: InboxId, command: &str, reason: &str) -> Result<()> {
        let sql = "INSERT INTO refusals (mail, command, reason) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![mail, command, reason]).map(drop)
    }

    /// Returns the settings that the recipient had when a notice was sent; `None` if it was not sent, or if its
    /// recipient is not a player.
    pub fn sent_as(&self, notice: OutboxId) -> Result<Option<Settings>> {
        one(self.db(), SENT_AS, params![notice])
    }

    /// Returns the message that caused a notice, if any.
    pub fn causing_mail(&self, notice: OutboxId) -> Result<Option<InboxId>> {
        one(self.db(), CAUSE, params![notice])
    }

    /// Counts the acts of a kind in this time span. Scans all acts.
    pub fn acts_of_kind(&self, kind: ActKind, time: &Span) -> Result<u32> {
        let sql = "SELECT count(*) FROM acts WHERE act = ?1 AND done_at >= ?2 AND done_at < ?3";
        cell(self.db(), sql, params![kind, time.from, time.until])
    }

    /// Lists the proposals on a board, in order.
    pub fn proposals(&self, board: BoardNumber) -> Result<Vec<AnsweredProposal>> {
        all(self.db(), PROPOSALS, params![board])
    }

    /// Records a proposal.
    pub fn add_proposal(&mut self, made: &MadeProposal) -> Result<()> {
        let sql = "INSERT INTO proposals (board, entry, seat, kind, via, made_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let MadeProposal { board, entry, proposal, via, made_at } = made;
        run(self.writable_board()?, sql, params![board, entry, proposal.by, proposal.kind, via, made_at])?;
        self.note_action("proposal", Some(*board), LAST_PROPOSAL)
    }

    /// Records the answer to the last proposal on a board.
    pub fn answer_proposal(&mut self, board: BoardNumber, answer: ProposalAnswer, now: DateTime<Utc>) -> Result<()> {
        match run(self.writable_board()?, ANSWER, params![board, answer, now])? {
            0 => Ok(()),
            _ => self.note_action("answer", Some(board), LAST_PROPOSAL),
        }
    }
}

/// The kind of an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActKind {
    /// An administrator decided the result of a board.
    Adjudicate,
    /// An administrator reversed the end of a board.
    Reopen,
    /// An administrator voided a board.
    Void,
    /// An administrator restored entries of a board from a backup or an export.
    RestoreBoard,
    /// An administrator gave more time to the player to move.
    Extend,
    /// An administrator stopped all clocks.
    Pause,
    /// An administrator restarted all clocks.
    Resume,
    /// An administrator paused sending letters.
    Hold,
    /// An administrator resumed sending letters.
    Release,
    /// An administrator sent a letter to all players.
    Broadcast,
    /// An administrator started or ended maintenance.
    Maintenance,
    /// An administrator sent letters again.
    Resend,
    /// An administrator abandoned letters.
    Drop,
    /// An administrator processed a quarantined message again.
    Retry,
    /// An administrator set a player's password, or a player changed it.
    Password,
    /// An administrator resumed letters to a paused address.
    Unpause,
    /// An administrator renamed a player.
    Rename,
    /// An administrator blocked a player, an address or a domain.
    Block,
    /// An administrator reset the limits of a player or an address.
    Lift,
    /// An administrator removed a comment.
    RemoveComment,
    /// An administrator merged a player into another.
    Merge,
    /// An administrator unblocked a player, an address or a domain.
    Unblock,
    /// An administrator removed a player.
    Remove,
    /// A player left the server.
    Signoff,
    /// A player reported another one to the administrators.
    Report,
    /// A player set a new password with a mailed code.
    ResetPassword,
    /// A player or an administrator changed a player's addresses.
    Addresses,
    /// A player or an administrator changed a player's settings.
    Settings,
    /// A player stopped letters with an unsubscribe link.
    StopLetters,
}

/// The author of an act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A player, who may be an administrator.
    Player(PlayerId),
    /// A user at the server's shell, with this account name.
    Shell(String),
}

/// A logged act of an administrator or a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// The time of the act.
    pub done_at: DateTime<Utc>,
    /// The author.
    pub by: Actor,
    /// The kind.
    pub kind: ActKind,
    /// The board concerned.
    pub board: Option<BoardNumber>,
    /// The player concerned.
    pub player: Option<PlayerId>,
    /// Details; empty if the other fields describe the act completely.
    pub detail: String,
    /// The reason; empty if none was given.
    pub reason: String,
}

impl Act {
    /// Creates the act of a player who changed their own account.
    pub fn of_player(player: PlayerId, kind: ActKind, detail: String, done_at: DateTime<Utc>) -> Act {
        let (by, player) = (Actor::Player(player), Some(player));
        Act { done_at, by, kind, board: None, player, detail, reason: String::new() }
    }
}

impl FromCells for Actor {
    fn from_cells(cells: &mut Cells<'_>) -> Result<Self> {
        let (player, user): (Option<_>, Option<_>) = cells.take()?;
        Ok(player.map_or_else(|| Actor::Shell(user.unwrap_or_default()), Actor::Player))
    }
}
from_fields!(Act { done_at, by, kind, board, player, detail, reason });

/// The log of acts. [`Report::Acts`](super::Report::Acts) reads it.
impl Transaction<'_> {
    /// Lists all acts, oldest first.
    pub fn acts(&self) -> Result<Vec<Act>> {
        let sql = "SELECT done_at, by_player, by_user, act, board, player, detail, reason FROM acts ORDER BY id";
        all(self.db(), sql, &[])
    }

    /// Adds an act.
    pub fn add_act(&mut self, act: &Act) -> Result<()> {
        let sql = "INSERT INTO acts (done_at, by_player, by_user, act, board, player, detail, reason) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let Act { done_at, by, kind, board, player, detail, reason } = act;
        let (by_player, by_user) = match by {
            Actor::Player(player) => (Some(player), None),
            Actor::Shell(user) => (None, Some(user)),
        };
        let params = params![done_at, by_player, by_user, kind, board, player, detail, reason];
        run(self.writable()?, sql, params).map(drop)
    }
}
