//! Logs in to an SMTP server with an access token.
//!
//! lettre supports the mechanism, but not the challenge with which a server explains why it refuses a token: it would
//! report a client error and lose the server's reply.

use data_encoding::BASE64;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::SmtpConnection;

use super::send_error::one_line;
use crate::mail::oauth::{Sasl, Secret};

/// Logs in with XOAUTH2. The inner result is the server's text when it refuses the token.
pub(crate) fn authenticate(
    connection: &mut SmtpConnection,
    user: &str,
    token: &Secret,
) -> Result<Result<(), String>, Error> {
    let sasl = Sasl::XOAuth2;
    let (mut reason, mut line) = (String::new(), format!("AUTH XOAUTH2 {}", encoded(&sasl.response(user, token))));
    // The second round answers a challenge.
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
