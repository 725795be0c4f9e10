//! The letters as players read them, every kind, as snapshots.

mod common;

use common::Server;

#[test]
fn every_kind_of_letter() {
    let mut server = Server::with_players();
    let mails = [
        ("carol@example.org", "signup carol sesame", ""),
        ("alice@example.org", "marque challenge -any_2 alice bob", "A game?\n"),
        ("alice@example.org", "marque move 1 alice wonderland f3", "Good luck.\n"),
        ("bob@example.org", "Re: Marque Board 1 bob ** builder f4,f3", ""),
        ("bob@example.org", "marque resign 1 bob builder", "You are too good.\n"),
        ("alice@example.org", "marque challenge bob alice", ""),
        ("alice@example.org", "marque history 1", ""),
    ];
    let mut all = String::new();
    for (from, subject, text) in mails {
        all += &format!("==== {from}: {subject}\n");
        for letter in server.mail(from, subject, text) {
            all += &format!("---- To: {}\n---- Subject: {}\n{}", letter.to(), letter.get("subject"), letter.text());
        }
    }
    insta::with_settings!({ filters => vec![
        (r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "[when]"),
        (r"confirm carol [a-z0-9]{12}", "confirm carol [code]"),
    ] }, { insta::assert_snapshot!(all) });
}

#[test]
fn a_directory_overrides_the_templates_file_by_file() {
    let mut server = Server::with_players();
    std::fs::create_dir_all(server.data().join("texts/mail")).unwrap();
    let template = server.data().join("texts/mail/challenge.txt");
    std::fs::write(&template, "{{ reader }}: board {{ board.number }}\n").unwrap();
    std::fs::write(server.data().join("turnpost.toml"), "templates = \"texts\"\n").unwrap();
    let letters = server.mail("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(letters.iter().map(|letter| letter.text()).collect::<Vec<_>>(), ["alice: board 1\n", "bob: board 1\n"]);
    assert!(
        server.mail("alice@example.org", "marque move 1 alice wonderland f3", "")[0].text().contains("You played f3")
    );
    // One that does not parse is named, and no mail is taken that could not be answered.
    std::fs::write(&template, "{% if %}").unwrap();
    let ran = server.raw_mail(b"From: alice@example.org\n\n");
    assert_eq!(ran.status, 75, "{ran:?}");
    assert!(ran.err.contains("mail/challenge.txt"), "{ran:?}");
}
