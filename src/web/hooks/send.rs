//! One call of a webhook: signed, over TLS, to a public address, and briefly.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Uri;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use ureq::config::Config;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

use super::public::is_public;
use crate::store::Webhook;

/// A whole call, from the name's resolution on.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The longest address, in octets.
const LONGEST_URL: usize = 500;

/// Sends calls.
pub(super) struct Poster {
    agent: Agent,
}

/// What is wrong with an address, if anything is. Where a name leads is seen at each call.
pub(in crate::web) fn flaw(url: &str, private: bool) -> Option<String> {
    let Some(uri) = url.parse::<Uri>().ok().filter(|_| url.len() <= LONGEST_URL) else {
        return Some(format!("{url:?} is no address such as \"https://bot.example.org/turn\"."));
    };
    let schemes: &[&str] = if private { &["https", "http"] } else { &["https"] };
    if !uri.scheme_str().is_some_and(|scheme| schemes.contains(&scheme)) {
        return Some("A webhook's address begins with https://.".to_owned());
    }
    let host = uri.host().unwrap_or_default();
    if host.is_empty() || uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Some("A webhook's address has a host, and no password.".to_owned());
    }
    let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    if literal.is_ok_and(|address| !private && !is_public(address)) {
        return Some(format!("{host} is no public address; nothing is sent there."));
    }
    None
}

impl Poster {
    /// One that sends to public addresses by HTTPS alone, unless private ones are let.
    pub(super) fn new(private: bool) -> Poster {
        let trusted = rustls_native_certs::load_native_certs();
        let trusted = trusted.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned());
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::Specific(Arc::new(trusted.collect())))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .https_only(!private)
            .http_status_as_error(false)
            // Somewhere else may be where nobody may lead us.
            .max_redirects(0)
            // A proxy would connect in our place, and whereto we would not see.
            .proxy(None)
            .timeout_global(Some(TIMEOUT))
            .max_idle_connections(0)
            .user_agent(concat!("turnpost/", env!("CARGO_PKG_VERSION")))
            .build();
        Poster { agent: Agent::with_parts(config, DefaultConnector::default(), Checked { private }) }
    }

    /// Sends a body; of the answer only the status is read.
    pub(super) fn send(&self, hook: &Webhook, body: &str, now: DateTime<Utc>) -> Result<(), String> {
        let request = self.agent.post(&hook.url).header("Content-Type", "application/json");
        match request.header("Turnpost-Signature", signature(&hook.secret, body, now)).send(body) {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(format!("it answered {}", answer.status().as_u16())),
            Err(Error::Other(why)) => Err(why.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// `t=UNIX,v1=HEX`: HMAC-SHA256 with the secret over the time, a dot and the body, so that an old call cannot be sent
/// again as a new one.
fn signature(secret: &str, body: &str, now: DateTime<Utc>) -> String {
    let time = now.timestamp();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(format!("{time}.{body}").as_bytes());
    format!("t={time},v1={}", crate::text::hex(&mac.finalize().into_bytes()))
}

/// Finds addresses by their names, and lets through only those that may be called. What it gives is what is connected to:
/// a name cannot lead elsewhere in between.
#[derive(Debug)]
struct Checked {
    private: bool,
}

impl Resolver for Checked {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        let mut may_be_called = self.empty();
        for address in found.iter().filter(|address| self.private || is_public(address.ip())) {
            may_be_called.push(*address);
        }
        if may_be_called.is_empty() {
            return Err(Error::Other("its name leads to no public address".into()));
        }
        Ok(may_be_called)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_hmac_sha256() {
        let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        // By openssl: printf '1700000000.{}' | openssl dgst -sha256 -hmac th_secret
        let by_openssl = "32d5a649b4324bbc1d53e42429b970fde00bcfd240ad42279c165767e46c5205";
        assert_eq!(signature("th_secret", "{}", now), format!("t=1700000000,v1={by_openssl}"));
    }

    #[test]
    fn addresses_that_strangers_may_name() {
        for url in ["https://bot.example.org/turn?key=1", "https://bot.example.org:8443/", "https://[2606:4700::1111]/"]
        {
            assert_eq!(flaw(url, false), None, "{url}");
        }
        for (url, says) in [
            ("http://bot.example.org/", "https://"),
            ("ftp://bot.example.org/", "https://"),
            ("bot", "https://"),
            ("/turn", "https://"),
            ("", "no address"),
            ("https://", "no address"),
            ("https://bot example.org/", "no address"),
            ("https://user:password@bot.example.org/", "no password"),
            ("https://127.0.0.1/", "no public address"),
            ("https://[::1]:8443/", "no public address"),
            ("https://169.254.169.254/latest/meta-data", "no public address"),
        ] {
            let flaw = flaw(url, false).unwrap_or_else(|| panic!("{url} is let through"));
            assert!(flaw.contains(says), "{url}: {flaw}");
        }
        assert!(flaw(&format!("https://bot.example.org/{}", "x".repeat(500)), false).is_some());
        assert_eq!(flaw("http://127.0.0.1:8080/", true), None);
    }

    #[test]
    fn names_are_followed_to_public_addresses_only() {
        let hook = |url: &str| Webhook {
            player: crate::store::PlayerId(1),
            url: url.to_owned(),
            secret: "th_secret".to_owned(),
            created_at: DateTime::UNIX_EPOCH,
            failures: 0,
            paused: None,
        };
        let poster = Poster::new(false);
        // Numbers in other spellings are names to the check of the address, and addresses to the resolver.
        for url in [
            "https://localhost/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://[::ffff:10.0.0.1]/",
        ] {
            let why = poster.send(&hook(url), "{}", DateTime::UNIX_EPOCH).unwrap_err();
            assert!(why.contains("no public address"), "{url}: {why}");
        }
        let why = poster.send(&hook("http://localhost/"), "{}", DateTime::UNIX_EPOCH).unwrap_err();
        assert!(why.contains("https"), "{why}");
    }
}
