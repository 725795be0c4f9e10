//! The parameters of processing the outbox, and its report.

use chrono::{DateTime, Utc};

use super::send_error::SendError;
use super::transport::Transport;
use crate::compose::Composer;
use crate::config::Config;
use crate::store::{InboxId, NodeName, OutboxNotice};
use crate::world::{Deadline, World};

/// The parameters of processing the outbox.
pub struct OutboxContext<'a> {
    /// Composes letters from notices.
    pub composer: &'a Composer,
    /// Sends the letters.
    pub transport: &'a Transport,
    /// Names the server's own address, and decides whether envelope senders are signed.
    pub config: &'a Config,
    /// The node to which letters are leased.
    pub node: &'a NodeName,
    /// No further batch is leased after this time. The letters in flight are completed.
    pub until: Option<Deadline>,
    /// The source of time and randomness.
    pub world: World,
}

/// The result of sending one notice, for the log.
#[derive(Debug)]
pub struct DeliveryReport<'a> {
    /// The notice.
    pub notice: &'a OutboxNotice,
    /// The message that caused it.
    pub mail: Option<InboxId>,
    /// The addresses to which its letter was sent or should have been sent.
    pub to: &'a [String],
    /// Whether the transport accepted the letter.
    pub result: Result<(), SendError>,
    /// The time of the next attempt.
    pub retry_at: Option<DateTime<Utc>>,
}
