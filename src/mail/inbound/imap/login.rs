//! From a connection to a logged-in session.

use std::fs;

use imap_next::imap_types::auth::AuthMechanism;
use imap_next::imap_types::command::CommandBody;

use super::connection::Connection;
use super::error::ImapError;
use super::session::{Capabilities, Session};
use crate::config::{Imap, Tls};
use crate::mail::oauth::{AccessTokens, Sasl, Secret};
use crate::world::World;

/// The user's credentials.
pub(crate) enum Credentials {
    /// A password, by LOGIN.
    Password(String),
    /// An access token, by AUTHENTICATE.
    Token(Secret),
}

impl Credentials {
    /// Reads the password from its file, or requests an access token.
    pub(crate) fn read(config: &Imap, tokens: Option<&AccessTokens>) -> Result<Credentials, ImapError> {
        let Some(file) = &config.password_file else {
            let tokens = tokens.ok_or_else(|| ImapError::permanent("[imap] requires a password_file or [oauth]"))?;
            return Ok(Credentials::Token(tokens.get()?));
        };
        let text = fs::read_to_string(file).map_err(|error| {
            ImapError::permanent(format!("cannot read the password_file {}: {error}", file.display()))
        })?;
        Ok(Credentials::Password(text.lines().next().unwrap_or_default().to_owned()))
    }
}

/// Begins a session, with TLS as configured, and logs in; returns it with the capabilities after the login.
pub(crate) fn log_in(
    config: &Imap,
    credentials: &Credentials,
    connection: Connection,
    world: World,
) -> Result<(Session, Capabilities), ImapError> {
    let mut session = begin(config, connection, world)?;
    match credentials {
        Credentials::Password(password) => login(&mut session, config, password)?,
        Credentials::Token(token) => authenticate(&mut session, config, token)?,
    }
    // The server may offer more capabilities after the login.
    let capabilities = session.capabilities()?;
    Ok((session, capabilities))
}

/// Checks whether the server can be reached, without logging in.
///
/// # Errors
/// The server cannot be reached, or refuses us.
pub fn greet(config: &Imap, world: World) -> Result<(), ImapError> {
    let connection = Connection::connect(&config.host, config.port())?;
    begin(config, connection, world).map(drop)
}

/// Begins a session, with TLS as configured.
fn begin(config: &Imap, connection: Connection, world: World) -> Result<Session, ImapError> {
    let encrypted = |connection: Connection| connection.encrypted(&config.host, config.ca_file.as_deref());
    match config.tls {
        Tls::None => Session::begin(connection, world),
        Tls::Wrapped => Session::begin(encrypted(connection)?, world),
        Tls::Starttls => {
            let mut plain = Session::begin(connection, world)?;
            let response = plain.run(CommandBody::StartTLS)?;
            if !response.is_ok() {
                return Err(ImapError::permanent(format!(
                    "the server refuses STARTTLS: {}. Does it require tls = \"wrapped\"?",
                    response.text
                )));
            }
            Ok(Session::resume(encrypted(plain.into_connection())?, world))
        }
    }
}

fn login(session: &mut Session, config: &Imap, password: &str) -> Result<(), ImapError> {
    if session.capabilities()?.login_disabled {
        return Err(ImapError::permanent(format!(
            "the server does not accept passwords{}",
            if config.tls == Tls::None { " without TLS" } else { "" }
        )));
    }
    session.hide(vec![password.to_owned()]);
    let login = CommandBody::login(config.user.clone(), password.to_owned())
        .map_err(|_| ImapError::permanent("user or password contains an octet that IMAP does not allow"))?;
    let response = session.run(login)?;
    if !response.is_ok() {
        let text = format!(
            "the server refuses the login of {:?}: {}. Are user and password_file right? Many providers want an app \
             password, and IMAP switched on",
            config.user, response.text
        );
        return Err(response.login_refusal(text));
    }
    Ok(())
}

fn authenticate(session: &mut Session, config: &Imap, token: &Secret) -> Result<(), ImapError> {
    let capabilities = session.capabilities()?;
    let (mechanism, sasl) = match capabilities {
        Capabilities { xoauth2: true, .. } => (AuthMechanism::XOAuth2, Sasl::XOAuth2),
        Capabilities { oauthbearer: true, .. } => (AuthMechanism::OAuthBearer, Sasl::OAuthBearer),
        _ => {
            return Err(ImapError::permanent(
                "the server does not accept access tokens: it offers neither XOAUTH2 nor OAUTHBEARER",
            ));
        }
    };
    session.hide(sasl.secrets(&config.user, token));
    let first = sasl.response(&config.user, token);
    let response = session.authenticate(mechanism, &first, sasl.after_error(), capabilities.initial_response)?;
    if !response.is_ok() {
        let text = format!(
            "the server refuses the access token for {:?}: {}. Is it the mailbox that was authorized, with IMAP switched \
             on?",
            config.user, response.text
        );
        return Err(response.login_refusal(text));
    }
    Ok(())
}
