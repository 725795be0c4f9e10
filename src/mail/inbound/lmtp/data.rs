//! The lines between DATA and the single dot → what is stored of the mail.

use super::lines::InputLine;

/// A mail that is arriving.
#[derive(Debug)]
pub(super) struct Data {
    raw: Vec<u8>,
    octets: usize,
    most: usize,
    error: Option<DataError>,
    section: Section,
}

/// Why a mail is refused. It is read to its end all the same, because the peer reads the reply only then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataError {
    /// It has more octets than are allowed.
    TooLarge,
    /// A line is too long.
    LongLine,
    /// It has a CR or an LF by itself.
    BareLineEnd,
    /// It begins with a folded line.
    Folded,
}

/// The part of the mail that the next line is in.
#[derive(Debug, PartialEq, Eq)]
enum Section {
    Start,
    Headers,
    /// In a header field that is left out.
    Dropped,
    Body,
}

impl Data {
    /// Begins a mail. Final delivery adds the sender of the envelope (RFC 5321, 4.4), by which a bounce is recognised, and
    /// its recipients (RFC 9228), because those of our addresses that it was sent to need not be in its `To`.
    pub(super) fn new(sender: &str, recipients: &[String], most: usize) -> Data {
        let mut raw = format!("Return-Path: <{sender}>\r\n");
        for recipient in recipients {
            raw += &format!("Delivered-To: {recipient}\r\n");
        }
        let raw = raw.into_bytes();
        Data { raw, octets: 0, most, error: None, section: Section::Start }
    }

    /// Adds a line as it was sent, with its dot stuffed.
    pub(super) fn line(&mut self, line: &InputLine) {
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
            // It would continue our own Return-Path.
            Section::Start if folded => {
                self.refuse(DataError::Folded);
                Section::Headers
            }
            Section::Dropped if folded => Section::Dropped,
            // Any other Return-Path was made up by the sender.
            _ if is_return_path(text) => Section::Dropped,
            _ => Section::Headers,
        };
        if self.error.is_none() && self.section != Section::Dropped {
            self.raw.extend_from_slice(text);
            self.raw.extend_from_slice(b"\r\n");
        }
    }

    /// The mail, or why it is not taken.
    pub(super) fn finish(self) -> Result<Vec<u8>, DataError> {
        self.error.map_or(Ok(self.raw), Err)
    }

    /// Records the first error, and drops what was read.
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
