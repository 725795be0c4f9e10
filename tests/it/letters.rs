//! Snapshots of the letters about accounts, boards and clocks, as players read them.

use crate::common::Server;
use crate::common::inside::{Inside, WORLD, process_inbox};
use chrono::TimeDelta;
use turnpost::command::parse;
use turnpost::mail::inbound::{InboxContext, receive};
use turnpost::numbers::BoardNumber;
use turnpost::service::{Decision, Origin, Request};
use turnpost::store::{MailSource, Seat};

/// A server, and the transcript of its mail with two players and, later, with a follower of their board.
struct Post {
    inside: Inside,
    mails: usize,
    told: String,
    /// Whether the transcript already contains a drawing of a board. Later drawings are abbreviated.
    drawn: bool,
    /// Whether the transcript already contains a description of a board. Later descriptions are abbreviated.
    described: bool,
}

impl Post {
    fn new() -> Post {
        let mut inside = Inside::new();
        for line in ["signup alice wonderland alice@example.org", "signup bob builder bob@example.org"] {
            let line = parse(line).unwrap();
            let from = Origin::Shell { password: None };
            let request = Request { line, from, comment: None, client: None, now: inside.now() };
            let service = inside.config.service(WORLD);
            service.run(&mut *inside.store, &request).unwrap().unwrap();
        }
        inside.config.policy.administrators = vec!["alice".to_owned()];
        Post { inside, mails: 0, told: String::new(), drawn: false, described: false }
    }

    /// Delivers and processes a message. The resulting letters are not sent yet.
    fn receive(&mut self, from: &str, subject: &str, text: &str) {
        self.told += &format!("\n#### {from}: {subject}\n");
        self.mails += 1;
        let id = self.mails;
        let mail = format!("From: {from}@example.org\nMessage-ID: <{id}@example.org>\nSubject: {subject}\n\n{text}\n");
        let Inside { store, config, composer, .. } = &mut self.inside;
        let now = (WORLD.now)();
        receive(&mut **store, mail.as_bytes(), MailSource::Pipe, now).unwrap();
        let service = config.service(WORLD);
        let inbox = InboxContext { service: &service, server_address: &config.address, composer, now };
        process_inbox(&mut **store, &inbox);
    }

    /// Delivers a message, and sends the resulting letters.
    fn mail(&mut self, from: &str, subject: &str, text: &str) {
        self.receive(from, subject, text);
        self.letters();
    }

    fn days(&mut self, days: i64) {
        for _ in 0..days {
            self.inside.pass(TimeDelta::days(1));
            if !self.inside.tick().is_empty() {
                self.told += &format!("\n#### {}\n", self.inside.now().format("%Y-%m-%d %H:%M"));
                self.letters();
            }
        }
    }

    fn letters(&mut self) {
        for (to, letters) in self.inside.letters() {
            for letter in letters {
                let (head, text) = letter.split_once("\n\n").unwrap();
                assert!(head.contains("Content-Transfer-Encoding: 7bit"), "{letter}");
                let subject = head.lines().find(|line| line.starts_with("Subject: ")).unwrap();
                assert!(!text.contains("wonderland") && !text.contains("builder"), "{text}");
                assert!(!text.contains("\n\n\n") && !text.starts_with('\n') && !text.ends_with("\n\n"), "{text}");
                assert!(text.lines().all(|line| line.len() <= 78 && line == line.trim_end()), "{text}");
                let paragraphs = text.split("\n\n").map(|paragraph| {
                    let is_drawing = paragraph.trim_start().starts_with("_-+--");
                    let is_told = paragraph.starts_with("Base A");
                    if is_drawing && std::mem::replace(&mut self.drawn, true) {
                        "    [the board]"
                    } else if is_told && std::mem::replace(&mut self.described, true) {
                        "    [the board in sentences]"
                    } else {
                        paragraph
                    }
                });
                let text = paragraphs.collect::<Vec<_>>().join("\n\n");
                self.told += &format!("---- To: {to}\n");
                let from = head.lines().find(|line| line.starts_with("From: ")).unwrap();
                if !from.starts_with("From: Turnpost ") {
                    self.told += &format!("---- {from}\n");
                }
                if let Some(reply_to) = head.lines().find(|line| line.starts_with("Reply-To: ")) {
                    self.told += &format!("---- {reply_to}\n");
                }
                self.told += &format!("---- {subject}\n{text}");
            }
        }
    }
}

#[test]
fn every_kind_of_letter_is_as_recorded() {
    let mut post = Post::new();
    // Letters about accounts.
    post.mail("carol", "signup carol sesame", "");
    let code = post.told.split("confirm carol ").nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    post.mail("carol", &format!("confirm carol {code}"), "");
    post.mail("bob", "set bob builder zone=Europe/Berlin", "");
    post.mail("carol", "set carol sesame mail=accessible", "");
    // One player accepts an open challenge, and another player follows the board.
    post.mail("alice", "marque challenge -any_2 --totaltime=90 alice anyone", "A game?");
    post.mail("carol", "marque games", "");
    post.mail("bob", "marque accept 1 bob builder", "With pleasure.");
    post.mail("carol", "marque subscribe 1 carol sesame", "");
    // Letters about moves, including prepared ones.
    post.mail("alice", "marque move 1 alice wonderland f3", "Good luck.");
    post.mail("bob", "Re: Marque Board 1 bob ** builder f4,f3", "");
    post.mail("bob", "Re: Marque Board 1 bob ** builder k1", "");
    post.mail("bob", "marque if 1 bob builder \"f4 or f1 then f2 then (k2 then k3; else stop); m2 then resign\"", "");
    post.mail("alice", "marque move 1 alice wonderland f4", "");
    post.mail("alice", "marque move 1 alice wonderland m2", "");
    post.mail("bob", "marque submit 1 bob builder k2", "");
    post.mail("bob", "marque confirm 1 bob builder", "");
    post.mail("bob", "marque queue 1 bob builder q1", "");
    post.mail("alice", "marque move 1 alice wonderland q1", "");
    // Letters about notes, comments and other texts.
    post.mail("bob", "marque note 1 bob builder", "Watch base F.");
    post.mail("alice", "marque chat 1 alice wonderland", "Nice weather here.\n\nIs it with you?");
    post.mail("bob", "message bob builder alice", "Have you seen the standings?");
    post.mail("alice", "broadcast alice wonderland", "The server moves on Sunday.");
    // Letters about proposals.
    post.mail("alice", "marque undo 1 alice wonderland", "Oh no.");
    post.mail("bob", "marque reject 1 bob builder", "Sorry.");
    post.mail("alice", "marque undo 1 alice wonderland", "");
    post.mail("bob", "marque accept 1 bob builder", "Well then.");
    post.mail("alice", "marque propose 1 alice wonderland", "");
    post.mail("alice", "marque reject 1 alice wonderland", "");
    // Letters about clocks.
    post.days(14);
    post.mail("alice", "vacation alice wonderland until 2027-02-01", "");
    post.mail("carol", "marque show 1", "");
    // Letters about the end of a game, and letters after the end.
    post.mail("bob", "marque propose 1 bob builder", "Shall we leave it at that?");
    post.mail("alice", "marque accept 1 alice wonderland", "");
    post.mail("alice", "marque history 1", "");
    post.mail("alice", "marque standings", "");
    post.mail("alice", "show alice bob", "");
    // Several topics in one letter.
    post.receive("alice", "marque challenge bob alice", "");
    post.receive("alice", "marque challenge --unrated --private alice bob", "");
    post.receive("alice", "marque move 3 alice wonderland f3", "This is my best.");
    post.receive("alice", "marque chat 3 alice wonderland", "Forgot to say hello.");
    post.receive("alice", "marque move 2 alice wonderland f3", "");
    post.letters();
    // Letters about other ways to end a game.
    post.mail("bob", "marque decline 3 bob builder", "No time.");
    post.mail("bob", "marque move 2 bob builder f3", "");
    post.mail("alice", "marque move 2 alice wonderland k1", "");
    post.mail("alice", "marque resign 2 alice wonderland", "");
    post.mail("alice", "marque challenge alice bob", "");
    post.mail("alice", "marque challenge --forfeittime=3 --nagtime=0 alice bob", "");
    post.mail("alice", "marque move 5 alice wonderland f3", "");
    post.days(4);
    post.mail("alice", "marque challenge --forfeittime=1 --nagtime=0 --unrated bob alice", "");
    post.mail("bob", "marque move 6 bob builder f3", "");
    post.mail("alice", "marque move 6 alice wonderland k1", "");
    post.days(3);
    let mut tx = post.inside.store.write().unwrap();
    let service = post.inside.config.service(WORLD);
    assert!(
        service
            .decide(
                &mut tx,
                BoardNumber(4),
                Decision::Adjudicate(Some(Seat::Second)),
                "alice asked for it",
                (WORLD.now)()
            )
            .unwrap()
            .is_ok()
    );
    tx.commit().unwrap();
    post.told += "\n#### The administrator ends board 4.\n";
    post.letters();
    post.mail("carol", "marque unsubscribe 1 carol sesame", "");
    post.mail("carol", "marque seek carol sesame 2", "");
    post.mail("carol", "marque limit carol sesame 3", "");
    post.mail("carol", "signoff carol sesame", "");
    // Several reminders are sent in one letter. bob then sends a command for each of its boards.
    post.receive("alice", "marque challenge --unrated bob alice", "");
    post.receive("alice", "marque challenge --unrated bob alice", "");
    post.letters();
    post.days(7);
    post.mail("bob", "", "marque move 7 bob builder f3\nmarque move 8 bob builder f33");
    insta::with_settings!({ filters => [(r"turnpost\+[a-km-np-z2-9]{20,52}@", "turnpost+[token]@")] }, {
        insta::assert_snapshot!(post.told);
    });
}

#[test]
fn a_directory_overrides_the_templates_file_by_file() {
    let mut server = Server::with_players();
    std::fs::create_dir_all(server.data().join("texts/mail")).unwrap();
    let template = server.data().join("texts/mail/challenge.txt");
    std::fs::write(&template, "{{ reader }}: board {{ board.number }}\n").unwrap();
    server.configure("templates = \"texts\"\n");
    let letters = server.mail("alice@example.org", "marque challenge alice bob", "");
    assert_eq!(letters.iter().map(|letter| letter.text()).collect::<Vec<_>>(), ["alice: board 1\n", "bob: board 1\n"]);
    assert!(
        server.mail("alice@example.org", "marque move 1 alice wonderland f3", "")[0].text().contains("You played f3")
    );
    // If a template is invalid, the error names it. Mail is refused, because the server could not answer it.
    std::fs::write(&template, "{% if %}").unwrap();
    let ran = server.raw_mail(b"From: alice@example.org\n\n");
    assert_eq!(ran.status, 75, "{ran:?}");
    assert!(ran.err.contains("mail/challenge.txt"), "{ran:?}");
    let ran = server.shell("tick");
    assert!(ran.status == 78 && ran.err.contains("mail/challenge.txt"), "{ran:?}");
    // An invalid file of sentences is an error, too. Commands that do not use this file still work.
    std::fs::remove_file(&template).unwrap();
    std::fs::create_dir(server.data().join("texts/messages")).unwrap();
    std::fs::write(server.data().join("texts/messages/verdict.toml"), "done = ").unwrap();
    let ran = server.shell("tick");
    assert!(ran.status != 0 && ran.err.contains("messages/verdict.toml"), "{ran:?}");
    assert_eq!(server.shell("list").status, 0);
}

#[test]
fn a_missing_directory_of_templates_is_an_error() {
    let server = Server::with_players();
    server.configure("templates = \"txets\"\n");
    for line in ["mail", "tick", "serve"] {
        let ran = server.shell(line);
        assert_eq!(ran.status, if line == "mail" { 75 } else { 78 }, "{line}: {ran:?}");
        assert!(
            ran.err.contains("directory of templates") && ran.err.contains("txets cannot be read"),
            "{line}: {ran:?}"
        );
    }
    // Commands that accept no mail still work.
    assert_eq!(server.shell("list").status, 0);
}
