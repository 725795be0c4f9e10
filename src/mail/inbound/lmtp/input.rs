//! Reads the input of a session: splits octets into lines, parses the arguments of `MAIL FROM:` and `RCPT TO:`, and
//! collects the lines of a message.

/// The longest line, without its CRLF (RFC 5321, 4.5.3.1.6: 1,000 octets with it).
pub(crate) const MAX_LINE: usize = 998;
/// The longest path, without its angle brackets. RFC 5321 (4.5.3.1) allows 256 with them and 64 for a local part;
/// signed senders (SRS, BATV, VERP) exceed the latter limit, which no server enforces.
const MAX_PATH: usize = 254;

/// Splits received octets into lines, regardless of the portions in which they arrive.
#[derive(Debug)]
pub(crate) struct LineReader {
    input: Vec<u8>,
    at: usize,
    line: InputLine,
    cr: bool,
    left: usize,
}

/// A line without its CRLF.
#[derive(Debug, Default)]
pub(crate) struct InputLine {
    /// The octets, cut at [`MAX_LINE`].
    pub text: Vec<u8>,
    /// Whether the line was cut.
    pub too_long: bool,
    /// Whether the line contains a CR without an LF, or an LF without a CR.
    pub bare: bool,
}

/// The result of [`LineReader::scan`].
pub(crate) enum Scanned {
    Line(InputLine),
    /// The peer sent more octets than [`LineReader::grant`] allowed.
    Flood,
}

impl LineReader {
    pub(crate) fn new() -> LineReader {
        LineReader { input: Vec::new(), at: 0, line: InputLine::default(), cr: false, left: 0 }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.input.drain(..self.at);
        self.at = 0;
        self.input.extend_from_slice(bytes);
    }

    /// Allows this many octets to be read. The next call replaces this limit.
    pub(crate) fn grant(&mut self, octets: usize) {
        self.left = octets;
    }

    /// Returns whether the current incomplete line contains a bare CR or LF.
    pub(crate) fn is_bare(&self) -> bool {
        self.line.bare
    }

    /// Returns the next complete line; `None` if no line is complete.
    pub(crate) fn scan(&mut self) -> Option<Scanned> {
        while let Some(&byte) = self.input.get(self.at) {
            let Some(left) = self.left.checked_sub(1) else { return Some(Scanned::Flood) };
            self.left = left;
            self.at += 1;
            if std::mem::take(&mut self.cr) {
                if byte == b'\n' {
                    return Some(Scanned::Line(std::mem::take(&mut self.line)));
                }
                self.line.bare = true;
                self.keep(b'\r');
            }
            match byte {
                b'\r' => self.cr = true,
                byte => {
                    self.line.bare |= byte == b'\n';
                    self.keep(byte);
                }
            }
        }
        None
    }

    fn keep(&mut self, byte: u8) {
        // A stuffed dot does not count towards the limit.
        let most = MAX_LINE + usize::from(self.line.text.first() == Some(&b'.'));
        if self.line.text.len() < most {
            self.line.text.push(byte);
        } else {
            self.line.too_long = true;
        }
    }
}

/// A `Mailbox` (RFC 5321, 4.1.2). The local part is stored without quotes, because `turnpost` and `"turnpost"` are
/// equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mailbox {
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

/// Returns the position of the first `>` outside quotes.
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

/// A message during its transfer.
#[derive(Debug)]
pub(crate) struct Data {
    raw: Vec<u8>,
    octets: usize,
    most: usize,
    error: Option<DataError>,
    section: Section,
}

/// Why a message is refused. The message is still read to its end, because the peer reads the reply only then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataError {
    TooLarge,
    LongLine,
    /// The message contains a bare CR or LF.
    BareLineEnd,
    /// The message begins with the continuation line of a header field.
    Folded,
}

/// The section of the message that contains the next line.
#[derive(Debug, PartialEq, Eq)]
enum Section {
    Start,
    Headers,
    /// A header field that is not stored.
    Dropped,
    Body,
}

impl Data {
    /// Begins a message with the header fields that final delivery adds: the envelope sender (RFC 5321, 4.4), which
    /// identifies a bounce, and the recipients (RFC 9228), because `To` need not contain the address to which the
    /// message was sent.
    pub(crate) fn new(sender: &str, recipients: &[String], most: usize) -> Data {
        let mut raw = format!("Return-Path: <{sender}>\r\n");
        for recipient in recipients {
            raw += &format!("Delivered-To: {recipient}\r\n");
        }
        let raw = raw.into_bytes();
        Data { raw, octets: 0, most, error: None, section: Section::Start }
    }

    /// Adds a received line, and removes its dot stuffing.
    pub(crate) fn line(&mut self, line: &InputLine) {
        let text = line.text.strip_prefix(b".").unwrap_or(&line.text);
        self.octets = self.octets.saturating_add(text.len() + 2);
        if self.octets > self.most {
            self.refuse(DataError::TooLarge);
        } else if line.bare {
            self.refuse(DataError::BareLineEnd);
        } else if line.too_long {
            self.refuse(DataError::LongLine);
        }
        let folded = matches!(text.first(), Some(b' ' | b'\t'));
        self.section = match self.section {
            Section::Body => Section::Body,
            _ if text.is_empty() => Section::Body,
            // The line would continue the header field that we added above it.
            Section::Start if folded => {
                self.refuse(DataError::Folded);
                Section::Headers
            }
            Section::Dropped if folded => Section::Dropped,
            // Drop a Return-Path that the sender wrote.
            _ if is_return_path(text) => Section::Dropped,
            _ => Section::Headers,
        };
        if self.error.is_none() && self.section != Section::Dropped {
            self.raw.extend_from_slice(text);
            self.raw.extend_from_slice(b"\r\n");
        }
    }

    /// Returns the message, or why it is refused.
    pub(crate) fn finish(self) -> Result<Vec<u8>, DataError> {
        self.error.map_or(Ok(self.raw), Err)
    }

    /// Records the first error, and discards the data.
    fn refuse(&mut self, error: DataError) {
        self.error.get_or_insert(error);
        self.raw = Vec::new();
    }
}

fn is_return_path(line: &[u8]) -> bool {
    const NAME: &[u8] = b"return-path";
    line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
        && line[NAME.len()..].trim_ascii_start().starts_with(b":")
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
            "", "<", "alice@example.org", "<alice@example.org", "<alice@>", "<@example.org>", "<a..b@example.org>",
            "<a b@example.org>", "<a@b@c>", "<a@-b.example>", "<a@example.org>SIZE=3", r#"<"a@example.org>"#, "<@a:>",
            "<@:a@b>", "<<a@b>>", " <a@b>", &long,
        ] {
            assert_eq!(path(text), None, "{text}");
        }
    }
}
