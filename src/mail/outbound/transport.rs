//! The ways to send a mail.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use chrono::{DateTime, Utc};
use lettre::Address;
use lettre::address::Envelope;
use lettre::transport::smtp::authentication::Credentials;
use sha2::{Digest, Sha256};

use super::local::LocalServer;
use super::relay::Relay;
use super::send_error::SendError;
use super::sendmail;
use super::smtp::{Login, Smtp};
use crate::config::{self, Config, ConfigError};
use crate::mail::oauth::AccessTokens;
use crate::text;
use crate::world::Deadline;

/// The letters sent at a time: a mail server that stores each letter durably before it answers can store them together.
const CONNECTIONS: usize = 16;

/// A way to send a mail.
#[derive(Clone)]
pub enum Transport {
    /// Files in a Maildir, for trying out, or for another program to send.
    Maildir(PathBuf),
    /// A sendmail program, called with `-f` and the envelope sender.
    Sendmail(PathBuf),
    /// An SMTP server, to which connections are kept open, and what is known of it.
    Smtp(Arc<Smtp>, Arc<Relay>),
    /// A mail server in this process, of the simulation, and what is known of it.
    Local(Arc<dyn LocalServer>, Arc<Relay>),
}

impl Transport {
    /// The transport that the configuration names; a Maildir is `outgoing/` of the data directory.
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

    /// The transport to a mail server in this process; what is known of it is kept in this data directory.
    pub fn local(server: Arc<dyn LocalServer>, data: &Path) -> Transport {
        Transport::Local(server, Arc::new(Relay::of(data)))
    }

    /// How many letters may be sent at a time.
    pub fn concurrency(&self) -> usize {
        match self {
            Transport::Maildir(_) | Transport::Sendmail(_) | Transport::Local(..) => 1,
            Transport::Smtp(_, relay) if relay.is_suspected() => 1,
            Transport::Smtp(..) => CONNECTIONS,
        }
    }

    /// What is known of the mail server, where its replies tell anything.
    pub(super) fn relay(&self) -> Option<&Relay> {
        match self {
            Transport::Smtp(_, relay) | Transport::Local(_, relay) => Some(relay),
            Transport::Maildir(_) | Transport::Sendmail(_) => None,
        }
    }

    /// Notes that the server does not answer, so that other processes that cannot wait do not wait for it as well.
    pub fn hangs(&self, now: DateTime<Utc>) {
        self.relay().into_iter().for_each(|relay| relay.hangs(now));
    }

    /// Closes the connections that were idle for long.
    pub fn close_idle(&self) {
        if let Transport::Smtp(smtp, _) = self {
            smtp.close_idle();
        }
    }

    /// Tries whether the mail server can be reached, where there is one, without logging in.
    ///
    /// # Errors
    /// It cannot be reached, or refuses us.
    pub fn greet(&self, deadline: Deadline) -> Result<(), SendError> {
        match self {
            Transport::Maildir(_) | Transport::Sendmail(_) | Transport::Local(..) => Ok(()),
            Transport::Smtp(smtp, _) => smtp.greet(deadline),
        }
    }

    /// Sends a mail to one address, under this envelope sender; `message_id` names its file in a Maildir.
    ///
    /// # Errors
    /// It was not taken, now or ever.
    pub(super) fn send(
        &self,
        mail: &[u8],
        sender: &str,
        address: &str,
        message_id: &str,
        deadline: Deadline,
    ) -> Result<(), SendError> {
        let parsed = |text: &str| {
            text.parse::<Address>()
                .map_err(|error| SendError::Permanent(format!("{text:?} is not a mail address: {error}")))
        };
        let envelope = Envelope::new(Some(parsed(sender)?), vec![parsed(address)?])
            .map_err(|error| SendError::Permanent(error.to_string()))?;
        match self {
            Transport::Maildir(dir) => deliver(dir, mail, message_id)
                .map_err(|error| SendError::Temporary(format!("{}: {error}", dir.display()))),
            Transport::Sendmail(command) => sendmail::send(command, mail, sender, address, deadline),
            Transport::Smtp(smtp, _) => smtp.send(&envelope, mail, deadline),
            Transport::Local(server, _) => server.take(mail, sender, address),
        }
    }
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

/// Writes a mail into a Maildir; it is on disk when this returns. The file name is made from the Message-ID, so that a
/// mail sent again after a crash replaces the first copy.
fn deliver(dir: &Path, mail: &[u8], message_id: &str) -> std::io::Result<()> {
    let new = dir.join("new");
    for each in ["tmp", "cur", "new"] {
        DirBuilder::new().recursive(true).mode(0o700).create(dir.join(each))?;
    }
    let hash = text::hex(&Sha256::digest(message_id)[..6]);
    let readable: String = message_id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' })
        .take(80)
        .collect();
    // A Maildir's reader skips names that begin with a dot.
    let name = format!("{}.{hash}", readable.trim_matches(['_', '.']));
    let tmp = dir.join("tmp").join(&name);
    // Letters hold reply tokens and login codes.
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&tmp)?;
    // Files of a Maildir end their lines in LF.
    file.write_all(String::from_utf8_lossy(mail).replace("\r\n", "\n").as_bytes())?;
    file.sync_all()?;
    fs::rename(&tmp, new.join(&name))?;
    File::open(&new)?.sync_all()
}
