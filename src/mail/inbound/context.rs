//! The parameters of processing the inbox.

use chrono::{DateTime, Utc};

use crate::compose::Composer;
use crate::service::Service;
use crate::text::Message;

/// The parameters of processing the inbox.
#[derive(Clone, Copy)]
pub struct InboxContext<'a> {
    /// The service that executes the commands.
    pub service: &'a Service<'a>,
    /// The server's own mail address.
    pub server_address: &'a str,
    /// Words the reasons of verdicts.
    pub composer: &'a Composer,
    /// The time of processing.
    pub now: DateTime<Utc>,
}

impl InboxContext<'_> {
    /// Returns the reason of a verdict in words. If its template fails, the code and the facts are used instead, so
    /// that no message waits.
    pub(crate) fn words(&self, reason: &Message) -> String {
        self.composer.message(reason).unwrap_or_else(|_| reason.to_string())
    }
}
