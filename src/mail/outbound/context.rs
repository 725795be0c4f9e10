//! What processing the outbox needs and reports.

use chrono::{DateTime, Utc};

use super::send_error::SendError;
use super::transport::Transport;
use crate::compose::Composer;
use crate::config::Config;
use crate::store::{InboxId, NodeName, OutboxNotice};
use crate::world::{Deadline, World};

/// What every letter of the outbox is processed with.
pub struct OutboxContext<'a> {
    /// Composes letters from facts.
    pub composer: &'a Composer,
    /// Sends them.
    pub transport: &'a Transport,
    /// The server's own address, and whether its envelope senders are signed.
    pub config: &'a Config,
    /// Who sends: letters are leased to it.
    pub node: &'a NodeName,
    /// When to lease no more letters, after the first batch. The letters in flight are completed.
    pub until: Option<Deadline>,
    /// Time and randomness.
    pub world: World,
}

/// What became of one notice, for the log.
#[derive(Debug)]
pub struct DeliveryReport<'a> {
    /// The notice.
    pub notice: &'a OutboxNotice,
    /// The mail that caused it, if one did.
    pub mail: Option<InboxId>,
    /// The addresses that its letter was sent to, or would have been.
    pub to: &'a [String],
    /// Whether the transport took it.
    pub result: Result<(), SendError>,
    /// When it is tried again, if it is.
    pub retry_at: Option<DateTime<Utc>>,
}
