//! What an error of lettre's says of a letter, by the step at which it came.

use std::error::Error as _;
use std::io;

use lettre::transport::smtp::Error;

use super::send_error::{SendError, one_line};
use crate::service::Failure;

/// Replies that are about the session, at whatever step (RFC 5321, 4.2.2; RFC 4954, 6): a command that is not known or not
/// in order, a login that is missing, wrong or not encrypted.
const SESSION_REPLIES: &[u16] = &[500, 502, 503, 530, 534, 535, 538];
/// The reply by which a server ends a session, at whatever step (RFC 5321, 3.8).
const CLOSING: u16 = 421;

/// Whether the server has ended the session, or the connection is broken. One that only waits has not.
pub(super) fn has_ended(error: &Error) -> bool {
    match error.status() {
        Some(code) => u16::from(code) == CLOSING,
        None => !is_timeout(error),
    }
}

/// An error before the server was told of a recipient.
pub(super) fn at_session(error: &Error) -> SendError {
    // An encryption or a login that it does not offer, and a certificate that is not trusted, are found by us.
    let is_ours = error.is_client() || error.is_tls() || kind(error) == Some(io::ErrorKind::InvalidData);
    if error.is_permanent() || is_ours { SendError::Relay(one_line(&error.to_string())) } else { passing(error) }
}

/// An error at a recipient or at the text.
pub(super) fn at_letter(error: &Error) -> SendError {
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

/// A reply or an error that says nothing for good.
fn passing(error: &Error) -> SendError {
    let said = one_line(&error.to_string());
    if is_timeout(error) { SendError::Hung(said) } else { SendError::Temporary(said) }
}

fn is_timeout(error: &Error) -> bool {
    // A time-out of a socket is either, by the system.
    matches!(kind(error), Some(io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock))
}

/// The kind of the input or output error at the bottom of this one.
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
