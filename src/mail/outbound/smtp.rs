//! SMTP, command by command over kept connections, so that it is known at which step a letter was refused: what a server
//! says before it is given a recipient is about this server, and not about the recipient.

use std::error::Error as _;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS, Mechanism};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};

use super::data_content::DataContent;
use super::send_error::{SendError, one_line};
use super::token_login::authenticate;
use crate::config::Tls;
use crate::mail::oauth::{AccessTokens, Secret};
use crate::service::Failure;
use crate::world::Deadline;

/// How long an idle connection is kept open.
const IDLE: Duration = Duration::from_secs(30);
/// How long the server may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);
/// Replies that are about the session, at whatever step (RFC 5321, 4.2.2; RFC 4954, 6): a command that is not known or not
/// in order, a login that is missing, wrong or not encrypted.
const SESSION_REPLIES: &[u16] = &[500, 502, 503, 530, 534, 535, 538];

/// An SMTP server, and the open connections that no letter is using.
pub struct Smtp {
    host: String,
    port: u16,
    security: Security,
    login: Option<Login>,
    idle: Mutex<Vec<IdleConnection>>,
}

/// What the server's user logs in with.
pub(super) enum Login {
    /// A password.
    Password(Credentials),
    /// Access tokens for this user.
    Tokens(String, AccessTokens),
}

/// How a connection is encrypted.
enum Security {
    None,
    Starttls(TlsParameters),
    Wrapped(TlsParameters),
}

struct IdleConnection {
    connection: SmtpConnection,
    until: Deadline,
}

impl Smtp {
    /// The server at this address; without a port, at the usual one.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub(super) fn new(host: &str, port: Option<u16>, tls: Tls, login: Option<Login>) -> Result<Smtp, Error> {
        let parameters = || TlsParameters::new(host.to_owned());
        let (security, usual) = match tls {
            Tls::None => (Security::None, SMTP_PORT),
            Tls::Starttls => (Security::Starttls(parameters()?), SUBMISSION_PORT),
            Tls::Wrapped => (Security::Wrapped(parameters()?), SUBMISSIONS_PORT),
        };
        let port = port.unwrap_or(usual);
        Ok(Smtp { host: host.to_owned(), port, security, login, idle: Mutex::default() })
    }

    /// Sends a mail; the time counts from the connecting to the last reply.
    pub(super) fn send(&self, envelope: &Envelope, mail: &[u8], deadline: Deadline) -> Result<(), SendError> {
        let mut connection = self.connection(deadline)?;
        let sent = transfer(&mut connection, envelope, mail, deadline);
        // After a refusal the connection is as good as before. After anything else nobody knows what its server waits for.
        let is_open = match &sent {
            Ok(()) => true,
            Err(error) if error.is_reply => within(&mut connection, deadline, |open| open.command(Rset)).is_ok(),
            Err(_) => false,
        };
        if is_open {
            self.idle().push(IdleConnection { connection, until: Deadline::after(IDLE) });
        }
        sent.map_err(|error| error.why)
    }

    /// Closes the connections that were idle for long.
    pub(super) fn close_idle(&self) {
        let old: Vec<_> = self.idle().extract_if(.., |idle| idle.until.left().is_none()).collect();
        old.into_iter().for_each(close);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection that is ready for a mail.
    fn connection(&self, deadline: Deadline) -> Result<SmtpConnection, SendError> {
        self.close_idle();
        loop {
            let Some(IdleConnection { mut connection, .. }) = self.idle().pop() else { break };
            let alive = within(&mut connection, deadline, |open| Ok(open.test_connected()));
            if alive.is_ok_and(|alive| alive) {
                return Ok(connection);
            }
        }
        self.connect(deadline)
    }

    /// Connects, by TLS as configured, and says goodbye after the greetings: nobody logs in.
    pub(super) fn greet(&self, deadline: Deadline) -> Result<(), SendError> {
        let connection = self.greeted(deadline).map_err(|error| at_session(&error))?;
        close(IdleConnection { connection, until: deadline });
        Ok(())
    }

    fn connect(&self, deadline: Deadline) -> Result<SmtpConnection, SendError> {
        let greeted = || self.greeted(deadline).map_err(|error| at_session(&error));
        match &self.login {
            None => greeted(),
            Some(Login::Password(credentials)) => {
                let mut connection = greeted()?;
                within(&mut connection, deadline, |open| open.auth(DEFAULT_MECHANISMS, credentials))
                    .map_err(|error| at_session(&error))?;
                Ok(connection)
            }
            Some(Login::Tokens(user, tokens)) => {
                let token = tokens.get()?;
                if let Ok(connection) = self.try_token(user, &token, deadline)? {
                    return Ok(connection);
                }
                // It may have expired early.
                self.try_token(user, &tokens.renew(&token)?, deadline)?.map_err(SendError::Relay)
            }
        }
    }

    /// A connection on which the user is logged in by an access token. The inner result is what the server says when it
    /// refuses the token.
    fn try_token(
        &self,
        user: &str,
        token: &Secret,
        deadline: Deadline,
    ) -> Result<Result<SmtpConnection, String>, SendError> {
        let mut connection = self.greeted(deadline).map_err(|error| at_session(&error))?;
        if !connection.server_info().supports_auth_mechanism(Mechanism::Xoauth2) {
            return Err(SendError::Relay("the server takes no access token: it does not offer XOAUTH2".to_owned()));
        }
        let authenticated = within(&mut connection, deadline, |open| authenticate(open, user, token));
        Ok(authenticated.map_err(|error| at_session(&error))?.map(|()| connection))
    }

    /// A connection that is ready for a login.
    fn greeted(&self, deadline: Deadline) -> Result<SmtpConnection, Error> {
        let name = ClientId::default();
        let wrapped = match &self.security {
            Security::Wrapped(parameters) => Some(parameters),
            Security::None | Security::Starttls(_) => None,
        };
        let server = (self.host.as_str(), self.port);
        let mut connection = SmtpConnection::connect(server, Some(left(deadline)), &name, wrapped, None)?;
        if let Security::Starttls(parameters) = &self.security {
            within(&mut connection, deadline, |open| open.starttls(parameters, &name))?;
        }
        Ok(connection)
    }
}

impl Drop for Smtp {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *self.idle());
        idle.into_iter().for_each(close);
    }
}

fn close(IdleConnection { mut connection, .. }: IdleConnection) {
    // Whatever it answers: it is closed.
    let _ = within(&mut connection, Deadline::after(GOODBYE), SmtpConnection::quit);
}

/// A mail that was not taken over a connection.
struct TransferError {
    why: SendError,
    /// Whether the server said so, and is ready for the next command.
    is_reply: bool,
}

impl TransferError {
    fn new(error: &Error, why: impl FnOnce(&Error) -> SendError) -> TransferError {
        TransferError { why: why(error), is_reply: error.status().is_some() }
    }
}

fn transfer(
    connection: &mut SmtpConnection,
    envelope: &Envelope,
    mail: &[u8],
    deadline: Deadline,
) -> Result<(), TransferError> {
    let mut options = Vec::new();
    let info = connection.server_info();
    let missing = |what: &str| {
        Err(TransferError { why: SendError::Temporary(format!("the server does not offer {what}")), is_reply: true })
    };
    let addresses = envelope.from().into_iter().chain(envelope.to());
    if addresses.map(AsRef::<str>::as_ref).any(|address| !address.is_ascii()) {
        if !info.supports_feature(Extension::SmtpUtfEight) {
            return missing("SMTPUTF8");
        }
        options.push(MailParameter::SmtpUtfEight);
    }
    if !mail.is_ascii() {
        if !info.supports_feature(Extension::EightBitMime) {
            return missing("8BITMIME");
        }
        options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
    }
    within(connection, deadline, |open| open.command(Mail::new(envelope.from().cloned(), options)))
        .map_err(|error| TransferError::new(&error, at_session))?;
    for to in envelope.to() {
        within(connection, deadline, |open| open.command(Rcpt::new(to.clone(), Vec::new())))
            .map_err(|error| TransferError::new(&error, at_letter))?;
    }
    within(connection, deadline, |open| open.command(Data)).map_err(|error| TransferError::new(&error, at_letter))?;
    // lettre's own call sends the end as a packet by itself, which most systems hold back until the server has
    // acknowledged the packet before it, and that takes 40 ms.
    let sent = within(connection, deadline, |open| match str::from_utf8(mail) {
        Ok(mail) => open.command(DataContent(mail)),
        Err(_) => open.message(mail),
    });
    sent.map(drop).map_err(|error| TransferError::new(&error, at_letter))
}

/// Does something at a connection that may wait for the server until then.
fn within<T>(
    connection: &mut SmtpConnection,
    deadline: Deadline,
    act: impl FnOnce(&mut SmtpConnection) -> Result<T, Error>,
) -> Result<T, Error> {
    // One that cannot be set fails when it is used.
    let _ = connection.set_timeout(Some(left(deadline)));
    act(connection)
}

/// The time left; never zero, which would mean no limit.
fn left(deadline: Deadline) -> Duration {
    deadline.left().unwrap_or(Duration::from_millis(1))
}

/// An error before the server was told of a recipient.
fn at_session(error: &Error) -> SendError {
    // An encryption or a login that it does not offer, and a certificate that is not trusted, are found by us.
    let is_ours = error.is_client() || error.is_tls() || kind(error) == Some(io::ErrorKind::InvalidData);
    if error.is_permanent() || is_ours { SendError::Relay(one_line(&error.to_string())) } else { passing(error) }
}

/// An error at a recipient or at the text.
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

/// A reply or an error that says nothing for good.
fn passing(error: &Error) -> SendError {
    let said = one_line(&error.to_string());
    // A time-out of a socket is either, by the system.
    match kind(error) {
        Some(io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock) => SendError::Hung(said),
        _ => SendError::Temporary(said),
    }
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
