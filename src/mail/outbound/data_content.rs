//! The text after the command `DATA`.

use std::fmt::{self, Display, Formatter};

/// A message with CR LF line ends, displayed as it is sent after `DATA`: dots at the start of a line are doubled, and a
/// single dot ends the message; the last CR LF is omitted (RFC 5321, 4.1.1.4 and 4.5.2).
pub(crate) struct DataContent<'a>(pub &'a str);

impl Display for DataContent<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for line in self.0.split_inclusive("\r\n") {
            if line.starts_with('.') {
                f.write_str(".")?;
            }
            f.write_str(line)?;
        }
        f.write_str(if self.0.ends_with("\r\n") { ".\r\n" } else { "\r\n.\r\n" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_at_the_beginning_of_lines_are_doubled() {
        for (mail, sent) in [
            ("Subject: a\r\n\r\nb\r\n", "Subject: a\r\n\r\nb\r\n.\r\n"),
            ("\r\nno end", "\r\nno end\r\n.\r\n"),
            ("\r\n.\r\n..\r\n.a.\r\n", "\r\n..\r\n...\r\n..a.\r\n.\r\n"),
            (".", "..\r\n.\r\n"),
            ("", "\r\n.\r\n"),
        ] {
            assert_eq!(DataContent(mail).to_string(), sent, "{mail:?}");
        }
    }
}
