//! Reads the configuration, and checks the values beyond their types.

use std::io::ErrorKind;
use std::path::Path;

use super::oauth::is_this_machine;
use super::problems::ConfigError;
use super::problems::{Document, Problem};
use super::sections;
use super::{Config, Imap, LmtpAddress, OAuth, Tls, Transport};
use crate::service::Policy;

/// The maximum length of the pages' address in bytes.
const MAX_URL: usize = 200;

impl Config {
    /// Reads `turnpost.toml` of the data directory; returns the defaults if it does not exist.
    ///
    /// # Errors
    /// If the file cannot be read, or contains faults. Lists each fault with its line and key.
    pub fn read(data: &Path) -> anyhow::Result<Config> {
        let path = data.join("turnpost.toml");
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Config::default()),
            Err(error) => return Err(ConfigError::Unreadable { path, error }.into()),
        };
        match Config::parse(&text, data) {
            (Some(config), problems) if problems.is_empty() => Ok(config),
            (_, problems) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                Err(ConfigError::Wrong(format!("{}: {}", path.display(), problems.join("; "))).into())
            }
        }
    }

    /// Parses a configuration whose paths are relative to the data directory. Reports all faults. Still returns the
    /// valid rest if it is usable without them.
    pub fn parse(text: &str, data: &Path) -> (Option<Config>, Vec<Problem>) {
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(problems) => return (None, problems),
        };
        let (config, mut problems) = document.read::<Config>();
        let config = config.map(|mut config| {
            let faults = config.faults().into_iter();
            problems.extend(faults.map(|(path, what)| Problem { line: document.line(path), what }));
            config.complete(data);
            config
        });
        problems.sort_by_key(|problem| problem.line);
        (config, problems)
    }

    /// Returns the faults in the values, with the paths of their keys.
    fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let mut add = |path: &'static str, what: String| faults.push((path, what));
        if self.address.parse::<lettre::Address>().is_err() {
            add("address", format!("address = {:?} is not a mail address", self.address));
        }
        let counts = [
            ("receive.sessions", self.receive.sessions == 0),
            ("receive.idle", self.receive.idle == 0),
            ("backup.every", self.backup.every == 0),
            ("backup.keep", self.backup.keep == 0),
            ("metrics.stalled_after", self.metrics.stalled_after == 0),
        ];
        for (path, _) in counts.into_iter().filter(|(_, is_zero)| *is_zero) {
            add(path, format!("{path} must be at least 1"));
        }
        if (1..Policy::KEPT_LETTERS).contains(&self.policy.keep_letters) {
            let least = Policy::KEPT_LETTERS;
            add(
                "policy.keep_letters",
                format!("keep_letters must be 0 or at least {least}: bounces count for as long"),
            );
        }
        if self.database.is_some() && self.backup.directory.is_some() {
            let what = "backups are made of a file; back up the PostgreSQL database with its own means (pg_dump)";
            add("backup.directory", what.to_owned());
        }
        if let Some(url) = &self.web.url {
            let plain = url.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'<' | b'>' | b'"'));
            let has_scheme = ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme));
            if !plain || !has_scheme || url.trim_end_matches('/').len() > MAX_URL {
                add(
                    "web.url",
                    format!("url = {url:?} of [web] is not an address such as \"https://games.example.org\""),
                );
            }
        }
        if let (Some(web), Some(metrics)) = (self.web.listen, self.metrics.listen)
            && web == metrics
            && web.port() != 0
        {
            add("metrics.listen", format!("listen = \"{metrics}\" of [metrics] is that of [web]; take another port"));
        }
        faults.extend(self.robot.faults());
        faults.extend(sections::faults(&self.games));
        faults.extend(self.receive.imap.as_ref().into_iter().flat_map(Imap::faults));
        faults.extend(self.login_faults());
        faults
    }

    /// Returns the faults in the login settings, with the paths of their keys.
    fn login_faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = self.oauth.as_ref().map(OAuth::faults).unwrap_or_default();
        let mut add = |path: &'static str, what: String| faults.push((path, what));
        let mut is_used = false;
        if let Transport::Smtp { user: Some(_), password_file: None, host, tls, .. } = &self.transport {
            is_used = true;
            if self.oauth.is_none() {
                add("transport.user", "[transport] has a user, so it needs a password_file or [oauth]".to_owned());
            } else if *tls == Tls::None && !is_this_machine(host) {
                let what = format!("tls = \"none\" would send the access token to {host:?} readable by all");
                add("transport.tls", what);
            }
        }
        if self.receive.imap.as_ref().is_some_and(|imap| imap.password_file.is_none()) {
            is_used = true;
            if self.oauth.is_none() {
                add("receive.imap.password_file", "[receive.imap] needs a password_file or [oauth]".to_owned());
            }
        }
        if self.oauth.is_some() && !is_used {
            let what =
                "[oauth] is not used; it applies to a user of [transport] or [receive.imap] without a password_file";
            add("oauth", what.to_owned());
        }
        faults
    }

    /// Makes paths absolute, and normalizes the pages' address.
    fn complete(&mut self, data: &Path) {
        let complete = |path: &mut std::path::PathBuf| *path = data.join(&*path);
        self.policy.robots = self.robot.levels;
        self.policy.player_events = self.events.players;
        self.policy.engines = self.robot.players();
        self.policy.default_options = sections::default_options(&self.games);
        self.templates.iter_mut().for_each(complete);
        self.backup.directory.iter_mut().for_each(complete);
        self.receive.maildir.iter_mut().for_each(complete);
        if let Transport::Smtp { password_file: Some(file), .. } = &mut self.transport {
            complete(file);
        }
        if let Some(LmtpAddress::Unix(socket)) = &mut self.receive.lmtp {
            complete(socket);
        }
        if let Some(imap) = &mut self.receive.imap {
            imap.password_file.iter_mut().for_each(complete);
            imap.ca_file.iter_mut().for_each(complete);
        }
        if let Some(oauth) = &mut self.oauth {
            oauth.client_secret_file.iter_mut().for_each(complete);
            oauth.grant_file = data.join("oauth.json");
        }
        if let Some(url) = &mut self.web.url {
            url.truncate(url.trim_end_matches('/').len());
        }
    }
}

impl Imap {
    /// Returns the faults in the values, with the paths of their keys.
    fn faults(&self) -> Vec<(&'static str, String)> {
        let mut faults = Vec::new();
        let Imap { host, tls, mailbox, folder, .. } = self;
        if *tls == Tls::None && !is_this_machine(host) {
            let what = format!("tls = \"none\" would send the password to {host:?} readable by all; take \"wrapped\"");
            faults.push(("receive.imap.tls", what));
        }
        for (path, name) in [("receive.imap.mailbox", mailbox), ("receive.imap.folder", folder)] {
            if name.is_empty() || !name.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
                let what = format!("{name:?} is not a mailbox name; write it as the IMAP server does, in ASCII");
                faults.push((path, what));
            }
        }
        if !self.delete && mailbox.eq_ignore_ascii_case(folder) {
            let what = format!("processed mail must be moved out of {mailbox:?}; name another folder");
            faults.push(("receive.imap.folder", what));
        }
        faults
    }
}

/// Returns the line of a key, or of its table, in a valid configuration.
pub fn line_of(text: &str, path: &str) -> Option<usize> {
    Document::parse(text).ok()?.line(path)
}
