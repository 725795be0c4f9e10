//! Notice → letter → transport. The only module that sends mail.
//!
//! [`process_outbox`] takes each letter through these steps:
//!
//! - `bundle`: notices that are due for the same player are bound into one letter.
//! - `prepare`: composes the letter, finds its recipients, and calls [`encode()`]; `parallel`: prepares several letters
//!   concurrently.
//! - `senders`: threads that send letters over a [`Transport`] (`smtp`, `sendmail` or `maildir`); [`Relay`] holds the
//!   state of the mail server.
//! - `record`: stores the result; [`retry_at`] schedules the next attempt.

mod bundle;
mod context;
mod data_content;
mod encode;
mod local;
mod maildir;
mod parallel;
mod prepare;
mod prepared_letter;
mod private;
mod process;
mod record;
mod relay;
mod retry;
mod send_error;
mod senders;
mod sendmail;
mod smtp;
mod smtp_connection;
mod smtp_errors;
mod token_login;
mod transport;

pub use context::{DeliveryReport, OutboxContext};
pub use encode::encode;
pub use local::LocalServer;
pub use private::close_outgoing;
pub use process::process_outbox;
pub use relay::Relay;
pub use retry::retry_at;
pub use send_error::SendError;
pub use transport::Transport;
