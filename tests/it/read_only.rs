//! `serve --read-only`: the pages and the API of a copy or a replica do not change anything.

use std::fs;

use serde_json::{Value, json};

use crate::common::serving::{Serving, http};
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n";

/// Creates a server with two boards, waiting letters and an API token of alice, and a second server with a copy of its
/// database (with PostgreSQL, the same database). Also returns the token.
fn copied() -> (Server, Server, String) {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    let serving = Serving::start(&server, CONFIG);
    let account = json!({ "userid": "alice", "password": "wonderland", "label": "client" }).to_string();
    let (status, _, body) = http(
        &serving.web(),
        &format!(
            "POST /api/v1/tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{account}",
            account.len()
        ),
    );
    let made: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(status, 201, "{made}");
    serving.stop();
    done(&server, "admin hold");
    done(&server, "marque challenge bob alice");
    server.letters();
    let copy = match server.database() {
        Some(_) => server.another_node(),
        None => {
            let copy = Server::without_database();
            fs::copy(server.data().join("turnpost.db"), copy.data().join("turnpost.db")).unwrap();
            copy
        }
    };
    (server, copy, made["token"].as_str().unwrap().to_owned())
}

/// Returns all data in the server's database, to detect changes.
fn held(server: &Server) -> Vec<String> {
    let text = done(server, "admin export --without-key");
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn a_copy_shows_everything_and_changes_nothing() {
    let (server, copy, token) = copied();
    let before = held(&server);
    let file = copy.data().join("turnpost.db");
    let bytes = fs::read(&file).ok();
    let serving = Serving::read_only(&copy, CONFIG);
    let mut visitor = Visitor::new(&serving.web());
    for path in ["/", "/boards/1", "/players/alice", "/login", "/api/v1/boards/1", "/boards/1/board.svg"] {
        assert_eq!(visitor.get(path).status, 200, "{path}");
    }
    assert!(visitor.get("/boards/1").text().contains("f3"));
    for (path, fields) in [
        ("/login", [("userid", "alice"), ("password", "wonderland")]),
        ("/signup", [("userid", "carol"), ("password", "lonely12")]),
        ("/boards/1", [("do", "move"), ("move", "k1")]),
    ] {
        let page = visitor.send(path, &fields);
        assert_eq!(page.status, 403, "{path}: {}", page.text());
        assert!(
            page.text().contains("This server shows a read-only copy, so nothing can be changed here."),
            "{}",
            page.text()
        );
    }
    let (status, _, body) = http(
        &serving.web(),
        "POST /api/v1/commands HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    let problem: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, &problem["reason"]), (403, &json!("read-only")), "{problem}");
    let me =
        format!("GET /api/v1/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n");
    assert_eq!(http(&serving.web(), &me).0, 200);
    for path in ["/health", "/ready"] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        assert_eq!(http(&serving.metrics(), &request).0, 200, "{path}");
    }
    let log = serving.stop();
    assert!(log.contains("\"read_only\":true") && !log.contains("\"ERROR\""), "{log}");
    assert!(fs::read(&file).ok() == bytes, "the database file is unchanged");
    assert_eq!(held(&server), before);
    assert!(!copy.data().join("outgoing").exists());
}

#[test]
fn reading_needs_an_address_and_a_database() {
    let server = Server::in_a_file().and_players();
    server.configure("");
    let ran = server.shell("serve --read-only");
    assert!(ran.status == 78 && ran.err.contains("[web] needs `listen`"), "{ran:?}");
    fs::remove_file(server.data().join("turnpost.db")).unwrap();
    assert_eq!(server.shell("serve --read-only").status, 66);
}
