//! Checks that every page is accessible: axe reports nothing, and no page is wider than the narrowest screen.

use crate::common::browser::{Browser, Look};
use crate::common::serving::Serving;
use crate::common::{Server, done};

const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// The routes of pages, with the addresses that the test visits.
const PAGES: &[(&str, &[&str])] = &[
    ("/", &["/"]),
    ("/help/{topic}", &["/help/overview", "/help/brique"]),
    ("/learn", &["/learn"]),
    ("/learn/{game}/{number}", &["/learn/marque/1", "/learn/marque/4?move=u1"]),
    ("/puzzles", &["/puzzles"]),
    ("/puzzles/{game}", &["/puzzles/brique"]),
    ("/puzzles/{game}/{number}", &["/puzzles/brique/1", "/puzzles/brique/1?move=c5", "/puzzles/brique/1?move=b2"]),
    ("/events", &["/events"]),
    ("/events/{name}", &["/events/spring"]),
    ("/events/{name}/{edition}", &["/events/spring/1"]),
    ("/games", &["/games"]),
    ("/games/{game}", &["/games/brique"]),
    ("/games/{game}/finished", &["/games/brique/finished"]),
    ("/games/{game}/standings", &["/games/brique/standings"]),
    ("/games/{game}/challenge", &["/games/brique/challenge"]),
    ("/games/{game}/play", &["/games/lazo/play"]),
    ("/players", &["/players", "/players?q=zz"]),
    ("/players/{userid}", &["/players/alice"]),
    ("/players/{userid}/finished", &["/players/alice/finished"]),
    ("/challenges", &["/challenges"]),
    ("/invite/{code}", &["/invite/nothing"]),
    ("/me", &["/me"]),
    ("/boards/{number}", &["/boards/1", "/boards/2", "/boards/3", "/boards/4", "/boards/5"]),
    ("/boards/{number}/{ply}", &["/boards/1/4"]),
    ("/boards/{number}/{ply}/", &["/boards/1/4/"]),
    ("/boards/{number}/{ply}/{*line}", &["/boards/2/0/f3"]),
    ("/login", &["/login"]),
    ("/login/{token}", &["/login/nothing"]),
    ("/password", &["/password"]),
    ("/password/{code}", &["/password/nothing"]),
    ("/signup", &["/signup"]),
    ("/confirm/{userid}/{code}", &["/confirm/alice/nothing"]),
    ("/settings", &["/settings"]),
    ("/command", &["/command"]),
    ("/unsubscribe/{token}", &["/unsubscribe/nothing"]),
];

/// The ends of routes that are not pages: files, streams, redirections and the API.
const FILES: [&str; 16] = [
    ".css", ".js", ".svg", ".ico", ".png", ".txt", ".json", "/events", "/files/{hash}/{name}", "/logout",
    "/calendar/{name}", "/help", "/learn/{game}", "/boards/{number}/", "/api/v1/", "/api/v1",
];

/// A server with boards of four games, an open challenge and a puzzle.
fn site() -> (Server, Serving) {
    let server = Server::with_players();
    done(&server, "brique challenge -size=5 alice bob");
    for (ply, text) in "e1 a1 d4 e2 d1 d2 c2 c1 b1 b2".split(' ').enumerate() {
        let player = ["alice wonderland", "bob builder"][ply % 2];
        done(&server, &format!("brique move 1 {player} {text}"));
    }
    for line in [
        "marque challenge alice bob",
        "lazo challenge alice bob",
        "tessella challenge bob alice",
        "brique challenge bob anyone",
        "brique seek alice wonderland 2",
    ] {
        done(&server, line);
    }
    let serving = Serving::start(&server, WEB);
    (server, serving)
}

#[test]
fn every_route_is_tested() {
    let routes = include_str!("../../src/web/routes.rs");
    let routes = routes.split(".route(").skip(1).filter_map(|rest| rest.split('"').nth(1));
    let known = |route: &str| PAGES.iter().any(|(page, _)| *page == route);
    let is_file = |route: &str| FILES.iter().any(|end| route.ends_with(end));
    let missing: Vec<&str> = routes.filter(|route| !known(route) && !is_file(route)).collect();
    assert!(missing.is_empty(), "no test visits {missing:?}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn axe_finds_no_problems_on_any_page() {
    let (_server, serving) = site();
    let mut found = String::new();
    for (width, dark) in [(320, false), (1280, true)] {
        let look = Look { width, dark, ..Look::default() };
        let visitor = Browser::open(look);
        let alice = Browser::logged_in(look, &serving, ("alice", "wonderland"), "/me");
        for (nth, path) in PAGES.iter().flat_map(|(_, paths)| *paths).enumerate() {
            for (browser, who, turn) in [(&visitor, "a visitor", 0), (&alice, "alice", 1)] {
                // To save time, axe checks each page only twice: once in light and once in dark colours, and once for
                // a visitor and once for alice.
                let is_examined = nth % 2 == usize::from(dark) ^ turn;
                if dark && !is_examined {
                    continue;
                }
                browser.goto(&format!("http://{}{path}", serving.web()));
                if is_examined {
                    for complaint in browser.complaints() {
                        found += &format!("{path} at {width} (dark: {dark}) for {who}: {complaint}\n");
                    }
                }
                if browser.scrolls_sideways() {
                    found += &format!("{path} is wider than {width} for {who}\n");
                }
            }
        }
    }
    assert!(found.is_empty(), "{found}");
}
