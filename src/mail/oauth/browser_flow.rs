//! The authorization code grant (RFC 6749, 4.1) with PKCE (RFC 7636): the administrator opens an address of the provider,
//! and brings back the address to which the browser is sent. Nothing needs to listen there.

use data_encoding::BASE64URL_NOPAD;
use form_urlencoded::{Serializer, parse};
use sha2::{Digest, Sha256};

use super::endpoint::{Fault, Provider};
use super::error::OAuthError;
use super::secret::Secret;
use crate::config::OAuth;
use crate::text;
use crate::world::World;

/// Where the browser is sent: the browser's own machine (RFC 8252, 7.3). Google and Microsoft take it for programs.
const REDIRECT: &str = "http://localhost";

/// An authorization that has begun.
pub struct BrowserFlow<'a> {
    provider: Provider<'a>,
    state: String,
    verifier: Secret,
    /// The address to open.
    pub address: String,
}

impl BrowserFlow<'_> {
    /// Makes the address to open; `None` where the provider has no such grant.
    ///
    /// # Errors
    /// The client's secret cannot be read.
    pub fn begin(settings: &OAuth, world: World) -> Result<Option<BrowserFlow<'_>>, OAuthError> {
        let provider = Provider::new(settings)?;
        let Some(endpoint) = &provider.endpoints.authorization else { return Ok(None) };
        let (state, verifier) = (random(world), random(world));
        let query = Serializer::new(String::new())
            .append_pair("response_type", "code")
            .append_pair("client_id", &settings.client_id)
            .append_pair("redirect_uri", REDIRECT)
            .append_pair("scope", &provider.endpoints.scope)
            .append_pair("state", &state)
            .append_pair("code_challenge", &challenge(&verifier))
            .append_pair("code_challenge_method", "S256")
            .extend_pairs(provider.endpoints.parameters)
            .finish();
        let address = format!("{endpoint}{}{query}", if endpoint.contains('?') { '&' } else { '?' });
        Ok(Some(BrowserFlow { provider, state, verifier: Secret::new(verifier), address }))
    }

    /// Takes the address to which the browser was sent, and stores the refresh token.
    ///
    /// # Errors
    /// It is not the address, belongs to another authorization, or tells that it was denied; nothing is stored then.
    pub fn finish(self, pasted: &str) -> Result<(), OAuthError> {
        let wrong = |what: String| Err(OAuthError::Permanent(what));
        let query = pasted.trim().split_once('?').map(|(_, query)| query.split('#').next().unwrap_or_default());
        let fields: Vec<_> = parse(query.unwrap_or_default().as_bytes()).collect();
        let field = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref());
        let Some(state) = field("state") else {
            return wrong(format!(
                "this is not the address to which the browser was sent: it begins with {REDIRECT}/?"
            ));
        };
        // RFC 6749, 10.12: another's address would give the server another's mailbox.
        if state != self.state {
            return wrong("this address belongs to another authorization: run the command again".to_owned());
        }
        if let Some(code) = field("error") {
            let said: String = text::line(field("error_description").unwrap_or(code)).chars().take(300).collect();
            return wrong(format!("it was denied on the provider's page ({said})"));
        }
        let Some(code) = field("code") else { return wrong("there is no code in this address".to_owned()) };
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", self.verifier.reveal()),
        ];
        match self.provider.tokens(&form) {
            Ok(tokens) => self.provider.store(tokens),
            Err(Fault::Refused { code, said }) if code == "invalid_grant" => wrong(format!(
                "the provider refuses this code, which counts only once and for minutes ({said}): run the command again"
            )),
            Err(fault) => Err(fault.into_error()),
        }
    }
}

/// 256 random bits, as an address can hold them.
fn random(world: World) -> String {
    let mut bytes = [0; 32];
    (world.random)(&mut bytes);
    BASE64URL_NOPAD.encode(&bytes)
}

/// The challenge of a verifier, by S256 (RFC 7636, 4.2).
fn challenge(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::digest(verifier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
