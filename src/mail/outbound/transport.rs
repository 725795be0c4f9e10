//! The ways to send a mail.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::PoolConfig;
use lettre::transport::smtp::authentication::Credentials;
use lettre::{Address, SendmailTransport, SmtpTransport, Transport as _};
use sha2::{Digest, Sha256};

use crate::config::{self, Tls};
use crate::text;

/// How long an SMTP server may take for each step.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The letters sent at a time, and the connections kept open. Not fewer: the end of a letter is a packet of its own, which
/// waits until the server has acknowledged the one before it, and that takes most systems 40 ms.
const CONNECTIONS: usize = 16;
/// How long an idle connection is kept open.
const IDLE: Duration = Duration::from_secs(30);

/// Why a mail was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// It never will be taken.
    #[error("{0}")]
    Permanent(String),
    /// It may be taken later.
    #[error("{0}")]
    Temporary(String),
}

/// A way to send a mail.
pub enum Transport {
    /// Files in a Maildir, for trying out, or for another program to send.
    Maildir(PathBuf),
    /// A sendmail program, called with `-f` and the envelope sender.
    Sendmail(SendmailTransport),
    /// An SMTP server, to which connections are kept open.
    Smtp(Box<SmtpTransport>),
}

impl Transport {
    /// The transport that the configuration names; a Maildir is `outgoing/` of the data directory.
    ///
    /// # Errors
    /// The password file cannot be read, or TLS cannot be set up.
    pub fn new(config: &config::Transport, data: &Path) -> anyhow::Result<Transport> {
        Ok(match config {
            config::Transport::Maildir => Transport::Maildir(data.join("outgoing")),
            config::Transport::Sendmail { command } => {
                Transport::Sendmail(SendmailTransport::new_with_command(command))
            }
            config::Transport::Smtp { host, port, tls, user, password_file } => {
                let mut builder = match tls {
                    Tls::None => SmtpTransport::builder_dangerous(host),
                    Tls::Starttls => SmtpTransport::starttls_relay(host)?,
                    Tls::Wrapped => SmtpTransport::relay(host)?,
                }
                .timeout(Some(TIMEOUT))
                .pool_config(PoolConfig::new().max_size(CONNECTIONS as u32).idle_timeout(IDLE));
                if let Some(port) = port {
                    builder = builder.port(*port);
                }
                if let Some(user) = user {
                    let file = password_file.as_ref().ok_or_else(|| {
                        anyhow::anyhow!("turnpost.toml: [transport] has a user, so it needs a password_file")
                    })?;
                    let text = fs::read_to_string(file)
                        .map_err(|error| anyhow::anyhow!("cannot read {}: {error}", file.display()))?;
                    let password = text.lines().next().unwrap_or_default().to_owned();
                    builder = builder.credentials(Credentials::new(user.clone(), password));
                }
                Transport::Smtp(Box::new(builder.build()))
            }
        })
    }

    /// How many letters may be sent at a time.
    pub fn concurrency(&self) -> usize {
        match self {
            Transport::Maildir(_) | Transport::Sendmail(_) => 1,
            Transport::Smtp(_) => CONNECTIONS,
        }
    }

    /// Sends a mail to one address, under this envelope sender; `message_id` names its file in a Maildir.
    ///
    /// # Errors
    /// It was not taken, now or ever.
    pub fn send(&self, mail: &[u8], sender: &str, address: &str, message_id: &str) -> Result<(), SendError> {
        let parsed = |text: &str| {
            text.parse::<Address>()
                .map_err(|error| SendError::Permanent(format!("{text:?} is not a mail address: {error}")))
        };
        let envelope = Envelope::new(Some(parsed(sender)?), vec![parsed(address)?])
            .map_err(|error| SendError::Permanent(error.to_string()))?;
        match self {
            Transport::Maildir(dir) => deliver(dir, mail, message_id)
                .map_err(|error| SendError::Temporary(format!("{}: {error}", dir.display()))),
            // A sendmail's exit status says little (EX_NOUSER may be a temporary fault of the directory), so every
            // failure is tried again.
            Transport::Sendmail(sendmail) => {
                sendmail.send_raw(&envelope, mail).map_err(|error| SendError::Temporary(one_line(&error.to_string())))
            }
            Transport::Smtp(smtp) => smtp.send_raw(&envelope, mail).map(drop).map_err(|error| {
                let text = one_line(&error.to_string());
                if error.is_permanent() { SendError::Permanent(text) } else { SendError::Temporary(text) }
            }),
        }
    }
}

/// Writes a mail into a Maildir; it is on disk when this returns. The file name is made from the Message-ID, so that a
/// mail sent again after a crash replaces the first copy.
fn deliver(dir: &Path, mail: &[u8], message_id: &str) -> std::io::Result<()> {
    let new = dir.join("new");
    for each in ["tmp", "cur", "new"] {
        fs::create_dir_all(dir.join(each))?;
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
    let mut file = File::create(&tmp)?;
    // Files of a Maildir end their lines in LF.
    file.write_all(String::from_utf8_lossy(mail).replace("\r\n", "\n").as_bytes())?;
    file.sync_all()?;
    fs::rename(&tmp, new.join(&name))?;
    File::open(&new)?.sync_all()
}

/// A server's text for the record: one line, without control characters.
fn one_line(text: &str) -> String {
    text::line(text).chars().take(500).collect::<String>().trim().to_owned()
}
