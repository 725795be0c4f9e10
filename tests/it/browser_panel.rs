//! The panel next to a board in a real browser: announcements to screen readers, forms while they are being sent, tabs,
//! and forced colours.

use serde_json::json;

use crate::common::browser::{Browser, Look};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Creates a server on which alice and bob have played these moves on board 1.
fn board(moves: &str) -> (Server, Serving) {
    let server = Server::with_players();
    done(&server, "marque challenge -any_2 alice bob");
    for (ply, text) in moves.split_whitespace().enumerate() {
        done(&server, &format!("marque move 1 {} {text}", ["alice wonderland", "bob builder"][ply % 2]));
    }
    let serving = Serving::start(&server, CONFIG);
    (server, serving)
}

const ALICE: (&str, &str) = ("alice", "wonderland");
const BOB: (&str, &str) = ("bob", "builder");

/// Returns the id of the DOM node of a page's live region, and the region's text.
fn live_region(browser: &Browser) -> (i64, String) {
    let tree = browser.accessibility_tree();
    let regions: Vec<_> = tree.iter().filter(|node| node.role == "status").collect();
    let [region] = regions.as_slice() else { panic!("{} live regions: {regions:?}", regions.len()) };
    let texts = tree.iter().filter(|node| node.parent == region.own && node.role == "StaticText");
    (region.id, texts.map(|text| text.name.clone()).collect())
}

fn hears(browser: &Browser, words: &str) -> i64 {
    wait_until(&format!("an announcement of {words:?}"), || {
        let (id, said) = live_region(browser);
        said.contains(words).then_some(id)
    })
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_screen_reader_announces_picks_captures_and_turns() {
    let (server, serving) = board("e3 a1 b1 k10");
    let bob = Browser::logged_in(Look::default(), &serving, BOB, "/boards/1");
    let alice = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1");
    let (region, said) = live_region(&alice);
    assert_eq!(said, "", "the live region of a loaded page is empty");
    let named = |browser: &Browser, name: &str| {
        let tree = browser.accessibility_tree();
        tree.iter().any(|node| node.name == name && ["link", "group", "img", "image"].contains(&node.role.as_str()))
    };
    assert!(named(&alice, "k10: Black, last move"), "{:?}", alice.accessibility_tree());
    assert!(named(&alice, "b1: White") && named(&alice, "b2: empty"));
    alice.click("#b2");
    assert_eq!(hears(&alice, "b2 is picked (captures a1). Send it"), region);
    alice.click(".send button.main");
    assert_eq!(
        hears(&alice, "You played b2, capturing a1. It is bob’s turn."),
        region,
        "the live region survives the page update"
    );
    assert_eq!(hears(&bob, "alice played b2, capturing a1. It is your turn."), live_region(&bob).0);
    assert!(named(&bob, "b2: White, last move") && named(&bob, "a1: empty, just captured"));
    // A refused move and the end of the game are announced in the same live region.
    bob.fill("input[name=pick]", "b2");
    bob.click("form[method=get] button");
    hears(&bob, "already taken");
    bob.goto(&format!("http://{}/boards/1", serving.web()));
    done(&server, "marque resign 1 bob builder");
    hears(&bob, "You lost: you resigned.");
    hears(&alice, "You won: bob resigned.");
    alice.accessible();
    alice.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_form_shows_that_it_is_being_sent_and_has_been_sent() {
    let (server, serving) = board("f3 f4");
    let browser = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1");
    browser.fill("form:has(input[value=chat]) textarea", "Hello");
    // The request of the form is delayed until the test calls `go` or `stop`.
    browser.script(
        "const send = window.fetch; window.sent = 0;
         window.fetch = (...request) => request[1] === undefined ? send(...request)
           : new Promise((done, fail) => { window.sent++; window.go = () => done(send(...request)); window.stop = fail; })",
    );
    let button = "form:has(input[value=chat]) button";
    browser.click(button);
    browser.wait_for(&format!("{button}[aria-disabled=true]"));
    assert_eq!(browser.text(button), "Sending …");
    browser.click(button);
    assert_eq!(browser.script("return window.sent"), 1, "the chat is sent once");
    // If the server does not answer, the text remains in the form, which can be sent again.
    browser.script("window.stop(new TypeError('no answer'))");
    browser.wait_for(".asked");
    assert!(browser.text(".asked").contains("This was not sent"));
    assert_eq!(browser.script("return document.querySelector('form:has(input[value=chat]) textarea').value"), "Hello");
    browser.click(button);
    browser.script("window.go()");
    browser.wait_for(".said p.own");
    browser.wait_for("form:has(input[value=chat]) .sent");
    assert_eq!(browser.script("return document.querySelector('form:has(input[value=chat]) textarea').value"), "");
    hears(&browser, "Message sent.");
    assert_eq!(server.json("show 1")["boards"][0]["plies"], 2);
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_note_remains_in_its_tab_while_the_board_changes() {
    let (server, serving) = board("f3 f4");
    let browser = Browser::logged_in(Look::default(), &serving, BOB, "/boards/1");
    let shown = |css: &str| browser.script(&format!("return document.querySelector('{css}').offsetHeight > 0"));
    assert_eq!((shown(".chat"), shown(".note")), (true.into(), false.into()));
    browser.click("label[for=tab-note]");
    assert_eq!((shown(".chat"), shown(".note")), (false.into(), true.into()));
    browser.fill(".note textarea", "Beware of k1");
    browser.click(".note button");
    browser.wait_for(".note .sent");
    done(&server, "marque move 1 alice wonderland k1");
    browser.wait_for(".moves li:nth-child(3)");
    assert_eq!((shown(".chat"), shown(".note")), (false.into(), true.into()));
    assert!(
        browser.script("return document.title").as_str().unwrap().starts_with("(1) "),
        "the title shows the number of waiting boards"
    );
    assert_eq!(browser.text("#waiting"), "1");
    browser.screenshot("panel-note");
    browser.accessible();
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn on_a_phone_the_bar_does_not_cover_the_board() {
    let (_server, serving) = board("f3 f4");
    let browser = Browser::logged_in(Look::phone(), &serving, ALICE, "/boards/1?pick=k1");
    browser.wait_for(".bar");
    let height = || browser.script("return document.querySelector('.bar').offsetHeight").as_f64().unwrap();
    assert!(height() < 130.0, "{}", height());
    browser.window("panel-phone-bar");
    browser.click(".bar .comment summary");
    browser.fill(".bar textarea", "Hello");
    browser.click(".bar button.main");
    browser.wait_for(".said p.own");
    assert!(!browser.scrolls_sideways());
    browser.accessible();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_card_can_be_clicked_anywhere_and_the_home_page_follows_its_board() {
    let (server, serving) = board("f3 f4");
    for look in [Look::default(), Look { dark: true, ..Look::phone() }] {
        let browser = Browser::logged_in(look, &serving, ALICE, "/me");
        let under = "const box = document.querySelector('.card img').getBoundingClientRect();
            const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
            return at.closest('a') && at.closest('a').pathname";
        assert_eq!(browser.script(under), "/boards/1");
        let name = if look.dark { "dark-phone" } else { "light" };
        for (page, path) in
            [("me", "/me"), ("lobby", "/challenges"), ("home-player", "/"), ("new", "/games/lazo/challenge")]
        {
            browser.goto(&format!("http://{}{path}", serving.web()));
            browser.screenshot(&format!("{page}-{name}"));
            assert!(!browser.scrolls_sideways(), "{path}");
            browser.accessible();
            browser.silent();
        }
    }
    let browser = Browser::open(Look::default());
    browser.goto(&format!("http://{}/", serving.web()));
    browser.wait_for(".live img[src*='v=2-']");
    done(&server, "marque move 1 alice wonderland k1");
    browser.wait_for(".live img[src*='v=3-']");
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn with_forced_colours_only_the_player_to_move_has_a_bar_and_the_sides_keep_their_colours() {
    let (_server, serving) = board("f3");
    let browser = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1");
    let features = json!([{ "name": "forced-colors", "value": "active" }]);
    browser.devtools("Emulation.setEmulatedMedia", &json!({ "features": features }));
    let seats = "return Array.from(document.querySelectorAll('.seats li'), seat => [
        getComputedStyle(seat).borderLeftWidth, getComputedStyle(seat, '::before').backgroundColor])";
    assert_eq!(browser.script(seats), json!([["0px", "rgb(255, 250, 238)"], ["4px", "rgb(23, 20, 18)"]]));
}
