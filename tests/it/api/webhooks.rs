//! Webhooks: when it is a player's turn, the server sends a request to the player's URL.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::Api;
use crate::common::database::sql;
use crate::common::serving::wait_until;

/// A player's program that receives webhook calls. The test chooses each response.
struct Program {
    url: String,
    calls: Receiver<Posted>,
    answers: Sender<&'static str>,
}

/// A call that the program received.
struct Posted {
    path: String,
    id: String,
    timestamp: String,
    signature: String,
    body: String,
}

impl Program {
    fn listen() -> Program {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/turn?key=1", listener.local_addr().unwrap());
        let (called, calls) = mpsc::channel();
        let (answers, next) = mpsc::channel::<&'static str>();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut lines = BufReader::new(stream.unwrap());
                let (mut path, mut length) = (String::new(), 0);
                let (mut id, mut timestamp, mut signature) = (String::new(), String::new(), String::new());
                loop {
                    let mut line = String::new();
                    if lines.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
                        break;
                    }
                    let (name, value) = line.trim_end().split_once([':', ' ']).unwrap();
                    match name.to_lowercase().as_str() {
                        "post" => path = value.split(' ').next().unwrap().to_owned(),
                        "webhook-id" => id = value.trim().to_owned(),
                        "webhook-timestamp" => timestamp = value.trim().to_owned(),
                        "webhook-signature" => signature = value.trim().to_owned(),
                        "content-length" => length = value.trim().parse().unwrap(),
                        _ => {}
                    }
                }
                let mut body = vec![0; length];
                lines.read_exact(&mut body).unwrap();
                let body = String::from_utf8(body).unwrap();
                let _ = called.send(Posted { path, id, timestamp, signature, body });
                // Waits until the test supplies the response.
                let Ok(answer) = next.recv() else { return };
                let head = "Content-Length: 2\r\nConnection: close\r\nLocation: /elsewhere";
                let _ = write!(lines.get_mut(), "HTTP/1.1 {answer}\r\n{head}\r\n\r\nok");
            }
        });
        Program { url, calls, answers }
    }

    /// Answers the next call with this status, and returns the call.
    fn called(&self, answer: &'static str) -> Posted {
        self.answers.send(answer).unwrap();
        self.calls.recv_timeout(Duration::from_secs(60)).expect("the webhook is called")
    }
}

impl Posted {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Verifies a signature according to the Standard Webhooks specification.
    fn is_signed_with(&self, secret: &str) -> bool {
        let key = BASE64.decode(secret.strip_prefix("whsec_").unwrap().as_bytes()).unwrap();
        let signature = BASE64.decode(self.signature.strip_prefix("v1,").unwrap().as_bytes()).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.{}", self.id, self.timestamp, self.body).as_bytes());
        mac.verify_slice(&signature).is_ok()
    }
}

/// Dates the pending calls back. A call whose attempt is running gets the new date at its next attempt.
const BEGAN_LONG_AGO: &str = "UPDATE webhook_calls SET created_at = '2026-01-01T00:00:00Z'";

fn calls(api: &Api) -> String {
    sql(&api.server, "SELECT count(*) FROM webhook_calls")
}

#[test]
fn a_turn_is_announced_until_the_program_accepts_it() {
    let mut api = Api::open_with("private_webhooks = true\nurl = \"https://games.example.org\"\n");
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    let program = Program::listen();
    let wrong = json!({ "url": "ftp://bot.example.org/" });
    assert_eq!(api.refused("PUT", "/me/webhook", &bob, Some(&wrong), "must begin with https:// or http://"), 400);
    let made = api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": program.url })));
    let secret = made["secret"].as_str().unwrap().to_owned();
    api.shell("marque challenge alice bob");
    assert_eq!(calls(&api), "0", "it is the turn of alice, who has no webhook");
    assert_eq!(api.play(&alice, "f3").status, 200);
    let first = program.called("500 Not Now");
    assert!(first.is_signed_with(&secret) && !first.is_signed_with("whsec_b3RoZXI=") && first.path == "/turn?key=1");
    let said = json!({
        "type": "board.your_turn",
        "timestamp": first.json()["timestamp"],
        "data": {
            "board": 1, "game": "marque", "ply": 2, "opponent": "alice", "url": "https://games.example.org/boards/1",
        },
    });
    assert!(first.json() == said && first.json()["timestamp"].is_string(), "{}", first.body);
    assert!(first.id == "msg_1" && first.timestamp.parse::<u64>().is_ok(), "{} {}", first.id, first.timestamp);
    let again = program.called("302 Elsewhere");
    assert!(again.json() == said && again.id == first.id && again.is_signed_with(&secret));
    wait_until("two failed calls", || (api.get("/me/webhook", &bob).body["failures"] == 2).then_some(()));
    let third = program.called("204 Yes");
    assert!(third.json() == said && third.path == "/turn?key=1", "a redirection is not followed");
    wait_until("all pending calls to end", || (calls(&api) == "0").then_some(()));
    assert_eq!(api.get("/me/webhook", &bob).body["failures"], 0);

    // If a player's turn has ended before the call is sent, the server does not send it.
    assert_eq!(api.play(&bob, "f4").status, 200);
    api.shell("marque move 1 alice wonderland g2");
    assert_eq!(program.called("503 Not Now").json()["data"]["ply"], 4);
    wait_until("a failed call", || (api.get("/me/webhook", &bob).body["failures"] == 1).then_some(()));
    api.shell("marque resign 1 bob builder");
    wait_until("all pending calls to end", || (calls(&api) == "0").then_some(()));

    // Many failures within a short outage do not pause the webhook.
    api.shell("marque challenge bob alice");
    assert_eq!(program.called("200 Yes").json()["data"]["board"], 2);
    wait_until("all pending calls to end", || (calls(&api) == "0").then_some(()));
    sql(&api.server, "UPDATE webhooks SET failures = 19");
    api.shell("brique challenge bob alice");
    let call = program.calls.recv_timeout(Duration::from_secs(60)).expect("the webhook is called");
    assert_eq!(call.json()["data"]["game"], "brique");
    sql(&api.server, BEGAN_LONG_AGO);
    program.answers.send("500 No").unwrap();
    let hook = wait_until("a failed call", || {
        let hook = api.get("/me/webhook", &bob).body;
        (hook["failures"] == 20).then_some(hook)
    });
    assert!(hook["paused_at"].is_null(), "{hook}");
    // If a call has failed for a day, the server pauses the webhook until the player sets it again.
    assert_eq!(program.called("500 No").json()["data"]["game"], "brique");
    let hook = wait_until("the webhook to be paused", || {
        let hook = api.get("/me/webhook", &bob).body;
        (!hook["paused_at"].is_null()).then_some(hook)
    });
    let why = hook["paused_why"].as_str().unwrap();
    assert!(why.contains("21 consecutive calls failed") && why.contains("it answered 500"), "{hook}");
    api.shell("lazo challenge -size=26 bob alice");
    assert_eq!(calls(&api), "0");
    let made = api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": program.url })));
    api.shell("lazo challenge -size=26 bob alice");
    let last = program.called("200 Yes");
    assert!(last.json()["data"]["board"] == 5 && last.is_signed_with(made["secret"].as_str().unwrap()));
    wait_until("all pending calls to end", || (calls(&api) == "0").then_some(()));
    assert!(program.calls.try_recv().is_err(), "the webhook is called once for each turn");
    assert!(!api.serving.log().contains("ERROR"), "{}", api.serving.log());
}

#[test]
fn private_addresses_are_not_called() {
    let mut api = Api::open();
    let bob = api.token("bob", "builder");
    let program = Program::listen();
    assert_eq!(api.refused("PUT", "/me/webhook", &bob, Some(&json!({ "url": program.url })), "https://"), 409);
    let port = program.url.split(':').nth(2).unwrap().split('/').next().unwrap();
    let url = format!("https://localhost:{port}/");
    api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": url })));
    sql(&api.server, "UPDATE webhooks SET failures = 19");
    api.shell("marque challenge bob alice");
    sql(&api.server, BEGAN_LONG_AGO);
    let hook = wait_until("the webhook to be paused", || {
        let hook = api.get("/me/webhook", &bob).body;
        (!hook["paused_at"].is_null()).then_some(hook)
    });
    assert!(hook["paused_why"].as_str().unwrap().contains("not resolve to a public address"), "{hook}");
    assert!(program.calls.try_recv().is_err(), "the webhook is not called");
}

#[test]
fn an_address_that_returns_gone_is_not_called_again() {
    let mut api = Api::open_with("private_webhooks = true\n");
    let bob = api.token("bob", "builder");
    let program = Program::listen();
    api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": program.url })));
    api.shell("marque challenge bob alice");
    program.called("410 Gone");
    let hook = wait_until("the webhook to be paused", || {
        let hook = api.get("/me/webhook", &bob).body;
        (!hook["paused_at"].is_null()).then_some(hook)
    });
    assert!(hook["paused_why"].as_str().unwrap().contains("410 Gone") && hook["failures"] == 1, "{hook}");
    assert_eq!(calls(&api), "0");
}

#[test]
fn the_answer_of_a_replaced_webhook_does_not_pause_the_new_one() {
    let mut api = Api::open_with("private_webhooks = true\n");
    let bob = api.token("bob", "builder");
    let [old, new] = [Program::listen(), Program::listen()];
    api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": old.url })));
    api.shell("marque challenge bob alice");
    old.calls.recv_timeout(Duration::from_secs(60)).expect("the webhook is called");
    api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": new.url })));
    old.answers.send("410 Gone").unwrap();
    api.shell("marque challenge bob alice");
    assert_eq!(new.called("200 OK").json()["data"]["board"], 2);
}

#[test]
fn a_reopened_board_calls_the_player_to_move() {
    let mut api = Api::open_with("private_webhooks = true\n");
    let bob = api.token("bob", "builder");
    api.shell("hex challenge alice bob");
    api.shell("hex move 1 alice wonderland f6");
    api.shell("resign 1 bob builder");
    let program = Program::listen();
    api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": program.url })));
    api.shell("admin reopen 1 --reason=slip");
    let call = program.called("200 OK").json();
    assert_eq!((&call["data"]["board"], &call["data"]["ply"]), (&json!(1), &json!(2)));
}

/// Starts a program that accepts calls and never answers. Also returns the number of calls waiting for an answer.
fn silent_program() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let waiting = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&waiting);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            // Waits until the server aborts the call.
            let _ = stream.unwrap().read_to_end(&mut Vec::new());
            counted.fetch_sub(1, Ordering::SeqCst);
        }
    });
    (url, waiting)
}

#[test]
fn a_silent_program_does_not_delay_other_calls() {
    let mut api = Api::open_with("private_webhooks = true\n");
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    let (url, waiting) = silent_program();
    let program = Program::listen();
    api.done("PUT", "/me/webhook", &alice, Some(&json!({ "url": program.url })));
    // On a busy machine, the server may abort bob's call before the test checks alice's program. That rarely happens in
    // all five attempts.
    let delayed = (0..5).all(|_| {
        // Setting the webhook again drops its pending calls.
        api.done("PUT", "/me/webhook", &bob, Some(&json!({ "url": url })));
        wait_until("the calls to bob to end", || (waiting.load(Ordering::SeqCst) == 0).then_some(()));
        api.shell("marque challenge bob alice");
        wait_until("a call to bob", || (waiting.load(Ordering::SeqCst) > 0).then_some(()));
        api.shell("marque challenge alice bob");
        program.called("200 Yes");
        waiting.load(Ordering::SeqCst) == 0
    });
    assert!(!delayed, "alice's webhook is called only after bob's call has ended");
}
