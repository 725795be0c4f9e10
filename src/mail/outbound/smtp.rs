//! SMTP over persistent connections. The commands are sent one by one, to learn which of them the server refuses: a
//! refusal before the first recipient concerns us and not the recipient.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use data_encoding::BASE64;
use lettre::address::Envelope;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS, Mechanism};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};

use super::letter::{SendError, one_line};
use super::smtp_connection::{TransferError, at_session, left, reset, transfer, within};
use crate::config::Tls;
use crate::mail::oauth::{AccessTokens, Sasl, Secret};
use crate::world::Deadline;

/// How long an idle connection stays open.
const IDLE: Duration = Duration::from_secs(30);
/// How long the server may take to answer `QUIT`.
const GOODBYE: Duration = Duration::from_secs(1);

/// An SMTP server, and the idle connections to it.
pub struct Smtp {
    host: String,
    port: u16,
    security: Security,
    login: Option<Login>,
    idle: Mutex<Vec<IdleConnection>>,
}

/// The credentials of our account.
pub(crate) enum Login {
    Password(Credentials),
    /// Access tokens for this user.
    Tokens(String, AccessTokens),
}

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
    /// Creates a client of the server at this address; the default port depends on `tls`.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub(crate) fn new(host: &str, port: Option<u16>, tls: Tls, login: Option<Login>) -> Result<Smtp, Error> {
        let parameters = || TlsParameters::new(host.to_owned());
        let (security, usual) = match tls {
            Tls::None => (Security::None, SMTP_PORT),
            Tls::Starttls => (Security::Starttls(parameters()?), SUBMISSION_PORT),
            Tls::Wrapped => (Security::Wrapped(parameters()?), SUBMISSIONS_PORT),
        };
        let port = port.unwrap_or(usual);
        Ok(Smtp { host: host.to_owned(), port, security, login, idle: Mutex::default() })
    }

    /// Sends a letter. The deadline also covers connecting to the server.
    pub(crate) fn send(&self, envelope: &Envelope, mail: &[u8], deadline: Deadline) -> Result<(), SendError> {
        self.close_idle();
        while let Some(idle) = self.take_idle() {
            match self.send_over(idle.connection, envelope, mail, deadline) {
                Err(error) if error.had_ended => {}
                sent => return sent.map_err(|error| error.why),
            }
        }
        self.send_over(self.connect(deadline)?, envelope, mail, deadline).map_err(|error| error.why)
    }

    /// Sends a letter over a connection, and returns the connection to the pool if it is reusable.
    fn send_over(
        &self,
        mut connection: SmtpConnection,
        envelope: &Envelope,
        mail: &[u8],
        deadline: Deadline,
    ) -> Result<(), TransferError> {
        let sent = transfer(&mut connection, envelope, mail, deadline);
        // A connection is reusable after a refusal. After any other error, the state of the session is unknown.
        let is_open = match &sent {
            Ok(()) => true,
            Err(error) => error.is_reply && reset(&mut connection, deadline),
        };
        if is_open {
            self.idle().push(IdleConnection { connection, until: Deadline::after(IDLE) });
        }
        sent
    }

    /// Closes connections that have been idle for too long.
    pub(crate) fn close_idle(&self) {
        let old: Vec<_> = self.idle().extract_if(.., |idle| idle.until.left().is_none()).collect();
        old.into_iter().for_each(|idle| close(idle.connection));
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_idle(&self) -> Option<IdleConnection> {
        self.idle().pop()
    }

    /// Connects, with TLS as configured, and quits after the greeting without a login.
    pub(crate) fn greet(&self, deadline: Deadline) -> Result<(), SendError> {
        let connection = self.greeted(deadline).map_err(|error| at_session(&error))?;
        close(connection);
        Ok(())
    }

    /// Opens a connection and prepares it for a letter.
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
                // Renew the token, because it may have expired early.
                self.try_token(user, &tokens.renew(&token)?, deadline)?.map_err(SendError::Relay)
            }
        }
    }

    /// Opens a connection and logs in with an access token. The inner error is the server's text if it refuses the
    /// token.
    fn try_token(
        &self,
        user: &str,
        token: &Secret,
        deadline: Deadline,
    ) -> Result<Result<SmtpConnection, String>, SendError> {
        let mut connection = self.greeted(deadline).map_err(|error| at_session(&error))?;
        if !connection.server_info().supports_auth_mechanism(Mechanism::Xoauth2) {
            return Err(SendError::Relay(
                "the server does not accept access tokens: it does not offer XOAUTH2".to_owned(),
            ));
        }
        let authenticated = within(&mut connection, deadline, |open| authenticate(open, user, token));
        Ok(authenticated.map_err(|error| at_session(&error))?.map(|()| connection))
    }

    /// Opens a connection and prepares it for a login.
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

fn close(mut connection: SmtpConnection) {
    // Ignore an error: the connection is closed in any case.
    let _ = within(&mut connection, Deadline::after(GOODBYE), SmtpConnection::quit);
}

/// Logs in with XOAUTH2. The inner error is the server's text if it refuses the token.
pub(crate) fn authenticate(
    connection: &mut SmtpConnection,
    user: &str,
    token: &Secret,
) -> Result<Result<(), String>, Error> {
    let sasl = Sasl::XOAuth2;
    let (mut reason, mut line) = (String::new(), format!("AUTH XOAUTH2 {}", encoded(&sasl.response(user, token))));
    // The second iteration answers a challenge.
    for _ in 0..2 {
        match connection.command(format_args!("{line}\r\n")) {
            Ok(reply) if reply.has_code(334) => {
                let challenge = BASE64.decode(reply.first_word().unwrap_or_default().as_bytes()).unwrap_or_default();
                reason = format!(" ({})", String::from_utf8_lossy(&challenge));
                line = encoded(sasl.after_error());
            }
            Ok(_) => return Ok(Ok(())),
            Err(error) if error.is_permanent() => {
                let hide = |said: String, secret: &String| said.replace(secret.as_str(), "***");
                let said = sasl.secrets(user, token).iter().fold(format!("{error}{reason}"), hide);
                return Ok(Err(one_line(&said)));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Err("the server neither accepts nor refuses the access token".to_owned()))
}

fn encoded(text: &str) -> String {
    BASE64.encode(text.as_bytes())
}
