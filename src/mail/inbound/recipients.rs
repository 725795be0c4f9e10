//! The header fields of a message that may contain a token: its recipients, and the IDs that it answers.

use mailparse::MailHeader;

use super::headers::without_mbox_line;
use crate::token::LONGEST;

/// The header fields with recipients; mail servers in transit write the last four.
const RECIPIENTS: &[&str] = &["to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to"];
/// How many octets of a header field to read.
const MAX_HEADER: usize = 16 * 1024;

/// The values of the header fields that may contain a token, in lower case.
#[derive(Default)]
pub(crate) struct Addressing {
    /// The addresses to which the message was sent.
    pub(crate) recipients: Vec<String>,
    /// The IDs in `In-Reply-To`.
    pub(crate) in_reply_to: Vec<String>,
    /// The IDs in `References`.
    pub(crate) references: Vec<String>,
    /// Whether a chat program wrote the message. Such programs put all letters into one conversation, so the IDs are
    /// unreliable.
    pub(crate) is_chat: bool,
}

impl Addressing {
    /// Reads the fields; empty if the headers cannot be parsed.
    pub(crate) fn of(raw: &[u8]) -> Addressing {
        let Ok((headers, _)) = mailparse::parse_headers(without_mbox_line(raw)) else { return Addressing::default() };
        let values = |names: &[&str]| values(&headers, names).collect();
        Addressing {
            recipients: values(RECIPIENTS),
            in_reply_to: values(&["in-reply-to"]),
            references: values(&["references"]),
            is_chat: headers.iter().any(|header| header.get_key_ref().eq_ignore_ascii_case("chat-version")),
        }
    }
}

/// Returns the values of the fields with these names, in lower case.
fn values<'a>(headers: &'a [MailHeader<'_>], names: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    let named =
        headers.iter().filter(|header| names.iter().any(|name| header.get_key_ref().eq_ignore_ascii_case(name)));
    named.map(|header| {
        let raw = header.get_value_raw();
        // A long value ends with the latest answered letter.
        String::from_utf8_lossy(&raw[raw.len().saturating_sub(MAX_HEADER)..]).to_ascii_lowercase()
    })
}

/// Returns the tags of our own addresses in a lower-case header field: the text between `+` with this prefix and `@`.
/// Reply tokens have an empty prefix.
pub(crate) fn tags(header: &str, own_address: &str, prefix: &str) -> Vec<String> {
    let own = own_address.to_ascii_lowercase();
    let Some((name, domain)) = own.rsplit_once('@') else { return Vec::new() };
    let (before, after) = (format!("{name}+{prefix}"), format!("@{domain}"));
    let in_address = |c: char| c.is_ascii_alphanumeric() || "!#$%&*+-/=?^_`{|}~.".contains(c);
    let found = header.match_indices(&before).filter_map(|(at, _)| {
        let (tag, rest) = header[at + before.len()..].split_once(&after)?;
        let starts = !header[..at].ends_with(in_address);
        // A full stop may end a sentence.
        let ends = !rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        // Senders use tags that cannot be tokens to sort their own mail.
        (starts && ends && tag.len() <= LONGEST && tag.bytes().all(|b| b.is_ascii_alphanumeric()))
            .then(|| tag.to_owned())
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_in_our_own_addresses() {
        let own = "turnpost@example.org";
        let reply_tags = |header: &str| tags(header, own, "");
        assert_eq!(reply_tags("turnpost <turnpost+abc2@example.org>, bob@example.org"), ["abc2"]);
        assert_eq!(reply_tags("turnpost+abc2@example.org"), ["abc2"]);
        for other in [
            "turnpost@example.org",
            "turnpost+abc2@example.org.evil.net",
            "turnpost+abc2@evil.net",
            "x-turnpost+abc2@example.org",
            "turnpost+a.b@example.org",
        ] {
            assert!(reply_tags(other).is_empty(), "{other}");
        }
        assert_eq!(tags("turnpost+b-abc2@example.org, turnpost+abc2@example.org", own, "b-"), ["abc2"]);
        assert!(reply_tags("turnpost+b-abc2@example.org").is_empty());
    }
}
