//! Octets → lines. Only CRLF ends a line (RFC 5321, 2.3.8): who takes a bare LF or CR for an end sees other mails than
//! the server before it did, which is how mails are smuggled.

/// The longest line, without its CRLF (RFC 5321, 4.5.3.1.6: 1,000 octets with it).
pub(super) const LONGEST: usize = 998;

/// What has been read, one octet at a time, so that it does not matter how the octets were split on their way.
#[derive(Debug)]
pub(super) struct Lines {
    input: Vec<u8>,
    at: usize,
    line: Line,
    cr: bool,
    left: usize,
}

/// A line without its CRLF.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Its octets, cut at [`LONGEST`].
    pub text: Vec<u8>,
    /// It was cut.
    pub too_long: bool,
    /// There is a CR without an LF in it, or an LF without a CR.
    pub bare: bool,
}

/// What the next octets came to.
pub(super) enum Scanned {
    Line(Line),
    /// More octets than were granted, and the end is still not there.
    Flood,
}

impl Lines {
    pub(super) fn new() -> Lines {
        Lines { input: Vec::new(), at: 0, line: Line::default(), cr: false, left: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.input.drain(..self.at);
        self.at = 0;
        self.input.extend_from_slice(bytes);
    }

    /// From here on, this many octets may be read until the next grant.
    pub(super) fn grant(&mut self, octets: usize) {
        self.left = octets;
    }

    /// Whether the line that is not complete yet has a bare CR or LF.
    pub(super) fn is_bare(&self) -> bool {
        self.line.bare
    }

    /// The next complete line.
    pub(super) fn scan(&mut self) -> Option<Scanned> {
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
        // The dot that was stuffed does not count.
        let most = LONGEST + usize::from(self.line.text.first() == Some(&b'.'));
        if self.line.text.len() < most {
            self.line.text.push(byte);
        } else {
            self.line.too_long = true;
        }
    }
}
