//! The layout of a board's page in a real browser: on a phone, with the moves next to a tall board, with the moves below
//! a wide one, and with large text.

use fantoccini::key::Key;
use serde_json::{Value, json};

use crate::common::browser::{Browser, Look};
use crate::common::serving::Serving;
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";
const ALICE: (&str, &str) = ("alice", "wonderland");
const PLAYERS: [&str; 2] = ["alice wonderland", "bob builder"];

/// Creates a server on which alice and bob have played these moves on board 1.
fn board(challenge: &str, moves: &[String]) -> (Server, Serving) {
    let server = Server::with_players();
    done(&server, &format!("{challenge} alice bob"));
    let game = challenge.split(' ').next().unwrap();
    for (text, player) in moves.iter().zip(PLAYERS.iter().cycle()) {
        done(&server, &format!("{game} move 1 {player} {text}"));
    }
    let serving = Serving::start(&server, CONFIG);
    (server, serving)
}

fn moves(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Returns the moves of a long game of Brique without captures.
fn long_game() -> Vec<String> {
    let columns = [('b', 'h'), ('d', 'j'), ('f', 'l')];
    let both = |row: u32| columns.map(|(black, white)| [format!("{black}{row}"), format!("{white}{row}")]);
    (1..=15).step_by(2).flat_map(both).flatten().collect()
}

/// Returns the position of an element in the window: left, top, right, bottom.
fn place(browser: &Browser, css: &str) -> [f64; 4] {
    let script = format!("const box = document.querySelector({css:?}).getBoundingClientRect(); ");
    let place = browser.script(&(script + "return [box.left, box.top, box.right, box.bottom]"));
    [0, 1, 2, 3].map(|side| place[side].as_f64().unwrap())
}

/// Returns whether the middle of one element lies within another.
fn within(browser: &Browser, inner: &str, outer: &str) -> bool {
    let ([left, top, right, bottom], outer) = (place(browser, inner), place(browser, outer));
    let (x, y) = (left.midpoint(right), top.midpoint(bottom));
    outer[0] <= x && x <= outer[2] && outer[1] <= y && y <= outer[3]
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_phone_shows_turn_time_and_opponent_above_the_board_and_the_move_field_without_scrolling() {
    let server = Server::with_players();
    for game in ["marque", "brique", "tessella", "lazo"] {
        done(&server, &format!("{game} challenge alice bob"));
    }
    let serving = Serving::start(&server, CONFIG);
    for (width, height) in [(375, 667), (320, 640)] {
        let look = Look { width, height, ..Look::default() };
        let browser = Browser::logged_in(look, &serving, ALICE, "/boards/1");
        for (number, title) in [(1, "Marque"), (2, "Brique"), (3, "Tessella"), (4, "Lazo")] {
            browser.goto(&format!("http://{}/boards/{number}", serving.web()));
            assert_eq!(browser.text("h1"), format!("{title} board {number}"));
            let state = browser.text(".state");
            for words in ["It is your turn.", "days left", "bob"] {
                assert!(state.contains(words), "{state}");
            }
            let [_, top, _, bottom] = place(&browser, ".state");
            assert!(bottom - top < 32.0, "{title} at {width}: the state fits on one line: {top} to {bottom}");
            assert!(bottom <= place(&browser, ".pan svg")[1]);
            assert!(
                place(&browser, "input[name=pick]")[3] <= f64::from(height),
                "{title} at {width}: the input is within the window"
            );
            browser.check_page(&format!("layout-{number}-{width}"));
        }
    }
    // A wide page shows whose turn it is above the board, and the remaining time next to the players.
    let browser = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1");
    assert_eq!(browser.text(".state"), "It is your turn.");
    assert!(browser.text(".seats").contains("days left"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_home_page_shows_a_board_without_scrolling_and_a_click_opens_it() {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    let home = format!("http://{}/", serving.web());
    let looks = [(1280, 900), (375, 667), (320, 640)].map(|(width, height)| Look { width, height, ..Look::default() });
    let middle = |browser: &Browser, css: &str| place(browser, css)[1].midpoint(place(browser, css)[3]);
    for look in looks {
        let browser = Browser::open(look);
        browser.goto(&home);
        assert!(middle(&browser, ".taste svg") < f64::from(look.height), "{look:?}");
        browser.check_page(&format!("layout-home-lesson-{}", look.width));
        browser.click(".taste .cells a");
        browser.wait_for(".lesson");
    }
    done(&server, "lazo challenge alice bob");
    done(&server, "lazo move 1 alice wonderland a1");
    for look in looks {
        let browser = Browser::open(look);
        browser.goto(&home);
        assert!(place(&browser, ".live .thumb")[3] <= f64::from(look.height), "{look:?}");
        assert!(!browser.exists("a[href='/command']"), "guests see no link to the command page");
        browser.check_page(&format!("layout-home-board-{}", look.width));
        browser.click(".live a.whole");
        browser.wait_for("svg .cells");
    }
    let alice = Browser::logged_in(Look::default(), &serving, ALICE, "/me");
    assert!(alice.exists("footer a[href='/command']") && !alice.exists("header a[href='/command']"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_tap_zooms_until_the_move_and_again_after_the_answer() {
    let (server, serving) = board("brique challenge", &[]);
    let browser = Browser::logged_in(Look::phone(), &serving, ALICE, "/boards/1");
    let zoomed = || browser.script("return document.getElementById('view-zoom').checked");
    browser.click("#b14");
    assert_eq!(zoomed(), true);
    browser.click("#b14");
    browser.wait_for(".send button.main");
    assert_eq!(zoomed(), true);
    browser.click(".send button.main");
    browser.wait_for(".moves li");
    assert_eq!(zoomed(), false, "the whole board is shown again");
    // The board stays zoomed for a player who used the checkbox, and shows the opponent's move.
    browser.click("#view-zoom");
    done(&server, "brique move 1 bob builder n2");
    browser.wait_for(".moves li:nth-child(2)");
    assert_eq!(zoomed(), true);
    assert!(within(&browser, "#n2 title + *", ".pan"), "{:?}", place(&browser, "#n2 title + *"));
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_moves_fill_the_side_and_are_scrolled_to_the_current_one() {
    let game = long_game();
    let (server, serving) = board("brique challenge", &game);
    let current = ".moves [aria-current]";
    for javascript in [true, false] {
        for (width, height) in [(1280, 1200), (320, 640)] {
            let look = Look { width, height, javascript, ..Look::default() };
            let browser = Browser::open(look);
            browser.goto(&format!("http://{}/boards/1", serving.web()));
            assert!(within(&browser, current, ".scroll"), "{width}, scripts {javascript}");
            assert_eq!(browser.script("return window.scrollY"), 0, "the page does not scroll");
            browser.goto(&format!("http://{}/boards/1/9", serving.web()));
            assert!(within(&browser, current, ".scroll"), "{width}, scripts {javascript}, an earlier position");
            assert_eq!(browser.script("return window.scrollY"), 0, "the page does not scroll");
            if width < 600 {
                continue;
            }
            let [_, top, _, bottom] = place(&browser, ".scroll");
            assert!(bottom - top > 400.0, "{top} to {bottom}");
            assert!(place(&browser, ".side")[3] <= top && bottom <= place(&browser, ".aim")[1]);
        }
    }
    let browser = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1/9");
    assert!(within(&browser, current, ".scroll"));
    browser.press(Key::Left);
    browser.wait_for(".moves li:nth-child(8) [aria-current]");
    assert!(within(&browser, current, ".scroll"));
    // The list of moves stays where the player has scrolled it when a chat message arrives.
    browser.goto(&format!("http://{}/boards/1", serving.web()));
    browser.script("document.querySelector('.scroll').scrollTop = -1e6");
    let scrolled = || browser.script("return document.querySelector('.scroll').scrollTop");
    let before = scrolled();
    done(&server, "brique chat 1 bob builder --say=Hello");
    browser.wait_for(".said p");
    assert_eq!(scrolled(), before);
    done(&server, "brique move 1 alice wonderland o14");
    browser.wait_for(&format!(".moves li:nth-child({}) [aria-current]", game.len() + 1));
    assert!(within(&browser, current, ".scroll"));
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_low_board_has_the_moves_and_the_chat_below_it() {
    let (_server, serving) = board("lazo challenge -size=57", &moves("c3 d3 d4 c3"));
    for (look, kind) in [(Look::default(), "light"), (Look { dark: true, ..Look::default() }, "dark")] {
        let browser = Browser::logged_in(look, &serving, ALICE, "/boards/1");
        let board = place(&browser, ".picture");
        for part in [".scroll", ".talk"] {
            let at = place(&browser, part);
            assert!(at[1] >= board[3] && at[2] <= board[2] + 1.0, "{part}: {at:?} below {board:?}");
            assert!(at[1] < f64::from(look.height), "{part}: {at:?}");
        }
        browser.check_page(&format!("layout-low-{kind}"));
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_reading_order_is_state_move_record_actions_and_tabs() {
    let (server, serving) = board("marque challenge", &moves("f3 f4"));
    let browser = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1");
    let parts =
        ["h1", ".state", ".pan svg", "input[name=pick]", ".seats", ".moves", ".actions button", ".aim", "#tab-chat"];
    let places = browser.script(&format!(
        "const all = [...document.querySelectorAll('*')]; return {}.map(css => all.indexOf(document.querySelector(css)))",
        json!(parts)
    ));
    let places: Vec<i64> = places.as_array().unwrap().iter().map(|place| place.as_i64().unwrap()).collect();
    assert!(places[0] >= 0 && places.is_sorted(), "{places:?}");
    assert_eq!(browser.count("a.skip"), 1);
    // Only one tab is open, and it stays open when the board changes.
    let open = || {
        let open =
            "return [...document.querySelectorAll('.tab')].filter(tab => tab.offsetHeight).map(tab => tab.ariaLabel)";
        browser.script(open)
    };
    assert_eq!(open(), json!(["Chat"]));
    browser.click("label[for=tab-plans]");
    assert_eq!(open(), json!(["Prepared moves"]));
    done(&server, "marque chat 1 bob builder --say=Hello");
    browser.wait_for(".said p");
    assert_eq!(open(), json!(["Prepared moves"]));
    // A click on the small button shows a second button, which confirms the resignation.
    let asks = || browser.script("return document.querySelector('.actions button.grave').checkVisibility()");
    assert_eq!(asks(), Value::Bool(false));
    browser.click(".actions summary");
    assert_eq!(asks(), Value::Bool(true));
    browser.check_page("layout-actions");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn text_follows_the_font_size_in_the_browsers_settings() {
    let (_server, serving) = board("marque challenge", &moves("f3 f4"));
    let browser = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1");
    let sizes = || {
        let size = |css: &str| format!("getComputedStyle(document.querySelector('{css}')).fontSize");
        browser.script(&format!("return [{}, {}]", size(".seats .who"), size("pre")))
    };
    assert_eq!(sizes(), json!(["17px", "14px"]));
    browser.devtools("Page.setFontSizes", &json!({ "fontSizes": { "standard": 32 } }));
    browser.goto(&format!("http://{}/boards/1", serving.web()));
    assert_eq!(sizes(), json!(["34px", "28px"]));
    browser.check_layout("board-large-text");
}
