//! The grammar of `Reverse-path` and `Forward-path` (RFC 5321, 4.1.2), over ASCII.

/// The longest path, without its angle brackets. RFC 5321 (4.5.3.1) allows 256 with them and 64 for a local part;
/// signed senders (SRS, BATV, VERP) exceed the latter limit, which no server enforces.
const MAX_PATH: usize = 254;

/// A `Mailbox` in normal form, without quotes, because `turnpost` and `"turnpost"` are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mailbox {
    /// The `Local-part`.
    pub local: String,
    /// `None` if only a local part was written.
    pub domain: Option<String>,
}

/// A `Reverse-path` or `Forward-path` and the parameters after it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SmtpPath<'a> {
    /// The path without angle brackets and source route; empty for `<>`.
    pub written: &'a str,
    /// `None` for `<>`.
    pub mailbox: Option<Mailbox>,
    /// The parameters after the path.
    pub params: Vec<&'a str>,
}

/// Parses a path and its parameters; `None` if it is malformed.
pub(crate) fn path(argument: &str) -> Option<SmtpPath<'_>> {
    let inside = argument.strip_prefix('<')?;
    let end = closing(inside)?;
    let rest = &inside[end + 1..];
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let written = without_route(&inside[..end])?;
    if written.len() > MAX_PATH {
        return None;
    }
    let mailbox = if written.is_empty() { None } else { Some(mailbox(written)?) };
    Some(SmtpPath { written, mailbox, params: rest.split_ascii_whitespace().collect() })
}

/// Returns the position of the first `>` that is not inside quotes.
fn closing(text: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '>' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

/// Removes a source route: `@a,@b:` must be accepted and should be ignored (RFC 5321, appendix C).
fn without_route(text: &str) -> Option<&str> {
    if !text.starts_with('@') {
        return Some(text);
    }
    let (route, mailbox) = text.split_once(':')?;
    let real = route.split(',').all(|hop| hop.strip_prefix('@').is_some_and(is_domain));
    (real && !mailbox.is_empty()).then_some(mailbox)
}

fn mailbox(text: &str) -> Option<Mailbox> {
    let (local, rest) = if let Some(inside) = text.strip_prefix('"') {
        let mut local = String::new();
        let mut chars = inside.chars();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => local.push(chars.next()?),
                c => local.push(c),
            }
        }
        (local, chars.as_str())
    } else {
        let at = text.find('@').unwrap_or(text.len());
        let local = &text[..at];
        if !local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atext)) {
            return None;
        }
        (local.to_owned(), &text[at..])
    };
    match rest.strip_prefix('@') {
        Some(domain) if is_domain(domain) => Some(Mailbox { local, domain: Some(domain.to_owned()) }),
        None if rest.is_empty() => Some(Mailbox { local, domain: None }),
        _ => None,
    }
}

fn is_atext(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// Returns whether a text is a domain (possibly with `_`, as in many host names) or an address literal.
fn is_domain(text: &str) -> bool {
    if let Some(literal) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return literal.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".:-".contains(&byte));
    }
    text.split('.').all(|label| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_parsed() {
        for (text, local, domain) in [
            ("<alice@example.org>", "alice", Some("example.org")),
            ("<a.b+c=d@[IPv6:::1]> SIZE=3 BODY=8BITMIME", "a.b+c=d", Some("[IPv6:::1]")),
            ("<@a.example,@b.example:alice@c.example>", "alice", Some("c.example")),
            (r#"<"al > \"ice"@example.org>"#, "al > \"ice", Some("example.org")),
            ("<Postmaster>", "Postmaster", None),
        ] {
            let path = path(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(path.mailbox, Some(Mailbox { local: local.to_owned(), domain: domain.map(str::to_owned) }));
        }
        assert_eq!(path("<>"), Some(SmtpPath { written: "", mailbox: None, params: Vec::new() }));
        assert_eq!(path("<> SIZE=3 BODY=7BIT").unwrap().params, ["SIZE=3", "BODY=7BIT"]);
        let long = format!("<{}@example.org>", "a".repeat(MAX_PATH));
        for text in [
            "",
            "<",
            "alice@example.org",
            "<alice@example.org",
            "<alice@>",
            "<@example.org>",
            "<a..b@example.org>",
            "<a b@example.org>",
            "<a@b@c>",
            "<a@-b.example>",
            "<a@example.org>SIZE=3",
            r#"<"a@example.org>"#,
            "<@a:>",
            "<@:a@b>",
            "<<a@b>>",
            " <a@b>",
            &long,
        ] {
            assert_eq!(path(text), None, "{text}");
        }
    }
}
