//! Actions that may end a game need more than a reply token, because every recipient of a forwarded letter has its
//! token. Runs the real binary.

use serde_json::{Value, json};

use crate::common::{Letter, Server, letter_to, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const EVE: &str = "eve@elsewhere.example";

fn board(server: &Server) -> Value {
    server.json("show 1")["boards"][0].clone()
}

fn is_over(server: &Server) -> bool {
    !board(server)["result"].is_null()
}

/// Sends a line from eve to the reply address of alice's letter. Checks that the server sends one letter, which asks
/// alice to confirm the action, and returns it.
fn asked(server: &mut Server, letter: &Letter, line: &str) -> Letter {
    let letters = reply(server, EVE, letter, line);
    let [question] = letters.as_slice() else { panic!("{line}: {letters:?}") };
    assert_eq!(question.to(), ALICE, "{line}");
    let text = question.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("A message from eve@elsewhere.example requests this"), "{text}");
    assert!(text.contains(&format!("with \"1 {line}\" on the first line")), "{text}");
    question.clone()
}

#[test]
fn a_resignation_from_an_unknown_address_needs_confirmation() {
    for challenge in
        ["marque challenge -any_2 alice bob", "brique challenge -size=9 alice bob", "lazo challenge -size=26 alice bob"]
    {
        let mut server = Server::with_players();
        let letters = server.mail(ALICE, challenge, "");
        let letter = to(&letters, ALICE).clone();
        let question = asked(&mut server, &letter, "resign");
        assert!(!is_over(&server), "{challenge}");
        // The token of the forwarded letter does not confirm the action, even in mail from a third address.
        let again = reply(&mut server, "alice@work.example", &letter, "resign");
        assert!(letter_to(&again, BOB).is_none() && !is_over(&server), "{challenge}: {again:?}");
        // A reply to the question confirms the action from any address.
        let letters = reply(&mut server, "alice@work.example", &question, "1 resign");
        assert!(letter_to(&letters, BOB).is_some(), "{letters:?}");
        assert_eq!(board(&server)["result"]["winner"], "bob", "{challenge}");
    }
}

#[test]
fn a_reply_to_the_question_needs_no_number() {
    for headers in ["Reply-To", "In-Reply-To"] {
        let mut server = Server::with_players();
        let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
        let question = asked(&mut server, to(&letters, ALICE), "resign");
        let headers = match headers {
            "Reply-To" => json!({ "To": question.reply_to() }),
            _ => json!({ "In-Reply-To": question.id }),
        };
        server.mail_with("alice@work.example", "Re: Turnpost", "resign", &headers);
        assert_eq!(board(&server)["result"]["winner"], "bob");
    }
}

#[test]
fn a_draw_and_a_decline_need_confirmation() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    asked(&mut server, to(&letters, ALICE), "decline");
    assert!(server.shell("show 1").status == 0 && !is_over(&server));
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    asked(&mut server, to(&letters, ALICE), "propose");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "propose");
    let question = asked(&mut server, to(&letters, ALICE), "accept");
    assert!(!is_over(&server));
    reply(&mut server, ALICE, &question, "accept");
    assert_eq!(board(&server)["result"]["reason"], "agreement");
}

#[test]
fn yes_to_the_question_does_not_answer_the_opponents_proposal() {
    let mut server = Server::with_players();
    server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    let letters = reply(&mut server, BOB, to(&letters, BOB), "abandon");
    let letter = to(&letters, ALICE).clone();
    let question = asked(&mut server, &letter, "resign");
    for said in ["yes", "no"] {
        let told = reply(&mut server, ALICE, &question, said);
        assert!(letter_to(&told, BOB).is_none() && !is_over(&server), "{said}: {told:?}");
        assert!(!board(&server)["proposal"].is_null(), "{said}");
        assert!(to(&told, ALICE).text().contains("neither a move nor a command"), "{said}: {told:?}");
    }
    // In reply to the opponent's letter, the word accepts the proposal.
    let told = reply(&mut server, ALICE, &letter, "yes");
    assert!(board(&server)["to_move"].is_null(), "{told:?}");
}

#[test]
fn a_prepared_resignation_needs_confirmation() {
    let mut server = Server::with_players();
    server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let letters = server.mail(ALICE, "marque move 1 alice wonderland f3", "");
    asked(&mut server, to(&letters, ALICE), "if f4 then resign");
    server.mail(BOB, "marque move 1 bob builder f4", "");
    assert!(!is_over(&server));
}

#[test]
fn commands_that_cannot_end_a_game_are_valid_from_any_address() {
    let mut server = Server::with_players();
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    let work = "alice@work.example";
    let letters = reply(&mut server, work, to(&letters, ALICE), "f3");
    assert!(letter_to(&letters, BOB).is_some(), "{letters:?}");
    let letters = reply(&mut server, work, to(&letters, ALICE), "undo");
    let letters = reply(&mut server, "bob@work.example", to(&letters, BOB), "accept");
    assert_eq!(board(&server)["plies"], 0, "{letters:?}");
    reply(&mut server, work, to(&letters, ALICE), "chat Hello from work");
    // With the password, or from the player's confirmed address, a game ends immediately.
    let letters = server.mail(work, "marque resign 1 alice wonderland", "");
    assert!(letter_to(&letters, BOB).is_some() && is_over(&server), "{letters:?}");
    let letters = server.mail(ALICE, "marque challenge -any_2 alice bob", "");
    reply(&mut server, ALICE, to(&letters, ALICE), "resign");
    assert_eq!(server.json("show 2")["boards"][0]["result"]["winner"], "bob");
}
