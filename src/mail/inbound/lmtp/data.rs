//! The lines between DATA and the final dot → the stored message.

use super::lines::InputLine;

/// A message that is arriving.
#[derive(Debug)]
pub(crate) struct Data {
    raw: Vec<u8>,
    octets: usize,
    most: usize,
    error: Option<DataError>,
    section: Section,
}

/// Why a message is refused. It is still read to its end, because the peer reads the reply only then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataError {
    /// It is larger than allowed.
    TooLarge,
    /// A line is too long.
    LongLine,
    /// It contains a bare CR or LF.
    BareLineEnd,
    /// It begins with a folded line.
    Folded,
}

/// The section of the message that contains the next line.
#[derive(Debug, PartialEq, Eq)]
enum Section {
    Start,
    Headers,
    /// In a header field that is omitted.
    Dropped,
    Body,
}

impl Data {
    /// Begins a message. Final delivery adds the envelope sender (RFC 5321, 4.4), which identifies a bounce, and the
    /// recipients (RFC 9228), because `To` need not contain the address to which the message was sent.
    pub(crate) fn new(sender: &str, recipients: &[String], most: usize) -> Data {
        let mut raw = format!("Return-Path: <{sender}>\r\n");
        for recipient in recipients {
            raw += &format!("Delivered-To: {recipient}\r\n");
        }
        let raw = raw.into_bytes();
        Data { raw, octets: 0, most, error: None, section: Section::Start }
    }

    /// Adds a received line, with dot stuffing.
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
            // The line would continue our own Return-Path.
            Section::Start if folded => {
                self.refuse(DataError::Folded);
                Section::Headers
            }
            Section::Dropped if folded => Section::Dropped,
            // Any other Return-Path is an invention of the sender.
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
