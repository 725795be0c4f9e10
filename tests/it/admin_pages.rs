//! The administration pages: only administrators can see them, they show the same facts as the command line, and
//! administrators can resend letters and retry messages there.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::common::browser::{Browser, Look};
use crate::common::database::sql;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Server, done};
use turnpost::mail::inbound::receive;
use turnpost::store::{MailSource, Verdict, VerdictKind};
use turnpost::world::World;

const PAGES: &[&str] = &[
    "/admin", "/admin/players", "/admin/boards", "/admin/inbox", "/admin/outbox", "/admin/bounces", "/admin/acts",
    "/admin/limits", "/admin/blocked", "/admin/suspicious", "/admin/messages/1", "/admin/letters/1", "/admin/boards/1",
    "/admin/players/bob",
];

fn now() -> DateTime<Utc> {
    (World::REAL.now)()
}

/// Creates a server with the administrator alice, a board, a quarantined message, an undeliverable letter, and a
/// paused address.
fn administered() -> (Server, Serving) {
    let server = Server::with_players();
    for line in
        ["marque challenge --private alice bob", "marque move 1 alice wonderland f3", "marque chat 1 bob builder"]
    {
        let said = if line.contains("chat") { vec!["--say=I <b>like</b> it"] } else { Vec::new() };
        let ran = server.program().args(line.split(' ')).args(said).output().unwrap();
        assert!(ran.status.success(), "{line}: {ran:?}");
    }
    let mut store = server.store(World::REAL);
    let raw = b"From: bob@example.org\nMessage-ID: <1@x>\nSubject: Re: your board\n\nsignoff bob builder\n";
    let mail = receive(&mut *store, &raw[..], MailSource::Pipe, now()).unwrap();
    let mut tx = store.write().unwrap();
    let verdict = Verdict {
        kind: VerdictKind::Poison,
        sender: Some("bob@example.org".to_owned()),
        identity: None,
        commands: String::new(),
        reason: "It could not be processed.".to_owned(),
    };
    tx.quarantine_mail(mail, &verdict, now()).unwrap();
    let letter = tx.outbox(1).unwrap()[0].id;
    tx.resend(letter, now()).unwrap();
    tx.letter_failed(letter, "no such host", None).unwrap();
    let bob = tx.player("bob").unwrap().unwrap();
    tx.pause_address(bob.id, "bob@example.org", "mailbox unknown", now()).unwrap();
    tx.commit().unwrap();
    drop(store);
    let config = "[policy]\nshortest_password = 4\nadministrators = [\"Alice\"]\n[web]\nlisten = \"127.0.0.1:0\"\n";
    let serving = Serving::start(&server, config);
    (server, serving)
}

#[test]
fn only_administrators_see_the_pages_and_act_on_them() {
    let (server, serving) = administered();
    let before = sql(
        &server,
        "SELECT id, due_at, sent_at FROM outbox; SELECT id, verdict FROM inbox; SELECT paused_at FROM addresses",
    );
    let mut visitor = Visitor::new(&serving.web());
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let settings = bob.get("/settings");
    let csrf = settings.hidden("csrf").unwrap();
    for path in PAGES {
        assert_eq!(visitor.get(path).status, 404, "{path}");
        let page = bob.get(path);
        assert_eq!(page.status, 404, "{path}");
        assert!(page.text().contains("There is no such page."));
    }
    for path in ["/admin/messages/1", "/admin/letters/1", "/admin/resend", "/admin/players/bob"] {
        let fields = [("csrf", csrf), ("address", "bob@example.org")];
        assert_eq!(bob.send(path, &fields).status, 404, "{path}");
        assert_eq!(visitor.send(path, &fields).status, 404, "{path}");
    }
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    for path in ["/admin/messages/1", "/admin/letters/1", "/admin/resend", "/admin/players/bob"] {
        let forged = alice.send(path, &[("csrf", csrf), ("address", "bob@example.org")]);
        assert_eq!(forged.status, 403, "{path} refuses the CSRF token of another session");
    }
    let after = sql(
        &server,
        "SELECT id, due_at, sent_at FROM outbox; SELECT id, verdict FROM inbox; SELECT paused_at FROM addresses",
    );
    assert_eq!(before, after);
    assert!(!bob.get("/players/bob").text().contains("/admin"));
    assert!(alice.get("/players/alice").text().contains("href=\"/admin\""));
}

#[test]
fn the_pages_show_the_same_facts_as_the_shell() {
    let (server, serving) = administered();
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let told: Value = serde_json::from_str(&done(&server, "--json admin")).unwrap();
    let overview = alice.get("/admin").text().to_owned();
    for (label, key) in [
        ("boards in progress", "/boards/marque"),
        ("players", "/players"),
        ("letters given up", "/letters_given_up"),
        ("messages quarantined", "/messages_quarantined"),
        ("addresses paused", "/addresses_paused"),
    ] {
        let count = told.pointer(key).unwrap_or(&told["boards"]["marque"]);
        let shown = overview.split_once(&format!("{label}<")).unwrap().1.split_once("<dd>").unwrap().1;
        assert!(shown.starts_with(&count.to_string()), "{label}: {count}: {overview}");
    }
    assert_eq!(told["letters_given_up"], 1);
    assert!(!overview.contains("all letters held"), "{overview}");
    done(&server, "admin hold");
    assert!(alice.get("/admin").text().contains("all letters held"));
    assert!(!overview.contains("All clocks have been paused"), "{overview}");
    done(&server, "admin pause --reason Moving");
    let paused = alice.get("/admin").text().to_owned();
    assert!(paused.contains("All clocks have been paused since "), "{paused}");
    assert!(paused.contains("</time>: Moving</p>"), "{paused}");
    assert!(alice.get("/admin/inbox?only=quarantined").text().contains("href=\"&#x2f;admin&#x2f;messages&#x2f;1\""));
    let mail = alice.get("/admin/messages/1").text().to_owned();
    assert!(mail.contains("signoff bob ***") && !mail.contains("builder"), "{mail}");
    assert!(alice.get("/admin/outbox?only=undelivered").text().contains("no such host"));
    let number: String = sql(&server, "SELECT max(id) FROM outbox WHERE kind = 'chat'");
    let letter = alice.get(&format!("/admin/letters/{number}")).text().to_owned();
    assert!(letter.contains("I &lt;b&gt;like&lt;&#x2f;b&gt; it"), "{letter}");
    assert!(!letter.contains("turnpost+"), "the page shows the letter without its reply token: {letter}");
    // Administrators can also see private boards.
    let board = alice.get("/admin/boards/1").text().to_owned();
    assert!(
        board.contains("alice against bob") && board.contains("The hash chain is intact") && board.contains("private")
    );
    assert_eq!(alice.get("/admin/boards?find=1").header("location"), Some("/admin/boards/1"));
    assert!(alice.get("/admin/boards?find=BOB").text().contains("href=\"&#x2f;admin&#x2f;boards&#x2f;1\""));
    let found = alice.get("/admin/players?find=BOB@exam").text().to_owned();
    assert!(
        found.contains("&#x2f;admin&#x2f;players&#x2f;bob") && !found.contains("&#x2f;admin&#x2f;players&#x2f;alice")
    );
    assert!(alice.get("/admin/players/BOB").text().contains("mailbox unknown"));
    for nowhere in
        ["/admin/messages/99", "/admin/letters/9999", "/admin/boards/99", "/admin/players/nobody", "/admin/x"]
    {
        assert_eq!(alice.get(nowhere).status, 404, "{nowhere}");
    }
    done(&server, "admin block @spam.example --reason Spam");
    let blocked = alice.get("/admin/blocked").text().to_owned();
    assert!(blocked.contains("@spam.example") && blocked.contains("Spam"), "{blocked}");
    assert!(alice.get("/admin/acts").text().contains("@spam.example"));
    assert!(alice.get("/admin/limits").text().contains("letters to a paused address"));
    Visitor { browser: alice.browser.clone(), ..Visitor::new(&serving.web()) }
        .send("/login", &[("userid", "bob"), ("password", "builder")]);
    assert!(alice.get("/admin/suspicious").text().contains("both logged in with the same browser"));
    // The lists accept the arguments of the command line, for example a page number.
    assert!(alice.get("/admin/outbox?page=2").text().contains("rel=\"prev\""));
}

#[test]
fn the_pages_resend_letters_and_resume_a_paused_relay() {
    let (server, serving) = administered();
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    std::fs::write(server.data().join("relay.json"), r#"{"paused_until":"2999-01-01T00:00:00Z"}"#).unwrap();
    let resent = alice.fill("/admin/outbox", &[]);
    assert_eq!(resent.status, 405, "the list accepts no POST request");
    let csrf = alice.get("/admin/outbox").hidden("csrf").unwrap().to_owned();
    assert_eq!(alice.send("/admin/resend", &[("csrf", &csrf)]).status, 303);
    wait_until("the letter to be sent", || {
        (sql(&server, "SELECT count(*) FROM outbox WHERE error IS NOT NULL AND sent_at IS NULL") == "0").then_some(())
    });
    assert_eq!(alice.send("/admin/letters/1", &[("csrf", &csrf)]).header("location"), Some("/admin/letters/1"));
    let unpaused = alice.fill("/admin/players/bob", &[("address", "bob@example.org")]);
    assert_eq!(unpaused.header("location"), Some("/admin/players/bob"));
    assert!(!alice.get("/admin/players/bob").text().contains("mailbox unknown"));
    assert_eq!(alice.fill("/admin/players/bob", &[("address", "bob@example.org")]).status, 409);
    assert_eq!(alice.fill("/admin/messages/1", &[]).header("location"), Some("/admin/messages/1"));
    wait_until("the message to be processed", || {
        let verdict = sql(&server, "SELECT coalesce(verdict, '') FROM inbox WHERE id = 1");
        (!verdict.is_empty() && verdict != "poison").then_some(())
    });
    assert_eq!(alice.fill("/admin/messages/1", &[]).status, 409, "the message is no longer quarantined");
    assert!(serving.log().contains("\"act\":\"retry\""), "{}", serving.log());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_administration_works_on_every_screen() {
    let (_server, serving) = administered();
    for (look, kind) in [
        (Look::phone(), "phone"),
        (Look { width: 768, dark: true, ..Look::default() }, "tablet-dark"),
        (Look::default(), "desk"),
        (Look { width: 2560, height: 1300, ..Look::default() }, "wide"),
    ] {
        let browser = Browser::logged_in(look, &serving, ("alice", "wonderland"), "/admin");
        for path in PAGES {
            browser.goto(&format!("http://{}{path}", serving.web()));
            assert!(browser.exists(".areas"), "{path}");
            browser.check_page(&format!("{}-{kind}", path.trim_matches('/').replace('/', "-")));
        }
    }
}
