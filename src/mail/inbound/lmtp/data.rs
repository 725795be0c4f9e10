//! The lines between DATA and the single dot → what is kept of the mail.

use super::line::Line;

/// A mail that is arriving.
#[derive(Debug)]
pub(super) struct Data {
    raw: Vec<u8>,
    octets: usize,
    most: usize,
    trouble: Option<Trouble>,
    place: Place,
}

/// Why a mail is not taken. It is read to its end all the same, since the peer listens only then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    TooLarge,
    LongLine,
    BareLineEnd,
    Folded,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    Start,
    Headers,
    /// In a header that is not kept.
    Dropped,
    Body,
}

impl Data {
    /// Final delivery puts the envelope's sender into the mail (RFC 5321, 4.4), by which the reader knows a bounce; and
    /// its recipients (RFC 9228), since the addresses of ours that it went to need not stand in its `To`.
    pub(super) fn new(sender: &str, recipients: &[String], most: usize) -> Data {
        let mut raw = format!("Return-Path: <{sender}>\r\n");
        for recipient in recipients {
            raw += &format!("Delivered-To: {recipient}\r\n");
        }
        let raw = raw.into_bytes();
        Data { raw, octets: 0, most, trouble: None, place: Place::Start }
    }

    /// Adds a line as it was sent, with its dot stuffed.
    pub(super) fn line(&mut self, line: &Line) {
        let text = line.text.strip_prefix(b".").unwrap_or(&line.text);
        self.octets = self.octets.saturating_add(text.len() + 2);
        if self.octets > self.most {
            self.refuse(Trouble::TooLarge);
        } else if line.bare {
            self.refuse(Trouble::BareLineEnd);
        } else if line.too_long {
            self.refuse(Trouble::LongLine);
        }
        let folded = matches!(text.first(), Some(b' ' | b'\t'));
        self.place = match self.place {
            Place::Body => Place::Body,
            _ if text.is_empty() => Place::Body,
            // It would continue our own Return-Path.
            Place::Start if folded => {
                self.refuse(Trouble::Folded);
                Place::Headers
            }
            Place::Dropped if folded => Place::Dropped,
            // Any other than ours was made up by whoever sent the mail.
            _ if is_return_path(text) => Place::Dropped,
            _ => Place::Headers,
        };
        if self.trouble.is_none() && self.place != Place::Dropped {
            self.raw.extend_from_slice(text);
            self.raw.extend_from_slice(b"\r\n");
        }
    }

    /// The mail, or why it is not taken.
    pub(super) fn finish(self) -> Result<Vec<u8>, Trouble> {
        self.trouble.map_or(Ok(self.raw), Err)
    }

    fn refuse(&mut self, trouble: Trouble) {
        self.trouble.get_or_insert(trouble);
        self.raw = Vec::new();
    }
}

fn is_return_path(line: &[u8]) -> bool {
    const NAME: &[u8] = b"return-path";
    line.get(..NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
        && line[NAME.len()..].trim_ascii_start().starts_with(b":")
}
