//! The data directory and its configuration.
//!
//! The configuration is in `DIR/turnpost.toml`. The file is optional, because every key has a default:
//!
//! ```toml
//! address = "turnpost@localhost"   # From of every letter; its domain ends the Message-IDs
//! signed_senders = true            # each letter has its own envelope sender
//! database = "postgresql://turnpost@db.example.org/turnpost"   # instead of DIR/turnpost.db
//! templates = "/etc/turnpost/templates"   # overrides the embedded templates, file by file
//! [transport]
//! kind = "maildir"                 # DIR/outgoing; or "sendmail", or "smtp"
//! # command = "/usr/sbin/sendmail" # of sendmail
//! # host = "mail.example.org"      # of smtp; with port, tls ("none", "starttls", "wrapped"), user, password_file
//! [receive]                        # how mail arrives, in addition to the pipe; see Receive
//! lmtp = "unix:lmtp.sock"          # or "127.0.0.1:2424", or "systemd"
//! maildir = "/var/mail/turnpost"
//! [receive.imap]                   # a mailbox at a provider; see Imap
//! host = "imap.example.org"
//! user = "turnpost@example.org"
//! password_file = "imap-password"
//! [oauth]                          # see OAuth; for users without a password_file
//! provider = "microsoft"           # or "google", or endpoints
//! client_id = "…"
//! [web]                            # see Web
//! listen = "127.0.0.1:8080"
//! url = "https://games.example.org"
//! proxies = ["127.0.0.1", "::1"]   # whose headers about clients are trusted; none by default
//! [backup]                         # see Backup
//! directory = "/backups/turnpost"
//! [metrics]                        # see Metrics
//! listen = "127.0.0.1:9100"
//! stalled_after = 60               # seconds
//! [robot.engine.hex]               # see Engine
//! command = ["/usr/local/bin/hex", "{game}", "{options}"]
//! games = ["brique"]
//! [games.marque]                   # see GameSettings
//! options = "-opposite"
//! [events]                         # see Events
//! players = true
//! [policy]                         # see Policy
//! nagtime = 7
//! ```

mod keys;
mod oauth;
mod read;
mod robots;
mod sections;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ipnet::IpNet;
pub use keys::{KEYS, Key, commented};
pub use oauth::{Endpoints, OAuth};
pub use read::{ConfigError, Problem, line_of};
pub use robots::{Engine, Robots};
pub use sections::{Backup, DATABASE_FILE, DatabaseServer, GameSettings, Metrics};
use serde::Deserialize;

use crate::service::{Policy, Service};
use crate::store::Location;
use crate::world::World;

/// The configuration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The `From` address of every letter.
    pub address: String,
    /// Whether each letter has its own envelope sender, `turnpost+b-…@domain`, so that a bounce identifies the
    /// letter. Some providers do not allow this.
    pub signed_senders: bool,
    /// The database, unless it is the file in the data directory.
    pub database: Option<DatabaseServer>,
    /// A directory that overrides the embedded templates, file by file; relative to the data directory.
    pub templates: Option<PathBuf>,
    /// How letters are sent.
    pub transport: Transport,
    /// How mail arrives, in addition to the pipe.
    pub receive: Receive,
    /// The issuer of access tokens, for a mailbox without a password file.
    pub oauth: Option<OAuth>,
    /// How pages are served.
    pub web: Web,
    /// The backups that `turnpost serve` creates.
    pub backup: Backup,
    /// Health checks and metrics.
    pub metrics: Metrics,
    /// The computer players.
    pub robot: Robots,
    /// Settings for individual games, by name.
    pub games: BTreeMap<String, GameSettings>,
    /// Leagues, cups and ladders.
    pub events: Events,
    /// Limits and default settings of boards and players.
    #[serde(alias = "house")]
    pub policy: Policy,
}

/// Leagues, cups and ladders.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Events {
    /// Whether every player may create events, and not only administrators.
    pub players: bool,
}

/// How pages are served while `turnpost serve` is running.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// The address for HTTP, if enabled. It should be reachable only from this machine or from a proxy.
    pub listen: Option<SocketAddr>,
    /// The public address, served by a proxy with TLS. Links in letters start with it.
    pub url: Option<String>,
    /// The proxies whose `X-Forwarded-For`, `-Proto` and `-Host` headers are trusted. A proxy must overwrite these
    /// headers if its client sends them. Without this setting, no proxy is trusted, and all clients of a proxy are
    /// treated as one.
    pub proxies: Vec<Network>,
    /// Whether players' webhooks may use plain HTTP and private addresses. Only for servers where all players are
    /// trusted.
    pub private_webhooks: bool,
}

impl Web {
    /// Returns whether players reach the pages over TLS.
    pub fn is_https(&self) -> bool {
        self.url.as_ref().is_some_and(|url| url.to_ascii_lowercase().starts_with("https://"))
    }

    /// Returns whether this is the public origin of the pages (RFC 6454).
    pub fn has_origin(&self, origin: &str) -> bool {
        let Some((scheme, rest)) = self.url.as_ref().and_then(|url| url.split_once("://")) else { return false };
        let host = rest.split('/').next().unwrap_or_default();
        let default_port = if self.is_https() { ":443" } else { ":80" };
        let own = format!("{scheme}://{}", host.strip_suffix(default_port).unwrap_or(host));
        own.eq_ignore_ascii_case(origin)
    }
}

/// A network such as `10.0.0.0/8`, or a single address such as `127.0.0.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Network(IpNet);

impl Network {
    /// Returns whether the network contains this address.
    pub fn holds(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let one = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
        match one.or_else(|_| text.parse::<IpNet>()) {
            Ok(network) if network.prefix_len() == 0 => {
                Err(format!("proxies: {text:?} would trust every client; name your proxy"))
            }
            Ok(network) => Ok(Network(network)),
            Err(_) => {
                Err(format!("proxies: {text:?} is neither an address (\"127.0.0.1\") nor a network (\"10.0.0.0/8\")"))
            }
        }
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Network, String> {
        text.parse()
    }
}

/// How letters are sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Transport {
    /// Files in the Maildir `outgoing/` of the data directory.
    #[default]
    Maildir,
    /// A sendmail program.
    Sendmail {
        #[serde(default = "default_sendmail")]
        /// The path of the program.
        command: PathBuf,
    },
    /// An SMTP server.
    Smtp {
        /// The host name.
        host: String,
        /// The port; by default 25, 587 or 465, depending on `tls`.
        port: Option<u16>,
        /// How the connection is encrypted, if at all.
        #[serde(default)]
        tls: Tls,
        /// The login name, if required.
        user: Option<String>,
        /// A file whose first line is the password, relative to the data directory. Without it, the user logs in by
        /// OAuth.
        password_file: Option<PathBuf>,
    },
}

/// How a connection to a mail server is encrypted.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Tls {
    /// Not encrypted: for a server on this machine.
    None,
    /// STARTTLS, required (port 587 of SMTP, 143 of IMAP).
    #[default]
    Starttls,
    /// TLS from the first byte (port 465 of SMTP, 993 of IMAP).
    Wrapped,
}

/// How mail arrives while `turnpost serve` is running, in addition to the pipe.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Receive {
    /// The address for LMTP, if enabled.
    pub lmtp: Option<LmtpAddress>,
    /// The maximum number of simultaneous LMTP sessions. Further clients are asked to try again later.
    pub sessions: usize,
    /// Seconds of silence after which an LMTP session is closed and `turnpost mail` stops reading (RFC 5321,
    /// 4.5.3.2.7: at least 300).
    pub idle: u64,
    /// A Maildir from which new mail is taken, if any; relative to the data directory.
    pub maildir: Option<PathBuf>,
    /// A mailbox at a provider from which mail is fetched, if any.
    pub imap: Option<Imap>,
    /// The name under which the delivering mail server writes `Authentication-Results` (RFC 8601). The mail server
    /// must remove headers that others wrote under this name. Without this setting, no such header is trusted.
    pub authserv_id: Option<String>,
}

impl Default for Receive {
    fn default() -> Self {
        Receive { lmtp: None, sessions: 32, idle: 300, maildir: None, imap: None, authserv_id: None }
    }
}

/// A mailbox on an IMAP server. No other program may use the mailbox, because turnpost processes every message in it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Imap {
    /// The server's name, which its certificate must match.
    pub host: String,
    /// The port; by default 993, or 143 if `tls` is not "wrapped".
    pub port: Option<u16>,
    /// How the connection is encrypted; "none" is valid only for a server on this machine.
    #[serde(default = "wrapped")]
    pub tls: Tls,
    /// Certificates (PEM) of the authority that signed the server's certificate, instead of the system's authorities.
    /// Relative to the data directory.
    pub ca_file: Option<PathBuf>,
    /// The login name.
    pub user: String,
    /// A file whose first line is the password, relative to the data directory. It is read at each login. Without it,
    /// the user logs in by OAuth.
    pub password_file: Option<PathBuf>,
    /// The mailbox from which mail is taken.
    #[serde(default = "inbox")]
    pub mailbox: String,
    /// The mailbox for processed mail. It is created if missing.
    #[serde(default = "folder")]
    pub folder: String,
    /// Whether to delete processed mail instead of moving it.
    #[serde(default)]
    pub delete: bool,
}

impl Imap {
    /// Returns the configured or default port.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.tls == Tls::Wrapped { 993 } else { 143 })
    }
}

fn wrapped() -> Tls {
    Tls::Wrapped
}

fn inbox() -> String {
    "INBOX".to_owned()
}

fn folder() -> String {
    "Turnpost".to_owned()
}

/// The address for LMTP. Only this machine may reach it, because its clients are trusted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum LmtpAddress {
    /// `unix:PATH`: a socket for its owner and group (mode 0660); relative to the data directory.
    Unix(PathBuf),
    /// `127.0.0.1:PORT` or `[::1]:PORT`.
    Loopback(SocketAddr),
    /// `systemd`: the socket of either kind that systemd passes to `serve`.
    Passed,
}

impl TryFrom<String> for LmtpAddress {
    type Error = String;

    fn try_from(text: String) -> Result<LmtpAddress, String> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(LmtpAddress::Unix(PathBuf::from(path)));
        }
        if text == "systemd" {
            return Ok(LmtpAddress::Passed);
        }
        match text.parse::<SocketAddr>() {
            Ok(address) if !address.ip().is_loopback() => {
                Err(format!("lmtp = {text:?} can be reached from other machines; use 127.0.0.1 or [::1]"))
            }
            // RFC 2033, section 5.
            Ok(address) if address.port() == 25 => Err(format!(
                "lmtp = {text:?} is the port of SMTP, which LMTP must not use; choose another, such as 2424"
            )),
            Ok(address) => Ok(LmtpAddress::Loopback(address)),
            Err(_) => Err(format!(
                "lmtp = {text:?} is not valid; use \"unix:PATH\", an address such as \"127.0.0.1:2424\", or \"systemd\""
            )),
        }
    }
}

fn default_sendmail() -> PathBuf {
    PathBuf::from("/usr/sbin/sendmail")
}

impl Config {
    /// Returns the location of the database of this data directory.
    pub fn location(&self, data: &Path) -> Location {
        sections::location(self.database.as_ref(), data)
    }
}

impl Default for Config {
    fn default() -> Self {
        Config {
            address: "turnpost@localhost".to_owned(),
            signed_senders: true,
            database: None,
            templates: None,
            transport: Transport::default(),
            receive: Receive::default(),
            oauth: None,
            web: Web::default(),
            backup: Backup::default(),
            metrics: Metrics::default(),
            robot: Robots::default(),
            games: BTreeMap::new(),
            events: Events::default(),
            policy: Policy::default(),
        }
    }
}

impl Config {
    /// Returns the files that the configuration names and the server reads, except templates, and the file with the
    /// refresh token.
    pub fn named_files(&self) -> Vec<&Path> {
        let transport = match &self.transport {
            Transport::Smtp { password_file, .. } => password_file.as_deref(),
            Transport::Maildir | Transport::Sendmail { .. } => None,
        };
        let imap = self.receive.imap.as_ref();
        let imap = imap.into_iter().flat_map(|imap| [imap.password_file.as_deref(), imap.ca_file.as_deref()]);
        let oauth = self.oauth.iter().flat_map(|oauth| [oauth.client_secret_file.as_deref(), Some(&*oauth.grant_file)]);
        imap.chain(oauth).chain([transport]).flatten().collect()
    }

    /// Returns the service of a server with this configuration.
    pub fn service(&self, world: World) -> Service<'_> {
        let authserv_id = self.receive.authserv_id.as_deref();
        Service { world, domain: self.domain(), policy: &self.policy, authserv_id }
    }

    /// Returns the part of the server's address after the `@`.
    pub fn domain(&self) -> &str {
        self.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain)
    }
}

#[cfg(test)]
mod tests;
