//! The lists of a player's boards, of open challenges and of games in a real browser.

use fantoccini::key::Key;

use crate::common::browser::{Browser, Look};
use crate::common::serving::{Serving, wait_until};
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";
const BOB: (&str, &str) = ("bob", "builder");

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn my_boards_update_after_a_challenge_and_a_move() {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    let browser = Browser::logged_in(Look::default(), &serving, BOB, "/me");
    browser.wait_for("[data-list]:not(:has(.card))");
    done(&server, "marque challenge alice bob");
    browser.wait_for(".card:not(.waits) a[href='/boards/1']");
    browser.script("document.querySelector(\".card a[href='/boards/1']\").focus()");
    done(&server, "marque move 1 alice wonderland f3");
    browser.wait_for(".card.waits a[href='/boards/1']");
    let focused = browser.script("return document.activeElement.getAttribute('href')");
    assert_eq!(focused, "/boards/1", "the board keeps the focus");
    assert!(browser.script("return document.title").as_str().unwrap().starts_with("(1) "));
    assert_eq!(browser.text("#waiting"), "1");
    assert!(browser.text(".card.waits .state").starts_with("Your turn, "), "the state starts with the turn");
    browser.screenshot("lists-my-boards");
    browser.accessible();
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_lobby_shows_a_new_challenge_and_removes_a_taken_one() {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    let browser = Browser::open(Look::default());
    browser.goto(&format!("http://{}/challenges", serving.web()));
    browser.wait_for("[data-list]");
    done(&server, "brique challenge alice anyone");
    browser.wait_for(".offers a[href='/boards/1']");
    let announced = || browser.script("return document.getElementById('said').textContent");
    let words = "New open challenge: Brique against alice, who moves first.";
    wait_until(words, || (announced() == words).then_some(()));
    browser.screenshot("lists-lobby");
    browser.accessible();
    browser.script("document.querySelector('.offers .button').focus()");
    done(&server, "lazo challenge alice anyone");
    browser.wait_for(".offers a[href='/boards/2']");
    let focused = browser.script("return document.activeElement.textContent + document.activeElement.pathname");
    assert_eq!(focused, "Accept/boards/1", "the link keeps the focus");
    done(&server, "lazo accept 2 bob builder");
    done(&server, "brique accept 1 bob builder");
    browser.wait_for("[data-list]:not(:has(.offers))");
    browser.silent();
}

#[test]
fn streams_of_lists_do_not_name_boards_and_own_lists_need_a_login() {
    let server = Server::with_players();
    done(&server, "marque challenge --private alice bob");
    let serving = Serving::start(&server, CONFIG);
    let mut nobody = Visitor::new(&serving.web());
    assert_eq!(nobody.get("/me/events").status, 404);
    let page = Visitor::logged_in(&serving.web(), "bob", "builder").get("/me");
    assert!(page.text().contains("data-list=\"/me/events\" data-change=\""), "{}", page.text());
    assert!(nobody.get("/challenges").text().contains("data-list=\"/challenges/events\""));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn games_are_filtered_while_the_reader_types() {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    for (look, kind) in Look::all() {
        let browser = Browser::open(look);
        browser.goto(&format!("http://{}/games", serving.web()));
        browser.check_page(&format!("games-{kind}"));
        let all = browser.count(".card:not([hidden])");
        browser.fill(".find input", "stones captured");
        assert_eq!(browser.count(".card:not([hidden])"), 1);
        assert_eq!(browser.text(".card:not([hidden]) .whole"), "Gonnect");
        assert_eq!(browser.count(".kind:not([hidden])"), 1, "a group without matching games is hidden");
        browser.script(
            "const field = document.querySelector('.find input'); field.value = ''; \
             field.dispatchEvent(new Event('input', { bubbles: true }))",
        );
        assert_eq!(browser.count(".card:not([hidden])"), all);
        browser.goto(&format!("http://{}/help/hex", serving.web()));
        browser.check_page(&format!("help-games-{kind}"));
        browser.fill(".find input", "catch");
        browser.press(Key::Enter);
        browser.wait_for(".topics a[href='/help/catchup'][aria-current]");
        browser.silent();
    }
}
