//! Requests from web pages of other sites (CORS).

use serde_json::json;

use super::Api;
use crate::common::serving::http;

const ORIGIN: &str = "Origin: https://client.example\r\n";

fn ask(api: &Api, method: &str, path: &str, headers: &str) -> (u16, String) {
    let request =
        format!("{method} /api/v1{path} HTTP/1.1\r\nHost: games.example\r\n{ORIGIN}{headers}Connection: close\r\n\r\n");
    let (status, head, _) = http(&api.address, &request);
    (status, head.to_lowercase())
}

#[test]
fn pages_of_other_sites_use_the_api_only_with_a_token() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    let bearer = format!("Authorization: Bearer {alice}\r\n");
    let preflight =
        "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization,content-type\r\n";
    let (status, head) = ask(&api, "OPTIONS", "/boards/1/moves", preflight);
    assert_eq!(status, 204, "{head}");
    for header in [
        "access-control-allow-origin: *",
        "access-control-allow-methods: get, post, put, delete",
        "access-control-allow-headers: authorization, content-type",
    ] {
        assert!(head.contains(header), "{head}");
    }
    assert!(!head.contains("allow-credentials"), "{head}");
    for path in ["/me", "/games", "/boards/9", "/nowhere", "/me/events", "/boards/9/board.svg"] {
        let path = if path == "/me/events" { "/me/events?after=x" } else { path };
        let (_, head) = ask(&api, "GET", path, &bearer);
        assert!(head.contains("access-control-allow-origin: *") && head.contains("expose-headers"), "{path}: {head}");
        // Without a token, a page cannot read anything, even if the browser has cookies.
        let (_, head) = ask(&api, "GET", path, "Cookie: turnpost=abc\r\n");
        assert!(!head.contains("access-control"), "{path}: {head}");
    }
    // Pages of other sites cannot request a token, because they could then try to guess passwords.
    let preflight = "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n";
    let (status, head) = ask(&api, "OPTIONS", "/tokens", preflight);
    assert!(status == 405 && !head.contains("access-control"), "{head}");
    // Pages of other sites cannot read this site's HTML pages, even with a token.
    let (_, head, _) =
        http(&api.address, &format!("GET /boards/1 HTTP/1.1\r\nHost: x\r\n{ORIGIN}{bearer}Connection: close\r\n\r\n"));
    assert!(!head.to_lowercase().contains("access-control"), "{head}");
    let said = json!({ "opponent": "bob" });
    assert_eq!(api.done("POST", "/games/marque/boards", &alice, Some(&said))["number"], 1);
}
