//! The provider's endpoints, their requests and responses (RFC 6749, sections 5 and 6), and the file with the refresh
//! token, which is readable only by its owner and replaced atomically.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use form_urlencoded::Serializer;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use ureq::Agent;

use super::{OAuthError, Secret};
use crate::config::{Endpoints, OAuth};
use crate::https;
use crate::text;
use crate::world::Deadline;

/// The lifetime of an access token in seconds if the provider does not specify one.
const USUAL_LIFETIME: u64 = 300;
/// The request fields whose values must not be logged.
const SECRETS: &[&str] = &["client_secret", "code", "code_verifier", "device_code", "refresh_token"];
/// The time limit of a request, including name resolution.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of a response in octets. A token has a few thousand octets.
const MAX_ANSWER: u64 = 256 * 1024;
/// How long to wait for the lock. The process that holds it sends at most one request to the provider, which takes at
/// most 10 seconds.
const LOCKED: Duration = Duration::from_secs(12);
/// The wait between two attempts to take the lock.
const LOCK_RETRY: Duration = Duration::from_millis(50);

/// An OAuth provider, and our settings as its client.
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
    /// The lifetime in seconds: a number, or from a few providers a string.
    #[serde(default)]
    expires_in: Value,
    pub(crate) refresh_token: Option<Secret>,
}

impl Tokens {
    pub(crate) fn lifetime(&self) -> Duration {
        let written = self.expires_in.as_u64().or_else(|| self.expires_in.as_str()?.parse().ok());
        Duration::from_secs(written.unwrap_or(USUAL_LIFETIME))
    }
}

/// Why an endpoint did not fulfil a request.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The endpoint refused the request with an error code (RFC 6749, 5.2; RFC 8628, 3.5) or only with a status, or its
    /// tokens have an unusable type. `said` explains the refusal, sanitised for the log.
    Refused { code: String, said: String },
    /// The endpoint did not answer, is temporarily unavailable, or sent an invalid response.
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
            let said = format!("its tokens have the type {:?}", text::line(&tokens.token_type));
            return Err(Fault::Refused { code: "token_type".to_owned(), said });
        }
        Ok(tokens)
    }

    /// Stores the refresh token of a new authorization.
    pub(crate) fn store(&self, tokens: Tokens) -> Result<(), OAuthError> {
        let Some(token) = tokens.refresh_token else {
            let why = "the provider issued no refresh token; check that the scope requests one (often offline_access)";
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

/// Prepares a provider's text for the log: removes secrets and control characters, and shortens it.
fn cleaned(said: &str, form: &[(&str, &str)]) -> String {
    let secrets = form.iter().filter(|(name, value)| SECRETS.contains(name) && !value.is_empty());
    let said = secrets.fold(said.to_owned(), |said, (_, secret)| said.replace(secret, "***"));
    text::line(&said).chars().take(300).collect()
}

pub(crate) struct Client {
    agent: Agent,
}

impl Client {
    /// Creates a client that trusts the system's certificate authorities.
    pub(crate) fn new() -> Client {
        // Plain HTTP is allowed, because the administrator configured the addresses of the endpoints.
        let config = https::client(TIMEOUT, false);
        Client { agent: Agent::new_with_config(config) }
    }

    /// Posts a form; returns the status and the body.
    pub(crate) fn post(&self, address: &str, form: &[(&str, &str)]) -> Result<(u16, String), String> {
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.agent.post(address).header("Content-Type", "application/x-www-form-urlencoded");
        let request = request.header("Accept", "application/json");
        let mut answer = request.send(&body).map_err(|error| error.to_string())?;
        let read = answer.body_mut().with_config().limit(MAX_ANSWER).read_to_string();
        Ok((answer.status().as_u16(), read.map_err(|error| error.to_string())?))
    }
}

/// The content of the file with the refresh token.
#[derive(Deserialize)]
struct Grant {
    refresh_token: Secret,
}

/// A version of the file with the refresh token: the file's inode and modification time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version(u64, i64, i64);

/// The file with the refresh token.
pub(crate) struct GrantFile<'a>(pub(crate) &'a Path);

impl GrantFile<'_> {
    /// Takes the lock that protects the token: a provider may revoke all tokens when two processes use the same refresh
    /// token.
    pub(crate) fn lock(&self) -> Result<File, OAuthError> {
        self.lock_within(LOCKED)
    }

    fn lock_within(&self, time: Duration) -> Result<File, OAuthError> {
        let path = self.0.with_extension("lock");
        let failed = |why: String| OAuthError::Temporary(format!("cannot lock {}: {why}", path.display()));
        let file = self.create(&path).map_err(|error| failed(error.to_string()))?;
        let until = Deadline::after(time);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed(error.to_string())),
                Err(TryLockError::WouldBlock) if until.left().is_none() => {
                    return Err(failed(format!("another process has held it for {} seconds", time.as_secs())));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_RETRY),
            }
        }
    }

    pub(crate) fn read(&self) -> Result<Secret, OAuthError> {
        let again = "run `turnpost admin authorize-mailbox`";
        match fs::read_to_string(self.0) {
            Ok(text) => match serde_json::from_str::<Grant>(&text) {
                Ok(grant) => Ok(grant.refresh_token),
                // The parser's error would quote the token.
                Err(_) => Err(OAuthError::Permanent(format!("{} is damaged: {again}", self.0.display()))),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(OAuthError::Permanent(format!("the mailbox is not authorized yet: {again}")))
            }
            Err(error) => Err(OAuthError::Permanent(format!("cannot read {}: {error}", self.0.display()))),
        }
    }

    /// Returns the current version of the file, if it exists.
    pub(crate) fn version(&self) -> Option<Version> {
        fs::metadata(self.0).ok().map(|file| Version(file.ino(), file.mtime(), file.mtime_nsec()))
    }

    /// Stores a refresh token durably.
    pub(crate) fn store(&self, token: &Secret) -> io::Result<()> {
        let unfinished = self.0.with_extension("unfinished");
        let mut file = self.create(&unfinished)?;
        file.set_len(0)?;
        writeln!(file, "{}", json!({ "refresh_token": token.reveal() }))?;
        file.sync_all()?;
        fs::rename(&unfinished, self.0)?;
        File::open(self.directory())?.sync_all()
    }

    /// Opens a file for writing, and sets its owner to the owner of the directory: root may run a command, while
    /// another user runs the server.
    fn create(&self, path: &PathBuf) -> io::Result<File> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        let (own, directory) = (file.metadata()?, fs::metadata(self.directory())?);
        if own.uid() != directory.uid() {
            // Only root can change the owner, and only root needs to.
            let _ = fchown(&file, Some(directory.uid()), Some(directory.gid()));
        }
        Ok(file)
    }

    fn directory(&self) -> &Path {
        self.0.parent().unwrap_or(Path::new("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_the_lock_ends() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("grant.json");
        let file = GrantFile(&path);
        let held = file.lock().unwrap();
        let refused = file.lock_within(Duration::ZERO).unwrap_err();
        assert!(refused.to_string().contains("another process has held it"), "{refused}");
        drop(held);
        assert!(file.lock_within(Duration::ZERO).is_ok());
    }
}
