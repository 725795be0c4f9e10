//! Webhooks of players' programs, and their pending calls.

use chrono::{DateTime, Utc};

use super::leases::latest_end;
use super::sql::{all, from_fields, one, params, run};
use super::{NodeName, PlayerId, Result, Transaction};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::text::Message;

/// The URL that the server calls on a player's turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The owner.
    pub player: PlayerId,
    /// The URL, such as `https://bot.example.org/turn`.
    pub url: String,
    /// The key that signs the calls.
    pub secret: String,
    /// The time of creation.
    pub created_at: DateTime<Utc>,
    /// The number of consecutive failed calls.
    pub failures: u32,
    /// Set while the server does not call the URL.
    pub paused: Option<WebhookPause>,
}

/// A pause of a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookPause {
    /// The beginning of the pause.
    pub since: DateTime<Utc>,
    /// The reason.
    pub why: Message,
}

/// A pending call of a [`Webhook`] about a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookCall {
    /// The number, by which the player's program recognizes repeated calls.
    pub id: i64,
    /// The owner of the webhook.
    pub player: PlayerId,
    /// The board.
    pub board: BoardNumber,
    /// The length of the board's record at the beginning of the turn.
    pub entry: EntryNumber,
    /// The beginning of the turn.
    pub created_at: DateTime<Utc>,
    /// The number of attempts.
    pub attempts: u32,
}

pub(crate) const OF_PLAYER: &str =
    "SELECT player, url, secret, created_at, failures, paused_at, paused_why FROM webhooks WHERE player = ?1";
/// Returns at most one call for each player, so that a slow program delays only its own calls. Failing webhooks come
/// last, so that they do not delay other players' calls.
pub(crate) const DUE: &str = "SELECT c.id, c.player, c.board, c.entry, c.created_at, c.attempts \
     FROM webhook_calls c JOIN webhooks h ON h.player = c.player \
     WHERE c.due_at <= ?1 AND NOT EXISTS (SELECT 1 FROM webhook_calls o WHERE o.player = c.player AND o.due_at <= ?1 AND o.id < c.id) \
     AND NOT EXISTS (SELECT 1 FROM leases l \
         WHERE l.work = 'webhook of ' || c.player AND l.node <> ?3 AND l.expires_at > ?1 AND l.expires_at <= ?4) \
     ORDER BY h.failures > 0, c.due_at, c.id LIMIT ?2";
pub(crate) const NEXT: &str = "SELECT due_at FROM webhook_calls ORDER BY due_at, id LIMIT 1";
pub(crate) const REMOVE: &str = "DELETE FROM webhooks WHERE player = ?1";

from_fields!(Webhook { player, url, secret, created_at, failures, paused });
from_fields!(Option<WebhookPause { since, why }>);
from_fields!(WebhookCall { id, player, board, entry, created_at, attempts });

/// Webhooks and their calls. Calls may be deleted at any time, together with their webhook.
impl Transaction<'_> {
    /// Finds a player's webhook.
    pub fn webhook(&self, player: PlayerId) -> Result<Option<Webhook>> {
        Ok(self.read_once(OF_PLAYER, params![player])?.pop())
    }

    /// Replaces a player's webhook.
    pub fn set_webhook(&mut self, webhook: &Webhook) -> Result<()> {
        let sql = "INSERT INTO webhooks (player, url, secret, created_at, failures, paused_at, paused_why) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
             ON CONFLICT (player) DO UPDATE SET url = excluded.url, secret = excluded.secret, \
             created_at = excluded.created_at, failures = excluded.failures, paused_at = excluded.paused_at, \
             paused_why = excluded.paused_why";
        let Webhook { player, url, secret, created_at, failures, paused } = webhook;
        let (paused_at, paused_why) = paused.as_ref().map(|pause| (pause.since, &pause.why)).unzip();
        run(self.writable()?, sql, params![player, url, secret, created_at, failures, paused_at, paused_why]).map(drop)
    }

    /// Deletes a player's webhook and its pending calls.
    pub fn remove_webhook(&mut self, player: PlayerId) -> Result<()> {
        run(self.writable()?, REMOVE, params![player]).map(drop)
    }

    /// Adds a call of a player's webhook, due immediately.
    pub fn add_webhook_call(
        &mut self,
        player: PlayerId,
        board: BoardNumber,
        entry: EntryNumber,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let sql = "INSERT INTO webhook_calls (player, board, entry, created_at, due_at) VALUES (?1, ?2, ?3, ?4, ?4)";
        run(self.writable_queue()?, sql, params![player, board, entry, now]).map(drop)
    }

    /// Lists at most `most` calls due at `now`, at most one for each player. Webhooks whose last call succeeded come
    /// first; within each group, the call due longest comes first. If `node` is given, omits webhooks that another node
    /// has leased.
    pub fn due_webhook_calls(
        &self,
        now: DateTime<Utc>,
        most: u32,
        node: Option<&NodeName>,
    ) -> Result<Vec<WebhookCall>> {
        all(self.db(), DUE, params![now, most, node, latest_end(now)])
    }

    /// Returns the time at which the next call is due.
    pub fn next_webhook_call(&self) -> Result<Option<DateTime<Utc>>> {
        one(self.db(), NEXT, &[])
    }

    // Succeeds even if the call does not exist, because it may have been deleted together with its webhook.
    /// Deletes a call that has succeeded or was abandoned.
    pub fn remove_webhook_call(&mut self, id: i64) -> Result<()> {
        run(self.writable()?, "DELETE FROM webhook_calls WHERE id = ?1", params![id]).map(drop)
    }

    // Succeeds even if the call does not exist, because it may have been deleted together with its webhook.
    /// Counts a failed attempt, and schedules the next one.
    pub fn retry_webhook_call(&mut self, id: i64, due_at: DateTime<Utc>) -> Result<()> {
        let sql = "UPDATE webhook_calls SET attempts = attempts + 1, due_at = ?2 WHERE id = ?1";
        run(self.writable()?, sql, params![id, due_at]).map(drop)
    }
}
