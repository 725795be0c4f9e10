//! The client of a request: its address, its use of TLS, and the requested host name.
//!
//! Behind a proxy, these facts are in headers, which any client can forge. Only the headers of proxies in the
//! configuration are trusted.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Once};

use axum::extract::{ConnectInfo, FromRequestParts, MatchedPath, Request, State};
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Uri};
use axum::middleware::Next;
use axum::response::Response;

use super::site::Site;
use crate::config::Network;
use crate::metrics;

/// The header with the addresses from which the request was forwarded. The last one is nearest to this server.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The client that sent a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// The address as reported by trusted proxies. An IPv4 address that is mapped to IPv6 is converted to IPv4.
    pub(crate) address: IpAddr,
    /// Whether the client used TLS, according to the nearest proxy.
    pub(crate) https: bool,
    /// The requested host name, with the port unless it is the default; empty if the request has none. The client
    /// chooses this text: compare it, but do not trust it.
    pub(crate) host: String,
}

impl Client {
    /// Returns the key for rate limits: an IPv4 address, or the first 64 bits of an IPv6 address, because a household
    /// usually has a /64 network.
    pub(crate) fn key(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(_) => self.address,
            IpAddr::V6(address) => Ipv6Addr::from(u128::from(address) & !u128::from(u64::MAX)).into(),
        }
    }

    /// Identifies the client behind a connection from `peer`.
    fn of(peer: IpAddr, headers: &HeaderMap, uri: &Uri, proxies: &[Network]) -> Client {
        let peer = peer.to_canonical();
        let host = || text(headers, HOST.as_str()).or_else(|| Some(uri.authority()?.as_str())).unwrap_or_default();
        if !trusted(proxies, peer) {
            return Client { address: peer, https: false, host: host().to_owned() };
        }
        let address = farthest(peer, headers, proxies);
        let https = nearest(headers, "x-forwarded-proto").is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        Client { address, https, host: nearest(headers, "x-forwarded-host").unwrap_or_else(host).to_owned() }
    }
}

fn trusted(proxies: &[Network], address: IpAddr) -> bool {
    proxies.iter().any(|proxy| proxy.holds(address))
}

/// Follows the forwarding chain from this server's peer back to the client. Each trusted proxy reports the preceding
/// address correctly, and the first untrusted address is the client's. The client may have written the entries to the
/// left of that address itself.
fn farthest(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let mut address = peer;
    for header in headers.get_all(FORWARDED_FOR).iter().rev() {
        let Ok(header) = header.to_str() else { return address };
        for hop in header.rsplit(',') {
            // Proxies forward invalid entries without checking them. The last known address is that of the proxy that
            // forwarded this entry.
            let Some(before) = parse(hop.trim()) else { return address };
            address = before;
            if !trusted(proxies, address) {
                return address;
            }
        }
    }
    address
}

/// Parses an address, with or without a port; some proxies add one.
fn parse(hop: &str) -> Option<IpAddr> {
    let address = hop.parse().or_else(|_| hop.parse::<SocketAddr>().map(|hop| hop.ip())).ok()?;
    Some(IpAddr::to_canonical(&address))
}

/// Returns the last value of the header, which the proxy nearest to this server wrote.
fn nearest<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = headers.get_all(name).iter().next_back()?.to_str().ok()?;
    value.rsplit(',').next().map(str::trim).filter(|value| !value.is_empty())
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Identifies the client of a request. Logs one warning if a proxy that is not in the configuration forwards requests.
fn client(site: &Site, extensions: &Extensions, headers: &HeaderMap, uri: &Uri) -> Client {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().expect("the server records the address of each connection");
    let (peer, proxies) = (peer.0.ip(), &site.config.web.proxies);
    // Warn only if the peer is on this machine. Otherwise, any client could cause the warning.
    if peer.is_loopback() && !trusted(proxies, peer) && headers.contains_key(FORWARDED_FOR) {
        static LOGGED: Once = Once::new();
        LOGGED.call_once(|| {
            tracing::warn!(
                proxy = %peer,
                "an unconfigured proxy forwards requests, so all its clients share one rate limit; if it overwrites the \
                headers that clients send, add it to `proxies` of [web]"
            );
        });
    }
    Client::of(peer, headers, uri, proxies)
}

impl FromRequestParts<Arc<Site>> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Client, Infallible> {
        Ok(client(site, &parts.extensions, &parts.headers, &parts.uri))
    }
}

/// Logs and counts each request by route. The path is not logged, because it may contain a token.
pub(crate) async fn log(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let Client { address, https, host } = client(&site, request.extensions(), request.headers(), request.uri());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let (route, status) = (route.as_ref().map_or("-", MatchedPath::as_str), response.status().as_u16());
    metrics::count_page(route, status);
    tracing::debug!(%method, route, status, client = %address, https, host, "request");
    response
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    const PROXIES: &[&str] = &["127.0.0.1", "::1", "10.0.0.0/8", "2001:db8:ffff::/48"];

    /// Returns the client of a request with these headers.
    fn seen(peer: &str, headers: &[(&str, &str)]) -> Client {
        let proxies: Vec<Network> = PROXIES.iter().map(|proxy| proxy.parse().unwrap()).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::try_from(*name).unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        Client::of(peer.parse().unwrap(), &map, &Uri::from_static("/"), &proxies)
    }

    fn address(peer: &str, forwarded: &[&str]) -> String {
        let headers: Vec<_> = forwarded.iter().map(|value| ("X-Forwarded-For", *value)).collect();
        seen(peer, &headers).address.to_string()
    }

    #[test]
    fn headers_are_trusted_only_from_configured_proxies() {
        let lies = [
            ("X-Forwarded-For", "198.51.100.1"),
            ("X-Forwarded-Proto", "https"),
            ("X-Forwarded-Host", "evil.example"),
            ("Host", "games.example"),
        ];
        let client = seen("203.0.113.7", &lies);
        assert_eq!((client.address.to_string().as_str(), client.https), ("203.0.113.7", false));
        assert_eq!(client.host, "games.example");
        let client = seen("127.0.0.1", &lies);
        assert_eq!((client.address.to_string().as_str(), client.https), ("198.51.100.1", true));
        assert_eq!(client.host, "evil.example");
        // These addresses are just outside the trusted networks.
        for peer in ["127.0.0.2", "11.0.0.1", "2001:db8:fffe::1", "::2"] {
            assert_eq!(address(peer, &["198.51.100.1"]), peer);
        }
        for peer in ["10.255.255.255", "2001:db8:ffff:1::1", "::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3"] {
            assert_eq!(address(peer, &["198.51.100.1"]), "198.51.100.1", "{peer}");
        }
    }

    #[test]
    fn the_nearest_untrusted_address_is_the_client() {
        // The client wrote the leftmost entry itself.
        assert_eq!(address("127.0.0.1", &["192.0.2.66, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(address("127.0.0.1", &["192.0.2.66", "198.51.100.1"]), "198.51.100.1");
        // The requests passed through two or three proxies, and the clients forged the leftmost entry.
        assert_eq!(address("127.0.0.1", &["192.0.2.66, 198.51.100.1, 10.0.0.3"]), "198.51.100.1");
        assert_eq!(address("127.0.0.1", &["10.0.0.9, 198.51.100.1", "10.0.0.3,10.0.0.2"]), "198.51.100.1");
        assert_eq!(address("127.0.0.1", &["127.0.0.1, 198.51.100.1"]), "198.51.100.1");
        // If all entries are trusted proxies, the leftmost one is treated as the client.
        assert_eq!(address("127.0.0.1", &["10.0.0.9, 10.0.0.3"]), "10.0.0.9");
        assert_eq!(address("127.0.0.1", &[]), "127.0.0.1");
    }

    #[test]
    fn values_that_are_not_addresses_are_ignored() {
        for nonsense in
            ["", " ", ",", "unknown", "198.51.100.1, ", "_hidden", "<script>", "1.2.3", "\u{ff}", "0x7f000001"]
        {
            assert_eq!(address("127.0.0.1", &[nonsense]), "127.0.0.1", "{nonsense:?}");
            assert_eq!(address("127.0.0.1", &[nonsense, "10.0.0.3"]), "10.0.0.3", "{nonsense:?}");
            assert_eq!(address("127.0.0.1", &[nonsense, "198.51.100.1"]), "198.51.100.1", "{nonsense:?}");
        }
        assert_eq!(address("127.0.0.1", &["198.51.100.1:4711"]), "198.51.100.1");
        assert_eq!(address("127.0.0.1", &["[2001:db8::5]:443"]), "2001:db8::5");
        assert_eq!(address("127.0.0.1", &["::ffff:198.51.100.1"]), "198.51.100.1");
    }

    #[test]
    fn the_nearest_proxy_determines_scheme_and_host() {
        for (values, https) in [
            (&["https"][..], true),
            (&["HTTPS"], true),
            (&["http"], false),
            (&["https, http"], false),
            (&["https", "http"], false),
            (&["http, https"], true),
            (&["httpsx"], false),
            (&[""], false),
            (&[], false),
        ] {
            let headers: Vec<_> = values.iter().map(|value| ("X-Forwarded-Proto", *value)).collect();
            assert_eq!(seen("127.0.0.1", &headers).https, https, "{values:?}");
        }
        let host = |headers: &[(&str, &str)]| seen("127.0.0.1", headers).host;
        assert_eq!(
            host(&[("Host", "inside:8080"), ("X-Forwarded-Host", "evil.example, games.example")]),
            "games.example"
        );
        assert_eq!(host(&[("Host", "games.example")]), "games.example");
        assert_eq!(host(&[]), "");
    }

    #[test]
    fn a_household_shares_one_rate_limit() {
        let key = |peer: &str| seen(peer, &[]).key().to_string();
        assert_eq!(key("203.0.113.7"), "203.0.113.7");
        assert_eq!(key("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(key("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(key("2001:db8:1:2:ffff:ffff:ffff:ffff"), key("2001:db8:1:2::"));
        assert_ne!(key("2001:db8:1:3::1"), key("2001:db8:1:2::1"));
    }
}
