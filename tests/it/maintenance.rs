//! During maintenance, pages and the API say when to try again, mail waits, clocks are stopped, and administrators can
//! still run commands.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::common::database::{inbox, sql};
use crate::common::serving::{Serving, http};
use crate::common::visitor::Visitor;
use crate::common::{Ran, Server, done, to};

const CONFIG: &str =
    "[web]\nlisten = \"127.0.0.1:0\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n[policy]\nadministrators = [\"alice\"]\n";
const BACK: &str = "back at 2999-01-01T18:00:00Z";

fn begin(server: &Server, text: &str) -> Ran {
    server.program().args(["admin", "maintenance", "on", text]).stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn mail_waits_for_the_end_of_maintenance() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    assert_eq!(done(&server, "admin maintenance"), "The server is not under maintenance.\n");
    assert_eq!(done(&server, "admin maintenance off"), "The server is not under maintenance.\n");
    assert_eq!(begin(&server, " ").status, 1);
    let ran = begin(&server, "a new disk");
    assert!(
        ran.status == 0 && ran.out.starts_with("Maintenance since ") && ran.out.contains(": a new disk\n"),
        "{ran:?}"
    );
    let began = server.json("admin maintenance")["maintenance"]["since"].clone();
    begin(&server, BACK);
    let state = server.json("admin maintenance");
    assert_eq!(state, json!({ "maintenance": { "since": began, "text": BACK } }), "the text is replaced");
    assert_eq!(server.json("admin")["maintenance"]["text"], BACK);
    assert!(done(&server, "admin").contains("MAINTENANCE"));

    let mail = server.compose("alice@example.org", "marque move 1 alice wonderland f3", "");
    let ran = server.raw_mail(mail.as_bytes());
    assert_eq!((ran.status, ran.err.as_str(), inbox(&server)), (0, "", 1), "{ran:?}");
    done(&server, "tick");
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 0, "the message waits");
    let clock = server.json("admin clocks");
    assert!(clock[0]["note"].as_str().unwrap().contains("stopped"), "{clock}");
    let shown = done(&server, "show 1").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("the server is under maintenance (back at"), "{shown}");

    let ended = done(&server, "admin maintenance off");
    assert!(ended.starts_with("Maintenance has ended. It began at "), "{ended}");
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 1);
    assert!(to(&server.letters(), "bob@example.org").text().contains("alice played f3"));
    assert_eq!(sql(&server, "SELECT cause FROM standstills WHERE ended_at IS NOT NULL"), "maintenance");
    assert_eq!(server.json("admin")["maintenance"], Value::Null);
}

#[test]
fn pages_and_programs_receive_the_time_to_retry() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, CONFIG);
    let get = |address: &str, path: &str| {
        let (status, head, body) =
            http(address, &format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
        (status, head, String::from_utf8_lossy(&body).into_owned())
    };
    let (web, metrics) = (serving.web(), serving.metrics());
    let mut alice = Visitor::logged_in(&web, "alice", "wonderland");
    assert_eq!((get(&web, "/boards/1").0, get(&metrics, "/ready").0), (200, 200));
    begin(&server, BACK);
    for path in ["/", "/boards/1", "/no/such/page", "/api/v1/games"] {
        let (status, head, body) = get(&web, path);
        assert!(status == 503 && body.contains(BACK), "{path}: {status} {body}");
        let seconds = head.lines().find_map(|line| line.strip_prefix("retry-after: ")).unwrap_or_default();
        assert!(seconds.parse::<u64>().unwrap() > 1_000_000, "{path}: {head}");
    }
    let problem: Value = serde_json::from_str(&get(&web, "/api/v1/boards/1").2).unwrap();
    assert_eq!((&problem["reason"], &problem["code"]), (&json!("maintenance"), &json!("web.maintenance")), "{problem}");
    let move_page = alice.send("/boards/1", &[("action", "move"), ("text", "f3")]);
    assert_eq!(move_page.status, 503);
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 0);
    for path in ["/login", "/style.css"] {
        assert_eq!(get(&web, path).0, 200, "{path}");
    }
    let overview = alice.get("/admin");
    assert!(overview.status == 200 && overview.text().contains(BACK), "{}", overview.text());
    assert_eq!(get(&metrics, "/health").0, 200);
    let (status, _, body) = get(&metrics, "/ready");
    assert!(status == 503 && body.starts_with("maintenance since ") && body.contains(BACK), "{status} {body}");
    begin(&server, "soon");
    assert!(!get(&web, "/").1.contains("retry-after"), "no time is announced");
    done(&server, "admin maintenance off");
    assert_eq!((get(&web, "/boards/1").0, get(&metrics, "/ready").0), (200, 200));
    let log = serving.stop();
    assert!(!log.contains("\"ERROR\""), "{log}");
}
