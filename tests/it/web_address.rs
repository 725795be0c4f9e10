//! Pages behind an unconfigured proxy, or behind a proxy that passes on another name: `url` in the configuration is the
//! players' address.

use crate::common::Server;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;

const LOGIN: [(&str, &str); 2] = [("userid", "alice"), ("password", "wonderland")];

/// Logs in with this `Origin` and the host `games.example`, at a server with this `url` in its configuration. Returns
/// the status and the cookie.
fn login(url: &str, origin: &str) -> (u16, String) {
    let server = Server::with_players();
    let url = if url.is_empty() { String::new() } else { format!("url = {url:?}\n") };
    let serving = Serving::start(&server, &format!("[web]\nlisten = \"127.0.0.1:0\"\n{url}"));
    let headers = format!("Origin: {origin}\r\nSec-Fetch-Site: same-origin\r\n");
    let page = Visitor::new(&serving.web()).send_with("/login", &LOGIN, &headers);
    (page.status, page.header("set-cookie").unwrap_or_default().to_owned())
}

#[test]
fn a_form_must_have_the_origin_of_the_pages() {
    for (url, origin, status) in [
        ("https://play.example", "https://play.example", 303),
        ("https://PLAY.example:443/", "https://play.example", 303),
        ("https://play.example:8443", "https://play.example:8443", 303),
        // The server also accepts an `Origin` with the same host as the request.
        ("https://play.example", "http://games.example", 303),
        ("", "https://games.example", 303),
        ("https://play.example", "http://play.example", 403),
        ("https://play.example", "https://play.example:8443", 403),
        ("https://play.example", "https://play.example.evil.example", 403),
        ("https://play.example", "https://evil.example", 403),
        ("https://play.example", "null", 403),
        ("", "https://play.example", 403),
    ] {
        assert_eq!(login(url, origin).0, status, "a login from {origin} at {url}");
    }
}

#[test]
fn a_cookie_is_secure_if_players_use_tls() {
    for (url, secure) in [("https://play.example", true), ("http://games.example", false), ("", false)] {
        let (status, cookie) = login(url, "http://games.example");
        assert_eq!(status, 303);
        assert_eq!(cookie.ends_with("; HttpOnly; SameSite=Lax; Secure"), secure, "{url}: {cookie}");
    }
}
