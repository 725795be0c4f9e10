//! The retention of mail and letters, as set by the administrator.

use crate::common::database::{keeps, sql};
use crate::common::{Server, done};

const ALICE: &str = "alice@example.org";

/// Creates a server with a board and two old messages, each with its letters.
fn old_server() -> Server {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.mail(ALICE, "marque move 1 alice wonderland f3", "My best so far.");
    server.mail("stranger@example.net", "help", "");
    sql(
        &server,
        "UPDATE inbox SET received_at = '2020-01-01T00:00:00Z', closed_at = '2020-01-01T00:00:00Z';
         UPDATE outbox SET created_at = '2020-01-01T00:00:00Z';
         UPDATE rate_limits SET at = '2020-01-01T00:00:00Z' WHERE what = 'letter'",
    );
    server
}

#[test]
fn data_are_erased_only_at_the_administrators_request() {
    let server = old_server();
    done(&server, "tick");
    assert!(done(&server, "admin inbox").contains(ALICE));
    assert!(done(&server, "admin outbox").contains("bob"));
}

#[test]
fn old_messages_and_letters_are_erased_and_games_remain() {
    let mut server = old_server();
    server.configure("[policy]\nkeep_messages = 30\nkeep_letters = 30\n");
    let record = done(&server, "marque history 1 --format=json");
    done(&server, "tick");
    let inbox = done(&server, "admin inbox");
    assert!(!inbox.contains('@') && !inbox.contains("move 1"), "{inbox}");
    let answered = done(&server, "admin mail 2");
    assert!(answered.contains("Its data has been erased.") && !answered.contains("did nothing"), "{answered}");
    assert_eq!(done(&server, "admin outbox"), "Nothing.\n");
    assert_eq!(done(&server, "marque history 1 --format=json"), record);
    assert!(done(&server, "admin check").contains("no difference"), "{}", done(&server, "admin check"));
    // The game continues, and a repeated message is still a duplicate.
    server.mail("bob@example.org", "marque move 1 bob builder k1", "");
    assert_eq!(server.hashes(1).len(), 2);
    assert!(!keeps(&server, "example.net"), "the erased address is overwritten");
}

#[test]
fn letters_are_stored_while_bounces_can_refer_to_them() {
    let server = Server::new();
    server.configure("[policy]\nkeep_letters = 7\n");
    let ran = server.shell("check-config");
    assert_ne!(ran.status, 0);
    let said = format!("{}{}", ran.out, ran.err);
    assert!(said.contains("keep_letters must be 0 or at least 30"), "{said}");
}
