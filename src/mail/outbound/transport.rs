//! The ways to send a letter.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use chrono::{DateTime, Utc};
use lettre::transport::smtp::authentication::Credentials;

use super::local::LocalServer;
use super::maildir;
use super::prepared_letter::{PreparedLetter, Recipient, SentLetter};
use super::relay::Relay;
use super::send_error::SendError;
use super::sendmail;
use super::smtp::{Login, Smtp};
use crate::config::{self, Config, ConfigError};
use crate::mail::oauth::AccessTokens;
use crate::world::Deadline;

/// The most letters in flight: a mail server or disk can store them durably in one flush.
const LETTERS: usize = 16;

/// A way to send a letter.
#[derive(Clone)]
pub enum Transport {
    /// Files in a Maildir, for tests or for another program to send.
    Maildir(PathBuf),
    /// A sendmail program, called with `-f` and the envelope sender.
    Sendmail(PathBuf),
    /// An SMTP server with persistent connections, and its state.
    Smtp(Arc<Smtp>, Arc<Relay>),
    /// The simulation's mail server in this process, and its state.
    Local(Arc<dyn LocalServer>, Arc<Relay>),
}

impl Transport {
    /// Creates the transport of the configuration; a Maildir is `outgoing/` in the data directory.
    ///
    /// # Errors
    /// The password file cannot be read, or TLS cannot be set up.
    pub fn new(config: &Config, data: &Path) -> anyhow::Result<Transport> {
        Ok(match &config.transport {
            config::Transport::Maildir => Transport::Maildir(data.join("outgoing")),
            config::Transport::Sendmail { command } => Transport::Sendmail(command.clone()),
            config::Transport::Smtp { host, port, tls, user, password_file } => {
                let login = user.as_ref().map(|user| login(user, password_file.as_deref(), config)).transpose()?;
                Transport::Smtp(Arc::new(Smtp::new(host, *port, *tls, login)?), Arc::new(Relay::of(data)))
            }
        })
    }

    /// Creates the transport to a mail server in this process, whose state is stored in this data directory.
    pub fn local(server: Arc<dyn LocalServer>, data: &Path) -> Transport {
        Transport::Local(server, Arc::new(Relay::of(data)))
    }

    /// Returns whether letters are written to a local disk.
    pub(crate) fn is_local_disk(&self) -> bool {
        matches!(self, Transport::Maildir(_))
    }

    /// Returns how many letters may be in flight.
    pub fn concurrency(&self) -> usize {
        match self {
            Transport::Sendmail(_) | Transport::Local(..) => 1,
            Transport::Smtp(_, relay) if relay.is_suspected() => 1,
            Transport::Smtp(..) | Transport::Maildir(_) => LETTERS,
        }
    }

    /// Returns the state of the mail server if its replies are known.
    pub(crate) fn relay(&self) -> Option<&Relay> {
        match self {
            Transport::Smtp(_, relay) | Transport::Local(_, relay) => Some(relay),
            Transport::Maildir(_) | Transport::Sendmail(_) => None,
        }
    }

    /// Records that the server does not answer, so that processes that cannot wait do not try it.
    pub fn hangs(&self, now: DateTime<Utc>) {
        self.relay().into_iter().for_each(|relay| relay.hangs(now));
    }

    /// Closes the connections that have been idle too long.
    pub fn close_idle(&self) {
        if let Transport::Smtp(smtp, _) = self {
            smtp.close_idle();
        }
    }

    /// Checks whether the mail server can be reached, without logging in.
    ///
    /// # Errors
    /// The server cannot be reached, or refuses us.
    pub fn greet(&self, deadline: Deadline) -> Result<(), SendError> {
        match self {
            Transport::Maildir(_) | Transport::Sendmail(_) | Transport::Local(..) => Ok(()),
            Transport::Smtp(smtp, _) => smtp.greet(deadline),
        }
    }

    /// Sends letters, and returns the result for each recipient.
    pub(crate) fn send(&self, letters: &[Arc<PreparedLetter>], deadline: Deadline) -> Vec<SentLetter> {
        match self {
            Transport::Maildir(dir) => maildir::send(dir, letters),
            Transport::Sendmail(command) => each(letters, |mail, to| {
                to.envelope()?;
                sendmail::send(command, mail, &to.envelope_sender, &to.address, deadline)
            }),
            Transport::Smtp(smtp, _) => each(letters, |mail, to| smtp.send(&to.envelope()?, mail, deadline)),
            Transport::Local(server, _) => {
                each(letters, |mail, to| server.take(mail, &to.envelope_sender, &to.address))
            }
        }
    }
}

/// Sends each letter to its recipients, one after the other. A panic is reported as a temporary error.
fn each(letters: &[Arc<PreparedLetter>], send: impl Fn(&[u8], &Recipient) -> Result<(), SendError>) -> Vec<SentLetter> {
    let send = |mail: &[u8], to: &Recipient| {
        catch_unwind(AssertUnwindSafe(|| send(mail, to)))
            .unwrap_or_else(|_| Err(SendError::Temporary("sending it panicked".to_owned())))
    };
    let sent = |letter: &Arc<PreparedLetter>| letter.recipients.iter().map(|to| send(&letter.mail, to)).collect();
    letters.iter().map(|letter| (Arc::clone(letter), sent(letter))).collect()
}

fn login(user: &str, password_file: Option<&Path>, config: &Config) -> anyhow::Result<Login> {
    let Some(file) = password_file else {
        let tokens = AccessTokens::of(config);
        let needs = "turnpost.toml: [transport] has a user, so it needs a password_file or [oauth]";
        let tokens = tokens.ok_or_else(|| ConfigError::Wrong(needs.to_owned()))?;
        return Ok(Login::Tokens(user.to_owned(), tokens));
    };
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let password = text.lines().next().unwrap_or_default().to_owned();
    Ok(Login::Password(Credentials::new(user.to_owned(), password)))
}
