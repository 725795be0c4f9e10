//! Octets → lines. Only CRLF ends a line (RFC 5321, 2.3.8): a server that also accepts a bare LF or CR sees other
//! messages than the server before it, which makes SMTP smuggling possible.

/// The longest line, without its CRLF (RFC 5321, 4.5.3.1.6: 1,000 octets with it).
pub(crate) const MAX_LINE: usize = 998;

/// Splits received octets into lines, independently of how they arrived.
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
    /// Whether it contains a CR without an LF, or an LF without a CR.
    pub bare: bool,
}

/// The result of scanning.
pub(crate) enum Scanned {
    /// A complete line.
    Line(InputLine),
    /// More octets than granted, without a line end.
    Flood,
}

impl LineReader {
    pub(crate) fn new() -> LineReader {
        LineReader { input: Vec::new(), at: 0, line: InputLine::default(), cr: false, left: 0 }
    }

    /// Adds received octets.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.input.drain(..self.at);
        self.at = 0;
        self.input.extend_from_slice(bytes);
    }

    /// Allows this many octets to be read until the next grant.
    pub(crate) fn grant(&mut self, octets: usize) {
        self.left = octets;
    }

    /// Returns whether the current incomplete line contains a bare CR or LF.
    pub(crate) fn is_bare(&self) -> bool {
        self.line.bare
    }

    /// Returns the next complete line.
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
