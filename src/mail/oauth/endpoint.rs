//! The provider's endpoints, their requests and responses (RFC 6749, sections 5 and 6).

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::error::OAuthError;
use super::grant::GrantFile;
use super::http::Client;
use super::secret::Secret;
use crate::config::{Endpoints, OAuth};
use crate::text;

/// The lifetime of an access token in seconds if the provider does not specify one.
const USUAL_LIFETIME: u64 = 300;
/// The request fields with secret values.
const SECRETS: &[&str] = &["client_secret", "code", "code_verifier", "device_code", "refresh_token"];

/// An OAuth provider and our registration as its client.
pub(crate) struct Provider<'a> {
    pub(crate) settings: &'a OAuth,
    pub(crate) endpoints: Endpoints,
    client_secret: Option<Secret>,
    client: Client,
}

/// The response of the token endpoint.
#[derive(Debug, Deserialize)]
pub(crate) struct Tokens {
    pub(crate) access_token: Secret,
    token_type: String,
    /// In seconds; a few providers send a string.
    #[serde(default)]
    expires_in: Value,
    pub(crate) refresh_token: Option<Secret>,
}

impl Tokens {
    /// Returns how long the access token is valid.
    pub(crate) fn lifetime(&self) -> Duration {
        let written = self.expires_in.as_u64().or_else(|| self.expires_in.as_str()?.parse().ok());
        Duration::from_secs(written.unwrap_or(USUAL_LIFETIME))
    }
}

/// Why an endpoint did not fulfil a request.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The endpoint gave a reason: a code of RFC 6749, 5.2, or RFC 8628, 3.5, and a text, sanitised for the log.
    Refused { code: String, said: String },
    /// The endpoint did not answer, or is temporarily unavailable.
    Failed(String),
}

impl Fault {
    /// Converts a fault that the caller does not handle into an error.
    pub(crate) fn into_error(self) -> OAuthError {
        match self {
            Fault::Failed(why) => OAuthError::Temporary(format!("the provider of access tokens: {why}")),
            Fault::Refused { code, said } => OAuthError::Permanent(match code.as_str() {
                "invalid_grant" | "interaction_required" | "consent_required" | "login_required" => {
                    format!("the mailbox is no longer authorized ({said}): run `turnpost admin authorize-mailbox`")
                }
                "invalid_client" | "unauthorized_client" => format!(
                    "the provider refuses this client ({said}): are provider, tenant, client_id and \
                     client_secret_file of [oauth] right?"
                ),
                _ => format!("the provider issued no access token ({said}): check [oauth] in turnpost.toml"),
            }),
        }
    }
}

impl<'a> Provider<'a> {
    pub(crate) fn new(settings: &'a OAuth) -> Result<Provider<'a>, OAuthError> {
        let read = |file: &PathBuf| match fs::read_to_string(file) {
            Ok(text) => Ok(Secret::new(text.lines().next().unwrap_or_default())),
            Err(error) => {
                let why = format!("cannot read the client_secret_file {}: {error}", file.display());
                Err(OAuthError::Permanent(why))
            }
        };
        let client_secret = settings.client_secret_file.as_ref().map(read).transpose()?;
        Ok(Provider { settings, endpoints: settings.endpoints(), client_secret, client: Client::new() })
    }

    /// Sends a request to the token endpoint, with our client ID and secret.
    pub(crate) fn tokens(&self, form: &[(&str, &str)]) -> Result<Tokens, Fault> {
        let mut form = form.to_vec();
        form.push(("client_id", &self.settings.client_id));
        form.extend(self.client_secret.as_ref().map(|secret| ("client_secret", secret.reveal())));
        let tokens: Tokens = self.ask(&self.endpoints.token, &form)?;
        if !tokens.token_type.eq_ignore_ascii_case("bearer") {
            let said = format!("its tokens are of the type {:?}", text::line(&tokens.token_type));
            return Err(Fault::Refused { code: "token_type".to_owned(), said });
        }
        Ok(tokens)
    }

    /// Stores the refresh token of a new authorization.
    pub(crate) fn store(&self, tokens: Tokens) -> Result<(), OAuthError> {
        let Some(token) = tokens.refresh_token else {
            let why = "the provider gave no refresh token: does the scope ask for one (often by offline_access)?";
            return Err(OAuthError::Permanent(why.to_owned()));
        };
        let file = GrantFile(&self.settings.grant_file);
        let _lock = file.lock()?;
        let written = file.store(&token);
        written.map_err(|error| OAuthError::Temporary(format!("cannot write {}: {error}", file.0.display())))
    }

    /// Posts a form and parses the response.
    pub(crate) fn ask<T: DeserializeOwned>(&self, address: &str, form: &[(&str, &str)]) -> Result<T, Fault> {
        let (status, body) = self.client.post(address, form).map_err(Fault::Failed)?;
        if (200..300).contains(&status) {
            // The parser's error would quote the response, which may contain tokens.
            return serde_json::from_str(&body).map_err(|_| Fault::Failed("its response is not valid".to_owned()));
        }
        let body: Value = serde_json::from_str(&body).unwrap_or_default();
        let code = body["error"].as_str().unwrap_or_default().to_owned();
        let described = body["error_description"].as_str().unwrap_or_default();
        let said = match (code.as_str(), described) {
            ("", _) => format!("status {status}"),
            (code, "") => code.to_owned(),
            (code, described) => format!("{code}: {described}"),
        };
        let said = cleaned(&said, form);
        let is_temporary = matches!(code.as_str(), "temporarily_unavailable" | "server_error")
            || status >= 500
            || matches!(status, 408 | 429) && code != "slow_down";
        Err(if is_temporary { Fault::Failed(said) } else { Fault::Refused { code, said } })
    }
}

/// Removes secrets and control characters from the provider's text for the log.
fn cleaned(said: &str, form: &[(&str, &str)]) -> String {
    let secrets = form.iter().filter(|(name, value)| SECRETS.contains(name) && !value.is_empty());
    let said = secrets.fold(said.to_owned(), |said, (_, secret)| said.replace(secret, "***"));
    text::line(&said).chars().take(300).collect()
}
