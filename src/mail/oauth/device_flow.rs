//! The device authorization grant (RFC 8628): the administrator enters a code on a page of the provider.

use std::time::Duration;

use serde::Deserialize;

use super::endpoint::{Fault, Provider};
use super::error::OAuthError;
use super::secret::Secret;
use crate::config::OAuth;
use crate::text;
use crate::world::Deadline;

/// The default seconds between two polls (RFC 8628, 3.2).
const USUAL_INTERVAL: u64 = 5;
/// The interval grows by this much after each `slow_down` (RFC 8628, 3.5).
const SLOWER: Duration = Duration::from_secs(5);
/// The longest wait between two polls.
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
/// The longest wait for the code to be entered.
const LONGEST_LIFETIME: Duration = Duration::from_secs(60 * 60);

/// An authorization in progress.
pub struct DeviceFlow<'a> {
    provider: Provider<'a>,
    device_code: Secret,
    interval: Duration,
    /// The page to open.
    pub address: String,
    /// The code to enter there.
    pub user_code: String,
    /// How long the code is valid.
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
    /// Requests a code; `None` if the provider does not support this grant.
    ///
    /// # Errors
    /// The provider does not issue a code.
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

    /// Waits until the code has been entered, and stores the refresh token. `wait` is called between two polls.
    ///
    /// # Errors
    /// The request was denied, or the code expired. Nothing is stored.
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
                Fault::Failed(_) => self.interval = (self.interval * 2).clamp(Duration::from_secs(1), LONGEST_INTERVAL),
                Fault::Refused { code, said } => match code.as_str() {
                    "authorization_pending" => {}
                    "slow_down" => self.interval = (self.interval + SLOWER).min(LONGEST_INTERVAL),
                    // Microsoft uses the second code.
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
