//! What an administrator looks back at. Triggers of the tables note the effects of the mail that is being processed.

use chrono::{DateTime, Utc};

use crate::store::sql::params;
use crate::store::sql::{Cells, Name, Side, Typed};
use crate::store::sql::{one, run, run_one};
use crate::store::sql::Time;
use super::transaction::PostgresTransaction;
use crate::store::sql::Session as _;
use crate::numbers::BoardNumber;
use crate::store::{History, InboxId, MadeProposal, OutboxId, PlayerId, ProposalAnswer, Result, SentAs};

/// The triggers read it. It is the transaction's own.
const CURRENT_MAIL: &str = "SELECT set_config('turnpost.mail', $1, true)";
pub(super) const NO_MAIL: &str = "SELECT set_config('turnpost.mail', '', true)";
const SENT_AS: &str = "SELECT sent_form, sent_zone FROM outbox \
     WHERE id = $1 AND sent_at IS NOT NULL AND sent_form IS NOT NULL";
const CAUSE: &str = "SELECT mail FROM effects WHERE kind = 'notice' AND item = $1 LIMIT 1";
/// A proposal that was open before proposals were noted has no row.
const ANSWER: &str = "UPDATE proposals SET answer = $2, answered_at = $3 \
     WHERE id = (SELECT max(id) FROM proposals WHERE board = $1) AND answer IS NULL \
     AND entry = (SELECT entries FROM boards WHERE number = $1)";

impl History for PostgresTransaction<'_> {
    fn begin_mail(&mut self, mail: InboxId) -> Result<()> {
        run(self.writable_shared()?, CURRENT_MAIL, params![mail.0.to_string()]).map(drop)
    }

    fn set_mail_author(&mut self, mail: InboxId, author: PlayerId) -> Result<()> {
        let sql = "UPDATE inbox SET author = $2 WHERE id = $1";
        run_one(self.writable_shared()?, sql, params![mail.0, author.0], &format!("there is no mail {}", mail.0))
    }

    fn add_refusal(&mut self, mail: InboxId, command: &str, reason: &str) -> Result<()> {
        let sql = "INSERT INTO refusals (mail, command, reason) VALUES ($1, $2, $3)";
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
        let sql = "INSERT INTO proposals (board, entry, seat, kind, via, made_at) VALUES ($1, $2, $3, $4, $5, $6)";
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
