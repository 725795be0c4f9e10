//! The grammar of `Reverse-path` and `Forward-path` (RFC 5321, 4.1.2), over ASCII.

/// The longest path, without its angle brackets. RFC 5321 (4.5.3.1) says 256 with them and 64 for a local part, which
/// signed senders (SRS, BATV, VERP) outgrow and nobody enforces.
const LONGEST: usize = 254;

/// A mailbox as it is compared: without quotes, as `turnpost` and `"turnpost"` are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mailbox {
    pub local: String,
    /// `None` where only a local part was written.
    pub domain: Option<String>,
}

/// `<…>` at the start of an argument.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Path<'a> {
    /// Without the angle brackets and a source route; empty for `<>`.
    pub written: &'a str,
    /// `None` for `<>`.
    pub mailbox: Option<Mailbox>,
    /// The parameters behind it.
    pub params: Vec<&'a str>,
}

/// Reads a path and its parameters; `None` when it is none.
pub(super) fn path(argument: &str) -> Option<Path<'_>> {
    let inside = argument.strip_prefix('<')?;
    let end = closing(inside)?;
    let rest = &inside[end + 1..];
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let written = without_route(&inside[..end])?;
    if written.len() > LONGEST {
        return None;
    }
    let mailbox = if written.is_empty() { None } else { Some(mailbox(written)?) };
    Some(Path { written, mailbox, params: rest.split_ascii_whitespace().collect() })
}

/// Where the `>` is that is not inside quotes.
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

/// `@a,@b:` before a mailbox must be accepted, and should be ignored (RFC 5321, appendix C).
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

/// A name, with `_` as many a machine is called, or a literal in brackets.
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
    fn paths() {
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
        assert_eq!(path("<>"), Some(Path { written: "", mailbox: None, params: Vec::new() }));
        assert_eq!(path("<> SIZE=3 BODY=7BIT").unwrap().params, ["SIZE=3", "BODY=7BIT"]);
        let long = format!("<{}@example.org>", "a".repeat(LONGEST));
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
