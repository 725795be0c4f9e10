//! Errors as problem details (RFC 9457).

use serde_json::{Value, json};

use super::{Api, request};
use crate::common::serving::http;

#[test]
fn an_error_is_a_problem_of_a_described_kind() {
    let mut api = Api::open();
    let alice = api.token("alice", "wonderland");
    api.shell("marque challenge --private bob alice");
    api.shell("marque challenge alice bob");
    let line = |line: &str| Some(json!({ "line": line }));
    for (method, path, token, body, reason, word) in [
        ("GET", "/boards/9", "", None, "not-there", Value::Null),
        ("GET", "/boards/0", "", None, "malformed", json!("0")),
        ("GET", "/boards/2?plie=1", "", None, "malformed", json!("plie")),
        ("GET", "/players/nobody", "", None, "not-there", json!("nobody")),
        ("GET", "/boards/1", "", None, "not-yours", Value::Null),
        ("GET", "/me", "", None, "unauthenticated", Value::Null),
        ("POST", "/boards/1/moves", &alice, Some(json!({ "move": "f3" })), "state", json!("alice")),
        ("POST", "/boards/2/moves", &alice, Some(json!({ "move": "z9" })), "not-understood", json!("z9")),
        ("POST", "/commands", &alice, line("marque mvoe 2 alice - f3"), "not-understood", json!("mvoe")),
        ("POST", "/commands", &alice, line("marque move 2 alice wrong f3"), "unauthenticated", Value::Null),
    ] {
        let answer = api.call(method, path, token, body.as_ref());
        let problem = &answer.body;
        assert_eq!(answer.content_type(), "application/problem+json");
        assert_eq!((&problem["reason"], &problem["status"]), (&json!(reason), &json!(answer.status)), "{problem}");
        assert!(problem["word"] == word || word.is_null(), "{problem}");
        assert!(problem["code"].as_str().is_some_and(|code| code.contains('.')), "{problem}");
        // The problem's `type` is the path of a page that describes the problem.
        let kind = problem["type"].as_str().unwrap().strip_prefix("/api/v1").unwrap().to_owned();
        let described = api.done("GET", &kind, "", None);
        for member in ["type", "title", "status", "reason"] {
            assert_eq!(described[member], problem[member], "{problem}");
        }
    }
    let masked = api.call("POST", "/commands", &alice, line("marque mvoe 2 alice wonderland f3").as_ref());
    assert!(masked.body["nearest"] == "move" && !masked.body.to_string().contains("wonderland"), "{}", masked.body);
    assert_eq!(api.refused("GET", "/problems/other", "", None, "no kind of problem"), 404);
    api.truth.both(&["problem"]);
}

#[test]
fn an_incomplete_request_is_answered_with_a_problem() {
    let api = Api::open();
    let whole = request("POST", "/commands", "", Some(("application/json", "{}".to_owned())));
    let half = whole.replace("Content-Length: 2", "Transfer-Encoding: chunked");
    let (status, head, body) = http(&api.address, &half);
    let body: Value = serde_json::from_slice(&body).unwrap_or_else(|_| panic!("{head}"));
    assert_eq!((status, &body["reason"]), (400, &json!("malformed")), "{body}");
}
