//! Guests: visitors who play the computer after entering only a name.

use crate::common::browser::{Browser, Look};
use crate::common::database::sql;
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

fn site(config: &str) -> (Server, Serving) {
    let server = Server::with_players();
    let serving = Serving::start(&server, &format!("{WEB}{config}"));
    (server, serving)
}

/// Creates a guest, who starts a game of Brique against the computer.
fn guest(serving: &Serving, userid: &str) -> Visitor {
    let mut guest = Visitor::new(&serving.web());
    let begun = guest.send("/games/brique/play", &[("userid", userid)]);
    assert_eq!(begun.status, 303, "{}", begun.text());
    assert!(begun.header("location").unwrap().starts_with("/boards/") && guest.cookie.is_some(), "{}", begun.head);
    guest
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_stranger_moves_against_the_computer_after_four_clicks_and_a_name() {
    let (server, serving) = site("");
    for javascript in [true, false] {
        let browser = Browser::open(Look { javascript, ..Look::default() });
        browser.goto(&format!("http://{}/", serving.web()));
        browser.click("main a[href$='/play']");
        browser.fill("[name=userid]", if javascript { "nia" } else { "noa" });
        browser.click("main form button.main");
        browser.wait_for("#f3");
        browser.click("#f3");
        browser.wait_for("form.send button.main");
        browser.click("form.send button.main");
        browser.wait_for(".moves li");
        assert_eq!(browser.text(".moves li a"), "f3");
        let board = if javascript { 1 } else { 2 };
        wait_until("the computer's move", || {
            (sql(&server, &format!("SELECT count(*) FROM record WHERE board = {board}")) == "2").then_some(())
        });
    }
}

#[test]
fn a_guest_plays_only_from_their_session() {
    let (server, serving) = site("");
    let mut stranger = Visitor::new(&serving.web());
    assert!(stranger.get("/").text().contains("href=\"/games/brique/play\""));
    assert!(stranger.get("/games/brique/play").text().contains("Your name here"));
    assert_eq!(stranger.get("/games/chess/play").status, 404);
    let mut nia = guest(&serving, "nia");
    assert!(nia.get("/boards/1").text().contains("It is your turn."));
    assert_eq!(nia.fill("/boards/1", &[("do", "move"), ("move", "h8"), ("ply", "1")]).status, 303);
    wait_until("the computer's move", || nia.get("/boards/1").text().contains("It is your turn.").then_some(()));
    // For a guest with a session, the same address redirects to the choice of an opponent.
    let again = nia.get("/games/brique/play");
    assert_eq!(again.header("location"), Some("/games/brique/challenge?opponent=robot1"));
    // Nobody can log in to the guest's account with a password.
    for password in ["", "-", "wonderland"] {
        let refused = Visitor::new(&serving.web()).send("/login", &[("userid", "nia"), ("password", password)]);
        assert_eq!(refused.status, 403, "{password}");
    }
    assert!(server.shell("brique move 1 nia nia a1").status != 0);
    let taken = [("userid", "nia"), ("password", "long enough 7"), ("address", "eve@example.org")];
    assert_eq!(Visitor::new(&serving.web()).send("/signup", &taken).status, 409);
}

#[test]
fn names_that_no_guest_can_have_are_refused() {
    let (_server, serving) = site("");
    for (userid, says) in [
        ("alice", "The userid &quot;alice&quot; is taken"),
        ("robot3", "computer player"),
        ("postmaster", "is reserved"),
        ("a b", "is not a userid"),
        ("", "is not a userid"),
    ] {
        let mut stranger = Visitor::new(&serving.web());
        let page = stranger.send("/games/lazo/play", &[("userid", userid)]);
        assert_eq!((page.status, page.text().contains(says)), (409, true), "{userid}: {}", page.text());
        assert_eq!(stranger.cookie, None);
    }
}

#[test]
fn guests_cannot_contact_other_players() {
    let (server, serving) = site("");
    done(&server, "brique challenge alice anyone");
    let mut nia = guest(&serving, "nia");
    let says = "you can play only against the";
    for fields in [&[("to", "player"), ("opponent", "bob")][..], &[("to", "anyone")], &[("to", "invitation")]] {
        let page = nia.fill("/games/brique/challenge", fields);
        assert!(page.status == 409 && page.text().contains(says), "{fields:?}: {}", page.text());
    }
    assert!(nia.fill("/boards/1", &[("do", "accept")]).text().contains(says));
    for line in ["brique seek nia - 3", "message nia - bob"] {
        let page = nia.fill("/command", &[("line", line), ("say", "Hello")]);
        assert!(page.text().contains(says), "{line}: {}", page.text());
    }
    assert_eq!(nia.fill("/games/brique/challenge", &[("to", "robot"), ("robot", "2")]).status, 303);
}

#[test]
fn sign_ups_of_guests_from_a_network_are_limited() {
    let (_server, serving) = site("[policy]\nletters_from_source = 2\n");
    guest(&serving, "nia");
    guest(&serving, "noa");
    let page = Visitor::new(&serving.web()).send("/games/brique/play", &[("userid", "nea")]);
    assert!(
        page.status == 429 && page.text().contains("Too many players have signed up from your network"),
        "{}",
        page.text()
    );
}

#[test]
fn a_guest_with_a_password_and_an_address_retains_their_boards() {
    let (server, serving) = site("");
    let mut nia = guest(&serving, "nia");
    assert!(nia.get("/me").text().contains("href=\"/signup\""));
    assert!(nia.get("/settings").text().contains("href=\"/signup\"") && !nia.get("/").text().contains("Log out"));
    let page = nia.get("/signup");
    assert!(page.text().contains("value=\"nia\"") && page.text().contains("Keep my boards"), "{}", page.text());
    let refused = nia.fill("/signup", &[("password", "long enough 7"), ("address", "nowhere")]);
    assert_eq!(refused.status, 409, "{}", refused.text());
    // The server uses the userid of the session, and ignores the one in the form.
    let fields = [("userid", "bob"), ("password", "long enough 7"), ("address", "nia@example.org")];
    assert_eq!(nia.fill("/signup", &fields).header("location"), Some("/me"));
    assert!(nia.get("/").text().contains("Log out"));
    let asked = sql(&server, "SELECT address FROM outbox WHERE address LIKE 'nia%'");
    assert_eq!(asked, "nia@example.org", "a letter asks to confirm the address");
    let mut elsewhere = Visitor::logged_in(&serving.web(), "nia", "long enough 7");
    assert!(elsewhere.get("/boards/1").text().contains("It is your turn."));
    assert_eq!(elsewhere.fill("/games/brique/challenge", &[("to", "player"), ("opponent", "bob")]).status, 303);
}
