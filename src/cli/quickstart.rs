//! `turnpost quickstart`: creates a data directory with its configuration, and files for related programs.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueEnum};
use minijinja::{Environment, context};
use toml::Value;

use super::exit::{ErrorWith, Exit, not_understood, print, refused, report};
use crate::config::{Config, commented};
use crate::serve::Instance;
use crate::world::World;

/// Returns whether the configuration file sets a key. A package installs a file that contains only comments.
fn is_set_up(configuration: &Path) -> anyhow::Result<bool> {
    let text = match fs::read_to_string(configuration) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        text => text.with_context(|| format!("cannot read {}", configuration.display()))?,
    };
    Ok(text.parse::<toml::Table>().map_or(true, |table| !table.is_empty()))
}

impl Quickstart {
    /// Asks for missing options, writes the files and prints the next steps.
    pub(crate) fn run(self, data: &Path, as_json: bool) -> anyhow::Result<Exit> {
        let configuration = data.join("turnpost.toml");
        if is_set_up(&configuration)? {
            return Err(refused(format_args!("{} exists: this server is already set up", configuration.display())));
        }
        let mut lines = io::stdin().lock().lines();
        let answers = Answers::ask(self, &mut || Ok(lines.next().transpose()?))?;
        let text = configuration_text(&answers);
        if let Some(problem) = Config::parse(&text, data).1.first() {
            return Err(not_understood(&problem.what));
        }
        Instance::create(data, World::REAL)?;
        let steps = write(&answers, &text, &data.canonicalize()?)?;
        print(&if as_json { format!("{}\n", serde_json::json!({ "configuration": configuration })) } else { steps })?;
        Ok(Exit::Done)
    }
}

/// The data directory that the packaged service files name.
const USUAL_DATA: &str = "/var/lib/turnpost";
const USUAL_PROGRAM: &str = "/usr/local/bin/turnpost";
/// The socket on which `turnpost serve` listens for Postfix.
const SOCKET: &str = "unix:/run/turnpost/lmtp.sock";
const PAGES: &str = "127.0.0.1:8080";

pub(crate) fn configuration_text(answers: &Answers) -> String {
    commented(&keys(answers))
}

/// Writes the files and returns the next steps.
pub(crate) fn write(answers: &Answers, configuration: &str, data: &Path) -> anyhow::Result<String> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let setup = data.join("setup");
    fs::create_dir_all(&setup).with_context(|| format!("cannot create {}", setup.display()))?;
    let place = |text: &str| {
        let text = text.replace(USUAL_PROGRAM, &program.to_string_lossy()).replace(USUAL_DATA, &data.to_string_lossy());
        text.replace("turnpost@games.example", answers.address.as_ref())
            .replace("games.example", answers.address.domain())
    };
    let mut files = vec![("turnpost.service", unit(answers, data, &place))];
    if matches!(answers.mail, MailSetup::Postfix) {
        files.extend([
            ("main.cf", place(include_str!("../../deploy/postfix/main.cf"))),
            ("master.cf", place(include_str!("../../deploy/postfix/master.cf"))),
            ("turnpost-transport", place(include_str!("../../deploy/postfix/turnpost-transport"))),
            ("tmpfiles.conf", "d /run/turnpost 2750 turnpost postfix\n".to_owned()),
        ]);
    }
    if let Some(url) = &answers.url {
        let host = url.split("://").last().unwrap_or(url);
        let caddy = include_str!("../../deploy/caddy/Caddyfile").replace("https://games.example.org", url);
        files.push(("Caddyfile", caddy.replace("games.example.org", host)));
    }
    for (name, text) in &files {
        create(&setup.join(name), text)?;
    }
    let steps = steps(answers, data, &setup, &program)?;
    create(&setup.join("README"), &steps)?;
    // Write the configuration last, because it marks the server as set up.
    create(&data.join("turnpost.toml"), configuration)?;
    Ok(steps)
}

/// Writes a file that only its owner can read. Overwrites a file from an earlier attempt that failed.
fn create(path: &PathBuf, text: &str) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the keys to set in the configuration, by their paths.
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
            // Few providers allow other sender addresses.
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

/// Returns the systemd unit. systemd creates only /var/lib/turnpost, so the unit lists any other data directory in
/// `ReadWritePaths`.
fn unit(answers: &Answers, data: &Path, place: &dyn Fn(&str) -> String) -> String {
    let packaged = include_str!("../../deploy/systemd/turnpost.service");
    // Omit the comment at the top about the installation, because the printed next steps explain it.
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
    let text = include_str!("../../deploy/quickstart/next-steps.txt");
    let steps = Environment::new().render_str(text, facts).context("the text of the next steps cannot be rendered")?;
    // Rendering drops the last line end.
    Ok(steps + "\n")
}

/// The options of the command, completed by the administrator's answers.
pub(crate) struct Answers {
    pub(crate) address: lettre::Address,
    pub(crate) mail: MailSetup,
    /// The public address of the pages, if any.
    pub(crate) url: Option<String>,
}

/// How mail arrives and how letters are sent.
pub(crate) enum MailSetup {
    Postfix,
    Provider { imap_host: String, smtp_host: String, user: String },
}

/// A function that returns the next line of standard input.
type NextLine<'a> = &'a mut dyn FnMut() -> anyhow::Result<Option<String>>;

impl Answers {
    /// Asks for missing options on standard error, and reads each answer with `line`.
    pub(crate) fn ask(given: Quickstart, line: NextLine<'_>) -> anyhow::Result<Answers> {
        let Quickstart { address, mail, imap_host, smtp_host, user, url } = given;
        let address = or_ask(address, "--address", "The server's mail address (turnpost@games.example)", None, line)?;
        let address: lettre::Address = address
            .parse()
            .map_err(|_| unclear(format!("{address:?} is not a mail address such as turnpost@games.example")))?;
        let mail = match mail {
            Some(mail) => mail,
            None => {
                let said =
                    or_ask(None, "--mail", "Mail by postfix (on this machine) or a provider", Some("postfix"), line)?;
                match MailPath::from_str(&said, true) {
                    Ok(mail) => mail,
                    Err(_) => return Err(unclear(format!("{said:?} is neither \"postfix\" nor \"provider\"")).into()),
                }
            }
        };
        let mail = match mail {
            MailPath::Postfix => MailSetup::Postfix,
            MailPath::Provider => MailSetup::Provider {
                imap_host: or_ask(imap_host, "--imap-host", "The provider's IMAP server", None, line)?,
                smtp_host: or_ask(smtp_host, "--smtp-host", "The provider's SMTP server", None, line)?,
                user: or_ask(user, "--user", "The login name there", Some(address.as_ref()), line)?,
            },
        };
        let url = or_ask(url, "--url", "The public address of the pages (https://…; empty: no pages)", Some(""), line)?;
        if url.starts_with("http://") {
            return Err(unclear(format!("{url:?} is not encrypted; write an address that starts with https://")).into());
        }
        Ok(Answers { address, mail, url: Some(url).filter(|url| !url.is_empty()) })
    }
}

/// Returns an option, or the answer to a question. An empty answer or the end of the input selects `usual`.
fn or_ask(
    given: Option<String>,
    option: &str,
    question: &str,
    usual: Option<&str>,
    line: NextLine<'_>,
) -> anyhow::Result<String> {
    if let Some(given) = given {
        return Ok(given);
    }
    let shown = usual.filter(|usual| !usual.is_empty()).map_or_else(String::new, |usual| format!(" [{usual}]"));
    report(format_args!("{question}{shown}:"));
    let answer = line()?.unwrap_or_default();
    match (answer.trim(), usual) {
        ("", Some(usual)) => Ok(usual.to_owned()),
        ("", None) => Err(unclear(format!("no answer was given; use {option}")).into()),
        (answer, _) => Ok(answer.to_owned()),
    }
}

fn unclear(why: String) -> ErrorWith {
    ErrorWith(Exit::NotUnderstood, why)
}

/// The options of `turnpost quickstart`. It asks for missing ones.
#[derive(Args)]
pub(crate) struct Quickstart {
    /// The server's own mail address, for example turnpost@games.example
    #[arg(long)]
    pub(crate) address: Option<String>,
    /// How mail arrives and letters are sent [default: postfix]
    #[arg(long, value_enum)]
    pub(crate) mail: Option<MailPath>,
    /// The provider's IMAP server, with --mail provider
    #[arg(long, value_name = "HOST")]
    pub(crate) imap_host: Option<String>,
    /// The provider's SMTP server, with --mail provider
    #[arg(long, value_name = "HOST")]
    pub(crate) smtp_host: Option<String>,
    /// The login name at the provider, with --mail provider [default: the address]
    #[arg(long)]
    pub(crate) user: Option<String>,
    /// The public address of the web pages, which begins with https. If it is empty, there are no pages
    #[arg(long)]
    pub(crate) url: Option<String>,
}

/// How mail arrives, and letters are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MailPath {
    /// Postfix on this machine, by LMTP
    Postfix,
    /// A mailbox at a provider, by IMAP and SMTP
    Provider,
}
