//! Webhooks: web addresses that the server calls when it is a player's turn, and the schedule of these calls.
//!
//! A call is recorded in the transaction in which the turn begins, and is retried with growing delays for a day until
//! the address accepts it, unless the board changes before. If the process crashes between a call and recording it,
//! the call is repeated with the same id.

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::BASE64;
use serde::Serialize;

use crate::message;
use crate::numbers::{BoardNumber, Ply};
use crate::service::context::Service;
use crate::service::rejection::{Reason, Rejection};
use crate::store::{
    self, Board, Lease, NodeName, PlayerId, StoreError, Transaction, Webhook, WebhookCall, WebhookPause, Work,
};
use crate::text::Message;
use crate::world::World;

/// The prefix of every secret, which makes a leaked secret recognizable.
const SECRET_PREFIX: &str = "whsec_";
/// The number of random bytes in a secret.
const SECRET_BYTES: usize = 32;
/// The type of the event that every call reports.
const TURN: &str = "board.your_turn";
/// The delay after the first failure. Each further delay is four times as long, up to the maximum.
const FIRST_DELAY: TimeDelta = TimeDelta::seconds(2);
const MAX_DELAY: TimeDelta = TimeDelta::hours(6);
/// How long a call is retried before it is abandoned.
const GIVE_UP_AFTER: TimeDelta = TimeDelta::days(1);
/// The least number of consecutive failures for a pause. A webhook is paused only when a call is abandoned, so that a
/// short outage does not pause the webhook of a player with many boards.
const MIN_FAILURES: u32 = 20;

/// A webhook without its secret.
#[derive(Clone, Debug)]
pub struct WebhookView {
    /// The address.
    pub url: String,
    /// When the webhook was set.
    pub created_at: DateTime<Utc>,
    /// The number of consecutive failed calls.
    pub failures: u32,
    /// When calls were paused, and why; `None` if they are not paused.
    pub paused: Option<WebhookPause>,
}

/// A due call.
#[derive(Clone, Debug)]
pub struct DueCall {
    /// The content to send; `None` if the board has changed, or calls to this player are disabled.
    pub post: Option<WebhookPost>,
    /// Whether the last call to this webhook failed.
    pub failing: bool,
    call: WebhookCall,
}

/// The contents of one call.
#[derive(Clone, Debug)]
pub struct WebhookPost {
    /// The target address.
    pub url: String,
    /// The key of the signature: `whsec_` and the key in base64.
    pub secret: String,
    /// The identifier of the call, the same at each attempt: `msg_17`.
    pub id: String,
    /// The body, as JSON.
    pub body: String,
}

impl DueCall {
    /// Returns the owner of the webhook.
    pub fn player(&self) -> PlayerId {
        self.call.player
    }
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// The response was 410 (Gone).
    Gone,
    /// Any other failure, with a description.
    Failed(Message),
}

#[derive(Serialize)]
struct WebhookBody {
    r#type: &'static str,
    /// When the turn began.
    timestamp: DateTime<Utc>,
    data: TurnEvent,
}

/// The data of a call: a turn of the player.
#[derive(Serialize)]
struct TurnEvent {
    board: BoardNumber,
    game: String,
    /// The number of the ply to play.
    ply: Ply,
    opponent: String,
    url: Option<String>,
}

impl Service<'_> {
    /// Sets a player's webhook, and replaces any existing one. Returns the new key of the signatures: `whsec_` and the
    /// key in base64.
    ///
    /// # Errors
    /// If the store fails.
    pub fn set_webhook(
        &self,
        tx: &mut Transaction<'_>,
        player: PlayerId,
        url: &str,
        now: DateTime<Utc>,
    ) -> store::Result<String> {
        let mut key = [0; SECRET_BYTES];
        (self.world.random)(&mut key);
        let secret = format!("{SECRET_PREFIX}{}", BASE64.encode(&key));
        let webhook = Webhook { player, url: url.to_owned(), secret, created_at: now, failures: 0, paused: None };
        // Calls for the old address must not be sent to the new one.
        tx.remove_webhook(player)?;
        tx.set_webhook(&webhook)?;
        Ok(webhook.secret)
    }

    /// Returns a player's webhook.
    ///
    /// # Errors
    /// If the store fails.
    pub fn webhook(&self, tx: &Transaction<'_>, player: PlayerId) -> store::Result<Result<WebhookView, Rejection>> {
        let view =
            |Webhook { url, created_at, failures, paused, .. }| WebhookView { url, created_at, failures, paused };
        Ok(tx.webhook(player)?.map(view).ok_or_else(no_webhook))
    }

    /// Removes a player's webhook; returns its address.
    ///
    /// # Errors
    /// If the store fails.
    pub fn remove_webhook(
        &self,
        tx: &mut Transaction<'_>,
        player: PlayerId,
    ) -> store::Result<Result<String, Rejection>> {
        let Some(webhook) = tx.webhook(player)? else { return Ok(Err(no_webhook())) };
        tx.remove_webhook(player)?;
        Ok(Ok(webhook.url))
    }

    /// Returns at most `most` due calls, one for each player, starting with webhooks whose last call was accepted.
    /// Omits webhooks that another node has leased. `pages` is the base URL of the web pages.
    ///
    /// # Errors
    /// If the store fails.
    pub fn due_webhook_calls(
        &self,
        tx: &Transaction<'_>,
        pages: Option<&str>,
        most: u32,
        node: &NodeName,
        now: DateTime<Utc>,
    ) -> store::Result<Vec<DueCall>> {
        let calls = tx.due_webhook_calls(now, most, Some(node))?.into_iter();
        let due = calls.map(|call| {
            let failing = tx.webhook(call.player)?.is_some_and(|webhook| webhook.failures > 0);
            Ok(DueCall { post: post(tx, pages, &call)?, failing, call })
        });
        due.collect()
    }

    /// Returns when the next call is due.
    ///
    /// # Errors
    /// If the store fails.
    pub fn next_webhook_call(&self, tx: &Transaction<'_>) -> store::Result<Option<DateTime<Utc>>> {
        tx.next_webhook_call()
    }

    /// Leases the webhooks of due calls that no other node has leased.
    ///
    /// # Errors
    /// If the store fails.
    pub fn lease_webhooks(
        &self,
        tx: &mut Transaction<'_>,
        calls: &[DueCall],
        node: &NodeName,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let lease = Lease::of(node, now);
        calls.iter().try_for_each(|call| tx.take_lease(&Work::Webhook(call.player()), &lease, now).map(drop))
    }

    /// Records the result of a call: it was accepted, will be retried, or is abandoned. Releases the lease of its
    /// webhook.
    ///
    /// # Errors
    /// If the store fails.
    pub fn record_webhook_call(
        &self,
        tx: &mut Transaction<'_>,
        due: &DueCall,
        result: Result<(), CallFailure>,
        node: &NodeName,
        now: DateTime<Utc>,
    ) -> store::Result<()> {
        let call = &due.call;
        tx.release_lease(&Work::Webhook(call.player), node)?;
        // A webhook that replaced the called one does not inherit its result.
        let is_called = |webhook: &Webhook| due.post.as_ref().is_some_and(|post| post.secret == webhook.secret);
        let webhook = tx.webhook(call.player)?.filter(is_called);
        let Some(mut webhook) = webhook else { return tx.remove_webhook_call(call.id) };
        match result {
            Ok(()) => {
                tracing::info!(call = call.id, board = call.board.0, "webhook called");
                webhook.failures = 0;
                tx.remove_webhook_call(call.id)?;
            }
            Err(failure) => {
                webhook.failures += 1;
                let (is_gone, why) = match failure {
                    CallFailure::Gone => (true, message!("client.webhook-gone")),
                    CallFailure::Failed(why) => (false, why),
                };
                let again = now + delay(call.attempts, self.world);
                let is_abandoned = again - call.created_at >= GIVE_UP_AFTER;
                tracing::warn!(
                    call = call.id,
                    board = call.board.0,
                    %why,
                    failures = webhook.failures,
                    "a webhook failed"
                );
                if is_gone {
                    webhook.paused = Some(WebhookPause { since: now, why });
                } else if is_abandoned && webhook.failures >= MIN_FAILURES {
                    let why = message!("client.webhook-paused", failures = webhook.failures, why);
                    webhook.paused = Some(WebhookPause { since: now, why });
                }
                match is_abandoned || webhook.paused.is_some() {
                    true => tx.remove_webhook_call(call.id)?,
                    false => tx.retry_webhook_call(call.id, again)?,
                }
            }
        }
        tx.set_webhook(&webhook)
    }
}

fn no_webhook() -> Rejection {
    Rejection { message: message!("client.no-webhook"), reason: Reason::NotThere, ..Rejection::default() }
}

/// Creates the content of a call; `None` if the turn has ended or calls to this player are disabled.
fn post(tx: &Transaction<'_>, pages: Option<&str>, call: &WebhookCall) -> store::Result<Option<WebhookPost>> {
    let (webhook, board) = (tx.webhook(call.player)?, tx.board(call.board)?);
    let webhook = webhook.filter(|webhook| webhook.paused.is_none());
    let (Some(webhook), Some(board)) = (webhook, board) else { return Ok(None) };
    let seat = board.to_move.filter(|seat| board.players[seat.index()].id == call.player);
    let Some(seat) = seat.filter(|_| board.entries == call.entry) else { return Ok(None) };
    let data = TurnEvent {
        board: board.number,
        game: board.game,
        ply: board.plies.next(),
        opponent: board.players[seat.other().index()].userid.clone(),
        url: pages.map(|pages| format!("{pages}/boards/{}", board.number)),
    };
    let body = WebhookBody { r#type: TURN, timestamp: call.created_at, data };
    let body = serde_json::to_string(&body).map_err(|error| StoreError::Failed(error.to_string()))?;
    Ok(Some(WebhookPost { url: webhook.url, secret: webhook.secret, id: format!("msg_{}", call.id), body }))
}

/// Returns the delay before the next attempt. `before` is the number of attempts before the one that just failed.
fn delay(before: u32, world: World) -> TimeDelta {
    let times = 4_i32.checked_pow(before).unwrap_or(i32::MAX);
    let delay = FIRST_DELAY.checked_mul(times).unwrap_or(MAX_DELAY).min(MAX_DELAY);
    delay * world.jitter().cast_signed() / 100
}

/// Records a call to the webhook of the player to move. Does nothing if the player has no webhook or is blocked, or
/// the webhook is paused.
pub(crate) fn turn_came(tx: &mut Transaction<'_>, board: &Board, now: DateTime<Utc>) -> store::Result<()> {
    let Some(seat) = board.to_move else { return Ok(()) };
    let player = board.players[seat.index()].id;
    if tx.player_by_id(player)?.is_some_and(|player| player.blocked_at.is_some()) {
        return Ok(());
    }
    match tx.webhook(player)? {
        Some(webhook) if webhook.paused.is_none() => tx.add_webhook_call(player, board.number, board.entries, now),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_within_a_day() {
        let world = World { now: || DateTime::UNIX_EPOCH, random: |bytes| bytes.fill(128) };
        assert_eq!(world.jitter(), 100);
        let delays: Vec<i64> = (0..9).map(|n| delay(n, world).num_seconds()).collect();
        assert_eq!(delays, [2, 8, 32, 128, 512, 2_048, 8_192, 21_600, 21_600]);
        assert_eq!(delay(u32::MAX, world), MAX_DELAY);
    }
}
