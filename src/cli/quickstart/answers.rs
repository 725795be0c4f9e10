//! The facts that `turnpost quickstart` needs.

use clap::ValueEnum;

use super::options::{MailPath, Quickstart};
use crate::cli::exit::{ErrorWith, Exit, tell};

/// The options and answers.
pub(crate) struct Answers {
    pub(crate) address: lettre::Address,
    pub(crate) mail: MailSetup,
    /// The public address of the pages, if any.
    pub(crate) url: Option<String>,
}

/// How mail arrives, and letters are sent.
pub(crate) enum MailSetup {
    Postfix,
    Provider { imap_host: String, smtp_host: String, user: String },
}

/// Returns the next line of standard input.
type NextLine<'a> = &'a mut dyn FnMut() -> anyhow::Result<Option<String>>;

impl Answers {
    /// Asks for missing options on standard error. `line` returns the answers.
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
        Ok(Answers { address, mail, url: Some(url).filter(|url| !url.is_empty()) })
    }
}

/// Returns an option, or the answer to a question. An empty answer selects `usual`.
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
    tell(format_args!("{question}{shown}:"));
    let no_answer = || unclear(format!("there is no answer; {option} gives it"));
    let answer = line()?.ok_or_else(no_answer)?;
    match (answer.trim(), usual) {
        ("", Some(usual)) => Ok(usual.to_owned()),
        ("", None) => Err(no_answer().into()),
        (answer, _) => Ok(answer.to_owned()),
    }
}

fn unclear(why: String) -> ErrorWith {
    ErrorWith(Exit::NotUnderstood, why)
}
