//! Accounts as users see them: a changed password, and several addresses, each valid once its owner has confirmed it.

use crate::common::{Server, done, reply, to};

#[test]
fn only_the_changed_password_is_valid() {
    let server = Server::with_players();
    assert_eq!(server.shell("change password alice wrong n3wone").status, 1);
    assert_eq!(server.shell("change password alice wonderland n3wone").status, 0);
    assert_eq!(server.shell("set alice wonderland").status, 1);
    assert_eq!(server.shell("set alice n3wone").status, 0);
}

#[test]
fn letters_are_sent_to_every_confirmed_address() {
    let mut server = Server::with_players();
    let addressees = |letter: &crate::common::Letter| letter.to.len();
    let letters =
        server.mail("alice@example.org", "change address alice wonderland alice@example.org alice@work.example", "");
    let asks = to(&letters, "alice@work.example").clone();
    // Not confirmed yet, so no letters are sent there.
    let letters = server.mail("bob@example.org", "marque challenge bob alice", "");
    assert!(letters.iter().all(|letter| addressees(letter) == 1), "{letters:?}");
    reply(&mut server, "alice@work.example", &asks, "");
    let letters = server.mail("bob@example.org", "marque move 1 bob builder f3", "");
    let hers = letters.iter().find(|letter| letter.to() == "alice@example.org").unwrap();
    assert_eq!(hers.to[1], "alice@work.example");
    // Another player's address is refused, and an omitted address is removed.
    let taken = server.shell("change address bob builder bob@example.org alice@work.example");
    assert!(taken.status == 1 && taken.err.contains("belongs to another player"), "{taken:?}");
    assert_eq!(server.shell("change address alice wonderland alice@work.example").status, 0);
    let letters = server.mail("alice@work.example", "marque move 1 alice wonderland k1", "");
    assert!(letters.iter().any(|letter| letter.to() == "alice@work.example" && addressees(letter) == 1), "{letters:?}");
}

#[test]
fn userids_that_players_would_take_for_the_server_are_reserved() {
    let server = Server::new();
    for userid in ["admin", "Postmaster", "nobody", "me", "robot13", "robot"] {
        let ran = server.shell(&format!("signup {userid} wonderland {userid}@example.org"));
        assert_eq!(ran.status, 1, "{userid}: {}", ran.out);
        assert!(ran.err.contains("is reserved") || ran.err.contains("belongs to a computer player"), "{}", ran.err);
    }
    done(&server, "signup administrata wonderland a@example.org");
}
