//! How an access token is shown to a mail server.

use data_encoding::BASE64;

use super::secret::Secret;

/// A mechanism of SASL that takes access tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sasl {
    /// Google's and Microsoft's.
    XOAuth2,
    /// That of RFC 7628.
    OAuthBearer,
}

impl Sasl {
    /// What the client says first.
    pub fn response(self, user: &str, token: &Secret) -> String {
        let token = token.reveal();
        match self {
            Sasl::XOAuth2 => format!("user={user}\x01auth=Bearer {token}\x01\x01"),
            Sasl::OAuthBearer => {
                // RFC 5801, section 4.
                let user = user.replace('=', "=3D").replace(',', "=2C");
                format!("n,a={user},\x01auth=Bearer {token}\x01\x01")
            }
        }
    }

    /// What the client says to an error, which the server tells as a challenge, before the server refuses.
    pub fn after_error(self) -> &'static str {
        match self {
            Sasl::XOAuth2 => "",
            Sasl::OAuthBearer => "\x01",
        }
    }

    /// What a mail server must not have logged of it, however it repeats what it was told.
    pub fn secrets(self, user: &str, token: &Secret) -> Vec<String> {
        vec![token.reveal().to_owned(), BASE64.encode(self.response(user, token).as_bytes())]
    }
}
