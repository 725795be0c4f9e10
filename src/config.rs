//! The data directory and what its configuration says.
//!
//! `DIR/turnpost.toml`, when there is one; every key has a default, so that none is needed:
//!
//! ```toml
//! address = "turnpost@localhost"   # From of every letter; its domain ends the Message-IDs
//! templates = "/etc/turnpost/templates"   # overrides the embedded templates, file by file
//! [transport]
//! kind = "maildir"                 # DIR/outgoing; or "sendmail", or "smtp"
//! # command = "/usr/sbin/sendmail" # of sendmail
//! # host = "mail.example.org"      # of smtp; with port, tls ("none", "starttls", "wrapped"), user, password_file
//! [house]                          # see HouseRules
//! nagtime = 7
//! ```

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::desk::{Desk, HouseRules};
use crate::world::World;

/// What the configuration says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// `From` of every letter.
    pub address: String,
    /// A directory that overrides the embedded templates, file by file; relative to the data directory.
    pub templates: Option<PathBuf>,
    /// How letters leave.
    pub transport: Transport,
    /// Limits and standard settings of boards and players.
    pub house: HouseRules,
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

/// How an SMTP connection is encrypted.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Tls {
    /// Not at all: for a server on this machine.
    None,
    /// STARTTLS, required (port 587).
    #[default]
    Starttls,
    /// From the first byte (port 465).
    Wrapped,
}

fn default_sendmail() -> PathBuf {
    PathBuf::from("/usr/sbin/sendmail")
}

impl Default for Config {
    fn default() -> Self {
        Config {
            address: "turnpost@localhost".to_owned(),
            templates: None,
            transport: Transport::default(),
            house: HouseRules::default(),
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
        Ok(config)
    }

    /// The desk of a server with this configuration.
    pub fn desk(&self, world: World) -> Desk<'_> {
        Desk { world, domain: self.domain(), house: &self.house }
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
        let standard = HouseRules { administrators: vec!["alice".to_owned()], ..HouseRules::default() };
        assert_eq!(format!("{:?}", config.house), format!("{standard:?}"));
        let house = include_str!("../deploy/turnpost.example.toml").split("[house]").nth(1).unwrap();
        let keys: Vec<&str> = house.lines().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        let all = ["nagtime", "forfeittime", "totaltime", "vacation_days", "unanswered", "administrators"];
        assert_eq!(keys, all);
    }

    #[test]
    fn a_wrong_key_is_named() {
        let error = read("adress = \"turnpost@example.org\"").unwrap_err().to_string();
        assert!(error.contains("adress") && error.contains("turnpost.toml"), "{error}");
        let error = read("address = \"nobody\"").unwrap_err().to_string();
        assert!(error.contains("\"nobody\" is not a mail address"), "{error}");
    }

    #[test]
    fn without_a_file_the_defaults_count() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Config::read(dir.path()).unwrap().transport, Transport::Maildir));
    }
}
