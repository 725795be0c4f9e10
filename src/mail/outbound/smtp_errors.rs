//! Classifies lettre's errors by the step at which they occurred.

use std::error::Error as _;
use std::io;

use lettre::transport::smtp::Error;

use super::send_error::{SendError, one_line};
use crate::service::Failure;

/// Replies about the session at any step (RFC 5321, 4.2.2; RFC 4954, 6): an unknown or out-of-order command, or a
/// missing, wrong or unencrypted login.
const SESSION_REPLIES: &[u16] = &[500, 502, 503, 530, 534, 535, 538];
/// The reply with which a server ends a session at any step (RFC 5321, 3.8).
const CLOSING: u16 = 421;

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
pub(crate) fn at_letter(error: &Error) -> SendError {
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
