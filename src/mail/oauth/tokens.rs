//! Access tokens: requested with the refresh token when they are needed, cached in memory, and encoded for a mail
//! server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use data_encoding::BASE64;

use super::provider::{GrantFile, Provider, Version};
use super::{OAuthError, Secret};
use crate::config::{Config, OAuth};
use crate::world::Deadline;

/// An access token is replaced this long before it expires.
const MARGIN: Duration = Duration::from_secs(60);
/// The longest time for which an access token is cached.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// A refused refresh token is not used again for this long, unless the mailbox is authorized again.
const REFUSED: Duration = Duration::from_secs(15 * 60);
/// After a temporary failure, the provider is not contacted again for this long.
const FAILED: Duration = Duration::from_secs(10);

/// The access tokens for a mailbox. Clones share one cache. A file lock prevents two processes from refreshing the
/// tokens concurrently.
#[derive(Clone)]
pub struct AccessTokens {
    settings: Arc<OAuth>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: Option<(Secret, Deadline)>,
    /// The last failure, the version of the refresh token's file at that time, and when to forget the failure.
    failure: Option<(OAuthError, Option<Version>, Deadline)>,
    /// A refresh token that could not be stored, and the token that it replaces.
    unstored: Option<(Secret, Secret)>,
}

impl AccessTokens {
    /// Creates an empty cache of access tokens. Returns `None` if the configuration has no `[oauth]` section.
    pub fn of(config: &Config) -> Option<AccessTokens> {
        let settings = Arc::new(config.oauth.clone()?);
        Some(AccessTokens { settings, state: Arc::default() })
    }

    /// Returns the cached token, or requests a new one.
    ///
    /// # Errors
    /// No token is available, for example because the mailbox is not authorized or the provider does not issue a token.
    pub fn get(&self) -> Result<Secret, OAuthError> {
        let mut state = self.state();
        match state.held() {
            Some(token) => Ok(token),
            None => self.refresh(&mut state),
        }
    }

    /// Returns the cached token unless it is `refused`, the token that a mail server refused. In that case, requests
    /// another token.
    ///
    /// # Errors
    /// No token is available, for example because the mailbox is not authorized or the provider does not issue a token.
    pub fn renew(&self, refused: &Secret) -> Result<Secret, OAuthError> {
        let mut state = self.state();
        match state.held().filter(|token| token != refused) {
            Some(token) => Ok(token),
            None => self.refresh(&mut state),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Requests a new access token, and stores the new refresh token if the provider sends one.
    fn refresh(&self, state: &mut State) -> Result<Secret, OAuthError> {
        state.held = None;
        let file = GrantFile(&self.settings.grant_file);
        // Read the file before locking it: if the file is missing and the directory is not writable, the error of the
        // lock would not mention the missing file.
        file.read()?;
        if let Some(failure) = state.failure(file.version()) {
            return Err(failure);
        }
        let provider = Provider::new(&self.settings)?;
        let _lock = file.lock().inspect_err(|error| {
            // Remember the failure: otherwise, each further letter would also wait for the lock.
            state.failure = Some((error.clone(), file.version(), Deadline::after(FAILED)));
        })?;
        // Another process may have replaced the token in the meantime.
        let stored = file.read()?;
        let own = state.unstored.take().filter(|(_, replaced)| *replaced == stored);
        let token = own.as_ref().map_or_else(|| stored.clone(), |(token, _)| token.clone());
        let tokens = match provider.tokens(&[("grant_type", "refresh_token"), ("refresh_token", token.reveal())]) {
            Ok(tokens) => tokens,
            Err(fault) => {
                let error = fault.into_error();
                state.unstored = own;
                let time = if matches!(error, OAuthError::Permanent(_)) { REFUSED } else { FAILED };
                state.failure = Some((error.clone(), file.version(), Deadline::after(time)));
                return Err(error);
            }
        };
        let lifetime = tokens.lifetime().saturating_sub(MARGIN).min(LONGEST);
        let newest = tokens.refresh_token.unwrap_or(token);
        if newest != stored
            && let Err(error) = file.store(&newest)
        {
            let file = self.settings.grant_file.display();
            tracing::error!(%error, %file, "cannot store the new refresh token; the next refresh tries again");
            state.unstored = Some((newest, stored));
        }
        state.held = Some((tokens.access_token.clone(), Deadline::after(lifetime)));
        Ok(tokens.access_token)
    }
}

impl State {
    /// Returns the cached token unless it has expired.
    fn held(&self) -> Option<Secret> {
        let (token, until) = self.held.as_ref()?;
        until.left().map(|_| token.clone())
    }

    /// Returns the last failure if it is recent and concerns this version of the file.
    fn failure(&self, file: Option<Version>) -> Option<OAuthError> {
        let (error, of, until) = self.failure.as_ref()?;
        until.left().filter(|_| *of == file).map(|_| error.clone())
    }
}

/// A SASL mechanism that accepts access tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sasl {
    /// XOAUTH2, used by Google and Microsoft.
    XOAuth2,
    /// OAUTHBEARER (RFC 7628).
    OAuthBearer,
}

impl Sasl {
    /// Returns the initial response, which contains the user and the token.
    pub fn response(self, user: &str, token: &Secret) -> String {
        let token = token.reveal();
        match self {
            Sasl::XOAuth2 => format!("user={user}\x01auth=Bearer {token}\x01\x01"),
            Sasl::OAuthBearer => {
                // RFC 5801, section 4, requires these escapes.
                let user = user.replace('=', "=3D").replace(',', "=2C");
                format!("n,a={user},\x01auth=Bearer {token}\x01\x01")
            }
        }
    }

    /// Returns our reply to a challenge that describes an error. The server sends this challenge before it refuses the
    /// login.
    pub fn after_error(self) -> &'static str {
        match self {
            Sasl::XOAuth2 => "",
            Sasl::OAuthBearer => "\x01",
        }
    }

    /// Returns the texts to hide in the log. A mail server may repeat them in its replies.
    pub fn secrets(self, user: &str, token: &Secret) -> Vec<String> {
        vec![token.reveal().to_owned(), BASE64.encode(self.response(user, token).as_bytes())]
    }
}
