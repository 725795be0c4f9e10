//! Sends letters over a connection to an SMTP server, and classifies lettre's errors by the SMTP command at which they
//! occurred.
//!
//! The commands of a letter are not pipelined (RFC 2920), because up to 16 letters are already in flight, each over a
//! separate connection.

use std::error::Error as _;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{Extension, MailBodyParameter, MailParameter};

use super::letter::{SendError, one_line};
use crate::service::Failure;
use crate::world::Deadline;

/// Reply codes that concern the session and not the letter, after any command (RFC 5321, 4.2.2; RFC 4954, 6): an
/// unknown or out-of-order command, or a missing, wrong or unencrypted login.
const SESSION_REPLIES: &[u16] = &[500, 502, 503, 530, 534, 535, 538];
/// The reply code with which a server can end a session after any command (RFC 5321, 3.8).
const CLOSING: u16 = 421;

/// Why a letter was not accepted over a connection.
pub(crate) struct TransferError {
    pub(crate) why: SendError,
    /// Whether the server replied, or received no command of the letter. The session may then continue.
    pub(crate) is_reply: bool,
    /// Whether the session had ended before the first command of the letter.
    pub(crate) had_ended: bool,
}

impl TransferError {
    fn new(error: &Error, why: impl FnOnce(&Error) -> SendError) -> TransferError {
        TransferError { why: why(error), is_reply: error.status().is_some(), had_ended: false }
    }

    /// Classifies an error that the first command of a letter returned.
    fn first(error: &Error) -> TransferError {
        TransferError { had_ended: has_ended(error), ..TransferError::new(error, at_session) }
    }
}

/// Makes the server discard a refused letter. Returns whether the server did so.
pub(crate) fn reset(connection: &mut SmtpConnection, deadline: Deadline) -> bool {
    within(connection, deadline, |open| open.command(Rset)).is_ok()
}

pub(crate) fn transfer(
    connection: &mut SmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    deadline: Deadline,
) -> Result<(), TransferError> {
    let sender = Mail::new(envelope.from().cloned(), parameters(connection, envelope, mail)?);
    within(connection, deadline, |open| open.command(sender)).map_err(|error| TransferError::first(&error))?;
    let at_letter = |error: Error| TransferError::new(&error, at_letter);
    for to in envelope.to() {
        within(connection, deadline, |open| open.command(Rcpt::new(to.clone(), Vec::new()))).map_err(at_letter)?;
    }
    within(connection, deadline, |open| open.command(Data)).map_err(at_letter)?;
    // lettre's own call sends the final dot in a separate packet. Most systems hold that packet back until the server
    // has acknowledged the previous one, which takes 40 ms.
    let sent = within(connection, deadline, |open| match str::from_utf8(mail) {
        Ok(mail) => open.command(DataContent(mail)),
        Err(_) => open.message(mail),
    });
    sent.map(drop).map_err(at_letter)
}

/// Returns the `MAIL FROM` parameters that the letter requires, or an error if the server does not support one of them.
fn parameters(
    connection: &SmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
) -> Result<Vec<MailParameter>, TransferError> {
    let mut parameters = Vec::new();
    let info = connection.server_info();
    let missing = |what: &str| {
        let why = SendError::Temporary(format!("the server does not offer {what}"));
        Err(TransferError { why, is_reply: true, had_ended: false })
    };
    let addresses = envelope.from().into_iter().chain(envelope.to());
    if addresses.map(AsRef::<str>::as_ref).any(|address| !address.is_ascii()) {
        if !info.supports_feature(Extension::SmtpUtfEight) {
            return missing("SMTPUTF8");
        }
        parameters.push(MailParameter::SmtpUtfEight);
    }
    if !mail.is_ascii() {
        if !info.supports_feature(Extension::EightBitMime) {
            return missing("8BITMIME");
        }
        parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    Ok(parameters)
}

/// Runs an action on a connection, and limits its waits for the server to the time until the deadline.
pub(crate) fn within<T>(
    connection: &mut SmtpConnection,
    deadline: Deadline,
    act: impl FnOnce(&mut SmtpConnection) -> Result<T, Error>,
) -> Result<T, Error> {
    // Ignore an error: `act` fails on the same broken connection.
    let _ = connection.set_timeout(Some(left(deadline)));
    act(connection)
}

/// Returns the remaining time; never zero, which would mean no limit.
pub(crate) fn left(deadline: Deadline) -> Duration {
    deadline.left().unwrap_or(Duration::from_millis(1))
}

/// Returns whether the server has ended the session, or the connection is broken; false for a timeout.
pub(crate) fn has_ended(error: &Error) -> bool {
    match error.status() {
        Some(code) => u16::from(code) == CLOSING,
        None => !is_timeout(error),
    }
}

/// Classifies an error that occurred before the first `RCPT TO`.
pub(crate) fn at_session(error: &Error) -> SendError {
    // lettre reports an unsupported encryption or login and an untrusted certificate as these errors.
    let is_ours = error.is_client() || error.is_tls() || kind(error) == Some(io::ErrorKind::InvalidData);
    if error.is_permanent() || is_ours { SendError::Relay(one_line(&error.to_string())) } else { passing(error) }
}

/// Classifies an error that concerns a recipient or the content of the letter.
fn at_letter(error: &Error) -> SendError {
    if !error.is_permanent() {
        return passing(error);
    }
    let said = one_line(&error.to_string());
    let is_about_session = error.status().is_some_and(|code| SESSION_REPLIES.contains(&u16::from(code)));
    if is_about_session || Failure::new(&said).is_policy() {
        SendError::Policy(said)
    } else {
        SendError::Permanent(said)
    }
}

/// Classifies a temporary reply or error.
fn passing(error: &Error) -> SendError {
    let said = one_line(&error.to_string());
    if is_timeout(error) { SendError::Hung(said) } else { SendError::Temporary(said) }
}

fn is_timeout(error: &Error) -> bool {
    // Depending on the system, a socket's timeout is one of these kinds.
    matches!(kind(error), Some(io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock))
}

/// Returns the kind of the underlying I/O error.
fn kind(error: &Error) -> Option<io::ErrorKind> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        source = cause.source();
    }
    None
}

/// A message with CR LF line ends, displayed as it is sent after `DATA`: dots at the start of a line are doubled, and a
/// line with a single dot ends the message (RFC 5321, 4.1.1.4 and 4.5.2).
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
