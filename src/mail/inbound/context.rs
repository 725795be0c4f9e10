//! What processing the inbox needs besides the store.

use chrono::{DateTime, Utc};

use crate::service::Service;

/// What every mail of the inbox is processed with.
#[derive(Clone, Copy)]
pub struct InboxContext<'a> {
    /// The service that runs the commands.
    pub service: &'a Service<'a>,
    /// The server's own address.
    pub server_address: &'a str,
    /// The present time.
    pub now: DateTime<Utc>,
}
