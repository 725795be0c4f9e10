//! Players' actions other than moves. Each has a separate endpoint.

use serde_json::{Value, json};

use super::Api;
use crate::common::database::sql;
use crate::common::serving::wait_until;

#[test]
fn a_challenge_states_its_terms() {
    let mut api = Api::open();
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    let terms = json!({
        "opponent": "bob", "first": false, "options": "-size=9", "nag_days": 2, "forfeit_days": 5, "total_days": 60,
        "rated": false, "private": true, "say": "Shall we?",
    });
    let made = api.done("POST", "/games/brique/boards", &alice, Some(&terms));
    let board = &made["board"];
    assert_eq!((&made["number"], &made["offer"], &board["number"]), (&json!(1), &Value::Null, &json!(1)));
    assert_eq!(
        (&board["options"], &board["to_move"], &board["challenger"]),
        (&json!("-size=9"), &json!("bob"), &json!("alice"))
    );
    assert_eq!((&board["rated"], &board["private"]), (&json!(false), &json!(true)));
    assert_eq!(board["comments"][0]["text"], "Shall we?");
    assert_eq!((&board["clock"]["left_days"], &board["clock"]["total_days"]), (&json!(5.0), &json!(60)));
    assert_eq!(
        sql(&api.server, "SELECT terms, rated, private FROM boards"),
        "--nagtime=2 --forfeittime=5 --totaltime=60 --unrated --private|0|1"
    );
    wait_until("the letter with the comment", || {
        api.server.letters().iter().any(|letter| letter.text().contains("Shall we?")).then_some(())
    });
    // A client can copy the options of a board to start another board with the same options.
    let again = json!({ "opponent": "bob", "options": board["options"] });
    assert_eq!(api.done("POST", "/games/brique/boards", &alice, Some(&again))["board"]["to_move"], "alice");

    // A request without an opponent creates an open challenge. Its author can withdraw it, and any other player can
    // accept it.
    let offer = api.done("POST", "/games/marque/boards", &alice, Some(&json!({})));
    assert_eq!(
        (&offer["number"], &offer["board"], &offer["offer"]["challenger"]),
        (&json!(3), &Value::Null, &json!("alice"))
    );
    assert_eq!(api.done("GET", "/offers/3", "", None), offer["offer"]);
    let withdrawn = api.done("POST", "/boards/3/decline", &alice, None);
    assert_eq!((&withdrawn["number"], &withdrawn["offer"]["number"]), (&json!(3), &json!(3)));
    assert_eq!(api.refused("POST", "/boards/3/accept", &bob, None, "no board 3"), 404);
    api.done("POST", "/games/marque/boards", &alice, Some(&json!({ "opponent": "anyone", "options": "-opposite" })));
    assert_eq!(api.refused("POST", "/boards/99/accept", &bob, None, "no board 99"), 404);
    assert_eq!(api.refused("POST", "/boards/4/accept", &alice, None, "your own"), 409);
    assert_eq!(api.refused("POST", "/boards/4/resign", &alice, None, "open challenge"), 409);
    let board = api.done("POST", "/boards/4/accept", &bob, Some(&json!({ "say": "With pleasure" })));
    assert_eq!(
        (&board["number"], &board["options"], &board["to_move"]),
        (&json!(4), &json!("-opposite"), &json!("alice"))
    );
    api.shell("signup carol walrus22 carol@example.org");
    let carol = api.token("carol", "walrus22");
    assert_eq!(api.refused("POST", "/boards/4/accept", &carol, None, "4 has already been accepted"), 409);
    assert_eq!(api.refused("POST", "/boards/4/accept", &bob, None, "accept a proposal at"), 409);
    assert_eq!(api.refused("GET", "/offers/4", "", None, "not an open challenge"), 404);
    // A player who has not moved yet can decline the board.
    let declined = api.done("POST", "/boards/2/decline", &bob, None);
    assert_eq!((&declined["board"]["no_result"], &declined["offer"]), (&json!("declined"), &Value::Null));

    for (body, says, status) in [
        (json!({ "opponent": "nobody" }), "no player", 404),
        (json!({ "opponent": "all" }), "", 409),
        (json!({ "opponent": "b" }), "is not a name of 2 to 20", 400),
        (json!({ "opponent": "bob --private" }), "is not a name of 2 to 20", 400),
        (json!({ "opponent": "bob", "options": "--private" }), "is not a list of options", 400),
        (json!({ "opponent": "bob", "options": "-oposite" }), "no option", 409),
        (json!({ "opponent": "bob", "options": "-opposite -y" }), "", 409),
        (json!({ "opponent": "bob", "forfeit_days": 366 }), "`forfeit_days` is 366; the maximum is 365", 400),
        (json!({ "opponent": "bob", "nag_days": -1 }), "invalid value", 400),
        (json!({ "opponent": "bob", "nag_days": 9, "forfeit_days": 3 }), "", 409),
        (json!({ "oponent": "bob" }), "unknown field", 400),
    ] {
        assert_eq!(api.refused("POST", "/games/marque/boards", &alice, Some(&body), says), status, "{body}");
    }
    assert_eq!(api.refused("POST", "/games/chess/boards", &alice, Some(&json!({})), "no game"), 404);
    assert_eq!(api.refused("POST", "/games/marque/boards", "", Some(&json!({})), "requires a token"), 401);
    assert_eq!(api.refused("POST", "/boards/9/decline", &bob, None, "no board 9"), 404);
    // Requests about a private open challenge are answered as if the board did not exist.
    let mut private = api.done("POST", "/games/marque/boards", &alice, Some(&json!({ "private": true })));
    let number = private["number"].take();
    for action in ["decline", "resign", "rematch"] {
        let path = format!("/boards/{number}/{action}");
        assert_eq!(api.refused("POST", &path, &bob, None, &format!("no board {number}")), 404, "{action}");
    }
    for line in [format!("hex resign {number} bob -"), format!("note {number} bob - --say=x")] {
        let body = json!({ "line": line });
        let status = api.refused("POST", "/commands", &bob, Some(&body), &format!("no board {number}"));
        assert_eq!(status, 404, "{line}");
    }
    api.truth.both(&["challenge", "offer", "accept", "decline"]);
    assert_eq!(api.server.shell("admin check").status, 0);
}

#[test]
fn the_api_opens_and_answers_proposals() {
    let mut api = Api::open();
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    api.shell("signup carol walrus22 carol@example.org");
    let carol = api.token("carol", "walrus22");
    api.shell("marque challenge --private alice bob");
    api.play(&alice, "f3");
    let (draw, undo) = (json!({ "kind": "draw" }), json!({ "kind": "undo", "say": "A slip" }));
    let path = "/boards/1/proposal";
    let board = api.done("POST", path, &alice, Some(&undo));
    assert_eq!(board["proposal"], json!({ "kind": "undo", "by": "alice" }));
    assert_eq!(board["comments"][0]["text"], "A slip");
    let (accept, reject) = (format!("{path}/accept"), format!("{path}/reject"));
    for answer in [&accept, &reject] {
        assert_eq!(api.refused("POST", answer, &bob, Some(&draw), "is not a draw"), 409);
        assert_eq!(
            api.refused("POST", answer, &carol, Some(&draw), "private"),
            403,
            "an open proposal on a private board is private, too"
        );
        assert_eq!(api.refused("POST", answer, &bob, Some(&json!({})), "missing field `kind`"), 400);
        assert_eq!(api.refused("POST", answer, &bob, Some(&json!({ "kind": "win" })), "unknown variant"), 400);
    }
    assert_eq!(api.refused("POST", &accept, &alice, Some(&undo), "your own"), 409);
    assert_eq!(api.refused("POST", "/boards/1/accept", &bob, None, "not an open challenge"), 409);
    let rejected = api.done("POST", &reject, &bob, Some(&undo));
    assert_eq!((&rejected["proposal"], &rejected["plies"]), (&Value::Null, &json!(1)));
    api.done("POST", path, &alice, Some(&undo));
    assert_eq!(api.done("POST", &accept, &bob, Some(&undo))["plies"], 0);
    assert_eq!(api.refused("POST", &accept, &bob, Some(&undo), "No proposal"), 409);
    api.done("POST", path, &alice, Some(&draw));
    assert_eq!(api.refused("POST", path, &bob, Some(&draw), "alice"), 409);
    let drawn = api.done("POST", &accept, &bob, Some(&draw));
    assert_eq!((&drawn["result"]["winner"], &drawn["result"]["reason"]), (&Value::Null, &json!("agreement")));
    let again = api.done("POST", "/boards/1/rematch", &alice, None);
    assert_eq!((&again["number"], &again["rematch_of"]), (&json!(2), &json!(1)));
    let (path, abandon) = ("/boards/2/proposal", json!({ "kind": "abandon" }));
    api.done("POST", path, &alice, Some(&abandon));
    let ended = api.done("POST", &format!("{path}/accept"), &bob, Some(&abandon));
    assert_eq!(
        (&ended["no_result"], &ended["result"], &ended["to_move"]),
        (&json!("abandoned"), &Value::Null, &Value::Null)
    );
    api.truth.both(&["propose", "acceptProposal", "rejectProposal"]);
    assert_eq!(api.server.shell("admin check").status, 0);
}

#[test]
fn players_chat_resign_and_play_again() {
    let mut api = Api::open();
    let (alice, bob) = (api.token("alice", "wonderland"), api.token("bob", "builder"));
    api.shell("marque challenge alice bob");
    let board = api.done("POST", "/boards/1/chat", &bob, Some(&json!({ "say": "Good luck" })));
    let comment = &board["comments"][0];
    assert_eq!(
        (&comment["userid"], &comment["text"], &comment["entry"]),
        (&json!("bob"), &json!("Good luck"), &json!(0))
    );
    assert_eq!(api.refused("POST", "/boards/1/chat", &bob, Some(&json!({})), "missing field `say`"), 400);
    assert_eq!(api.refused("POST", "/boards/1/chat", &bob, Some(&json!({ "say": " " })), ""), 409);
    assert_eq!(api.refused("POST", "/boards/1/rematch", &bob, None, "in progress"), 409);
    api.play(&alice, "f3");
    api.play(&bob, "f4");
    // A player may resign even when it is the opponent's turn.
    let resigned = api.done("POST", "/boards/1/resign", &bob, Some(&json!({ "say": "Well played" })));
    assert_eq!((&resigned["number"], &resigned["result"]["winner"]), (&json!(1), &json!("alice")));
    assert_eq!(api.refused("POST", "/boards/1/resign", &bob, None, "has ended"), 409);
    let rematch = api.done("POST", "/boards/1/rematch", &alice, None);
    assert_eq!((&rematch["number"], &rematch["to_move"]), (&json!(2), &json!("bob")));
    api.truth.both(&["chat", "resign", "rematch"]);
    assert_eq!(sql(&api.server, "SELECT DISTINCT via FROM game_moves"), "api");
}
