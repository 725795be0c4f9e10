//! The two ways to authorize the mailbox.
//!
//! Device authorization (RFC 8628): the administrator enters a code on a page of the provider. Authorization code (RFC
//! 6749, 4.1) with PKCE (RFC 7636): the administrator opens an address of the provider, and pastes the address to which
//! the browser is redirected. No server listens at that address.

use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use form_urlencoded::{Serializer, parse};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::provider::{Fault, Provider};
use super::{OAuthError, Secret};
use crate::config::OAuth;
use crate::text;
use crate::world::{Deadline, World};

/// The default interval between two polls, in seconds (RFC 8628, 3.2).
const USUAL_INTERVAL: u64 = 5;
/// The interval grows by this much after each `slow_down` (RFC 8628, 3.5).
const SLOWER: Duration = Duration::from_secs(5);
/// The longest interval after a failure, unless the provider requested a longer one.
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
/// The longest time to wait for the administrator to enter the code.
const LONGEST_LIFETIME: Duration = Duration::from_secs(60 * 60);
/// The redirect address, on the browser's own machine (RFC 8252, 7.3). Google and Microsoft accept it for native
/// programs.
const REDIRECT: &str = "http://localhost";

/// A device authorization in progress (RFC 8628).
pub struct DeviceFlow<'a> {
    provider: Provider<'a>,
    device_code: Secret,
    interval: Duration,
    /// The provider's page, which the administrator opens.
    pub address: String,
    /// The code that the administrator enters on that page.
    pub user_code: String,
    /// How long the code is valid, limited to one hour.
    pub lifetime: Duration,
}

/// The response of the device authorization endpoint.
#[derive(Deserialize)]
struct Begun {
    device_code: Secret,
    user_code: String,
    verification_uri: String,
    expires_in: u64,
    interval: Option<u64>,
}

impl DeviceFlow<'_> {
    /// Requests a code from the provider. Returns `None` if the provider has no device authorization endpoint.
    ///
    /// # Errors
    /// The client secret cannot be read, or the provider does not issue a code.
    pub fn begin(settings: &OAuth) -> Result<Option<DeviceFlow<'_>>, OAuthError> {
        let provider = Provider::new(settings)?;
        let Some(endpoint) = &provider.endpoints.device else { return Ok(None) };
        let form = [("client_id", settings.client_id.as_str()), ("scope", &provider.endpoints.scope)];
        let begun: Begun = provider.ask(endpoint, &form).map_err(Fault::into_error)?;
        Ok(Some(DeviceFlow {
            device_code: begun.device_code,
            interval: Duration::from_secs(begun.interval.unwrap_or(USUAL_INTERVAL)),
            address: text::line(&begun.verification_uri),
            user_code: text::line(&begun.user_code),
            lifetime: Duration::from_secs(begun.expires_in).min(LONGEST_LIFETIME),
            provider,
        }))
    }

    /// Waits until the administrator has entered the code, and stores the refresh token. `wait` is called before each
    /// poll.
    ///
    /// # Errors
    /// The request was denied or refused, the code expired, the provider issued no refresh token, or the token cannot
    /// be stored.
    pub fn finish(mut self, wait: &mut dyn FnMut(Duration)) -> Result<(), OAuthError> {
        let until = Deadline::after(self.lifetime);
        while until.left().is_some() {
            wait(self.interval);
            let form = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                ("device_code", self.device_code.reveal()),
            ];
            let fault = match self.provider.tokens(&form) {
                Ok(tokens) => return self.provider.store(tokens),
                Err(fault) => fault,
            };
            match &fault {
                Fault::Failed(_) => {
                    let longer = (self.interval * 2).clamp(Duration::from_secs(1), LONGEST_INTERVAL);
                    self.interval = self.interval.max(longer);
                }
                Fault::Refused { code, said } => match code.as_str() {
                    "authorization_pending" => {}
                    "slow_down" => self.interval += SLOWER,
                    // Microsoft sends `authorization_declined`.
                    "access_denied" | "authorization_declined" => {
                        return Err(OAuthError::Permanent(format!(
                            "the request was denied on the provider's page ({said})"
                        )));
                    }
                    "expired_token" => break,
                    _ => return Err(fault.into_error()),
                },
            }
        }
        Err(OAuthError::Permanent("the code expired before it was entered: run the command again".to_owned()))
    }
}

/// A browser authorization in progress (RFC 6749, 4.1).
pub struct BrowserFlow<'a> {
    provider: Provider<'a>,
    state: String,
    verifier: Secret,
    /// The address of the provider's page, which the administrator opens in a browser.
    pub address: String,
}

impl BrowserFlow<'_> {
    /// Builds the address for the browser. Returns `None` if the provider has no authorization endpoint.
    ///
    /// # Errors
    /// The client secret cannot be read.
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

    /// Checks the address to which the browser was redirected, and stores the refresh token.
    ///
    /// # Errors
    /// The address is not the redirect address, belongs to another authorization, reports a denial, or contains no
    /// code; the provider issues no refresh token; or the token cannot be stored.
    pub fn finish(self, pasted: &str) -> Result<(), OAuthError> {
        let wrong = |what: String| Err(OAuthError::Permanent(what));
        let query = pasted.trim().split_once('?').map(|(_, query)| query.split('#').next().unwrap_or_default());
        let fields: Vec<_> = parse(query.unwrap_or_default().as_bytes()).collect();
        let field = |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_ref());
        let Some(state) = field("state") else {
            return wrong(format!(
                "this is not the address to which the browser was redirected: that one begins with {REDIRECT}/?"
            ));
        };
        // An address from an attacker would connect the server to the attacker's mailbox (RFC 6749, 10.12).
        if state != self.state {
            return wrong("this address belongs to another authorization: run the command again".to_owned());
        }
        if let Some(code) = field("error") {
            let said: String = text::line(field("error_description").unwrap_or(code)).chars().take(300).collect();
            return wrong(format!("the request was denied on the provider's page ({said})"));
        }
        let Some(code) = field("code") else { return wrong("this address contains no code".to_owned()) };
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", self.verifier.reveal()),
        ];
        match self.provider.tokens(&form) {
            Ok(tokens) => self.provider.store(tokens),
            Err(Fault::Refused { code, said }) if code == "invalid_grant" => wrong(format!(
                "the provider refuses this code, which works once and for a few minutes ({said}): run the command again"
            )),
            Err(fault) => Err(fault.into_error()),
        }
    }
}

/// Returns 256 random bits in base64url.
fn random(world: World) -> String {
    let mut bytes = [0; 32];
    (world.random)(&mut bytes);
    BASE64URL_NOPAD.encode(&bytes)
}

/// Computes the S256 challenge of a verifier (RFC 7636, 4.2).
fn challenge(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::digest(verifier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_follow_rfc_7636() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
