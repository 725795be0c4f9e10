//! Webhook calls: signed, over TLS, to a public address, with a short timeout.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
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

use crate::service::{CallFailure, WebhookPost};
use crate::text::Message;
use crate::{https, message};

/// The timeout of a whole call, including name resolution.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The HTTP client for calls.
pub(crate) struct Poster {
    agent: Agent,
}

impl Poster {
    /// Creates a client that only sends HTTPS requests to public addresses, unless `private` allows others.
    pub(crate) fn new(private: bool) -> Poster {
        // The client follows no redirects, because they could lead to a private address. It uses no proxy, because a
        // proxy would connect without our check of the address.
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
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC accepts a key of any length");
    mac.update(format!("{id}.{time}.{body}").as_bytes());
    Some(format!("v1,{}", BASE64.encode(&mac.finalize().into_bytes())))
}

/// A resolver that returns only allowed addresses. The client connects only to these checked addresses, so a second
/// lookup cannot return another address.
#[derive(Debug)]
struct CheckedResolver {
    private: bool,
}

/// The error for a host name without an allowed address.
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

/// The longest URL, in octets.
pub(crate) const MAX_URL: usize = 500;

/// Checks the URL of a player's webhook. Returns a description of the problem if it is invalid. The addresses of the
/// host are checked at each call.
pub(crate) fn check_url(url: &str, private: bool) -> Result<(), Message> {
    // The parser accepts a port above 65535.
    let has_valid_port = |uri: &Uri| {
        uri.authority().is_none_or(|authority| {
            authority.port_u16().is_some() || authority.as_str().rsplit('@').next() == Some(authority.host())
        })
    };
    let Some(uri) = url.parse::<Uri>().ok().filter(|uri| url.len() <= MAX_URL && has_valid_port(uri)) else {
        return Err(message!("web.webhook-no-url", url));
    };
    let schemes: &[&str] = if private { &["https", "http"] } else { &["https"] };
    if !uri.scheme_str().is_some_and(|scheme| schemes.contains(&scheme)) {
        return Err(message!("web.webhook-not-https", private));
    }
    let host = uri.host().unwrap_or_default();
    if host.is_empty() || uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(message!("web.webhook-host"));
    }
    let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    if literal.is_ok_and(|address| !private && !is_public(address)) {
        return Err(message!("web.webhook-not-public", host));
    }
    Ok(())
}

/// Returns whether an address is public: not on this machine, in a private network, or reserved for a special use (the
/// registries of RFC 6890). Strangers choose the addresses of webhooks, and services on private addresses trust their
/// neighbours, so the server must call only public addresses.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        [0 | 10 | 127, ..] => true,
        // Carrier-grade NAT.
        [100, second, ..] => (64..128).contains(&second),
        [169, 254, ..] | [192, 168, ..] => true,
        [172, second, ..] => (16..32).contains(&second),
        [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 51, 100, _] | [203, 0, 113, _] => true,
        [198, 18 | 19, ..] => true,
        // Multicast, reserved, broadcast.
        [224..=255, ..] => true,
        _ => false,
    };
    !special
}

/// Accepts only addresses in the part of IPv6 that is allocated for public use. Rejects addresses that embed an IPv4
/// address.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let allocated = (0x2000..0x4000).contains(&first);
    let special = match (first, second) {
        // Protocol assignments, including Teredo.
        (0x2001, second) if second < 0x0200 => true,
        // Addresses for documentation (RFC 3849, RFC 9637).
        (0x2001, 0x0db8) | (0x3fff, 0..0x1000) => true,
        // 6to4.
        (0x2002, _) => true,
        _ => false,
    };
    allocated && !special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_standard_webhooks() {
        // This example is from the reference libraries of Standard Webhooks.
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let (id, time, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature(secret, id, time, body).as_deref(), Some(expected));
        assert_eq!(signature("th_secret", id, time, body), None);
    }

    #[test]
    fn names_resolve_to_public_addresses_only() {
        let post = |url: &str| WebhookPost {
            url: url.to_owned(),
            secret: "whsec_c2VjcmV0".to_owned(),
            id: "msg_1".to_owned(),
            body: "{}".to_owned(),
        };
        let poster = Poster::new(false);
        // The URL parser treats IP addresses in unusual notations as names, but the resolver converts them to
        // addresses.
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

    #[test]
    fn players_may_set_public_https_addresses() {
        for url in ["https://bot.example.org/turn?key=1", "https://bot.example.org:8443/", "https://[2606:4700::1111]/"]
        {
            assert_eq!(check_url(url, false), Ok(()), "{url}");
        }
        for (url, code) in [
            ("http://bot.example.org/", "web.webhook-not-https"),
            ("ftp://bot.example.org/", "web.webhook-not-https"),
            ("bot", "web.webhook-not-https"),
            ("/turn", "web.webhook-not-https"),
            ("", "web.webhook-no-url"),
            ("https://", "web.webhook-no-url"),
            ("https://bot example.org/", "web.webhook-no-url"),
            ("https://bot.example.org:99999/", "web.webhook-no-url"),
            ("https://user:password@bot.example.org/", "web.webhook-host"),
            ("https://127.0.0.1/", "web.webhook-not-public"),
            ("https://[::1]:8443/", "web.webhook-not-public"),
            ("https://169.254.169.254/latest/meta-data", "web.webhook-not-public"),
        ] {
            assert_eq!(check_url(url, false).map_err(|message| message.code), Err(code.into()), "{url}");
        }
        assert!(check_url(&format!("https://bot.example.org/{}", "x".repeat(500)), false).is_err());
        assert_eq!(check_url("http://127.0.0.1:8080/", true), Ok(()));
    }

    #[test]
    fn special_addresses_are_not_public() {
        for address in [
            "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1",
            "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00::1", "2001:200::1", "3fff:1000::",
            "::ffff:8.8.8.8",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
            "64:ff9b:1::1", "100::1", "2001::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "fc00::1",
            "fd12::1", "fe80::1", "fec0::1", "ff02::1", "5f00::1", "4000::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }
}
