//! What is read and written only when a server moves to another database: letters and mails with all that is kept of
//! them, and the numbers and keys that signatures are made of.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::sql::numbers::{keep_number, last_number};
use super::sql::{Cells, Name, Named, Row, Side, Time, Typed, all, one, params, run, run_one};
use super::{
    Delivery, InboxId, MadeProposal, MailSource, NewNotice, OutboxId, PlayerId, Proposal, ProposalAnswer, Result,
    SentAs, Transaction, Verdict,
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

impl Named for EffectKind {
    const NAMES: &'static [(Self, &'static str)] = &[
        (EffectKind::Board, "board"),
        (EffectKind::Entry, "entry"),
        (EffectKind::Comment, "comment"),
        (EffectKind::Proposal, "proposal"),
        (EffectKind::Answer, "answer"),
        (EffectKind::Notice, "notice"),
    ];
}

/// A proposal, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptProposal {
    /// As it was made.
    pub made: MadeProposal,
    /// The answer and its time; `None`: it is open, or has lapsed.
    pub answer: Option<(ProposalAnswer, DateTime<Utc>)>,
}

const CODES: &str = "SELECT address, code, added_at FROM addresses WHERE player = ?1 AND code IS NOT NULL ORDER BY id";
pub(super) const TURN_LETTERS: &str = "SELECT board, entry FROM turn_letters WHERE player = ?1 ORDER BY board";
pub(super) const NEXT_NOTICE: &str = "SELECT id, player, address, kind, board, entry, facts, in_reply_to, domain, \
     created_at, due_at, held, letter, bound_at, attempts, sent_at, error, sent_form, sent_zone \
     FROM outbox WHERE id > ?1 ORDER BY id LIMIT 1";
pub(super) const NEXT_MAIL: &str = "SELECT i.id, i.received_at, i.via, i.truncated, i.attempts, i.author, \
     coalesce(i.raw, a.raw), i.closed_at, i.verdict, i.sender, i.identity, i.commands, i.reason \
     FROM inbox i LEFT JOIN quarantine a ON a.mail = i.id WHERE i.id > ?1 ORDER BY i.id LIMIT 1";
pub(super) const REFUSALS: &str = "SELECT command, reason FROM refusals WHERE mail = ?1 ORDER BY id";

pub(super) const PROPOSALS: &str = "SELECT board, entry, kind, seat, via, made_at, answered_at, answer FROM proposals \
     WHERE board = ?1 ORDER BY id";
// The ids of comments and proposals are others in another database, and their order on a board is not.
pub(super) const EFFECTS: &str = "SELECT kind, board, CASE \
     WHEN kind = 'comment' THEN (SELECT count(*) FROM comments c WHERE c.board = e.board AND c.id <= e.item) \
     WHEN kind IN ('proposal', 'answer') THEN \
         (SELECT count(*) FROM proposals p WHERE p.board = e.board AND p.id <= e.item) \
     ELSE item END FROM mail_actions e WHERE mail = ?1 ORDER BY id";
const ADD_EFFECT: &str = "INSERT INTO mail_actions (mail, kind, board, item) SELECT CAST(?1 AS BIGINT), CAST(?2 AS TEXT), CAST(?3 AS BIGINT), CASE \
     WHEN ?2 = 'comment' THEN (SELECT id FROM comments WHERE board = ?3 ORDER BY id LIMIT 1 OFFSET CAST(?4 AS BIGINT) - 1) \
     WHEN ?2 IN ('proposal', 'answer') THEN \
         (SELECT id FROM proposals WHERE board = ?3 ORDER BY id LIMIT 1 OFFSET CAST(?4 AS BIGINT) - 1) \
     ELSE CAST(?4 AS BIGINT) END";

/// Reads [`PROPOSALS`].
fn proposal(row: &Row<'_>) -> Result<KeptProposal> {
    let mut cells = Cells::of(row);
    let (board, entry) = (cells.take()?, cells.take()?);
    let (Name(kind), Side(by)) = (cells.take()?, cells.take()?);
    let (Name(via), made_at) = (cells.take()?, cells.time()?);
    let made = MadeProposal { board, entry, proposal: Proposal { kind, by }, via, made_at };
    let (answered_at, answer) = (cells.time_if_any()?, cells.take::<Option<Name<_>>>()?);
    Ok(KeptProposal { made, answer: answer.map(|Name(answer)| answer).zip(answered_at) })
}

/// Reads [`NEXT_NOTICE`], without the deliveries.
fn notice(row: &Row<'_>) -> Result<KeptNotice> {
    let mut cells = Cells::of(row);
    Ok(KeptNotice {
        id: OutboxId(cells.take()?),
        notice: NewNotice {
            player: cells.take::<Option<i64>>()?.map(PlayerId),
            address: cells.take()?,
            kind: cells.take()?,
            board: cells.take()?,
            entry: cells.take()?,
            facts: cells.take()?,
            in_reply_to: cells.take()?,
            domain: cells.take()?,
            created_at: cells.time()?,
            due_at: cells.time_if_any()?,
        },
        held: cells.take()?,
        letter: cells.take::<Option<i64>>()?.map(OutboxId),
        bound_at: cells.time_if_any()?,
        attempts: cells.take()?,
        sent_at: cells.time_if_any()?,
        error: cells.take()?,
        sent_as: match (cells.take::<Option<Typed<_>>>()?, cells.take::<Option<String>>()?) {
            (Some(Typed(form)), Some(zone)) => Some(SentAs { form, zone }),
            _ => None,
        },
        deliveries: Vec::new(),
    })
}

/// Reads [`NEXT_MAIL`], without the refusals and the effects.
fn mail(row: &Row<'_>) -> Result<KeptMail> {
    let mut cells = Cells::of(row);
    Ok(KeptMail {
        id: InboxId(cells.take()?),
        received_at: cells.time()?,
        source: cells.take::<Name<_>>()?.0,
        truncated: cells.take()?,
        attempts: cells.take()?,
        author: cells.take::<Option<i64>>()?.map(PlayerId),
        raw: cells.take()?,
        closed: match cells.time_if_any()? {
            None => None,
            Some(closed_at) => {
                let kind = cells.take::<Name<_>>()?.0;
                let (sender, identity) = (cells.take()?, cells.take()?);
                let (commands, reason) = (cells.take::<Option<String>>()?, cells.take::<Option<String>>()?);
                let (commands, reason) = (commands.unwrap_or_default(), reason.unwrap_or_default());
                Some((Verdict { kind, sender, identity, commands, reason }, closed_at))
            }
        },
        refusals: Vec::new(),
        effects: Vec::new(),
    })
}

/// Reading what a server keeps, for another database; and writing it there.
impl Transaction<'_> {
    /// Says where the server has moved to. From then on this database can neither be opened nor written to.
    pub fn set_moved_to(&mut self, there: &str) -> Result<()> {
        run_one(self.writable()?, "UPDATE server SET moved_to = ?1", params![there], "there is no server")
    }

    /// The last numbers that were given out.
    pub fn last_numbers(&self) -> Result<LastNumbers> {
        let last = |table| last_number(self.db(), table);
        Ok(LastNumbers {
            players: last("players")?,
            notices: last("outbox")?,
            mails: last("inbox")?,
            links: last("login_links")?,
            changes: last("changes")?,
            calls: last("webhook_calls")?,
        })
    }

    /// Makes the numbers that are given out from now on higher than these.
    pub fn set_last_numbers(&mut self, numbers: &LastNumbers) -> Result<()> {
        let LastNumbers { players, notices, mails, links, changes, calls } = *numbers;
        let db = self.writable()?;
        for (table, last) in [
            ("players", players),
            ("outbox", notices),
            ("inbox", mails),
            ("login_links", links),
            ("changes", changes),
            ("webhook_calls", calls),
        ] {
            keep_number(db, table, last.into())?;
        }
        Ok(())
    }

    /// Replaces the server id, and the key of the instance if there is one.
    pub fn set_keys(&mut self, server_id: &str, reply_key: Option<&Key>) -> Result<()> {
        let sql = "UPDATE server SET server_id = ?1, reply_key = coalesce(?2, reply_key)";
        let params = params![server_id, reply_key.map(Key::expose)];
        run_one(self.writable()?, sql, params, "the database has lost its server id")
    }

    /// Lists a player's addresses that await their confirmation, in the order in which they were added.
    pub fn awaited_codes(&self, player: PlayerId) -> Result<Vec<AwaitedCode>> {
        all(self.db(), CODES, params![player.0], |row| {
            let mut cells = Cells::of(row);
            Ok(AwaitedCode { address: cells.take()?, code: cells.take()?, added_at: cells.time()? })
        })
    }

    /// Lists the boards of whose turn a player was told, with the length of the record then.
    pub fn turn_letters(&self, player: PlayerId) -> Result<Vec<(BoardNumber, EntryNumber)>> {
        all(self.db(), TURN_LETTERS, params![player.0], |row| Ok((row.get(0)?, row.get(1)?)))
    }

    /// Adds a player under a number of their own. Fails when the number or the userid is taken.
    pub fn restore_player(
        &mut self,
        id: PlayerId,
        userid: &str,
        password_hash: &str,
        created_at: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO players (id, userid, password_hash, created_at) VALUES (?1, ?2, ?3, ?4)";
        let db = self.writable()?;
        run(db, sql, params![id.0, userid, password_hash, Time(created_at)])?;
        keep_number(db, "players", id.0)
    }

    /// The notice with the next higher number, with everything that is kept of it.
    pub fn next_notice(&self, after: OutboxId) -> Result<Option<KeptNotice>> {
        let Some(kept) = one(self.db(), NEXT_NOTICE, params![after.0], notice)? else { return Ok(None) };
        Ok(Some(KeptNotice { deliveries: self.deliveries(kept.id)?, ..kept }))
    }

    /// Adds a notice under its number; it becomes part of its letter by [`Transaction::restore_letter`].
    pub fn restore_notice(&mut self, kept: &KeptNotice) -> Result<()> {
        let sql = "INSERT INTO outbox (id, player, address, kind, board, entry, facts, in_reply_to, domain, created_at, \
             due_at, held, bound_at, attempts, sent_at, error, sent_form, sent_zone) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
        let NewNotice { player, address, kind, board, entry, facts, in_reply_to, domain, .. } = &kept.notice;
        let (created_at, due_at) = (Time(kept.notice.created_at), kept.notice.due_at.map(Time));
        let (bound_at, sent_at) = (kept.bound_at.map(Time), kept.sent_at.map(Time));
        let (form, zone) = kept.sent_as.as_ref().map(|sent| (Typed(sent.form), &sent.zone)).unzip();
        let player = player.map(|player| player.0);
        let params = params![
            kept.id.0,
            player,
            address,
            kind,
            board,
            entry,
            facts,
            in_reply_to,
            domain,
            created_at,
            due_at,
            kept.held,
            bound_at,
            kept.attempts,
            sent_at,
            kept.error,
            form,
            zone
        ];
        let db = self.writable()?;
        run(db, sql, params)?;
        keep_number(db, "outbox", kept.id.0)?;
        kept.deliveries.iter().try_for_each(|delivery| self.set_delivery(kept.id, delivery))
    }

    /// Makes a notice part of a letter. Fails when one of them is not there.
    pub fn restore_letter(&mut self, notice: OutboxId, letter: OutboxId) -> Result<()> {
        let sql = "UPDATE outbox SET letter = (SELECT id FROM outbox WHERE id = ?2) \
             WHERE id = ?1 AND EXISTS (SELECT 1 FROM outbox WHERE id = ?2)";
        run_one(self.writable()?, sql, params![notice.0, letter.0], "a notice is part of a letter that is not there")
    }

    /// Lists the proposals that were made on a board, in order.
    pub fn proposals(&self, board: BoardNumber) -> Result<Vec<KeptProposal>> {
        all(self.db(), PROPOSALS, params![board], proposal)
    }

    /// Adds a proposal with what became of it.
    pub fn restore_proposal(&mut self, kept: &KeptProposal) -> Result<()> {
        let sql = "INSERT INTO proposals (board, entry, kind, seat, via, made_at, answered_at, answer) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let MadeProposal { board, entry, proposal, via, made_at } = kept.made;
        let (answer, answered_at) = kept.answer.map(|(answer, at)| (Name(answer), Time(at))).unzip();
        let (kind, seat) = (Name(proposal.kind), Side(proposal.by));
        let params = params![board, entry, kind, seat, Name(via), Time(made_at), answered_at, answer];
        run(self.writable()?, sql, params)?;
        Ok(())
    }

    /// The mail with the next higher number, with everything that is kept of it.
    pub fn next_mail(&self, after: InboxId) -> Result<Option<KeptMail>> {
        let Some(kept) = one(self.db(), NEXT_MAIL, params![after.0], mail)? else { return Ok(None) };
        let refusals = all(self.db(), REFUSALS, params![kept.id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let effects = all(self.db(), EFFECTS, params![kept.id.0], |row| {
            let mut cells = Cells::of(row);
            Ok(MailEffect { kind: cells.take::<Name<_>>()?.0, board: cells.take()?, item: cells.take()? })
        })?;
        Ok(Some(KeptMail { refusals, effects, ..kept }))
    }

    /// Adds a mail under its number, after [`Verdict::check_first_copy`]. What it did must be there.
    pub fn restore_mail(&mut self, kept: &KeptMail) -> Result<()> {
        let sql = "INSERT INTO inbox (id, received_at, via, truncated, attempts, author, raw, closed_at, verdict, sender, \
             identity, commands, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
        let (verdict, closed_at) = kept.closed.as_ref().map(|(verdict, at)| (verdict, Time(*at))).unzip();
        if let Some(verdict) = verdict {
            verdict.check_first_copy(|identity| self.mail_seen(identity))?;
        }
        let raw = kept.raw.as_ref().filter(|_| verdict.is_none());
        let params = params![
            kept.id.0,
            Time(kept.received_at),
            Name(kept.source),
            kept.truncated,
            kept.attempts,
            kept.author.map(|author| author.0),
            raw,
            closed_at,
            verdict.map(|verdict| Name(verdict.kind)),
            verdict.and_then(|verdict| verdict.sender.as_ref()),
            verdict.and_then(|verdict| verdict.identity.as_ref()),
            verdict.map(|verdict| &verdict.commands),
            verdict.map(|verdict| &verdict.reason),
        ];
        let db = self.writable()?;
        run(db, sql, params)?;
        keep_number(db, "inbox", kept.id.0)?;
        if let (Some(raw), Some(_)) = (&kept.raw, verdict) {
            run(db, "INSERT INTO quarantine (mail, raw) VALUES (?1, ?2)", params![kept.id.0, raw])?;
        }
        for (command, reason) in &kept.refusals {
            run(
                db,
                "INSERT INTO refusals (mail, command, reason) VALUES (?1, ?2, ?3)",
                params![kept.id.0, command, reason],
            )?;
        }
        for MailEffect { kind, board, item } in &kept.effects {
            run(db, ADD_EFFECT, params![kept.id.0, Name(*kind), board, item])?;
        }
        Ok(())
    }
}
