//! Webhooks of players' programs, and the calls that wait to be made.

use chrono::{DateTime, Utc};

use super::{NodeName, PlayerId, Result};
use crate::numbers::{BoardNumber, EntryNumber};
use crate::text::Message;

/// The address at which a player's program is called when it is that player's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Its owner.
    pub player: PlayerId,
    /// `https://bot.example.org/turn`
    pub url: String,
    /// The key that signs what is sent.
    pub secret: String,
    /// When it was set.
    pub created_at: DateTime<Utc>,
    /// How many calls failed in a row.
    pub failures: u32,
    /// Since when nothing is sent, and why.
    pub paused: Option<WebhookPause>,
}

/// Why a webhook is not called any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookPause {
    /// Since when.
    pub since: DateTime<Utc>,
    /// The reason.
    pub why: Message,
}

/// A turn that a [`Webhook`] is to be called about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookCall {
    /// Its number; the program recognizes a second copy by it.
    pub id: i64,
    /// The owner of the webhook.
    pub player: PlayerId,
    /// The board on which it is their turn.
    pub board: BoardNumber,
    /// The length of the board's record when the turn came.
    pub entry: EntryNumber,
    /// When the turn came.
    pub created_at: DateTime<Utc>,
    /// How many attempts were made.
    pub attempts: u32,
}

/// Webhooks and their calls. A call may be gone at any time, with its webhook.
pub trait Webhooks {
    /// Finds a player's webhook.
    fn webhook(&self, player: PlayerId) -> Result<Option<Webhook>>;
    /// Replaces a player's webhook.
    fn set_webhook(&mut self, webhook: &Webhook) -> Result<()>;
    /// Removes a player's webhook, and the calls that wait for it.
    fn remove_webhook(&mut self, player: PlayerId) -> Result<()>;
    /// Adds a call to a player's webhook, due at once.
    fn add_webhook_call(
        &mut self,
        player: PlayerId,
        board: BoardNumber,
        entry: EntryNumber,
        now: DateTime<Utc>,
    ) -> Result<()>;
    /// Lists calls that are due at `now`, at most one for each player, at most `most`: first those to webhooks whose last
    /// call was accepted, and among them the longest due first. With a node, none to a webhook that another node has leased.
    fn due_webhook_calls(&self, now: DateTime<Utc>, most: u32, node: Option<&NodeName>) -> Result<Vec<WebhookCall>>;
    /// When the next call is due.
    fn next_webhook_call(&self) -> Result<Option<DateTime<Utc>>>;
    /// Removes a call that was made or given up.
    fn remove_webhook_call(&mut self, id: i64) -> Result<()>;
    /// Counts a failed attempt, and sets when the call is due again.
    fn retry_webhook_call(&mut self, id: i64, due_at: DateTime<Utc>) -> Result<()>;
}
