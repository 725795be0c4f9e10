//! Messages and reports that are refused or not delivered, and what their writers are told.

use crate::common::inside::Inside;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined, to};

const BOB: &str = "bob@example.org";

/// A held message would arrive later, even if the reader then still refuses messages.
#[test]
fn a_player_without_letters_accepts_no_messages() {
    let mut inside = Inside::with_players(&["alice", "erin"]);
    inside.say("erin", "set erin - letters=none");
    let refused = inside.try_say("alice", "message alice - erin", Some("Hello")).unwrap_err();
    let refused = inside.composer.message(&refused.message).unwrap();
    assert_eq!(refused, "erin does not accept messages from other players.");
    inside.say("erin", "set erin - letters=boards");
    assert!(!inside.letters().contains_key("erin@example.org"));
    inside.say("erin", "set erin - letters=all");
    assert!(!inside.letters().contains_key("erin@example.org"));
    inside.try_say("alice", "message alice - erin", Some("Hello again")).unwrap();
    let letters = inside.letters();
    let [letter] = letters["erin@example.org"].as_slice() else { panic!("{letters:?}") };
    assert!(letter.contains("Hello again"), "{letter}");
}

#[test]
fn a_player_named_twice_receives_one_message() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    let sent = inside.try_say("alice", "message alice - bob Bob bob", Some("Hello")).unwrap();
    assert_eq!(joined(&inside.composer.answer(&sent).unwrap()).matches("bob").count(), 1);
    for n in 2..=20 {
        inside.try_say("alice", "message alice - bob bob", Some(&format!("Number {n}"))).unwrap();
    }
    let refused = inside.try_say("alice", "message alice - bob", Some("One more")).unwrap_err();
    assert_eq!(refused.message.code, "service.too-many-texts");
    let letters = inside.letters();
    assert_eq!(letters["bob@example.org"].concat().matches("Number 20").count(), 1, "{letters:?}");
}

#[test]
fn the_subject_of_a_letter_counts_its_reports() {
    let mut inside = Inside::with_players(&["alice", "bob", "carol"]);
    inside.config.policy.administrators = vec!["carol".to_owned()];
    inside.try_say("alice", "report alice - bob", Some("He is rude")).unwrap();
    inside.try_say("bob", "report bob - alice", Some("She is ruder")).unwrap();
    let letters = inside.letters();
    let [letter] = letters["carol@example.org"].as_slice() else { panic!("{letters:?}") };
    assert!(letter.contains("Subject: Turnpost: 2 reports\n"), "{letter}");
    assert!(letter.contains("He is rude") && letter.contains("She is ruder"), "{letter}");
    inside.try_say("alice", "report alice - bob", Some("Still rude")).unwrap();
    inside.try_say("alice", "message alice - carol", Some("Please look")).unwrap();
    let letters = inside.letters();
    let [letter] = letters["carol@example.org"].as_slice() else { panic!("{letters:?}") };
    assert!(letter.contains("Subject: Turnpost: message from alice; 1 report\n"), "{letter}");
}

#[test]
fn a_report_without_an_administrator_to_read_it_is_not_called_sent() {
    let mut server = Server::with_players();
    for config in ["", "[policy]\nadministrators = [\"nobody\"]\n"] {
        server.configure(config);
        let letters = server.mail(BOB, "report bob builder alice", "Insults me");
        let answer = joined(to(&letters, BOB).text());
        assert!(answer.contains("is in the list that the administrators of this server read."), "{answer}");
        assert!(!answer.contains("has been sent"), "{answer}");
    }
    let acts = done(&server, "admin acts --of alice");
    assert_eq!(acts.matches("Insults me").count(), 2, "{acts}");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let page = bob.fill("/players/alice", &[("do", "report"), ("say", "Again")]);
    assert!(page.text().contains("Your report is in the list that the administrators read."), "{}", page.text());
}
