//! What processing the inbox needs besides the store.

use chrono::{DateTime, Utc};

use crate::compose::Composer;
use crate::service::Service;
use crate::text::Message;

/// What every mail of the inbox is processed with.
#[derive(Clone, Copy)]
pub struct InboxContext<'a> {
    /// The service that runs the commands.
    pub service: &'a Service<'a>,
    /// The server's own address.
    pub server_address: &'a str,
    /// Words the reasons of verdicts.
    pub composer: &'a Composer,
    /// The present time.
    pub now: DateTime<Utc>,
}

impl InboxContext<'_> {
    /// The reason of a verdict in words. A template that fails keeps no mail waiting: its code and facts stand for it.
    pub(super) fn words(&self, reason: &Message) -> String {
        self.composer.message(reason).unwrap_or_else(|_| reason.to_string())
    }
}
