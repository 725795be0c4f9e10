//! From a connection to a session that is logged in.

use std::fs;

use imap_next::imap_types::command::CommandBody;

use super::connection::Connection;
use super::error::ImapError;
use super::session::{Capabilities, Session};
use crate::config::{Imap, Tls};
use crate::world::World;

/// Begins a session, by TLS as the configuration says, and logs in; returns it with the capabilities after the login.
pub(super) fn log_in(
    config: &Imap,
    connection: Connection,
    world: World,
) -> Result<(Session, Capabilities), ImapError> {
    let mut session = begin(config, connection, world)?;
    login(&mut session, config)?;
    // There may be more capabilities after the login.
    let capabilities = session.capabilities()?;
    Ok((session, capabilities))
}

/// Tries whether the server can be reached, without logging in.
///
/// # Errors
/// It cannot be reached, or refuses us.
pub fn greet(config: &Imap, world: World) -> Result<(), ImapError> {
    let connection = Connection::connect(&config.host, config.port())?;
    begin(config, connection, world).map(drop)
}

/// Begins a session, by TLS as the configuration says.
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
                    "the server refuses STARTTLS: {}. Does it want tls = \"wrapped\"?",
                    response.text
                )));
            }
            Ok(Session::resume(encrypted(plain.into_connection())?, world))
        }
    }
}

fn login(session: &mut Session, config: &Imap) -> Result<(), ImapError> {
    if session.capabilities()?.login_disabled {
        return Err(ImapError::permanent(format!(
            "the server takes no password{}",
            if config.tls == Tls::None { " without TLS" } else { "" }
        )));
    }
    let file = &config.password_file;
    let text = fs::read_to_string(file)
        .map_err(|error| ImapError::permanent(format!("cannot read the password_file {}: {error}", file.display())))?;
    let password = text.lines().next().unwrap_or_default();
    session.hide(password);
    let login = CommandBody::login(config.user.clone(), password.to_owned())
        .map_err(|_| ImapError::permanent("user or password has an octet that IMAP does not allow"))?;
    let response = session.run(login)?;
    if !response.is_ok() {
        let text = format!(
            "the server refuses the login of {:?}: {}. Are user and password_file right? Many providers want an app \
             password, and IMAP switched on",
            config.user, response.text
        );
        return Err(response.refusal(text));
    }
    Ok(())
}
