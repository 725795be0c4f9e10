//! Checks in a real browser that pages are accessible on every screen, and that boards can be used there.

use crate::common::Server;
use crate::common::browser::{Browser, Look};
use crate::common::serving::Serving;
use fantoccini::key::Key;
use turnpost::command::{Flags, Terms};
use turnpost::numbers::BoardNumber;
use turnpost::store::{NewBoard, Seat};
use turnpost::world::World;

/// A server with boards of four games: in progress, ended, and offered.
struct Site {
    _server: Server,
    serving: Serving,
}

/// Pages that visitors can see, with the names of their screenshots.
const PAGES: &[(&str, &str)] = &[
    ("home", "/"),
    ("help", "/help/marque"),
    ("help-commands", "/help/commands"),
    ("game", "/games/marque"),
    ("game-empty", "/games/tessella"),
    ("standings", "/games/lazo/standings"),
    ("standings-empty", "/games/brique/standings"),
    ("player", "/players/alice"),
    ("player-finished", "/players/alice/finished"),
    ("game-finished", "/games/lazo/finished"),
    ("game-older", "/games/marque?after=0"),
    ("board-marque", "/boards/1"),
    ("board-marque-then", "/boards/1/1"),
    ("board-brique", "/boards/2"),
    ("board-tessella", "/boards/3"),
    ("board-lazo-over", "/boards/4"),
    ("offer", "/boards/5"),
    ("nowhere", "/nowhere"),
    ("unsubscribe-unknown", "/unsubscribe/nothing"),
];

impl Site {
    fn open() -> Site {
        let server = Server::with_players();
        for line in [
            "marque challenge alice bob",
            "marque move 1 alice wonderland f3",
            "marque move 1 bob builder f4",
            "marque move 1 alice wonderland k1",
            "brique challenge -size=11 alice bob",
            "brique move 2 alice wonderland h8",
            "tessella challenge bob alice",
            "lazo challenge alice bob",
            "lazo move 4 alice wonderland a1",
            "lazo move 4 bob builder a2",
            "lazo resign 4 alice wonderland",
            "marque challenge alice anyone",
            "brique seek alice wonderland 2",
        ] {
            let ran = server.shell(line);
            assert_eq!(ran.status, 0, "{line}: {}", ran.err);
        }
        let words =
            "--say=A long game to you; I have read a book about openings since the last, and am not afraid any more.";
        let said = server.program().args(["marque", "chat", "1", "bob", "builder", words]).output().unwrap();
        assert!(said.status.success(), "{said:?}");
        let mut store = server.store(World::REAL);
        let mut tx = store.write().unwrap();
        let example = tx.board(BoardNumber(1)).unwrap().unwrap();
        for _ in 0..60 {
            let players = example.players.clone().map(|seated| seated.id);
            let board = NewBoard {
                number: None,
                game: example.game.clone(),
                options: "-non_adj_2".to_owned(),
                terms: Terms { flags: Flags { rated: false, ..example.terms.flags }, ..example.terms },
                players,
                to_move: Seat::First,
                challenger: None,
                rematch_of: None,
                hash: example.genesis.clone(),
                created_at: example.created_at,
            };
            tx.add_board(&board).unwrap();
        }
        tx.commit().unwrap();
        let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
        Site { _server: server, serving }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.serving.web())
    }

    /// Checks every page in a browser with this look, and saves a screenshot of each page.
    fn look_at_all(&self, look: Look, kind: &str) {
        let browser = Browser::open(look);
        for (name, path) in PAGES {
            browser.goto(&self.url(path));
            browser.screenshot(&format!("{name}-{kind}"));
            assert_eq!(browser.script("return window.innerWidth"), look.width, "{path}");
            assert!(!browser.scrolls_sideways(), "{path} is wider than {} pixels", look.width);
            browser.accessible();
            if !["nowhere", "unsubscribe-unknown"].contains(name) {
                browser.silent();
            }
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn pages_are_accessible_in_light_mode() {
    Site::open().look_at_all(Look::default(), "light");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn pages_are_accessible_in_dark_mode_on_a_small_phone() {
    Site::open().look_at_all(Look { dark: true, ..Look::phone() }, "dark-phone");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_board_is_as_large_as_the_window_allows() {
    let site = Site::open();
    let size = |browser: &Browser| {
        let size = browser.script(
            "const box = document.querySelector('.pan > svg').getBoundingClientRect(); return [box.width, box.height]",
        );
        (size[0].as_f64().unwrap(), size[1].as_f64().unwrap())
    };
    for (width, height, tall) in [(1280, 900, 740.0), (2560, 1440, 1280.0)] {
        let browser = Browser::open(Look { width, height, ..Look::default() });
        browser.goto(&site.url("/boards/2"));
        assert!(size(&browser).1 >= tall, "{width}: {:?}", size(&browser));
        browser.goto(&site.url("/boards/4"));
        assert!(size(&browser).0 >= 780.0, "{width}: {:?}", size(&browser));
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_board_has_several_views() {
    let site = Site::open();
    let browser = Browser::open(Look::phone());
    browser.goto(&site.url("/boards/2"));
    let number = |script: &str| browser.script(script).as_f64().unwrap();
    let name = || number("return Number(getComputedStyle(document.querySelector('#a1 text')).opacity)");
    assert_eq!(name(), 0.0);
    browser.click("#view-names");
    assert_eq!(name(), 1.0);
    let left = || number("return document.querySelector('#a1 title + *').getBoundingClientRect().x");
    let before = left();
    browser.click("#view-flip");
    assert!(left() > before + 150.0, "a1 is on the right");
    let cell = || number("return document.querySelector('#a1 title + *').getBoundingClientRect().width");
    assert!(cell() < 24.0);
    browser.click("#view-zoom");
    assert!(cell() > 40.0 && !browser.scrolls_sideways());
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_first_tap_on_small_cells_zooms() {
    let site = Site::open();
    let browser = Browser::open(Look::phone());
    browser.goto(&site.url("/boards/2"));
    assert!(browser.script("return document.querySelector('header').offsetHeight").as_f64().unwrap() < 60.0);
    browser.click("#f6");
    assert_eq!(browser.script("return document.getElementById('view-zoom').checked"), true);
    assert_eq!(browser.address(), site.url("/boards/2"), "no cell is picked yet");
    browser.click("#f6");
    browser.wait_for(".tried a");
    assert_eq!(browser.script("return document.getElementById('view-zoom').checked"), true);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn pages_need_no_script() {
    let site = Site::open();
    let browser = Browser::open(Look { javascript: false, ..Look::default() });
    browser.goto("data:text/html,<p>off</p><script>document.querySelector('p').textContent = 'on'</script>");
    assert_eq!(browser.text("p"), "off", "the browser runs scripts");
    browser.goto(&site.url("/"));
    browser.click("a[href='/games/marque']");
    browser.click("a[rel=next]");
    assert_eq!(browser.address(), site.url("/games/marque?before=16"));
    browser.click("a[href='/boards/1']");
    assert_eq!(browser.text("h1"), "Marque board 1");
    browser.click("a[rel=prev]");
    assert_eq!(browser.address(), site.url("/boards/1/2"));
    browser.click("nav.steps a:first-child");
    assert_eq!(browser.address(), site.url("/boards/1/0"));
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_harness_detects_faults() {
    let browser = Browser::open(Look { width: 390, height: 844, dark: true, ..Look::default() });
    let page = |body: &str| {
        format!("data:text/html,<!DOCTYPE html><html lang=en><title>t</title><main><h1>h</h1>{body}</main>")
    };
    let fails = |look: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(look)).is_err();
    browser.goto(&page("<p>fine</p>"));
    assert_eq!(browser.script("return matchMedia('(prefers-color-scheme: dark)').matches"), true);
    browser.accessible();
    browser.silent();
    browser.goto(&page("<p style='color:%23777;background:%23888'>hard to read</p><img src='data:,'>"));
    assert!(fails(&|| browser.accessible()), "the accessibility check reports the low contrast");
    browser.goto(&page("<meta name=viewport content='width=device-width'><div style='width:500px'>wide</div>"));
    assert!(browser.scrolls_sideways());
    browser.goto(&page("<script>throw new Error('oh')</script>"));
    assert!(fails(&|| browser.silent()), "the console check reports the script error");
    browser.goto(&page("<script>setTimeout(() => document.body.append(document.createElement('hr')), 300)</script>"));
    browser.wait_for("hr");
    browser.goto(&page("<input value=old><button>go</button>"));
    browser.fill("input", "new");
    browser.keys("er");
    assert_eq!(browser.script("return document.querySelector('input').value"), "newer");
    browser.press(Key::Tab);
    assert_eq!(browser.script("return document.activeElement.textContent"), "go");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn every_link_of_the_header_can_be_clicked_on_every_screen() {
    let site = Site::open();
    let reachable = |browser: &Browser, name: &str| {
        let found = browser.script(&format!(
            "const link = [...document.querySelectorAll('header :is(a, button)')] \
                 .find(link => link.textContent.trim().startsWith('{name}')); \
             const box = link.getBoundingClientRect(), x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2; \
             return box.width > 0 && box.left >= 0 && box.right <= innerWidth && link.contains(document.elementFromPoint(x, y))"
        ));
        found == true
    };
    let menu = "header button[popovertarget]";
    // Colours do not affect the positions of links. Other tests check the dark pages.
    for (look, kind) in Look::all().into_iter().filter(|(look, _)| !look.dark) {
        let guest = Browser::open(look);
        guest.goto(&site.url("/help/marque"));
        let player = Browser::logged_in(look, &site.serving, ("bob", "builder"), "/me");
        player.goto(&site.url("/help/marque"));
        for name in ["Turnpost", "Log in", "Sign up"] {
            assert!(reachable(&guest, name), "a guest can reach {name}, {kind}");
        }
        for name in ["Turnpost", "My boards"] {
            assert!(reachable(&player, name), "a player can reach {name}, {kind}");
        }
        // Accessibility is checked before the menu opens, because the open menu partly covers some links, so that they
        // are too small to touch.
        guest.accessible();
        player.accessible();
        if reachable(&player, "Menu") {
            guest.click(menu);
            player.click(menu);
        }
        for name in ["Challenges", "Games", "Learn", "Puzzles", "Players", "Help"] {
            assert!(reachable(&guest, name), "a guest can reach {name}, {kind}");
        }
        for name in ["Challenges", "Games", "Learn", "Puzzles", "Players", "Settings", "Help", "bob", "Log out"] {
            assert!(reachable(&player, name), "a player can reach {name}, {kind}");
        }
        for (browser, of) in [(&guest, "guest"), (&player, "player")] {
            browser.screenshot(&format!("header-{of}-{kind}"));
            browser.silent();
        }
    }
}
