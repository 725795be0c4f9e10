//! Turns notices into letters, and sends the letters. No other module sends mail.
//!
//! [`process_outbox`] takes each letter through these steps:
//!
//! - `outbox`: binds due notices for the same player into one letter.
//! - `prepare`: composes letters on several cores, finds their recipients, and calls [`encode()`].
//! - `transport`: threads that send letters over a [`Transport`] (`smtp`, or `local`: sendmail or a Maildir); [`Relay`]
//!   holds the state of the mail server.
//! - `record`: stores the result; [`retry_at`] schedules the next attempt.

mod letter;
mod local;
mod outbox;
mod prepare;
mod record;
mod relay;
mod smtp;
mod smtp_connection;
mod transport;

pub use letter::{SendError, encode};
pub use local::{LocalServer, close_outgoing};
pub use outbox::process_outbox;
pub use prepare::{DeliveryReport, OutboxContext};
pub use record::retry_at;
pub use relay::Relay;
pub use transport::Transport;
