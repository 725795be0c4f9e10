//! The public pages over HTTP.

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
    serving: Serving,
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
        Site { server, serving, address }
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

/// Returns the targets of a page's links within the site.
fn links(page: &str) -> BTreeSet<String> {
    let targets = page.split(" href=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    targets.filter(|target| target.starts_with('/')).map(str::to_owned).collect()
}

#[test]
fn every_page_has_a_title_and_is_reached_by_links() {
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
            assert!(
                text.starts_with("<!DOCTYPE html>")
                    && text.contains("<html lang=\"en\" data-theme=\"wood\" data-times=\"local\">"),
                "{path}"
            );
            assert!(text.matches("<script").count() == 1 && text.contains("/script.js\" defer></script>"), "{path}");
            assert!(!text.contains("<b>Well"), "{path} contains unescaped text of a player");
            assert!(!text.contains("http://") || text.matches("http://").count() == text.matches("www.w3.org").count());
            assert_eq!(text.matches("<h1>").count(), 1, "{path}");
            // Skips the links in the cells of lessons, because there is a page for each possible move.
            let links = links(text).into_iter().filter(|link| !link.contains("?pick="));
            waiting.extend(links.filter(|link| !pages.contains_key(link) && *link != path));
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
    says("/games/tessella", "href=\"/boards/3\"");
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
    // The page shows a new move immediately.
    site.shell("marque move 1 alice wonderland k1");
    assert!(site.get("/boards/1").text().contains("It is bob’s turn."));
}

#[test]
fn private_or_missing_boards_are_not_shown() {
    let site = Site::open();
    site.shell("marque challenge --private alice bob");
    wait_until("a 404 for the private board", || (site.get("/boards/1").status == 404).then_some(()));
    for path in [
        "/boards/1", "/boards/1/0", "/boards/1/board.svg", "/boards/1/board.png", "/boards/1/record.json", "/boards/2",
        "/boards/x", "/boards/-1", "/boards/99999999999", "/games/chess", "/games/chess/standings", "/players/nobody",
        "/players/alice%20all", "/players/%3Cscript%3E", "/help/secrets", "/nowhere", "/style.css/", "/%00",
    ] {
        let page = site.get(path);
        assert!(page.status == 404 || page.status == 400, "{path}: {}", page.head);
        assert!(!page.text().contains("<script>") && !page.text().contains("Marque board"), "{path}");
    }
    assert!(!site.get("/games/marque").text().contains("/boards/1"));
    assert!(!site.get("/players/alice").text().contains("/boards/1"));
}

#[test]
fn an_invalid_address_gets_an_error_page() {
    let site = Site::open();
    for _ in 0..3 {
        site.shell("marque challenge alice bob");
    }
    for (path, status) in [
        // Userids cannot be numbers or words that have a meaning in commands.
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
        assert!(text.contains("/style.css\"") && text.contains("<h1>Not available</h1>"), "{path}: {text}");
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

#[test]
fn a_browser_caches_style_and_script_until_they_change() {
    let site = Site::open();
    let page = site.get("/");
    let files = links(page.text()).into_iter().filter(|link| link.starts_with("/files/"));
    let script = page.text().split("<script src=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let files: Vec<String> = files.chain([script]).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for path in &files {
        let file = site.get(path);
        assert!(file.head.contains("cache-control: public, max-age=31536000, immutable"), "{path}: {}", file.head);
        // If the path contains another hash, the server sends the current file, but browsers must not cache it.
        let other = site.get(&path.replacen("/files/", "/files/0", 1));
        assert!(other.head.contains("cache-control: private, no-cache"), "{path}: {}", other.head);
        assert_eq!(other.body, file.body);
        assert_eq!(site.get(&format!("/{}", path.rsplit('/').next().unwrap())).body, file.body);
    }
    assert_eq!(site.get("/files/x/secrets").status, 404);
    // If the administrator replaces a file, its address changes.
    let style = files.iter().find(|path| path.ends_with(".css")).unwrap();
    std::fs::create_dir_all(site.server.data().join("texts/web")).unwrap();
    std::fs::write(site.server.data().join("texts/web/style.css"), "body { color: black }\n").unwrap();
    let config = "templates = \"texts\"\n[web]\nlisten = \"127.0.0.1:0\"\n";
    drop(site.serving);
    let serving = Serving::start(&site.server, config);
    let (_, _, page) = http(&serving.web(), "GET / HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n");
    assert!(!String::from_utf8(page).unwrap().contains(style.as_str()));
}

#[test]
fn pages_are_compressed_for_clients_that_accept_it() {
    let site = Site::open();
    site.shell("brique challenge alice bob");
    let get = |path: &str, headers: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nHost: games.example\r\n{headers}Connection: close\r\n\r\n");
        http(&site.address, &request)
    };
    for path in ["/boards/1", "/help/marque", "/style.css", "/boards/1/board.svg", "/api/v1/openapi.json"] {
        let (_, plain_head, plain) = get(path, "");
        let (status, head, packed) = get(path, "Accept-Encoding: br, gzip\r\n");
        assert!(!plain_head.contains("content-encoding") && plain_head.contains("vary: Accept-Encoding"), "{path}");
        assert!(status == 200 && head.contains("content-encoding: gzip"), "{path}: {head}");
        assert!(packed.starts_with(b"\x1f\x8b") && packed.len() * 2 < plain.len(), "{path}: {}", packed.len());
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == plain, "{path}");
    }
    for path in ["/boards/1/board.png", "/boards/1/x"] {
        assert!(!get(path, "Accept-Encoding: gzip;q=0\r\n").1.contains("content-encoding"), "{path}");
    }
    assert!(!get("/boards/1/board.png", "Accept-Encoding: gzip\r\n").1.contains("content-encoding"));
}

/// Mail is processed during a flood of incomplete requests, and pages work afterwards.
#[test]
fn incomplete_requests_at_the_limit_of_descriptors_do_not_block_mail() {
    let mut server = Server::with_players();
    server.configure("[web]\nlisten = \"127.0.0.1:0\"\n");
    let log = server.data().join("serve.log");
    let mut program = std::process::Command::new("sh");
    program.args(["-c", "ulimit -n 260 && exec \"$@\"", "sh", crate::common::TURNPOST, "--data"]);
    program.arg(server.data()).args(["serve", "--log-json"]).stderr(std::fs::File::create(&log).unwrap());
    let mut child = program.spawn().unwrap();
    let address = wait_until("the server to listen for HTTP", || {
        let text = std::fs::read_to_string(&log).unwrap();
        let line = text.lines().find(|line| line.contains("listening for HTTP"))?;
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(line["address"].as_str()?.to_owned())
    });
    let mut flood: Vec<TcpStream> = Vec::new();
    for _ in 0..150 {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET / HTTP/1.1\r\nHost: games").unwrap();
        flood.push(stream);
    }
    let mail = server.compose("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
    let mut told = 0;
    wait_until("letters to both players", || {
        told += server.letters().len();
        (told >= 2).then_some(())
    });
    drop(flood);
    let page = http(&address, "GET /boards/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(page.0, 200);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        !std::fs::read_to_string(&log).unwrap().contains("cannot accept a connection"),
        "the server has enough file descriptors"
    );
}

#[test]
fn a_flood_of_pictures_needs_little_memory_and_pages_still_work() {
    let site = Site::open();
    site.shell("lazo challenge alice bob");
    for (n, text) in ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4"].iter().enumerate() {
        let player = if n % 2 == 0 { "alice wonderland" } else { "bob builder" };
        site.shell(&format!("lazo move 1 {player} {text}"));
    }
    let first = site.get("/boards/1/board.png");
    let tag = first.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let again = |tag: &str| {
        let headers = format!("Host: games.example\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n");
        let (status, _, body) = http(&site.address, &format!("GET /boards/1/board.png HTTP/1.1\r\n{headers}"));
        (status, body.len())
    };
    assert_eq!(again(&tag), (304, 0));
    assert_eq!(again(&format!("\"other\", W/{tag}")), (304, 0));
    assert_eq!(again("*"), (304, 0));
    assert_eq!(again("\"other\""), (200, first.body.len()));
    // All requests are sent before any answer is read.
    let mut flood: Vec<TcpStream> = Vec::new();
    for n in 0..150 {
        let mut stream = TcpStream::connect(&site.address).unwrap();
        let path = format!("/boards/1/board.png?ply={}", n % 8);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: games.example\r\nConnection: close\r\n\r\n").unwrap();
        flood.push(stream);
    }
    assert_eq!(site.get("/boards/1").status, 200);
    let mut drawn = 0;
    for mut stream in flood {
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200") || answer.starts_with(b"HTTP/1.1 503"));
        drawn += usize::from(answer.starts_with(b"HTTP/1.1 200"));
    }
    assert!(drawn > 0, "every request for a picture was refused");
    let status = std::fs::read_to_string(format!("/proc/{}/status", site.serving.child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 100_000, "{peak} kB");
    // After the flood, pictures are sent again.
    assert_eq!(site.get("/boards/1/board.png?ply=3").status, 200);
}

/// If the server refused the body before it has read it, it would close the connection while the client is still
/// sending, and the client might not see the answer.
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
            // A server that does not read the whole body would answer before the last piece.
            thread::sleep(Duration::from_millis(20));
        }
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{path}: {answer}");
    }
}

/// Returns the files of the web adapter, without their unit tests.
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
        // Pages may only start and commit transactions, and use the types of their results.
        let allowed = ["self", "Store", "Transaction", "StoreError", "Player", "PlayerId", "NodeName"];
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
