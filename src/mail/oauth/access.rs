//! Access tokens: asked for by the refresh token when they are needed, and kept in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::endpoint::Provider;
use super::error::OAuthError;
use super::grant::{GrantFile, Version};
use super::secret::Secret;
use crate::config::{Config, OAuth};
use crate::world::Deadline;

/// How long before it expires an access token is replaced.
const MARGIN: Duration = Duration::from_secs(60);
/// The longest time for which an access token is kept.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the provider is not asked again by a refresh token that it refused, unless the mailbox is authorized anew.
const REFUSED: Duration = Duration::from_secs(15 * 60);
/// How long it is not asked again when it did not answer.
const FAILED: Duration = Duration::from_secs(10);

/// The access tokens for a mailbox. Users of one clone wait for each other; processes and other instances wait by a lock.
#[derive(Clone)]
pub struct AccessTokens {
    settings: Arc<OAuth>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: Option<(Secret, Deadline)>,
    /// The last failure, the file of the refresh token that it was about, and how long that counts.
    failure: Option<(OAuthError, Option<Version>, Deadline)>,
    /// A refresh token that could not be stored, and the one that it replaces.
    unstored: Option<(Secret, Secret)>,
}

impl AccessTokens {
    /// The access tokens that the configuration tells of, if it does.
    pub fn of(config: &Config) -> Option<AccessTokens> {
        let settings = Arc::new(config.oauth.clone()?);
        Some(AccessTokens { settings, state: Arc::default() })
    }

    /// A token that counts, as far as is known.
    ///
    /// # Errors
    /// There is none: the mailbox is not authorized, or the provider gives none.
    pub fn get(&self) -> Result<Secret, OAuthError> {
        let mut state = self.state();
        match state.held() {
            Some(token) => Ok(token),
            None => self.refresh(&mut state),
        }
    }

    /// Another token than this one, which a mail server refused.
    ///
    /// # Errors
    /// As [`AccessTokens::get`].
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

    /// Asks for a new access token, and stores a new refresh token that comes with it.
    fn refresh(&self, state: &mut State) -> Result<Secret, OAuthError> {
        state.held = None;
        let file = GrantFile(&self.settings.grant_file);
        // Before the lock: where nothing can be written, that would be told in place of what is missing.
        file.read()?;
        if let Some(failure) = state.failure(file.version()) {
            return Err(failure);
        }
        let provider = Provider::new(&self.settings)?;
        let _lock = file.lock().inspect_err(|error| {
            // Otherwise each of the other letters would wait for the lock in turn.
            state.failure = Some((error.clone(), file.version(), Deadline::after(FAILED)));
        })?;
        // Another process may have replaced it meanwhile.
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
            tracing::error!(%error, %file, "the new refresh token cannot be stored; it is tried again with the next one");
            state.unstored = Some((newest, stored));
        }
        state.held = Some((tokens.access_token.clone(), Deadline::after(lifetime)));
        Ok(tokens.access_token)
    }
}

impl State {
    /// The token that is held, unless it has expired.
    fn held(&self) -> Option<Secret> {
        let (token, until) = self.held.as_ref()?;
        until.left().map(|_| token.clone())
    }

    /// The failure of an attempt by this file, if it was a short time ago.
    fn failure(&self, file: Option<Version>) -> Option<OAuthError> {
        let (error, of, until) = self.failure.as_ref()?;
        until.left().filter(|_| *of == file).map(|_| error.clone())
    }
}
