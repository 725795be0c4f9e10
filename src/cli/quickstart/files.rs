//! The files of a new server: its configuration, and those for related programs, derived from the files in `deploy`.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use minijinja::{Environment, context};
use toml::Value;

use super::answers::{Answers, MailSetup};
use crate::config::commented;

/// The data directory in the packaged files.
const USUAL_DATA: &str = "/var/lib/turnpost";
const USUAL_PROGRAM: &str = "/usr/local/bin/turnpost";
/// The socket on which `turnpost serve` listens for Postfix.
const SOCKET: &str = "unix:/run/turnpost/lmtp.sock";
const PAGES: &str = "127.0.0.1:8080";

/// Returns the configuration.
pub(crate) fn configuration(answers: &Answers) -> String {
    commented(&keys(answers))
}

/// Writes the files and returns the next steps.
pub(crate) fn write(answers: &Answers, configuration: &str, data: &Path) -> anyhow::Result<String> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let setup = data.join("setup");
    fs::create_dir_all(&setup).with_context(|| format!("cannot make {}", setup.display()))?;
    let place = |text: &str| {
        let text = text.replace(USUAL_PROGRAM, &program.to_string_lossy()).replace(USUAL_DATA, &data.to_string_lossy());
        text.replace("turnpost@games.example", answers.address.as_ref())
            .replace("games.example", answers.address.domain())
    };
    let mut files = vec![("turnpost.service", unit(answers, data, &place))];
    if matches!(answers.mail, MailSetup::Postfix) {
        files.extend([
            ("main.cf", place(include_str!("../../../deploy/postfix/main.cf"))),
            ("master.cf", place(include_str!("../../../deploy/postfix/master.cf"))),
            ("turnpost-transport", place(include_str!("../../../deploy/postfix/turnpost-transport"))),
            ("tmpfiles.conf", "d /run/turnpost 2750 turnpost postfix\n".to_owned()),
        ]);
    }
    if let Some(url) = &answers.url {
        let host = url.split("://").last().unwrap_or(url);
        let caddy = include_str!("../../../deploy/caddy/Caddyfile").replace("https://games.example.org", url);
        files.push(("Caddyfile", caddy.replace("games.example.org", host)));
    }
    for (name, text) in &files {
        create(&setup.join(name), text)?;
    }
    let steps = steps(answers, data, &setup, &program)?;
    create(&setup.join("README"), &steps)?;
    // Written last, because it marks the server as set up.
    create(&data.join("turnpost.toml"), configuration)?;
    Ok(steps)
}

/// Writes a file that only its owner can read. Replaces the file of a failed attempt.
fn create(path: &PathBuf, text: &str) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the configured keys by their paths.
fn keys(answers: &Answers) -> BTreeMap<&'static str, Value> {
    let mut keys: BTreeMap<&str, Value> = BTreeMap::new();
    let text = |text: &str| Value::from(text);
    keys.insert("address", text(answers.address.as_ref()));
    keys.insert("transport.kind", text("smtp"));
    match &answers.mail {
        MailSetup::Postfix => {
            keys.insert("transport.host", text("127.0.0.1"));
            keys.insert("transport.port", Value::from(25));
            keys.insert("transport.tls", text("none"));
            keys.insert("receive.lmtp", text(SOCKET));
        }
        MailSetup::Provider { imap_host, smtp_host, user } => {
            // Few providers let customers send under other addresses.
            keys.insert("signed_senders", Value::from(false));
            keys.insert("transport.host", text(smtp_host));
            keys.insert("transport.user", text(user));
            keys.insert("transport.password_file", text("smtp-password"));
            keys.insert("receive.imap.host", text(imap_host));
            keys.insert("receive.imap.user", text(user));
            keys.insert("receive.imap.password_file", text("imap-password"));
        }
    }
    if let Some(url) = &answers.url {
        keys.insert("web.listen", text(PAGES));
        keys.insert("web.url", text(url));
        keys.insert("web.proxies", Value::Array(vec![text("127.0.0.1"), text("::1")]));
    }
    keys
}

/// Returns the systemd unit. Only /var/lib/turnpost is a state directory; any other must be made writable.
fn unit(answers: &Answers, data: &Path, place: &dyn Fn(&str) -> String) -> String {
    let packaged = include_str!("../../../deploy/systemd/turnpost.service");
    // The comment above it explains the installation, which is part of the next steps.
    let mut unit = packaged.find("[Unit]").map_or(packaged, |begin| &packaged[begin..]).to_owned();
    let mut writable = Vec::new();
    if data != Path::new(USUAL_DATA) {
        unit = unit.replace("StateDirectory=turnpost\nStateDirectoryMode=0700\n", "");
        writable.push(data.to_string_lossy().into_owned());
    }
    if matches!(answers.mail, MailSetup::Postfix) {
        writable.push("/run/turnpost".to_owned());
    }
    if !writable.is_empty() {
        let strict = "ProtectSystem=strict\n";
        unit = unit.replace(strict, &format!("{strict}ReadWritePaths={}\n", writable.join(" ")));
    }
    place(&unit)
}

/// Returns the next steps for the administrator.
fn steps(answers: &Answers, data: &Path, setup: &Path, program: &Path) -> anyhow::Result<String> {
    let provider = match &answers.mail {
        MailSetup::Postfix => None,
        MailSetup::Provider { imap_host, smtp_host, .. } => Some(context! { imap_host, smtp_host }),
    };
    let facts = context! {
        address => answers.address.as_ref() as &str,
        domain => answers.address.domain(),
        url => &answers.url,
        data => data.to_string_lossy(),
        setup => setup.to_string_lossy(),
        program => program.to_string_lossy(),
        provider,
    };
    let text = include_str!("../../../deploy/quickstart/next-steps.txt");
    let steps = Environment::new().render_str(text, facts).context("the text of the next steps cannot be rendered")?;
    // Rendering drops the last line end.
    Ok(steps + "\n")
}
