//! Webhook calls: signed, over TLS, to a public address, with a short timeout.

use std::time::Duration;

use axum::http::{StatusCode, Uri};
use chrono::{DateTime, Utc};
use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use ureq::config::Config;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

use super::public_address::is_public;
use crate::https;
use crate::message;
use crate::service::{CallFailure, WebhookPost};
use crate::text::Message;

/// The timeout of a whole call, including name resolution.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The HTTP client for calls.
pub(crate) struct Poster {
    agent: Agent,
}

impl Poster {
    /// Creates a client that only sends HTTPS requests to public addresses, unless `private` allows others.
    pub(crate) fn new(private: bool) -> Poster {
        // Redirects could lead to a private address, and a proxy would connect in our place without our address check,
        // so the client uses neither.
        let config = https::client(TIMEOUT, !private);
        Poster { agent: Agent::with_parts(config, DefaultConnector::default(), CheckedResolver { private }) }
    }

    /// Sends a call with the headers of Standard Webhooks. Reads only the status of the response.
    pub(crate) fn send(&self, post: &WebhookPost, now: DateTime<Utc>) -> Result<(), CallFailure> {
        let failed = |why| Err(CallFailure::Failed(why));
        let WebhookPost { url, secret, id, body } = post;
        let time = now.timestamp();
        let Some(signature) = signature(secret, id, time, body) else {
            return failed(message!("client.webhook-old-secret"));
        };
        let request = self.agent.post(url).header("Content-Type", "application/json");
        let request = request.header("webhook-id", id).header("webhook-timestamp", time.to_string());
        match request.header("webhook-signature", signature).send(body.as_str()) {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) if answer.status() == StatusCode::GONE => Err(CallFailure::Gone),
            Ok(answer) => failed(message!("client.webhook-answered", status = answer.status().as_u16())),
            Err(Error::Other(why)) if why.is::<NoPublicAddress>() => failed(message!("client.webhook-not-public")),
            Err(error) => failed(Message::verbatim(error.to_string())),
        }
    }
}

/// Computes the signature of Standard Webhooks: HMAC-SHA256 over the identifier, the time and the body. The time
/// prevents replays. Returns `None` for a malformed secret.
fn signature(secret: &str, id: &str, time: i64, body: &str) -> Option<String> {
    let key = BASE64.decode(secret.strip_prefix("whsec_")?.as_bytes()).ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes a key of any length");
    mac.update(format!("{id}.{time}.{body}").as_bytes());
    Some(format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes())))
}

/// A resolver that returns only allowed addresses. The client connects to the resolved addresses, so the name cannot
/// change between check and connection.
#[derive(Debug)]
struct CheckedResolver {
    private: bool,
}

/// The name of a webhook has no allowed address.
#[derive(Debug, thiserror::Error)]
#[error("the name has no public address")]
struct NoPublicAddress;

impl Resolver for CheckedResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let found = DefaultResolver::default().resolve(uri, config, timeout)?;
        let mut allowed = self.empty();
        for address in found.iter().filter(|address| self.private || is_public(address.ip())) {
            allowed.push(*address);
        }
        if allowed.is_empty() {
            return Err(Error::Other(NoPublicAddress.into()));
        }
        Ok(allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_standard_webhooks() {
        // The example from the reference libraries of the specification.
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let (id, time, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature(secret, id, time, body).as_deref(), Some(expected));
        assert_eq!(signature("th_secret", id, time, body), None);
    }

    #[test]
    fn names_are_followed_to_public_addresses_only() {
        let post = |url: &str| WebhookPost {
            url: url.to_owned(),
            secret: "whsec_c2VjcmV0".to_owned(),
            id: "msg_1".to_owned(),
            body: "{}".to_owned(),
        };
        let poster = Poster::new(false);
        // The URL parser treats numbers in unusual notations as names, but the resolver returns their addresses.
        for url in [
            "https://localhost/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://[::ffff:10.0.0.1]/",
        ] {
            let why = poster.send(&post(url), DateTime::UNIX_EPOCH).unwrap_err();
            assert_eq!(why, CallFailure::Failed(message!("client.webhook-not-public")), "{url}");
        }
        let why = poster.send(&post("http://localhost/"), DateTime::UNIX_EPOCH).unwrap_err();
        assert!(format!("{why:?}").contains("https"), "{why:?}");
    }
}
