//! SASL mechanisms for access tokens.

use data_encoding::BASE64;

use super::secret::Secret;

/// A SASL mechanism that accepts access tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sasl {
    /// XOAUTH2, used by Google and Microsoft.
    XOAuth2,
    /// OAUTHBEARER (RFC 7628).
    OAuthBearer,
}

impl Sasl {
    /// Returns the client's initial response.
    pub fn response(self, user: &str, token: &Secret) -> String {
        let token = token.reveal();
        match self {
            Sasl::XOAuth2 => format!("user={user}\x01auth=Bearer {token}\x01\x01"),
            Sasl::OAuthBearer => {
                // The escapes of RFC 5801, section 4.
                let user = user.replace('=', "=3D").replace(',', "=2C");
                format!("n,a={user},\x01auth=Bearer {token}\x01\x01")
            }
        }
    }

    /// Returns the reply to the challenge in which the server describes an error, before it refuses the login.
    pub fn after_error(self) -> &'static str {
        match self {
            Sasl::XOAuth2 => "",
            Sasl::OAuthBearer => "\x01",
        }
    }

    /// Returns the texts to hide in the log, because a mail server may repeat them.
    pub fn secrets(self, user: &str, token: &Secret) -> Vec<String> {
        vec![token.reveal().to_owned(), BASE64.encode(self.response(user, token).as_bytes())]
    }
}
