//! Parses the server's letters into what a mail program would show.

use anyhow::{Context, ensure};
use mailparse::{MailHeaderMap, ParsedMail};

use crate::setup::ADDRESS;
use turnpost::store::OutboxId;

#[derive(Clone, Debug)]
pub(crate) struct Letter {
    /// The number of the letter's first notice, which is part of the Message-ID.
    pub(crate) number: OutboxId,
    pub(crate) message_id: String,
    pub(crate) subject: String,
    pub(crate) reply_to: Option<String>,
    pub(crate) to: String,
    /// The first text part.
    pub(crate) text: String,
    /// All headers and text parts, decoded, as one text.
    pub(crate) all: String,
}

impl Letter {
    /// Parses a letter.
    pub(crate) fn read(raw: &[u8]) -> anyhow::Result<Letter> {
        let mail = mailparse::parse_mail(raw).context("a letter is not a valid message")?;
        let header = |name: &str| mail.headers.get_first_value(name);
        let message_id = header("Message-ID").context("a letter has no Message-ID")?;
        let reply_to = header("Reply-To").map(|value| address(&value).to_owned());
        let mut parts = Vec::new();
        texts(&mail, &mut parts)?;
        let text = parts.first().cloned().context("a letter has no text")?;
        let headers = mail.headers.iter().map(|header| format!("{}: {}\n", header.get_key(), header.get_value()));
        let all = headers.collect::<String>() + &parts.join("\n");
        let to = header("To").map(|to| address(&to).to_owned()).context("a letter has no recipient")?;
        let subject = header("Subject").context("a letter has no subject")?;
        Ok(Letter { number: number(&message_id)?, message_id, subject, reply_to, to, text, all })
    }
}

/// Collects the texts of a message's parts, in order.
fn texts(mail: &ParsedMail<'_>, found: &mut Vec<String>) -> anyhow::Result<()> {
    if mail.subparts.is_empty() && mail.ctype.mimetype.starts_with("text/") {
        found.push(mail.get_body().context("a part of a letter cannot be decoded")?.replace("\r\n", "\n"));
    }
    mail.subparts.iter().try_for_each(|part| texts(part, found))
}

/// Returns the address in a header value, without the display name.
pub(crate) fn address(value: &str) -> &str {
    value.rsplit_once('<').map_or(value, |(_, rest)| rest.trim_end_matches('>')).trim()
}

/// Returns the number of the notice in a Message-ID: `<12.server.token@domain>` or, without a token,
/// `<12.server@domain>`.
fn number(message_id: &str) -> anyhow::Result<OutboxId> {
    let domain = ADDRESS.rsplit_once('@').map_or("", |(_, domain)| domain);
    let inside = message_id.strip_prefix('<').and_then(|id| id.strip_suffix('>'));
    let local = inside.and_then(|id| id.strip_suffix(domain)?.strip_suffix('@'));
    let parts: Vec<&str> = local.unwrap_or_default().split('.').collect();
    ensure!((2..=3).contains(&parts.len()), "the Message-ID {message_id} does not have our form");
    Ok(OutboxId(parts[0].parse().with_context(|| format!("the Message-ID {message_id} contains no notice number"))?))
}
