//! The pages that everybody may see, over HTTP.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::common::Server;
use crate::common::serving::{Serving, http, wait_until};

struct Site {
    server: Server,
    _serving: Serving,
    address: String,
}

struct Page {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Page {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Site {
    fn open() -> Site {
        let server = Server::with_players();
        let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
        let address = serving.web();
        Site { server, _serving: serving, address }
    }

    fn get(&self, path: &str) -> Page {
        let request = format!("GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
        let (status, head, body) = http(&self.address, &request);
        Page { status, head, body }
    }

    fn shell(&self, line: &str) {
        let ran = self.server.shell(line);
        assert_eq!(ran.status, 0, "{line}: {}", ran.err);
    }
}

/// The targets of a page's links within the site.
fn links(page: &str) -> BTreeSet<String> {
    let targets = page.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    targets.filter(|target| target.starts_with('/')).map(str::to_owned).collect()
}

#[test]
fn every_page_is_reached_by_links_and_says_what_it_is() {
    let site = Site::open();
    site.shell("marque challenge alice bob");
    site.shell("marque move 1 alice wonderland f3 --say=<b>Well<script>alert(1)</script>");
    site.shell("marque move 1 bob builder f4");
    site.shell("brique challenge -size=5 alice bob");
    site.shell("tessella challenge alice anyone");
    site.shell("lazo challenge -size=26 alice bob");
    site.shell("lazo move 4 alice wonderland a1");
    site.shell("lazo move 4 bob builder a2");
    site.shell("lazo resign 4 alice wonderland");
    let mut pages: BTreeMap<String, Page> = BTreeMap::new();
    let mut waiting = BTreeSet::from(["/".to_owned(), "/boards/3".to_owned()]);
    while let Some(path) = waiting.pop_first() {
        let page = site.get(&path);
        assert_eq!(page.status, 200, "{path}: {}", page.head);
        let head = page.head.to_lowercase();
        assert!(head.contains("content-security-policy: default-src 'none'"), "{path}: {head}");
        assert!(page.body.len() < 60_000, "{path}: {} octets", page.body.len());
        if head.contains("content-type: text/html") {
            let text = page.text();
            assert!(text.starts_with("<!DOCTYPE html>") && text.contains("<html lang=\"en\">"), "{path}");
            assert!(
                text.matches("<script").count() == 1 && text.contains("<script src=\"/script.js\" defer></script>")
            );
            assert!(!text.contains("<b>Well"), "{path} holds what a player wrote");
            assert!(!text.contains("http://") || text.matches("http://").count() == text.matches("www.w3.org").count());
            assert_eq!(text.matches("<h1>").count(), 1, "{path}");
            waiting.extend(links(text).into_iter().filter(|link| !pages.contains_key(link) && *link != path));
        }
        pages.insert(path, page);
    }
    assert!(pages.len() > 30, "{:?}", pages.keys());
    let says = |path: &str, words: &str| {
        let page = pages.get(path).unwrap_or_else(|| panic!("no link to {path}"));
        assert!(page.text().contains(words), "{path}: no {words:?} in\n{}", page.text());
    };
    says("/", "Luis Bolaños Mures");
    says("/games/marque", "bob</a>");
    says("/games/tessella", "tessella accept 3");
    says("/boards/1", "It is alice’s turn.");
    says("/boards/1/1", "After move 1 of 2.");
    says("/boards/1/1", "&lt;script&gt;alert(1)");
    says("/boards/3", "and moves first");
    says("/players/alice/finished", "won by bob");
    says("/players/alice", "2 in progress");
    says("/games/lazo/finished", "won by bob (resignation)");
    says("/help/lazo", "David J. Bush");
    let svg = pages["/boards/1/board.svg"].text();
    assert!(svg.starts_with("<svg") && svg.contains("id=\"f3\""));
    assert!(pages["/boards/1/board.png"].body.starts_with(b"\x89PNG"));
    let then = pages["/boards/1/board.svg?ply=1"].text();
    assert!(then.contains("f3: White") && !then.contains("f4: Black") && svg.contains("f4: Black"));
    let record: serde_json::Value = serde_json::from_slice(&pages["/boards/1/record.json"].body).unwrap();
    assert_eq!(record["game"], "marque", "{record}");
    // A move appears at once.
    site.shell("marque move 1 alice wonderland k1");
    assert!(site.get("/boards/1").text().contains("It is bob’s turn."));
}

#[test]
fn what_is_private_or_not_there_is_not_shown() {
    let site = Site::open();
    site.shell("marque challenge --private alice bob");
    wait_until("the board", || (site.get("/boards/1").status == 404).then_some(()));
    for path in [
        "/boards/1",
        "/boards/1/0",
        "/boards/1/board.svg",
        "/boards/1/board.png",
        "/boards/1/record.json",
        "/boards/2",
        "/boards/x",
        "/boards/-1",
        "/boards/99999999999",
        "/games/chess",
        "/games/chess/standings",
        "/players/nobody",
        "/players/alice%20all",
        "/players/%3Cscript%3E",
        "/help/secrets",
        "/nowhere",
        "/style.css/",
        "/%00",
    ] {
        let page = site.get(path);
        assert!(page.status == 404 || page.status == 400, "{path}: {}", page.head);
        assert!(!page.text().contains("<script>") && !page.text().contains("Marque board"), "{path}");
    }
    assert!(!site.get("/games/marque").text().contains("/boards/1"));
    assert!(!site.get("/players/alice").text().contains("/boards/1"));
}

#[test]
fn an_address_that_makes_no_sense_gets_a_page_as_any_other() {
    let site = Site::open();
    for _ in 0..3 {
        site.shell("marque challenge alice bob");
    }
    for (path, status) in [
        // The number of a board is no userid, and neither are words that mean something in a command.
        ("/players/3", 404),
        ("/players/3/finished", 404),
        ("/players/3%23x", 404),
        ("/players/all", 404),
        ("/players/alice%20bob", 404),
        ("/players/alice?before=x", 400),
        ("/games/marque?after=1&after=2", 400),
        ("/games/marque/standings?from=-1", 400),
        ("/boards/x", 404),
        ("/boards/1/x", 404),
        ("/boards/1/0/%FF", 404),
        ("/boards/1/board.png?ply=x", 400),
        ("/boards/x/record.json", 404),
        ("/boards/x/events", 404),
        ("/logout", 405),
        ("/nowhere", 404),
    ] {
        let page = site.get(path);
        assert_eq!(page.status, status, "{path}: {}", page.head);
        let head = page.head.to_lowercase();
        assert!(head.contains("content-security-policy: default-src 'none'"), "{path}: {head}");
        let text = page.text();
        assert!(text.contains("href=\"/style.css\"") && text.contains("<h1>Not available</h1>"), "{path}: {text}");
        assert!(!text.contains("parse") && !text.contains("deserialize"), "{path}: {text}");
    }
    let long = format!("say={}", "x".repeat(70_000));
    for (head, body, status) in [
        ("Content-Type: application/x-www-form-urlencoded", long.as_str(), 413),
        ("Content-Type: text/plain", "say=x", 415),
        ("Origin: https://evil.example", "say=x", 403),
    ] {
        let (got, head, body) = http(
            &site.address,
            &format!(
                "POST /login HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ),
        );
        let head = head.to_lowercase();
        assert_eq!(got, status, "{head}");
        assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
        assert!(String::from_utf8(body).unwrap().contains("<h1>Not available</h1>"));
    }
}

/// A server that answers earlier closes the connection under a client that is still sending.
#[test]
fn a_body_that_is_too_long_is_read_before_it_is_refused() {
    let site = Site::open();
    let piece = vec![b'x'; 100_000];
    for (path, kind, status) in [
        ("/unsubscribe/t-o-k-e-n", "application/x-www-form-urlencoded", "404"),
        ("/login", "application/x-www-form-urlencoded", "413"),
        ("/api/v1/commands", "application/json", "413"),
    ] {
        let mut stream = TcpStream::connect(&site.address).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\nContent-Type: {kind}\r\n\
             Content-Length: 1000000\r\n\r\n"
        )
        .unwrap();
        for _ in 0..10 {
            stream.write_all(&piece).unwrap_or_else(|error| panic!("{path}: {error}"));
            // Slow enough for a server that does not wait.
            thread::sleep(Duration::from_millis(20));
        }
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{path}: {answer}");
    }
}

/// The files of the web adapter, without their unit tests.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap().to_owned();
            found.push((path, code));
        }
    }
    found
}

#[test]
fn the_web_reaches_the_store_only_through_the_service() {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web"));
    assert!(files.len() > 30);
    for (path, code) in files {
        // Beginning and committing transactions, and the types of what they hand over.
        let allowed = ["self", "Store", "Transaction", "StoreError", "Player", "PlayerId"];
        for names in code.split("use crate::store::").skip(1) {
            let names = names.split(';').next().unwrap().trim_matches(['{', '}']);
            for name in names.split(',').map(str::trim) {
                assert!(allowed.contains(&name), "{} uses crate::store::{name}", path.display());
            }
        }
        for call in code.split("tx.").skip(1) {
            assert!(call.starts_with("commit()"), "{} calls the store: tx.{:.40}", path.display(), call);
        }
        assert!(!code.contains("read()?."), "{} calls the store", path.display());
    }
}
