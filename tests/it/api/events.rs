//! Leagues, cups and ladders through the API.

use serde_json::{Value, json};

use super::Api;

#[test]
fn a_program_creates_joins_and_leaves_an_event() {
    let mut api = Api::open_with("[events]\nplayers = true\n");
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    assert_eq!(api.done("GET", "/events", "", None), json!({ "events": [] }));
    let body = json!({
        "name": "spring", "game": "hex", "options": "-size=9", "division": 6, "twice": true, "once": true,
        "fischer": { "start": 10, "plus": 1, "cap": 20 }, "rated": false,
    });
    let new = api.done("POST", "/events", &alice, Some(&body));
    assert_eq!((&new["kind"], &new["division"], &new["twice"]), (&json!("league"), &json!(6), &json!(true)), "{new}");
    assert_eq!((&new["fischer"]["cap"], &new["all_days"], &new["rated"]), (&json!(20), &json!(0), &json!(false)));
    let joined = api.done("POST", "/events/SPRING/join", &bob, None);
    assert_eq!((&joined["entrants"], &joined["players"]), (&json!(["bob"]), &json!(1)));
    let list = api.done("GET", "/events", "", None);
    assert_eq!((&list["events"][0]["name"], &list["events"][0]["players"]), (&json!("spring"), &json!(1)), "{list}");
    assert_eq!(api.done("GET", "/events/spring", &alice, None)["shown"], Value::Null);
    assert_eq!(api.done("POST", "/events/spring/leave", &bob, None)["entrants"], json!([]));
    for (method, path, body, says, status) in [
        ("POST", "/events", json!({ "name": "spring", "game": "hex" }), "already an event", 409),
        ("POST", "/events", json!({ "name": "new", "game": "hex" }), "", 409),
        ("POST", "/events", json!({ "name": "bad name", "game": "hex" }), "\"bad name\" is not a name of 2 to 20", 400),
        ("POST", "/events", json!({ "name": "june", "game": "chess" }), "no such game", 409),
        ("POST", "/events", json!({ "name": "june", "game": "hex", "division": 5 }), "the minimum is 6", 400),
        ("POST", "/events", json!({ "name": "june", "game": "hex", "kind": "race" }), "unknown variant", 400),
        ("POST", "/events", json!({ "name": "june", "game": "hex", "kind": "ladder", "once": true }), "--once", 409),
        ("POST", "/events", json!({ "name": "june", "game": "hex", "kind": "cup", "division": 8 }), "--division", 409),
        ("POST", "/events/summer/join", Value::Null, "no such event", 404),
        ("POST", "/events/spring/leave", Value::Null, "do not take part", 409),
        ("POST", "/events/spring/challenge", json!({ "opponent": "bob" }), "pairs its players itself", 409),
        ("GET", "/events/summer", Value::Null, "no such event", 404),
        ("GET", "/events/a%20b", Value::Null, "no event a b", 404),
        ("GET", "/events/spring/1", Value::Null, "no edition 1", 404),
        ("GET", "/events/spring/0", Value::Null, "not the number of an edition", 400),
    ] {
        let body = Some(&body).filter(|body| !body.is_null());
        assert_eq!(api.refused(method, path, &alice, body, says), status, "{method} {path} {body:?}");
    }
    assert_eq!(api.refused("POST", "/events/spring/join", "", None, "token"), 401);
    assert_eq!(api.refused("GET", "/events", "tp_nobodys", None, "token is unknown"), 401);
    api.truth.both(&["event", "events", "joinEvent", "leaveEvent", "newEvent"]);
}

#[test]
fn a_program_challenges_for_a_place_of_a_ladder() {
    let mut api = Api::open_with("[events]\nplayers = true\n");
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    let body = json!({ "name": "climb", "game": "hex", "kind": "ladder" });
    api.done("POST", "/events", &alice, Some(&body));
    for token in [&alice, &bob] {
        api.done("POST", "/events/climb/join", token, None);
    }
    let body = json!({ "opponent": "alice", "say": "Good luck" });
    let board = api.done("POST", "/events/climb/challenge", &bob, Some(&body));
    assert_eq!((&board["number"], &board["to_move"]), (&json!(1), &json!("alice")), "{board}");
    assert_eq!(board["comments"][0]["text"], "Good luck");
    assert_eq!(board["event"], json!({ "name": "climb", "edition": 1 }));
    let climb = api.done("GET", "/events/climb/1", "", None);
    let places = &climb["shown"]["places"];
    assert_eq!((&places[0]["userid"], &places[0]["opponent"]), (&json!("alice"), &json!("bob")), "{climb}");
    assert_eq!(places[1]["to_move"], "alice");
    assert_eq!(api.refused("POST", "/events/climb/challenge", &bob, Some(&body), "still playing board 1"), 409);
    assert_eq!(api.refused("GET", "/events/climb/2", &bob, None, "no edition 2"), 404);
    api.truth.both(&["challengeInEvent", "edition"]);
}
