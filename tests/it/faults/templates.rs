//! An administrator breaks a template or the configuration while the server runs.

use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done};

const CONFIG: &str = "templates = \"templates\"\n[receive]\nmaildir = \"in\"\n";

#[test]
fn letters_are_sent_once_a_broken_template_is_repaired() {
    let mut server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server.letters();
    let template = server.data().join("templates/mail/move.txt");
    std::fs::create_dir_all(template.parent().unwrap()).unwrap();
    let arrived = server.data().join("in/new");
    std::fs::create_dir_all(&arrived).unwrap();
    let serving = Serving::start(&server, CONFIG);
    std::fs::write(&template, "{% if %}").unwrap();
    let mail = server.compose("alice@example.org", "marque move 1 alice wonderland f3", "");
    std::fs::write(arrived.join("1"), mail).unwrap();
    let undelivered = wait_until("both letters to fail", || {
        let shown = server.json("admin outbox --undelivered");
        (shown.to_string().matches("mail/move.txt:1").count() == 2).then_some(shown)
    });
    // The move is carried out, and `turnpost` tells the administrator why no letter was sent.
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 1);
    assert!(
        undelivered.to_string().contains("due again") && serving.log().contains("mail/move.txt:1"),
        "{undelivered}"
    );
    // `turnpost mail` fails with a temporary error, so that the mail server delivers the message again later.
    std::fs::write(server.data().join("turnpost.toml"), "templates = 7\n").unwrap();
    let refused = server.raw_mail(b"From: alice@example.org\nSubject: help\n\n");
    assert!(refused.status == 75 && refused.err.contains("templates"), "{refused:?}");
    server.configure(CONFIG);
    std::fs::write(&template, "It is your turn, as before.\n").unwrap();
    for letter in undelivered.as_array().unwrap() {
        done(&server, &format!("admin resend {}", letter["letter"]));
    }
    wait_until("all letters to be sent", || {
        (server.shell("admin outbox --undelivered").out == "Nothing.\n").then_some(())
    });
    let letters = server.letters();
    assert!(letters.len() == 2 && letters.iter().all(|l| l.text().contains("as before")), "{letters:?}");
}
