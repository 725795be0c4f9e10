//! Notice → letter → transport. The only module that sends mail.
//!
//! [`process_outbox`] takes each letter through these stages:
//!
//! - `bundle`: the notices that are due for one player become one letter.
//! - `prepare`: the letter is composed, and [`encode()`] makes a mail of it, with its recipients; `parallel`: several at once.
//! - `senders`: threads in which a [`Transport`] sends it to each of them; `smtp`, `sendmail` and `maildir` are three, and
//!   [`Relay`] is what is known of the server.
//! - `record`: what became of it, and [`retry_at`], when it is tried again.

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
