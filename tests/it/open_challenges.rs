//! Open challenges by mail are accepted or withdrawn by a reply to a letter that shows them.

use crate::common::{Letter, Server, done, joined, reply, to};

const ALICE: &str = "alice@example.org";
const BOB: &str = "bob@example.org";
const CAROL: &str = "carol@example.org";

/// Creates alice, bob and carol, and an open challenge by alice. Returns the letter that shows it to alice.
fn offered() -> (Server, Letter) {
    let mut server = Server::with_players();
    done(&server, "signup carol passwords22 carol@example.org");
    done(&server, "set carol passwords22 mail=text");
    server.letters();
    let mut letters = server.mail(ALICE, "marque challenge alice anyone", "Who plays?");
    (server, letters.remove(0))
}

#[test]
fn a_reply_to_a_shown_open_challenge_accepts_it() {
    let (mut server, _) = offered();
    let letters = server.mail(BOB, "show 1", "");
    let shown = to(&letters, BOB);
    assert!(shown.text().contains(r#"To accept challenge 1, reply to this letter with "accept""#), "{}", shown.text());
    let letters = reply(&mut server, BOB, shown, "accept\nGladly.");
    assert!(to(&letters, ALICE).text().contains("Gladly."), "{letters:?}");
    assert_eq!(server.json("show 1")["boards"][0]["to_move"], "alice");
    // The letter to carol does not offer the accepted challenge.
    let letters = server.mail(CAROL, "show 1", "");
    assert!(!to(&letters, CAROL).text().contains("To accept"), "{letters:?}");
}

#[test]
fn a_late_reply_is_rejected_with_the_reason() {
    let (mut server, _) = offered();
    let shown = server.mail(CAROL, "show 1", "").remove(0);
    let letter = server.mail(BOB, "show 1", "").remove(0);
    reply(&mut server, BOB, &letter, "accept");
    let letters = reply(&mut server, CAROL, &shown, "accept");
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert!(to(&letters, CAROL).text().contains("Challenge 1 has already been accepted"), "{letters:?}");
    assert!(joined(to(&letters, CAROL).text()).contains("alice and bob play on board 1."), "{letters:?}");
}

#[test]
fn a_reply_of_the_challenger_can_only_withdraw_a_challenge() {
    let (mut server, letter) = offered();
    assert!(letter.text().contains(r#"To withdraw challenge 1, reply to this letter with "decline""#), "{letter:?}");
    let letters = reply(&mut server, ALICE, &letter, "f3");
    assert!(to(&letters, ALICE).text().contains("open challenge"), "{letters:?}");
    let letters = reply(&mut server, ALICE, &letter, "decline");
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(server.shell("show 1").status, 1);
    let letters = reply(&mut server, ALICE, &letter, "decline");
    assert!(!to(&letters, ALICE).text().contains("PASSWORD"), "{letters:?}");
}

#[test]
fn each_of_several_challenges_is_accepted_by_its_number() {
    let (mut server, _) = offered();
    server.mail(ALICE, "brique challenge alice anyone", "");
    let letter = server.mail(BOB, "show 1 2", "").remove(0);
    assert!(letter.text().contains(r#"reply to this letter with "2 accept""#), "{}", letter.text());
    reply(&mut server, BOB, &letter, "2 accept");
    assert_eq!(server.json("show 2")["boards"][0]["to_move"], "alice");
    assert!(server.json("show 1")["boards"].as_array().unwrap().is_empty());
}
