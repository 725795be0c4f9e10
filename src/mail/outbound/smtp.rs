//! SMTP, command by command over kept connections, so that it is known at which step a letter was refused: what a server
//! says before it is given a recipient is about this server, and not about the recipient.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lettre::address::Envelope;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS, Mechanism};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};

use super::send_error::SendError;
use super::smtp_connection::{Connection, TransferError, left, within};
use super::smtp_errors::at_session;
use super::token_login::authenticate;
use crate::config::Tls;
use crate::mail::oauth::{AccessTokens, Secret};
use crate::world::Deadline;

/// How long an idle connection is kept open.
const IDLE: Duration = Duration::from_secs(30);
/// How long the server may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

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
    connection: Connection,
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
        self.close_idle();
        while let Some(connection) = self.kept(deadline) {
            match self.send_over(connection, envelope, mail, deadline) {
                Err(error) if error.had_ended => {}
                sent => return sent.map_err(|error| error.why),
            }
        }
        let connection = Connection::new(self.connect(deadline)?);
        self.send_over(connection, envelope, mail, deadline).map_err(|error| error.why)
    }

    /// Sends a mail over a connection, and keeps it if it can be used again.
    fn send_over(
        &self,
        mut connection: Connection,
        envelope: &Envelope,
        mail: &[u8],
        deadline: Deadline,
    ) -> Result<(), TransferError> {
        let sent = connection.transfer(envelope, mail, deadline);
        // After a refusal the connection is as good as before. After anything else nobody knows what its server waits for.
        let is_open = match &sent {
            Ok(()) => true,
            Err(error) => error.is_reply && connection.reset(deadline),
        };
        if is_open {
            self.idle().push(IdleConnection { connection, until: Deadline::after(IDLE) });
        }
        sent
    }

    /// Closes the connections that were idle for long.
    pub(super) fn close_idle(&self) {
        let old: Vec<_> = self.idle().extract_if(.., |idle| idle.until.left().is_none()).collect();
        old.into_iter().for_each(|idle| close(idle.connection));
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection that was kept and can be used for another mail; those before it that cannot are dropped.
    fn kept(&self, deadline: Deadline) -> Option<Connection> {
        loop {
            let IdleConnection { mut connection, .. } = self.idle().pop()?;
            if connection.is_open(deadline) {
                return Some(connection);
            }
        }
    }

    /// Connects, by TLS as configured, and says goodbye after the greetings: nobody logs in.
    pub(super) fn greet(&self, deadline: Deadline) -> Result<(), SendError> {
        let connection = self.greeted(deadline).map_err(|error| at_session(&error))?;
        close(Connection::new(connection));
        Ok(())
    }

    /// A new connection that is ready for a mail.
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
        idle.into_iter().for_each(|idle| close(idle.connection));
    }
}

fn close(mut connection: Connection) {
    // Whatever it answers: it is closed.
    let _ = connection.within(Deadline::after(GOODBYE), SmtpConnection::quit);
}
