//! Two players with a browser each play a complete game of Marque. One of them answers by mail half of the time. The
//! game has a capture, a refused move, a prepared reply that is played, and a declined draw offer.

use crate::common::browser::{Browser, Look};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Letter, Server};
use fantoccini::key::Key;

struct Instance {
    server: Server,
    serving: Serving,
}

impl Instance {
    fn open() -> Instance {
        let server = Server::with_players();
        let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
        Instance { server, serving }
    }

    fn shell(&self, line: &str) {
        let ran = self.server.shell(line);
        assert_eq!(ran.status, 0, "{line}: {}", ran.err);
    }

    fn window(&self, look: Look, userid: &str, password: &str) -> Window {
        let (browser, url) = (Browser::open(look), format!("http://{}", self.serving.web()));
        browser.goto(&format!("{url}/login?next=/boards/1"));
        browser.fill("[name=userid]", userid);
        browser.fill("[name=password]", password);
        browser.click(".fields button.main");
        // Waits for the last element of the board's page.
        browser.wait_for("a[download][href$=json]");
        Window { browser, url, javascript: look.javascript }
    }
}

/// Returns a selector for the pick on the page that the server returns. It does not match the pick that a script shows
/// until that page arrives.
fn picked(text: &str) -> String {
    format!("template[data-pick='{text}']")
}

/// A player's browser on board 1.
struct Window {
    browser: Browser,
    url: String,
    javascript: bool,
}

impl Window {
    /// Waits until the page has an element. Without scripts, reloads the page until then.
    fn sees(&self, css: &str) {
        if self.javascript {
            return self.browser.wait_for(css);
        }
        wait_until(css, || {
            self.browser.goto(&format!("{}/boards/1", self.url));
            self.browser.exists(css).then_some(())
        });
    }

    fn sees_moves(&self, count: usize) {
        self.sees(&format!(".moves li:nth-child({count})"));
    }

    /// Clicks the cells of a move, and sends it.
    fn plays(&self, cells: &[&str], say: Option<&str>) {
        for (i, cell) in cells.iter().enumerate() {
            self.browser.click(&format!("#{cell}"));
            self.browser.wait_for(&picked(&cells[..=i].join(",")));
        }
        if let Some(say) = say {
            self.browser.click(".bar .comment summary");
            self.browser.fill(".bar [name=say]", say);
        }
        self.sends();
    }

    /// Sends the picked move, and waits for the next page. Loading another page earlier could cancel the request.
    fn sends(&self) {
        self.browser.click(".send button.main");
        self.browser.wait_for(".board:not(:has(.side input[name=move][type=hidden])) a[download][href$=json]");
    }

    /// Clicks the button for an action.
    fn does(&self, act: &str) {
        self.browser.click(&format!("form:has(input[value={act}]) button"));
    }
}

fn a_whole_game(look: Look, name: &str) {
    let mut instance = Instance::open();
    instance.shell("marque challenge -any_2 alice bob");
    let (alice, bob) = (instance.window(look, "alice", "wonderland"), instance.window(look, "bob", "builder"));
    let keeps = |window: &Window, what: &str| window.browser.screenshot(&format!("play-{name}-{what}"));
    assert!(alice.browser.text(".state").contains("your turn"));
    alice.plays(&["e3"], Some("Good luck & <b>have fun</b>"));
    bob.sees_moves(1);
    assert!(bob.browser.text(".said").contains("Good luck & <b>have fun</b>"));
    bob.plays(&["a1"], None);
    alice.sees_moves(2);
    alice.plays(&["b1"], None);
    let letters = instance.server.mail("bob@example.org", "marque move 1 bob builder k10", "");
    let told = |letter: &Letter| letter.to() == "alice@example.org" && letter.text().contains("played");
    assert!(!letters.iter().any(told), "no letter is sent about a move that the open page shows: {letters:?}");
    alice.sees_moves(4);
    // Alice sees the capture before playing it, and bob sees it afterwards.
    alice.browser.click("#b2");
    alice.browser.wait_for(&picked("b2"));
    assert!(alice.browser.text(".side").contains("captures a1"));
    keeps(&alice, "capture");
    alice.sends();
    bob.sees_moves(5);
    bob.browser.wait_for("#a1 .captured");
    // Bob tries to play on an occupied cell. The page refuses this without sending a move.
    bob.browser.fill("input[name=pick]", "b2");
    bob.browser.click("form[method=get] button");
    bob.browser.wait_for("[role=alert]");
    assert!(bob.browser.text("[role=alert]").contains("already taken"));
    keeps(&bob, "refused");
    bob.plays(&["u1"], None);
    alice.sees_moves(6);
    alice.plays(&["d1", "d2"], None);
    // Bob offers a draw, and alice rejects it.
    bob.sees_moves(7);
    bob.does("propose");
    alice.sees("form:has(input[value=accept])");
    assert!(alice.browser.text(".asked").contains("bob proposes a draw"));
    keeps(&alice, "proposal");
    alice.browser.click("form:has(input[value=reject]) button");
    alice.browser.wait_for(".side:not(:has(.asked))");
    // Alice prepares the reply e4 to the move q7 by trying both on the board. The server plays e4 when bob sends q7 by
    // mail.
    alice.browser.click("#q7");
    alice.browser.wait_for(".tried a:nth-child(1)");
    alice.browser.click("#e4");
    alice.browser.wait_for(".tried a:nth-child(2)");
    keeps(&alice, "tried");
    alice.browser.click("form:has(input[value=prepare]) button");
    alice.browser.wait_for(".plan");
    alice.browser.click("label[for=tab-plans]");
    assert_eq!(alice.browser.text(".plan"), "q7: e4");
    alice.browser.click("label[for=tab-chat]");
    alice.browser.script("window.scrollTo(0, 0)");
    instance.server.mail("bob@example.org", "marque move 1 bob builder q7", "Where is your chain?");
    alice.sees_moves(9);
    bob.sees_moves(9);
    assert!(alice.browser.text(".said").contains("Where is your chain?"));
    bob.plays(&["t1"], None);
    alice.sees_moves(10);
    alice.plays(&["e5"], None);
    instance.server.mail("bob@example.org", "marque move 1 bob builder s3", "");
    alice.sees_moves(12);
    alice.browser.click("#d3");
    alice.browser.wait_for(&picked("d3"));
    alice.browser.click("#d4");
    alice.browser.wait_for(&picked("d3,d4"));
    assert!(alice.browser.text(".side").contains("alice wins (formation)"));
    alice.sends();
    for (window, how) in [(&alice, "You won: you occupied"), (&bob, "You lost: alice occupied")] {
        window.sees_moves(13);
        assert!(window.browser.text(".state").contains(how), "{}", window.browser.text(".state"));
        assert!(!window.browser.scrolls_sideways());
        window.browser.silent();
    }
    keeps(&alice, "won");
    assert_eq!(instance.server.json("marque show 1")["boards"][0]["result"]["winner"], "alice");
    let via = instance.server.json("marque history 1")["record"]["entries"].clone();
    let via = |way: &str| via.as_array().unwrap().iter().filter(|entry| entry["via"] == way).count();
    assert_eq!((via("web"), via("mail"), via("plan")), (9, 3, 1));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_game_is_played_in_two_windows() {
    a_whole_game(Look::default(), "wide");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_game_is_played_on_phones() {
    a_whole_game(Look { width: 390, height: 844, ..Look::default() }, "phone");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_game_is_played_without_scripts() {
    a_whole_game(Look { javascript: false, ..Look::default() }, "no-script");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_keyboard_plays_moves_and_the_arrow_keys_browse_them() {
    let instance = Instance::open();
    instance.shell("marque challenge alice bob");
    for line in ["alice wonderland f3", "bob builder k1"] {
        instance.shell(&format!("marque move 1 {line}"));
    }
    let Window { browser, url, .. } = instance.window(Look::default(), "alice", "wonderland");
    // While no element has the focus, the arrow keys step through the moves.
    browser.press(Key::Left);
    browser.wait_for("a[rel=next]");
    assert_eq!(browser.address(), format!("{url}/boards/1/1"));
    browser.press(Key::Left);
    browser.wait_for("nav.steps span:first-child");
    assert_eq!(browser.address(), format!("{url}/boards/1/0"));
    browser.press(Key::Right);
    browser.wait_for(".moves li:nth-child(1) [aria-current]");
    browser.press(Key::Right);
    browser.wait_for(".moves li:nth-child(2) [aria-current]");
    assert_eq!(browser.address(), format!("{url}/boards/1/2"));
    // Tab moves the focus to one cell. The arrow keys move it to other cells, and Enter picks the focused cell.
    assert_eq!(browser.count(".cells a[tabindex='0']"), 1);
    browser.script("document.querySelector(\".cells a[tabindex='0']\").focus()");
    let at = || browser.script("return document.activeElement.id").as_str().unwrap().to_owned();
    let start = at();
    browser.press(Key::Down);
    assert_ne!(at(), start);
    for _ in 0..3 {
        browser.press(Key::Down);
    }
    browser.press(Key::Right);
    let cell = at();
    browser.press(Key::Enter);
    browser.wait_for(&picked(&cell));
    assert_eq!(at(), cell, "the cell keeps the focus");
    browser.accessible();
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn unsent_text_remains_when_the_opponent_moves() {
    let instance = Instance::open();
    instance.shell("marque challenge alice bob");
    let Window { browser, .. } = instance.window(Look::default(), "bob", "builder");
    browser.fill("form:has(input[value=chat]) textarea", "I am still typ");
    instance.shell("marque move 1 alice wonderland f3");
    browser.wait_for(".moves li");
    let written = "return document.querySelector('form:has(input[value=chat]) textarea').value";
    assert_eq!(browser.script(written), "I am still typ");
    // While bob views an earlier position, alice proposes an undo. The page shows a link to the new state, and stays at
    // the earlier position.
    browser.click("a[rel=prev]");
    browser.wait_for("a[rel=next]");
    instance.shell("marque undo 1 alice wonderland");
    browser.wait_for(".news a");
    assert!(browser.address().ends_with("/boards/1/0"));
    browser.click(".news a");
    browser.wait_for("form:has(input[value=accept])");
    assert!(browser.address().ends_with("/boards/1"));
}

/// The pages for a logged-in player, with the names of their screenshots.
const PAGES: &[(&str, &str)] = &[
    ("my-turn", "/boards/1"),
    ("picked", "/boards/1?pick=k4"),
    ("tried", "/boards/1/2/k4/k5"),
    ("tessella-picked", "/boards/2?pick=e1"),
    ("brique", "/boards/3"),
    ("their-turn", "/boards/4"),
    ("offer", "/boards/5"),
    ("me", "/me"),
    ("settings", "/settings"),
    ("challenge", "/games/marque/challenge"),
    ("command", "/command"),
    ("login", "/login"),
    ("signup", "/signup"),
];

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_pages_of_a_player_are_accessible() {
    let instance = Instance::open();
    for line in [
        "marque challenge alice bob",
        "marque move 1 alice wonderland f3 --say=Hello",
        "marque move 1 bob builder k1",
        "tessella challenge alice bob",
        "brique challenge alice bob",
        "lazo challenge -size=57 alice bob",
        "lazo move 4 alice wonderland c5",
        "marque challenge alice anyone",
        "marque propose 1 bob builder",
        "lazo queue 4 alice wonderland c6",
    ] {
        instance.shell(line);
    }
    for (look, kind) in [(Look::default(), "light"), (Look { dark: true, ..Look::phone() }, "dark-phone")] {
        let Window { browser, url, .. } = instance.window(look, "alice", "wonderland");
        for (name, path) in PAGES {
            browser.goto(&format!("{url}{path}"));
            if browser.exists(".actions summary") {
                // Scrolls, so that the bar at the bottom does not cover the button.
                let scroll = "document.querySelector('.actions summary').scrollIntoView({ block: 'center' })";
                browser.script(scroll);
                browser.click(".actions summary");
            }
            browser.check_page(&format!("player-{name}-{kind}"));
        }
    }
}
