//! Messages and reports that the server refuses or does not deliver, and the answers that their authors receive.

use crate::common::inside::Inside;
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined, letter_to, to};

const BOB: &str = "bob@example.org";

/// If the server accepted the message and held it, it would send it when the player turns letters on again.
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
fn a_text_that_is_too_long_is_refused_and_not_cut() {
    let mut inside = Inside::with_players(&["alice", "bob"]);
    inside.say("alice", "marque challenge alice bob");
    let (long, longest) = ("word ".repeat(401) + "end", "x".repeat(2_000));
    for line in ["message alice - bob", "marque chat 1 alice -", "marque note 1 alice -", "marque move 1 alice - f3"] {
        let refused = inside.try_say("alice", line, Some(&long)).unwrap_err();
        let refused = inside.composer.message(&refused.message).unwrap();
        assert_eq!(refused, "Your text has 2008 characters; at most 2000 can be sent.", "{line}");
        inside.try_say("alice", line, Some(&format!("{longest}  \n\n"))).unwrap();
    }
}

/// A move is still played if its comment is too long.
#[test]
fn mail_with_a_text_that_is_too_long_sends_no_part_of_a_message() {
    let mut server = Server::with_players();
    let long = "word ".repeat(500);
    let letters = server.mail(BOB, "message bob builder alice", &long);
    assert!(joined(to(&letters, BOB).text()).contains("characters; at most 2000 can be sent."), "{letters:?}");
    assert!(letter_to(&letters, "alice@example.org").is_none(), "{letters:?}");
    done(&server, "marque challenge bob alice");
    server.letters();
    let letters = server.mail(BOB, "marque move 1 bob builder f3", &long);
    assert!(to(&letters, "alice@example.org").text().contains("bob played f3"), "{letters:?}");
}

#[test]
fn the_subject_of_a_letter_contains_the_number_of_reports() {
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
fn a_report_that_no_administrator_can_read_is_not_shown_as_sent() {
    let mut server = Server::with_players();
    for (config, said) in [("", "Insults me"), ("[policy]\nadministrators = [\"nobody\"]\n", "Insults me again")] {
        server.configure(config);
        let letters = server.mail(BOB, "report bob builder alice", said);
        let answer = joined(to(&letters, BOB).text());
        assert!(answer.contains("is in the list that the administrators of this server read."), "{answer}");
        assert!(!answer.contains("has been sent"), "{answer}");
    }
    let acts = done(&server, "admin acts --of alice");
    assert_eq!(acts.matches("Insults me").count(), 2, "{acts}");
    assert!(done(&server, "admin").contains("reports in a week        2  → turnpost admin acts\n"));
    assert_eq!(server.json("admin")["reports_in_a_week"], 2);
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let page = bob.fill("/players/alice", &[("do", "report"), ("say", "Again")]);
    assert!(page.text().contains("Your report has been recorded for the administrators."), "{}", page.text());
}
