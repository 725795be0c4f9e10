//! A connection to an SMTP server, over which letters are sent one after the other, and lettre's errors, classified by
//! the step at which they occurred.
//!
//! If the server supports PIPELINING (RFC 2920), a letter on a persistent connection waits for two replies: one to the
//! envelope and one to the text. Otherwise it waits for five.

use std::error::Error as _;
use std::fmt::{self, Display, Formatter};
use std::io;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::SmtpConnection;
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::response::Response;

use super::letter::{SendError, one_line};
use crate::service::Failure;
use crate::world::Deadline;

/// Replies about the session at any step (RFC 5321, 4.2.2; RFC 4954, 6): an unknown or out-of-order command, or a
/// missing, wrong or unencrypted login.
const SESSION_REPLIES: &[u16] = &[500, 502, 503, 530, 534, 535, 538];
/// The reply with which a server ends a session at any step (RFC 5321, 3.8).
const CLOSING: u16 = 421;

/// An open connection.
pub(crate) struct Connection {
    smtp: SmtpConnection,
    /// Whether the server supports PIPELINING; `None` until it was asked.
    pipelining: Option<bool>,
}

/// Why a letter was not accepted over a connection.
pub(crate) struct TransferError {
    pub(crate) why: SendError,
    /// Whether the server replied and is ready for the next command.
    pub(crate) is_reply: bool,
    /// Whether the session had ended before the first command of the letter.
    pub(crate) had_ended: bool,
}

impl TransferError {
    fn new(error: &Error, why: impl FnOnce(&Error) -> SendError) -> TransferError {
        TransferError { why: why(error), is_reply: error.status().is_some(), had_ended: false }
    }

    /// An error at the first command of a letter.
    fn first(error: &Error) -> TransferError {
        TransferError { had_ended: has_ended(error), ..TransferError::new(error, at_session) }
    }
}

impl Connection {
    /// Wraps a connection after the greeting.
    pub(crate) fn new(smtp: SmtpConnection) -> Connection {
        Connection { smtp, pipelining: None }
    }

    /// Runs an action that may wait for the server until the deadline.
    pub(crate) fn within<T>(
        &mut self,
        deadline: Deadline,
        act: impl FnOnce(&mut SmtpConnection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        within(&mut self.smtp, deadline, act)
    }

    /// Returns whether the connection is reusable. Asks the server only if the next letter would not show it as early.
    pub(crate) fn is_open(&mut self, deadline: Deadline) -> bool {
        match self.pipelining {
            Some(true) => true,
            Some(false) => self.within(deadline, |open| Ok(open.test_connected())).is_ok_and(|open| open),
            // lettre discards the extensions of the first EHLO reply that it does not use. A second EHLO also resets
            // the session.
            None => match self.within(deadline, |open| open.command(Ehlo::new(ClientId::default()))) {
                Ok(reply) => {
                    self.pipelining = Some(reply.message().any(is_pipelining));
                    true
                }
                Err(error) => {
                    self.pipelining = Some(false);
                    !has_ended(&error) && error.status().is_some()
                }
            },
        }
    }

    /// Makes the server discard a refused letter; returns whether it did.
    pub(crate) fn reset(&mut self, deadline: Deadline) -> bool {
        self.within(deadline, |open| open.command(Rset)).is_ok()
    }

    /// Sends a letter.
    pub(crate) fn transfer(
        &mut self,
        envelope: &Envelope,
        mail: &[u8],
        deadline: Deadline,
    ) -> Result<(), TransferError> {
        let sender = Mail::new(envelope.from().cloned(), self.parameters(envelope, mail)?);
        if self.pipelining == Some(true) {
            self.begin_at_once(&sender, envelope, deadline)?;
        } else {
            self.begin(&sender, envelope, deadline)?;
        }
        // lettre's own call sends the final dot in a separate packet. Most systems hold that packet back until the
        // server has acknowledged the previous one, which takes 40 ms.
        let sent = self.within(deadline, |open| match str::from_utf8(mail) {
            Ok(mail) => open.command(DataContent(mail)),
            Err(_) => open.message(mail),
        });
        sent.map(drop).map_err(|error| TransferError::new(&error, at_letter))
    }

    /// Returns the parameters that the letter requires, if the server supports them.
    fn parameters(&self, envelope: &Envelope, mail: &[u8]) -> Result<Vec<MailParameter>, TransferError> {
        let mut parameters = Vec::new();
        let info = self.smtp.server_info();
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

    /// Sends the envelope, and waits for the reply to each command.
    fn begin(&mut self, sender: &Mail, envelope: &Envelope, deadline: Deadline) -> Result<(), TransferError> {
        self.within(deadline, |open| open.command(sender)).map_err(|error| TransferError::first(&error))?;
        for to in envelope.to() {
            self.within(deadline, |open| open.command(Rcpt::new(to.clone(), Vec::new())))
                .map_err(|error| TransferError::new(&error, at_letter))?;
        }
        self.within(deadline, |open| open.command(Data)).map_err(|error| TransferError::new(&error, at_letter))?;
        Ok(())
    }

    /// Sends all commands of the envelope together, then reads the reply to each.
    fn begin_at_once(&mut self, sender: &Mail, envelope: &Envelope, deadline: Deadline) -> Result<(), TransferError> {
        let recipients = envelope.to().iter().map(|to| Rcpt::new(to.clone(), Vec::new()).to_string());
        let commands: Vec<String> =
            std::iter::once(sender.to_string()).chain(recipients).chain([Data.to_string()]).collect();
        let mut replies = vec![self.within(deadline, |open| open.command(commands.concat()))];
        while replies.len() < commands.len() && replies.last().is_some_and(is_reply) {
            replies.push(self.within(deadline, SmtpConnection::read_response));
        }
        // After a refusal, the server refuses the later commands for the same reason.
        let mut errors = replies.iter().enumerate().filter_map(|(nth, reply)| Some((nth, reply.as_ref().err()?)));
        let Some((nth, error)) = errors.next() else { return Ok(()) };
        let refused = if nth == 0 { TransferError::first(error) } else { TransferError::new(error, at_letter) };
        // Some servers nevertheless wait for a text, which would have no recipient.
        let is_reply = replies.last().is_some_and(|last| last.is_err() && is_reply(last));
        Err(TransferError { is_reply, ..refused })
    }
}

/// Runs an action on a connection that may wait for the server until the deadline.
pub(crate) fn within<T>(
    connection: &mut SmtpConnection,
    deadline: Deadline,
    act: impl FnOnce(&mut SmtpConnection) -> Result<T, Error>,
) -> Result<T, Error> {
    // A connection without a timeout fails when it is used.
    let _ = connection.set_timeout(Some(left(deadline)));
    act(connection)
}

/// Returns the remaining time; never zero, which would mean no limit.
pub(crate) fn left(deadline: Deadline) -> Duration {
    deadline.left().unwrap_or(Duration::from_millis(1))
}

/// Returns whether this is a reply, and not an error of the connection.
fn is_reply(reply: &Result<Response, Error>) -> bool {
    reply.as_ref().err().is_none_or(|error| error.status().is_some())
}

/// Returns whether a line of the reply to EHLO offers PIPELINING.
fn is_pipelining(line: &str) -> bool {
    line.trim().eq_ignore_ascii_case("PIPELINING")
}

/// Returns whether the server has ended the session, or the connection is broken; false for a timeout.
pub(crate) fn has_ended(error: &Error) -> bool {
    match error.status() {
        Some(code) => u16::from(code) == CLOSING,
        None => !is_timeout(error),
    }
}

/// Classifies an error before the first recipient.
pub(crate) fn at_session(error: &Error) -> SendError {
    // lettre detects an unsupported encryption or login and an untrusted certificate.
    let is_ours = error.is_client() || error.is_tls() || kind(error) == Some(io::ErrorKind::InvalidData);
    if error.is_permanent() || is_ours { SendError::Relay(one_line(&error.to_string())) } else { passing(error) }
}

/// Classifies an error at a recipient or at the text.
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
    // The system decides which kind a socket's timeout has.
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
