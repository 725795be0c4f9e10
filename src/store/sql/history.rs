//! What an administrator looks back at. Triggers of the tables note the effects of the mail that is being processed.

use chrono::{DateTime, Utc};

use super::{Cells, Db, Name, Session, Side, Time, Typed, one, params, run, run_one};
use crate::numbers::BoardNumber;
use crate::store::{History, InboxId, MadeProposal, OutboxId, PlayerId, ProposalAnswer, Result, SentAs};

pub(super) const SENT_AS: &str = "SELECT sent_form, sent_zone FROM outbox \
     WHERE id = ?1 AND sent_at IS NOT NULL AND sent_form IS NOT NULL";
pub(super) const CAUSE: &str = "SELECT mail FROM effects WHERE kind = 'notice' AND item = ?1 LIMIT 1";
/// A proposal that was open before proposals were noted has no row.
pub(super) const ANSWER: &str = "UPDATE proposals SET answer = ?2, answered_at = ?3 \
     WHERE id = (SELECT max(id) FROM proposals WHERE board = ?1) AND answer IS NULL \
     AND entry = (SELECT entries FROM boards WHERE number = ?1)";

/// Sets the mail whose effects the triggers record.
pub(super) fn set_current_mail(db: Db<'_>, mail: Option<InboxId>) -> Result<()> {
    match db {
        Db::Sqlite(_) => run(db, "UPDATE current_mail SET mail = ?1", params![mail.map(|mail| mail.0)]),
        Db::Postgres(_) => {
            let mail = mail.map_or_else(String::new, |mail| mail.0.to_string());
            run(db, "SELECT set_config('turnpost.mail', ?1, true)", params![mail])
        }
    }
    .map(drop)
}

impl<S: Session> History for S {
    fn begin_mail(&mut self, mail: InboxId) -> Result<()> {
        set_current_mail(self.writable_shared()?, Some(mail))
    }

    fn set_mail_author(&mut self, mail: InboxId, author: PlayerId) -> Result<()> {
        let sql = "UPDATE inbox SET author = ?2 WHERE id = ?1";
        run_one(self.writable_shared()?, sql, params![mail.0, author.0], &format!("there is no mail {}", mail.0))
    }

    fn add_refusal(&mut self, mail: InboxId, command: &str, reason: &str) -> Result<()> {
        let sql = "INSERT INTO refusals (mail, command, reason) VALUES (?1, ?2, ?3)";
        run(self.writable()?, sql, params![mail.0, command, reason])?;
        Ok(())
    }

    fn sent_as(&self, notice: OutboxId) -> Result<Option<SentAs>> {
        one(self.db(), SENT_AS, params![notice.0], |row| {
            let mut cells = Cells::of(row);
            let Typed(form) = cells.take()?;
            Ok(SentAs { form, zone: cells.take()? })
        })
    }

    fn causing_mail(&self, notice: OutboxId) -> Result<Option<InboxId>> {
        one(self.db(), CAUSE, params![notice.0], |row| row.get(0).map(InboxId))
    }

    fn add_proposal(&mut self, made: &MadeProposal) -> Result<()> {
        let sql = "INSERT INTO proposals (board, entry, seat, kind, via, made_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let MadeProposal { board, entry, proposal, via, made_at } = made;
        let (kind, seat) = (Name(proposal.kind), Side(proposal.by));
        run(self.writable_board(*board)?, sql, params![board, entry, seat, kind, Name(*via), Time(*made_at)])?;
        Ok(())
    }

    fn answer_proposal(&mut self, board: BoardNumber, answer: ProposalAnswer, now: DateTime<Utc>) -> Result<()> {
        run(self.writable_board(board)?, ANSWER, params![board, Name(answer), Time(now)])?;
        Ok(())
    }
}
