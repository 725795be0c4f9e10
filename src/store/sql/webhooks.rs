//! Webhooks of players' programs, and the calls that wait to be made.

use chrono::{DateTime, Utc};

use super::{Cells, Coded, Session, Time, all, one, params, run};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::store::leases::latest_end;
use crate::store::{NodeName, PlayerId, Result, Webhook, WebhookCall, WebhookPause, Webhooks};

pub(super) const OF_PLAYER: &str =
    "SELECT player, url, secret, created_at, failures, paused_at, paused_why FROM hooks WHERE player = ?1";
/// At most one for each player, so that a slow program delays only its own calls; those that fail come last, so that
/// they delay nobody's.
pub(super) const DUE: &str = "SELECT c.id, c.player, c.board, c.entry, c.created_at, c.attempts \
     FROM calls c JOIN hooks h ON h.player = c.player \
     WHERE c.due_at <= ?1 AND NOT EXISTS (SELECT 1 FROM calls o WHERE o.player = c.player AND o.due_at <= ?1 AND o.id < c.id) \
     AND NOT EXISTS (SELECT 1 FROM leases l \
         WHERE l.work = 'webhook of ' || c.player AND l.node <> ?3 AND l.expires_at > ?1 AND l.expires_at <= ?4) \
     ORDER BY h.failures > 0, c.due_at, c.id LIMIT ?2";
pub(super) const NEXT: &str = "SELECT due_at FROM calls ORDER BY due_at, id LIMIT 1";
pub(super) const REMOVE: &str = "DELETE FROM hooks WHERE player = ?1";

impl<S: Session> Webhooks for S {
    fn webhook(&self, player: PlayerId) -> Result<Option<Webhook>> {
        one(self.db(), OF_PLAYER, params![player.0], |row| {
            let mut cells = Cells::of(row);
            Ok(Webhook {
                player: PlayerId(cells.take()?),
                url: cells.take()?,
                secret: cells.take()?,
                created_at: cells.time()?,
                failures: cells.take()?,
                paused: cells
                    .time_if_any()?
                    .zip(cells.message_if_any()?)
                    .map(|(since, why)| WebhookPause { since, why }),
            })
        })
    }

    fn set_webhook(&mut self, webhook: &Webhook) -> Result<()> {
        let sql = "INSERT INTO hooks (player, url, secret, created_at, failures, paused_at, paused_why) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT (player) DO UPDATE SET url = excluded.url, secret = excluded.secret, \
             created_at = excluded.created_at, failures = excluded.failures, paused_at = excluded.paused_at, \
             paused_why = excluded.paused_why";
        let Webhook { player, url, secret, created_at, failures, paused } = webhook;
        let (paused_at, paused_why) = paused.as_ref().map(|pause| (Time(pause.since), Coded(&pause.why))).unzip();
        run(self.writable()?, sql, params![player.0, url, secret, Time(*created_at), failures, paused_at, paused_why])?;
        Ok(())
    }

    fn remove_webhook(&mut self, player: PlayerId) -> Result<()> {
        run(self.writable()?, REMOVE, params![player.0])?;
        Ok(())
    }

    fn add_webhook_call(
        &mut self,
        player: PlayerId,
        board: BoardNumber,
        entry: EntryNumber,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO calls (player, board, entry, created_at, due_at) VALUES (?1, ?2, ?3, ?4, ?4)";
        run(self.writable_shared()?, sql, params![player.0, board, entry, Time(now)])?;
        Ok(())
    }

    fn due_webhook_calls(&self, now: DateTime<Utc>, most: u32, node: Option<&NodeName>) -> Result<Vec<WebhookCall>> {
        all(self.db(), DUE, params![Time(now), most, node.map(|node| &node.0), Time(latest_end(now))], |row| {
            let mut cells = Cells::of(row);
            Ok(WebhookCall {
                id: cells.take()?,
                player: PlayerId(cells.take()?),
                board: cells.take()?,
                entry: cells.take()?,
                created_at: cells.time()?,
                attempts: cells.take()?,
            })
        })
    }

    fn next_webhook_call(&self) -> Result<Option<DateTime<Utc>>> {
        Ok(one(self.db(), NEXT, &[], |row| row.get::<Time>(0))?.map(|time| time.0))
    }

    // The call may be gone already, with its webhook.
    fn remove_webhook_call(&mut self, id: i64) -> Result<()> {
        run(self.writable()?, "DELETE FROM calls WHERE id = ?1", params![id])?;
        Ok(())
    }

    // The call may be gone already, with its webhook.
    fn retry_webhook_call(&mut self, id: i64, due_at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE calls SET attempts = attempts + 1, due_at = ?2 WHERE id = ?1";
        run(self.writable()?, sql, params![id, Time(due_at)])?;
        Ok(())
    }
}
