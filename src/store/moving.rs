//! What is read and written only when a server moves to another database: letters and mails with all that is kept of
//! them, and the numbers and keys that signatures are made of.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{
    Delivery, InboxId, MadeProposal, MailSource, NewNotice, OutboxId, PlayerId, ProposalAnswer, Result, SentAs, Verdict,
};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::token::Key;

/// The last numbers that were given out. Signatures, Message-IDs and what players' programs remember are made of them,
/// so none may be given out again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LastNumbers {
    /// Of players.
    pub players: u32,
    /// Of notices.
    pub notices: u32,
    /// Of mails.
    pub mails: u32,
    /// Of links that log in or set a password.
    pub links: u32,
    /// Of changes on boards.
    pub changes: u32,
    /// Of calls to webhooks.
    pub calls: u32,
}

/// An address that awaits its confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AwaitedCode {
    /// The address.
    pub address: String,
    /// What its owner must send back.
    pub code: String,
    /// Since when it is awaited.
    pub added_at: DateTime<Utc>,
}

/// A notice, with what became of its letter.
#[derive(Clone, Debug)]
pub struct KeptNotice {
    /// Its number.
    pub id: OutboxId,
    /// What it tells, to whom, and when it is due.
    pub notice: NewNotice,
    /// Whether it is held until the player has done something.
    pub held: bool,
    /// The leading notice of its letter, once it is part of one.
    pub letter: Option<OutboxId>,
    /// When it became part of that.
    pub bound_at: Option<DateTime<Utc>>,
    /// How many attempts were made at sending it.
    pub attempts: u32,
    /// When the transport took it.
    pub sent_at: Option<DateTime<Utc>>,
    /// The last error.
    pub error: Option<String>,
    /// How its reader wanted letters then.
    pub sent_as: Option<SentAs>,
    /// What became of the letter that it leads, by address.
    pub deliveries: Vec<Delivery>,
}

/// A mail of the inbox, with what became of it.
#[derive(Clone, Debug)]
pub struct KeptMail {
    /// Its number.
    pub id: InboxId,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// How it came.
    pub source: MailSource,
    /// Whether it was longer than the limit.
    pub truncated: bool,
    /// How many attempts at processing it failed.
    pub attempts: u32,
    /// The player who wrote it, if that is known.
    pub author: Option<PlayerId>,
    /// The mail as it came, if it waits or was set aside.
    pub raw: Option<Vec<u8>>,
    /// What became of it, and when; `None`: it waits.
    pub closed: Option<(Verdict, DateTime<Utc>)>,
    /// The commands that were refused, and why.
    pub refusals: Vec<(String, String)>,
    /// What it did, in order.
    pub effects: Vec<MailEffect>,
}

/// One thing that a mail did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailEffect {
    /// What it is.
    pub kind: EffectKind,
    /// The board on which it is, if it is on one.
    pub board: Option<BoardNumber>,
    /// The number of the board, entry or notice; of a comment or proposal, which it is on its board, from 1.
    pub item: i64,
}

/// The kinds of what a mail can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectKind {
    /// It made a board.
    Board,
    /// It added an entry to a record.
    Entry,
    /// It added a comment.
    Comment,
    /// It made a proposal.
    Proposal,
    /// It answered one.
    Answer,
    /// It caused a notice.
    Notice,
}

/// A proposal, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptProposal {
    /// As it was made.
    pub made: MadeProposal,
    /// The answer and its time; `None`: it is open, or has lapsed.
    pub answer: Option<(ProposalAnswer, DateTime<Utc>)>,
}

/// Reading what a server keeps, for another database; and writing it there.
pub trait Moving {
    /// Says where the server has moved to. From then on this database can neither be opened nor written to.
    fn set_moved_to(&mut self, there: &str) -> Result<()>;
    /// The last numbers that were given out.
    fn last_numbers(&self) -> Result<LastNumbers>;
    /// Makes the numbers that are given out from now on higher than these.
    fn set_last_numbers(&mut self, last: &LastNumbers) -> Result<()>;
    /// Replaces the server id, and the key of the instance if there is one.
    fn set_keys(&mut self, server_id: &str, reply_key: Option<&Key>) -> Result<()>;
    /// Lists a player's addresses that await their confirmation, in the order in which they were added.
    fn awaited_codes(&self, player: PlayerId) -> Result<Vec<AwaitedCode>>;
    /// Lists the boards of whose turn a player was told, with the length of the record then.
    fn turn_letters(&self, player: PlayerId) -> Result<Vec<(BoardNumber, EntryNumber)>>;
    /// Adds a player under a number of their own. Fails when the number or the userid is taken.
    fn restore_player(
        &mut self,
        id: PlayerId,
        userid: &str,
        password_hash: &str,
        created_at: DateTime<Utc>,
    ) -> Result<()>;
    /// The notice with the next higher number, with everything that is kept of it.
    fn next_notice(&self, after: OutboxId) -> Result<Option<KeptNotice>>;
    /// Adds a notice under its number; it becomes part of its letter by [`Moving::restore_letter`].
    fn restore_notice(&mut self, notice: &KeptNotice) -> Result<()>;
    /// Makes a notice part of a letter. Fails when one of them is not there.
    fn restore_letter(&mut self, notice: OutboxId, letter: OutboxId) -> Result<()>;
    /// Lists the proposals that were made on a board, in order.
    fn proposals(&self, board: BoardNumber) -> Result<Vec<KeptProposal>>;
    /// Adds a proposal with what became of it.
    fn restore_proposal(&mut self, proposal: &KeptProposal) -> Result<()>;
    /// The mail with the next higher number, with everything that is kept of it.
    fn next_mail(&self, after: InboxId) -> Result<Option<KeptMail>>;
    /// Adds a mail under its number, after [`Verdict::check_first_copy`]. What it did must be there.
    fn restore_mail(&mut self, mail: &KeptMail) -> Result<()>;
}
