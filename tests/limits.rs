//! How much one address is answered.

mod common;

use common::Server;

#[test]
fn twenty_mails_an_hour_are_answered_and_the_next_is_obeyed_silently() {
    let mut server = Server::with_players();
    for n in 0..20 {
        assert_eq!(server.mail("alice@example.org", "help", "").len(), 1, "mail {n}");
    }
    assert!(server.mail("alice@example.org", "marque seek alice wonderland 3", "").is_empty());
    assert!(server.shell("admin inbox").out.contains("too many answers in an hour"));
    assert_eq!(server.json("marque standings")["seekers"], serde_json::json!([["alice", 3]]));
    // What she does is still told her, as it is her opponent; and others are answered.
    assert_eq!(server.mail("alice@example.org", "marque challenge alice bob", "").len(), 2);
    assert_eq!(server.mail("bob@example.org", "help", "").len(), 1);
}

#[test]
fn that_there_was_no_command_is_said_once_a_day() {
    let mut server = Server::with_players();
    assert_eq!(server.mail("alice@example.org", "hello", "How are you?\n").len(), 1);
    assert!(server.mail("alice@example.org", "hello again", "Are you there?\n").is_empty());
    assert_eq!(server.mail("alice@example.org", "help", "").len(), 1);
}
