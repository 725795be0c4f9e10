//! The data directory and what its configuration says.
//!
//! `DIR/turnpost.toml`, when there is one; every key has a default, so that none is needed:
//!
//! ```toml
//! address = "turnpost@localhost"   # From of every letter; its domain ends the Message-IDs
//! signed_senders = true            # each letter under an envelope sender of its own
//! templates = "/etc/turnpost/templates"   # overrides the embedded templates, file by file
//! [transport]
//! kind = "maildir"                 # DIR/outgoing; or "sendmail", or "smtp"
//! # command = "/usr/sbin/sendmail" # of sendmail
//! # host = "mail.example.org"      # of smtp; with port, tls ("none", "starttls", "wrapped"), user, password_file
//! [receive]                        # what serve listens to and watches, besides the pipe; see Receive
//! lmtp = "unix:lmtp.sock"          # or "127.0.0.1:2424"
//! maildir = "/var/mail/turnpost"
//! [receive.imap]                   # a mailbox at a provider; see Imap
//! host = "imap.example.org"
//! user = "turnpost@example.org"
//! password_file = "imap-password"
//! [web]                            # see Web
//! listen = "127.0.0.1:8080"
//! url = "https://games.example.org"
//! proxies = ["127.0.0.1", "::1"]   # who may say for whom it asks; none by default
//! [policy]                          # see Policy
//! nagtime = 7
//! ```

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ipnet::IpNet;
use serde::Deserialize;

use crate::service::{Policy, Service};
use crate::world::World;

/// What the configuration says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// `From` of every letter.
    pub address: String,
    /// Whether letters leave under an envelope sender of their own each, `turnpost+b-…@domain`, so that a bounce says
    /// what it is of. Not every provider lets its customers do that.
    pub signed_senders: bool,
    /// A directory that overrides the embedded templates, file by file; relative to the data directory.
    pub templates: Option<PathBuf>,
    /// How letters leave.
    pub transport: Transport,
    /// How mail comes in, besides the pipe.
    pub receive: Receive,
    /// Where pages are served.
    pub web: Web,
    /// Limits and standard settings of boards and players.
    #[serde(alias = "house")]
    pub policy: Policy,
}

/// Where pages are served while `turnpost serve` is at work.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// Where it listens for HTTP, if it does: a port of this machine alone, unless you put something before it.
    pub listen: Option<SocketAddr>,
    /// What the world types to reach it, by a proxy that speaks TLS; links in letters begin with it.
    pub url: Option<String>,
    /// The proxies that are believed when they say for whom they ask, by `X-Forwarded-For`, `-Proto` and `-Host`; they
    /// must overwrite what their clients write there themselves. Nobody is believed unasked: all clients of a proxy
    /// then count as one.
    pub proxies: Vec<Network>,
    /// Whether players' webhooks may be plain HTTP and lead to addresses that only this machine or its network reaches:
    /// where all players are trusted.
    pub private_webhooks: bool,
}

impl Web {
    /// Whether players reach the pages by TLS.
    pub fn is_https(&self) -> bool {
        self.url.as_ref().is_some_and(|url| url.to_ascii_lowercase().starts_with("https://"))
    }

    /// Whether this is the origin of the pages (RFC 6454) as players reach them.
    pub fn has_origin(&self, origin: &str) -> bool {
        let Some((scheme, rest)) = self.url.as_ref().and_then(|url| url.split_once("://")) else { return false };
        let host = rest.split('/').next().unwrap_or_default();
        let default_port = if self.is_https() { ":443" } else { ":80" };
        let own = format!("{scheme}://{}", host.strip_suffix(default_port).unwrap_or(host));
        own.eq_ignore_ascii_case(origin)
    }
}

/// `127.0.0.1`, or a network such as `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Network(IpNet);

impl Network {
    /// Whether this address belongs to it.
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
                Err(format!("proxies: {text:?} would believe everybody, whatever he says; name your proxy"))
            }
            Ok(network) => Ok(Network(network)),
            Err(_) => {
                Err(format!("proxies: {text:?} is neither an address as \"127.0.0.1\" nor a network as \"10.0.0.0/8\""))
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

/// How letters leave.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Transport {
    /// Files in the Maildir `outgoing/` of the data directory.
    #[default]
    Maildir,
    /// A sendmail program.
    Sendmail {
        /// Its path.
        #[serde(default = "default_sendmail")]
        command: PathBuf,
    },
    /// An SMTP server.
    Smtp {
        /// Its name.
        host: String,
        /// Its port; by default 25, 587 or 465 as `tls` says.
        port: Option<u16>,
        /// Whether and how the connection is encrypted.
        #[serde(default)]
        tls: Tls,
        /// The login name, if one is needed.
        user: Option<String>,
        /// A file whose first line is the login's password; relative to the data directory.
        password_file: Option<PathBuf>,
    },
}

/// How a connection to a mail server is encrypted.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Tls {
    /// Not at all: for a server on this machine.
    None,
    /// STARTTLS, required (port 587 of SMTP, 143 of IMAP).
    #[default]
    Starttls,
    /// From the first byte (port 465 of SMTP, 993 of IMAP).
    Wrapped,
}

/// How mail comes in while `turnpost serve` is at work, besides the pipe.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Receive {
    /// Where it listens for LMTP, if it does.
    pub lmtp: Option<LmtpAddress>,
    /// The most LMTP sessions at a time; the next is asked to come again.
    pub sessions: usize,
    /// Seconds without a word behind which an LMTP session is closed (RFC 5321, 4.5.3.2.7: at least 300).
    pub idle: u64,
    /// A Maildir whose new mails are taken, if there is one; relative to the data directory.
    pub maildir: Option<PathBuf>,
    /// A mailbox at a provider, if mail is fetched from one.
    pub imap: Option<Imap>,
    /// The name under which the mail server that hands mail over writes `Authentication-Results` (RFC 8601), and takes
    /// away what others have written under it. Without one, no such header is believed.
    pub authserv_id: Option<String>,
}

impl Default for Receive {
    fn default() -> Self {
        Receive { lmtp: None, sessions: 32, idle: 300, maildir: None, imap: None, authserv_id: None }
    }
}

/// A mailbox of an IMAP server, which is for this server alone: whatever is in it is taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Imap {
    /// The server's name, which its certificate must be for.
    pub host: String,
    /// Its port; by default 993, or 143 where `tls` is not "wrapped".
    pub port: Option<u16>,
    /// Whether and how the connection is encrypted; "none" only to this machine.
    #[serde(default = "wrapped")]
    pub tls: Tls,
    /// Certificates (PEM) of the authority that signs the server's, in place of those that the system trusts; relative
    /// to the data directory.
    pub ca_file: Option<PathBuf>,
    /// The login name.
    pub user: String,
    /// A file whose first line is the login's password; relative to the data directory. It is read at each login.
    pub password_file: PathBuf,
    /// The mailbox whose mails are taken.
    #[serde(default = "inbox")]
    pub mailbox: String,
    /// The mailbox into which a mail is moved that was taken; made when there is none.
    #[serde(default = "folder")]
    pub folder: String,
    /// Deletes mails that were taken, in place of moving them.
    #[serde(default)]
    pub delete: bool,
}

impl Imap {
    /// The port, given or usual.
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(if self.tls == Tls::Wrapped { 993 } else { 143 })
    }

    /// What is wrong with it.
    fn check(&self) -> Result<(), String> {
        let Imap { host, tls, mailbox, folder, .. } = self;
        let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if *tls == Tls::None && !here {
            return Err(format!(
                "tls = \"none\" would send the password to {host:?} readable by all; take \"wrapped\""
            ));
        }
        for name in [mailbox, folder] {
            if name.is_empty() || !name.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
                return Err(format!("{name:?} is no mailbox's name: write it as the IMAP server does, in ASCII"));
            }
        }
        if !self.delete && mailbox.eq_ignore_ascii_case(folder) {
            return Err(format!("a mail that was taken must leave {mailbox:?}; name another folder"));
        }
        Ok(())
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

/// Where LMTP is listened for: a place that only this machine reaches, since whoever reaches it is believed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum LmtpAddress {
    /// `unix:PATH`: a socket for its owner and group (mode 0660); relative to the data directory.
    Unix(PathBuf),
    /// `127.0.0.1:PORT` or `[::1]:PORT`.
    Loopback(SocketAddr),
}

impl TryFrom<String> for LmtpAddress {
    type Error = String;

    fn try_from(text: String) -> Result<LmtpAddress, String> {
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(LmtpAddress::Unix(PathBuf::from(path)));
        }
        match text.parse::<SocketAddr>() {
            Ok(address) if !address.ip().is_loopback() => {
                Err(format!("lmtp = {text:?} can be reached from other machines; take 127.0.0.1 or [::1]"))
            }
            // RFC 2033, section 5.
            Ok(address) if address.port() == 25 => {
                Err(format!("lmtp = {text:?} is the port of SMTP, which LMTP must not use; take another, as 2424"))
            }
            Ok(address) => Ok(LmtpAddress::Loopback(address)),
            Err(_) => Err(format!("lmtp = {text:?} is neither \"unix:PATH\" nor an address as \"127.0.0.1:2424\"")),
        }
    }
}

fn default_sendmail() -> PathBuf {
    PathBuf::from("/usr/sbin/sendmail")
}

impl Default for Config {
    fn default() -> Self {
        Config {
            address: "turnpost@localhost".to_owned(),
            signed_senders: true,
            templates: None,
            transport: Transport::default(),
            receive: Receive::default(),
            web: Web::default(),
            policy: Policy::default(),
        }
    }
}

impl Config {
    /// Reads `turnpost.toml` of the data directory; the defaults when there is none.
    ///
    /// # Errors
    /// The file cannot be read, or says something unknown: with the line and the key.
    pub fn read(data: &Path) -> anyhow::Result<Config> {
        let path = data.join("turnpost.toml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
            Err(error) => anyhow::bail!("cannot read {}: {error}", path.display()),
        };
        let mut config: Config =
            toml::from_str(&text).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        anyhow::ensure!(
            config.address.parse::<lettre::Address>().is_ok(),
            "{}: address = {:?} is not a mail address",
            path.display(),
            config.address
        );
        config.templates = config.templates.map(|templates| data.join(templates));
        if let Transport::Smtp { password_file: Some(file), .. } = &mut config.transport {
            *file = data.join(&*file);
        }
        if let Some(LmtpAddress::Unix(socket)) = &mut config.receive.lmtp {
            *socket = data.join(&*socket);
        }
        config.receive.maildir = config.receive.maildir.map(|maildir| data.join(maildir));
        if let Some(imap) = &mut config.receive.imap {
            imap.check().map_err(|error| anyhow::anyhow!("{}: [receive.imap]: {error}", path.display()))?;
            imap.password_file = data.join(&imap.password_file);
            imap.ca_file = imap.ca_file.as_ref().map(|file| data.join(file));
        }
        if let Some(url) = &mut config.web.url {
            while url.ends_with('/') {
                url.pop();
            }
            let plain = url.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"'));
            anyhow::ensure!(
                plain && url.len() <= 200 && ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme)),
                "{}: url = {url:?} of [web] is not an address such as \"https://games.example.org\"",
                path.display()
            );
        }
        anyhow::ensure!(
            config.receive.sessions > 0 && config.receive.idle > 0,
            "{}: sessions and idle of [receive] must be at least 1",
            path.display()
        );
        Ok(config)
    }

    /// The service of a server with this configuration.
    pub fn service(&self, world: World) -> Service<'_> {
        let authserv_id = self.receive.authserv_id.as_deref();
        Service { world, domain: self.domain(), policy: &self.policy, authserv_id }
    }

    /// What follows the `@` of the server's address.
    pub fn domain(&self) -> &str {
        self.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Config> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("turnpost.toml"), text).unwrap();
        Config::read(dir.path())
    }

    #[test]
    fn the_example_is_read() {
        let config = read(include_str!("../deploy/turnpost.example.toml")).unwrap();
        assert_eq!(config.domain(), "example.org");
        assert!(matches!(config.transport, Transport::Smtp { tls: Tls::Starttls, .. }), "{config:?}");
        // It shows the defaults, and every key.
        let standard = Policy { administrators: vec!["alice".to_owned()], ..Policy::default() };
        assert_eq!(format!("{:?}", config.policy), format!("{standard:?}"));
        let policy = include_str!("../deploy/turnpost.example.toml").split("[policy]").nth(1).unwrap();
        assert_eq!(format!("{:?}", config.receive), format!("{:?}", Receive::default()));
        let keys: Vec<&str> = policy.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        let all = ["nagtime", "forfeittime", "totaltime", "vacation_days", "unanswered"];
        let limits = [
            "letters_to_stranger",
            "answers_to_stranger",
            "letters_from_source",
            "shortest_password",
            "robots",
            "administrators",
        ];
        assert_eq!(keys, [&all[..], &limits].concat());
    }

    #[test]
    fn the_examples_of_the_manual_are_read() {
        let manual = include_str!("../docs/operating.md");
        let examples: Vec<&str> =
            manual.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        let [provider, web] = examples[..] else { panic!("{examples:?}") };
        let config = read(provider).unwrap();
        assert!(matches!(config.transport, Transport::Smtp { tls: Tls::Starttls, .. }), "{config:?}");
        assert_eq!(config.receive.imap.unwrap().host, "imap.example.org");
        assert_eq!(read(web).unwrap().web.proxies.len(), 2);
    }

    #[test]
    fn a_wrong_key_is_named() {
        let error = read("adress = \"turnpost@example.org\"").unwrap_err().to_string();
        assert!(error.contains("adress") && error.contains("turnpost.toml"), "{error}");
        let error = read("address = \"nobody\"").unwrap_err().to_string();
        assert!(error.contains("\"nobody\" is not a mail address"), "{error}");
    }

    #[test]
    fn lmtp_listens_only_where_this_machine_reaches_it() {
        let lmtp =
            |value: &str| read(&format!("[receive]\nlmtp = {value:?}")).map(|config| config.receive.lmtp.unwrap());
        assert!(matches!(lmtp("unix:lmtp.sock").unwrap(), LmtpAddress::Unix(path) if path.is_absolute()));
        let absolute = PathBuf::from("/run/turnpost/lmtp.sock");
        assert_eq!(lmtp("unix:/run/turnpost/lmtp.sock").unwrap(), LmtpAddress::Unix(absolute));
        for address in ["127.0.0.1:2424", "127.9.9.9:0", "[::1]:2424"] {
            assert_eq!(lmtp(address).unwrap(), LmtpAddress::Loopback(address.parse().unwrap()));
        }
        for (wrong, says) in [
            ("0.0.0.0:2424", "other machines"),
            ("192.0.2.1:2424", "other machines"),
            ("[::]:2424", "other machines"),
            ("127.0.0.1:25", "must not use"),
            ("localhost:2424", "neither"),
            ("unix:", "neither"),
            ("", "neither"),
        ] {
            let error = lmtp(wrong).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("turnpost.toml"), "{wrong}: {error}");
        }
        assert!(read("[receive]\nsessions = 0").is_err());
    }

    #[test]
    fn a_proxy_is_an_address_or_a_network() {
        let proxies = |value: &str| read(&format!("[web]\nproxies = {value}")).map(|config| config.web.proxies);
        assert!(read("").unwrap().web.proxies.is_empty(), "nobody is believed unasked");
        let holds = |value: &str, address: &str| proxies(value).unwrap()[0].holds(address.parse().unwrap());
        assert!(holds("[\"127.0.0.1\"]", "127.0.0.1") && !holds("[\"127.0.0.1\"]", "127.0.0.2"));
        assert!(holds("[\"10.0.0.0/8\"]", "10.9.9.9") && holds("[\"10.0.0.0/8\"]", "::ffff:10.9.9.9"));
        assert!(holds("[\"fd00::/8\"]", "fd12::1") && !holds("[\"fd00::/8\"]", "fe80::1"));
        for (wrong, says) in [
            ("[\"localhost\"]", "neither an address"),
            ("[\"10.0.0.0/33\"]", "neither an address"),
            ("[\"\"]", "neither an address"),
            ("[\"0.0.0.0/0\"]", "would believe everybody"),
            ("[\"::/0\"]", "would believe everybody"),
            ("\"127.0.0.1\"", "sequence"),
        ] {
            let error = proxies(wrong).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("turnpost.toml"), "{wrong}: {error}");
        }
        // The example shows the usual ones.
        let example = include_str!("../deploy/turnpost.example.toml");
        let line = example.lines().find_map(|line| line.strip_prefix("# proxies = ")).unwrap();
        assert_eq!(proxies(line.split('#').next().unwrap()).unwrap().len(), 2);
    }

    #[test]
    fn imap_needs_little_and_refuses_what_is_dangerous() {
        let imap = |more: &str| {
            let text = "[receive.imap]\nuser = \"turnpost\"\npassword_file = \"imap-password\"\n";
            read(&format!("{text}{more}")).map(|config| config.receive.imap.unwrap())
        };
        let least = imap("host = \"imap.example.org\"").unwrap();
        assert!(least.password_file.is_absolute() && least.tls == Tls::Wrapped && !least.delete, "{least:?}");
        assert_eq!((least.port(), least.mailbox.as_str(), least.folder.as_str()), (993, "INBOX", "Turnpost"));
        assert_eq!(imap("host = \"imap.example.org\"\ntls = \"starttls\"").unwrap().port(), 143);
        for host in ["localhost", "127.0.0.1", "::1"] {
            assert_eq!(imap(&format!("host = {host:?}\ntls = \"none\"")).unwrap().port(), 143);
        }
        for (wrong, says) in [
            ("host = \"imap.example.org\"\ntls = \"none\"", "readable by all"),
            ("host = \"h\"\nfolder = \"inbox\"", "must leave"),
            ("host = \"h\"\nfolder = \"\"", "no mailbox's name"),
            ("host = \"h\"\nmailbox = \"Entwürfe\"", "no mailbox's name"),
            ("host = \"h\"\npassword = \"secret\"", "unknown field"),
            ("", "missing field"),
        ] {
            let error = imap(wrong).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains("turnpost.toml"), "{wrong}: {error}");
        }
        assert!(imap("host = \"h\"\nfolder = \"INBOX\"\ndelete = true").is_ok());
        // The example shows every key.
        let example = include_str!("../deploy/turnpost.example.toml").split("# [receive.imap]").nth(1).unwrap();
        let table = example.lines().skip(1).map_while(|line| line.strip_prefix("# "));
        let table = table.collect::<Vec<_>>().join("\n");
        let shown = read(&format!("[receive.imap]\n{table}")).unwrap().receive.imap.unwrap();
        let default = imap("host = \"imap.example.org\"").unwrap();
        assert_eq!((shown.tls, shown.port(), shown.delete), (default.tls, default.port(), default.delete));
        assert_eq!((shown.mailbox, shown.folder), (default.mailbox, default.folder));
    }

    #[test]
    fn without_a_file_the_defaults_count() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Config::read(dir.path()).unwrap().transport, Transport::Maildir));
    }
}
