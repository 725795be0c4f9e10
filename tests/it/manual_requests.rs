//! Sends the curl requests of the manual to a server, and checks that the API has every listed path.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::serving::{Serving, http};
use crate::common::{Ran, Server, done};
use crate::documentation::{pages, root};
use crate::manual_commands::code;

const LISTENING: &str = "[web]\nlisten = \"127.0.0.1:0\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n";

fn api() -> String {
    fs::read_to_string(root().join("docs/develop/api.md")).unwrap()
}

/// Returns the blocks of a text that contain these words, without their indentation.
fn blocks(text: &str, words: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    for line in text.lines() {
        match line.strip_prefix("    ") {
            Some(line) => *blocks.last_mut().unwrap() += &format!("{line}\n"),
            None => blocks.push(String::new()),
        }
    }
    blocks.retain(|block| block.contains(words));
    blocks
}

/// Runs a script whose curl requests must be answered with a 2xx status. Returns its output.
fn run(script: &str) -> String {
    let curl = "curl() { command curl --silent --show-error --fail-with-body --write-out '\\n' \"$@\"; }";
    let output = Command::new("sh").args(["-e", "-c", &format!("{curl}\n{script}")]).output().unwrap();
    let ran: Ran = output.into();
    assert_eq!(ran.status, 0, "{script}: {ran:?}");
    ran.out
}

/// Starts a server on which alice is to move on board 1.
fn serving() -> (Server, Serving) {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, LISTENING);
    (server, serving)
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs curl: ./test runs it")]
fn the_requests_of_the_api_are_answered_in_their_order() {
    let (server, serving) = serving();
    let text = api();
    let [block] = &blocks(&text, "curl ")[..] else { panic!("not all requests are in one block") };
    let script = block.replace("https://games.example.org", &format!("http://{}", serving.web()));
    let (login, rest) = script.split_once("\nauth=").expect("the script stores the token in a variable");
    let answer: Value = serde_json::from_str(&run(login)).unwrap();
    let url = login.lines().next().unwrap();
    let rest = format!("{url}\nauth={rest}").replace("tp_…", answer["token"].as_str().unwrap());
    let answers: Vec<Value> = run(&rest).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), rest.matches("curl ").count(), "{answers:?}");
    assert_eq!(server.hashes(1).len(), 1, "{answers:?}");
    // Sends the page's example of a request that contains a command.
    let body = code(&text).find(|span| span.starts_with("{\"line\":")).unwrap();
    let auth = rest.lines().find(|line| line.starts_with("auth=")).unwrap();
    let line =
        format!("{url}\n{auth}\ncurl $url/commands -H \"$auth\" -H 'Content-Type: application/json' -d '{body}'");
    assert!(run(&line).contains("k4"), "{line}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs curl: ./test runs it")]
fn the_requests_of_an_administrator_are_answered() {
    let (_server, serving) = serving();
    let mut sent = 0;
    for (path, text) in pages().into_iter().filter(|(path, _)| !path.ends_with("api.md")) {
        for block in blocks(&text, "curl ") {
            let script = block.replace("127.0.0.1:9100", &serving.metrics());
            assert!(run(&script).contains("turnpost_"), "{}: {script}", path.display());
            sent += 1;
        }
    }
    assert!(sent > 0, "the page about monitoring contains a request");
}

/// Sends a request to the API.
fn request(serving: &Serving, method: &str, path: &str, token: &str, body: &str) -> Value {
    let head = format!(
        "{method} /api/v1{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    );
    let auth = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let length = body.len();
    let (_, _, answer) = http(&serving.web(), &format!("{head}{auth}Content-Length: {length}\r\n\r\n{body}"));
    serde_json::from_slice(&answer).unwrap()
}

#[test]
fn the_api_has_the_listed_paths_and_answers_with_the_printed_error() {
    let (_server, serving) = serving();
    let document = request(&serving, "GET", "/openapi.json", "", "");
    let paths = document["paths"].as_object().unwrap();
    let text = api();
    let mut seen = 0;
    for span in code(&text) {
        let Some((method, path)) = span.split_once(" /") else { continue };
        let parts: Vec<&str> = path.split('?').next().unwrap().split('/').collect();
        let is_described = paths.iter().any(|(described, methods)| {
            let described: Vec<&str> = described[1..].split('/').collect();
            let is_value = |part: &str| part.bytes().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            let is_same = |(part, other): (&&str, &&str)| part == other || is_value(part) && other.starts_with('{');
            let fits = described.len() == parts.len() && parts.iter().zip(&described).all(is_same);
            fits && methods.get(method.to_lowercase()).is_some()
        });
        assert!(is_described, "{span}");
        seen += 1;
    }
    assert!(seen > 20, "only {seen} requests were found");

    let login = request(&serving, "POST", "/tokens", "", r#"{"userid":"alice","password":"wonderland","label":"bot"}"#);
    let [printed] = &blocks(&text, "/api/v1/problems/")[..] else { panic!("no single block contains an error") };
    let printed: Value = serde_json::from_str(printed).unwrap();
    let line = json!({ "line": printed["line"] }).to_string();
    let problem = request(&serving, "POST", "/commands", login["token"].as_str().unwrap(), &line);
    assert_eq!(problem, printed);
}
