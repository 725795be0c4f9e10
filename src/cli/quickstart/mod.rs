//! `turnpost quickstart`: a new data directory with its configuration, and the files for the programs around it.

mod answers;
mod files;

use std::io::{self, BufRead};
use std::path::Path;

use anyhow::{bail, ensure};
use clap::{Args, ValueEnum};

use super::exit::{Exit, print};
use crate::config::Config;
use crate::serve::Instance;
use crate::world::World;
use answers::Answers;

/// The options of `turnpost quickstart`. What is not given is asked for.
#[derive(Args)]
pub(super) struct Quickstart {
    /// The server's own mail address, as turnpost@games.example
    #[arg(long)]
    address: Option<String>,
    /// How mail comes in, and letters leave
    #[arg(long, value_enum)]
    mail: Option<MailPath>,
    /// The provider's IMAP server (provider)
    #[arg(long, value_name = "HOST")]
    imap_host: Option<String>,
    /// The provider's SMTP server (provider)
    #[arg(long, value_name = "HOST")]
    smtp_host: Option<String>,
    /// The login name at the provider (provider) [default: the address]
    #[arg(long)]
    user: Option<String>,
    /// The public address of the pages, as https://games.example; empty: none
    #[arg(long)]
    url: Option<String>,
}

/// How mail comes in, and letters leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MailPath {
    /// A Postfix on this machine, by LMTP
    Postfix,
    /// A mailbox at a provider, by IMAP and SMTP
    Provider,
}

impl Quickstart {
    /// Asks for what is missing, writes the files and prints what to do next.
    pub(super) fn run(self, data: &Path, as_json: bool) -> anyhow::Result<Exit> {
        let configuration = data.join("turnpost.toml");
        ensure!(!configuration.exists(), "{} is there: this server is set up", configuration.display());
        let mut lines = io::stdin().lock().lines();
        let answers = Answers::ask(self, &mut || Ok(lines.next().transpose()?))?;
        let text = files::configuration(&answers);
        if let Some(problem) = Config::parse(&text, data).1.first() {
            bail!("{}", problem.what);
        }
        Instance::create(data, World::REAL)?;
        let steps = files::write(&answers, &text, &data.canonicalize()?)?;
        print(&if as_json { format!("{}\n", serde_json::json!({ "configuration": configuration })) } else { steps })?;
        Ok(Exit::Done)
    }
}
