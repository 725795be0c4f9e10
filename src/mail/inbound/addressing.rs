//! Reads the recipients and the sender of a message from its header fields.
//!
//! The recipients, `In-Reply-To` and `References` may contain a reply token. `Authentication-Results` (RFC 8601)
//! reports whether our mail server authenticated the sender. Anyone can write this field. Only fields with the
//! configured name are trusted: the server of that name removes fields that others wrote under it (RFC 8601, section
//! 5).

use mailparse::MailHeader;

use super::headers::without_mbox_line;
use crate::token::LONGEST;

/// The header fields with recipients; mail servers in transit write the last four.
const RECIPIENTS: &[&str] = &["to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to"];
/// How many octets of a header field to read.
const MAX_HEADER: usize = 16 * 1024;

/// The header fields that show which letter a message answers, in lower case.
#[derive(Default)]
pub(crate) struct Addressing {
    pub(crate) recipients: Vec<String>,
    pub(crate) in_reply_to: Vec<String>,
    pub(crate) references: Vec<String>,
    /// Whether a chat program wrote the message. These programs put all letters into one conversation, so the IDs are
    /// unreliable.
    pub(crate) is_chat: bool,
}

impl Addressing {
    /// Reads the fields of a message. Returns empty lists if its headers cannot be parsed.
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
        // Read only the end of a long value, which names the latest answered letter.
        String::from_utf8_lossy(&raw[raw.len().saturating_sub(MAX_HEADER)..]).to_ascii_lowercase()
    })
}

/// Returns the tags of our own addresses in a lower-case header field: the text between `+`, followed by `prefix`, and
/// `@`. Reply tokens have an empty prefix.
pub(crate) fn tags(header: &str, own_address: &str, prefix: &str) -> Vec<String> {
    let own = own_address.to_ascii_lowercase();
    let Some((name, domain)) = own.rsplit_once('@') else { return Vec::new() };
    let (before, after) = (format!("{name}+{prefix}"), format!("@{domain}"));
    let in_address = |c: char| c.is_ascii_alphanumeric() || "!#$%&*+-/=?^_`{|}~.".contains(c);
    let found = header.match_indices(&before).filter_map(|(at, _)| {
        let (tag, rest) = header[at + before.len()..].split_once(&after)?;
        let starts = !header[..at].ends_with(in_address);
        // A full stop after the address may end a sentence.
        let ends = !rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        // Ignore tags that cannot be tokens. People may add any tag to an address, for example to sort their mail.
        (starts && ends && tag.len() <= LONGEST && tag.bytes().all(|b| b.is_ascii_alphanumeric()))
            .then(|| tag.to_owned())
    });
    found.collect()
}

/// Returns whether the named server reports that DMARC passed for the domain of this address, and reports neither
/// another result of DMARC nor another domain.
pub(crate) fn dmarc_passed(results: &[String], authserv_id: Option<&str>, sender: &str) -> bool {
    let (Some(id), Some((_, domain))) = (authserv_id, sender.rsplit_once('@')) else { return false };
    let mut passed = false;
    for header in results {
        let header = without_comments(header);
        let mut parts = header.split(';');
        let name = parts.next().unwrap_or_default();
        // In this field, a version may follow the server's name.
        if !name.split_whitespace().next().is_some_and(|name| name.trim_matches('"').eq_ignore_ascii_case(id)) {
            continue;
        }
        for part in parts {
            let part = part.replace(" =", "=").replace("= ", "=");
            let mut words = part.split_whitespace();
            let Some((method, result)) = words.next().and_then(|word| word.split_once('=')) else { continue };
            let method = method.split('/').next().unwrap_or_default().trim();
            if !method.eq_ignore_ascii_case("dmarc") {
                continue;
            }
            let from = words.find_map(|word| {
                let (key, value) = word.split_once('=')?;
                key.eq_ignore_ascii_case("header.from").then(|| value.trim_matches('"').to_owned())
            });
            let other = from.is_some_and(|from| !from.eq_ignore_ascii_case(domain));
            if other || !result.trim().eq_ignore_ascii_case("pass") {
                return false;
            }
            passed = true;
        }
    }
    passed
}

/// Returns the value of a header field without its comments, which can be nested (RFC 5322, 3.2.2). Separators in
/// quoted text are replaced, so that quoted text cannot begin a comment or end a part; no relevant name or result
/// contains a separator.
fn without_comments(value: &str) -> String {
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    let mut plain = String::new();
    for c in value.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted || depth > 0 => escaped = true,
            '"' if depth == 0 => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ';' | '=' | ' ' if quoted => plain.push('\u{fffd}'),
            c if depth == 0 => plain.push(if c.is_whitespace() { ' ' } else { c }),
            _ => {}
        }
    }
    plain
}

/// Returns the local parts of the IDs in a header: `12.server` of `<12.server@domain>`.
pub(crate) fn local_parts(header: &str) -> impl DoubleEndedIterator<Item = &str> {
    let ids = header.split_once('<').map_or("", |(_, ids)| ids).split('<');
    ids.filter_map(|rest| Some(rest.split_once('>')?.0.rsplit_once('@')?.0.trim()))
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

    fn passed(headers: &[&str]) -> bool {
        let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
        dmarc_passed(&headers, Some("mx.example.org"), "alice@example.net")
    }

    #[test]
    fn results_of_our_server_are_trusted() {
        for header in [
            "mx.example.org; dmarc=pass header.from=example.net",
            "MX.Example.Org 1;\r\n\tspf=pass smtp.mailfrom=x@other.example;\r\n\tdkim=pass header.d=example.net;\r\n\tdmarc=pass (p=reject sp=none; dis=none) header.from=EXAMPLE.net",
            "mx.example.org; DMARC = PASS (a (nested; dmarc=fail) comment) header.from=\"example.net\"",
            "\"mx.example.org\"; dmarc/1=pass",
            "mx.example.org; dkim=fail reason=\"a; dmarc=fail\"; dmarc=pass header.from=example.net",
        ] {
            assert!(passed(&[header]), "{header}");
        }
        assert!(passed(&["evil.example; dmarc=fail", "mx.example.org; dmarc=pass", "mx.example.org; spf=pass"]));
    }

    #[test]
    fn other_results_are_not_trusted() {
        for header in [
            "",
            "mx.example.org",
            "mx.example.org; none",
            "mx.example.org; spf=pass; dkim=pass header.d=example.net",
            "mx.example.org; dmarc=fail header.from=example.net",
            "mx.example.org; dmarc=none",
            "mx.example.org; dmarc=pass header.from=evil.example",
            "evil.example; dmarc=pass header.from=example.net",
            "evil.example; mx.example.org; dmarc=pass header.from=example.net",
            "mx.example.org.evil.example; dmarc=pass header.from=example.net",
            "mx.example.org; dkim=fail reason=\"; dmarc=pass header.from=example.net\"",
            "mx.example.org; dkim=fail (; dmarc=pass header.from=example.net )",
            "mx.example.org; xdmarc=pass",
        ] {
            assert!(!passed(&[header]), "{header}");
        }
        assert!(!passed(&["mx.example.org; dmarc=pass", "mx.example.org; dmarc=fail"]));
        let pass = ["mx.example.org; dmarc=pass".to_owned()];
        assert!(!dmarc_passed(&pass, None, "alice@example.net"));
    }
}
