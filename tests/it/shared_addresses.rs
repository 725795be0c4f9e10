//! Pages as new visitors find them: previews of shared links, files for browsers and crawlers, lists with a search, and
//! instructions.

use std::collections::BTreeSet;

use crate::common::serving::{Serving, http};
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"https://games.example\"\n";

fn served(lines: &[&str]) -> (Server, Serving) {
    let server = Server::with_players();
    for line in lines {
        done(&server, line);
    }
    let serving = Serving::start(&server, CONFIG);
    (server, serving)
}

#[test]
fn a_shared_board_describes_itself() {
    let (_server, serving) = served(&["brique challenge alice bob", "brique move 1 alice wonderland c3"]);
    let page = Visitor::new(&serving.web()).get("/boards/1").text().to_owned();
    for words in [
        "<title>Brique: alice – bob, move 1</title>",
        "<meta property=\"og:title\" content=\"Brique: alice – bob, move 1\">",
        "<meta name=\"description\" content=\"Brique board 1 after 1 move.\">",
        "<meta property=\"og:image\" content=\"https:&#x2f;&#x2f;games.example/boards/1/board.png?ply=1\">",
    ] {
        assert!(page.contains(words), "no {words} in {page}");
    }
    let picture = Visitor::new(&serving.web()).get("/boards/1/board.png?ply=1");
    assert_eq!((picture.status, picture.header("content-type")), (200, Some("image/png")));
}

#[test]
fn every_shared_page_describes_itself() {
    let (_server, serving) = served(&["brique challenge alice bob"]);
    let mut visitor = Visitor::new(&serving.web());
    let mut titles = BTreeSet::new();
    for path in [
        "/", "/boards/1", "/games", "/games/lazo", "/games/lazo/standings", "/games/lazo/play", "/help/lazo", "/learn",
        "/learn/lazo/1", "/players", "/players/alice", "/puzzles", "/puzzles/lazo",
    ] {
        let page = visitor.get(path).text().to_owned();
        let between = |from: &str, to: char| {
            page.split_once(from)
                .unwrap_or_else(|| panic!("no {from} in {path}"))
                .1
                .split(to)
                .next()
                .unwrap()
                .to_owned()
        };
        let (title, described) = (between("<title>", '<'), between("name=\"description\" content=\"", '"'));
        assert_eq!(between("property=\"og:title\" content=\"", '"'), title, "{path}");
        assert_eq!(between("property=\"og:description\" content=\"", '"'), described, "{path}");
        assert!(
            between("property=\"og:image\" content=\"", '"').ends_with(if path == "/boards/1" {
                "board.png?ply=0"
            } else {
                "/apple-touch-icon.png"
            }),
            "{path}"
        );
        assert!(
            described.len() >= 20 && !described.contains('{') && !title.contains('{'),
            "{path}: {title}: {described}"
        );
        assert!(titles.insert(title.clone()), "{path} has the title of another page: {title}");
    }
}

#[test]
fn a_cached_picture_or_feed_is_not_sent_again() {
    let (_server, serving) = served(&["brique challenge alice bob", "event new spring hex alice wonderland"]);
    let mut visitor = Visitor::new(&serving.web());
    for path in
        ["/boards/1/board.svg", "/boards/1/board.png", "/boards/1.atom", "/players/bob.atom", "/events/spring.atom"]
    {
        let tag = visitor.get(path).header("etag").unwrap().to_owned();
        let again =
            format!("GET {path} HTTP/1.1\r\nHost: games.example\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n");
        assert_eq!(http(&serving.web(), &again).0, 304, "{path}");
    }
    assert_eq!(visitor.get("/boards/1/").header("location"), Some("/boards/1"));
    // A reader who removes the tried moves from an address keeps the slash.
    assert_eq!(visitor.get("/boards/1/0/").status, 200);
}

#[test]
fn the_page_of_a_private_board_has_no_preview_picture() {
    let (_server, serving) = served(&["brique challenge --private alice bob"]);
    let page = Visitor::logged_in(&serving.web(), "alice", "wonderland").get("/boards/1").text().to_owned();
    assert!(page.contains("alice – bob") && !page.contains("og:"), "{page}");
}

#[test]
fn browsers_crawlers_and_reporters_find_their_files() {
    let (_server, serving) = served(&[]);
    let mut visitor = Visitor::new(&serving.web());
    for icon in ["/favicon.ico", "/apple-touch-icon.png"] {
        let page = visitor.get(icon);
        assert_eq!((page.status, page.header("content-type")), (200, Some("image/png")), "{icon}");
        assert!(page.body.starts_with(b"\x89PNG"), "{icon}");
    }
    let robots = visitor.get("/robots.txt").text().to_owned();
    assert!(robots.contains("Disallow: /boards/*/\n") && !robots.contains("Disallow: /boards/\n"), "{robots}");
    let security = visitor.get("/.well-known/security.txt").text().to_owned();
    assert!(security.contains("Contact: mailto:postmaster@") && security.contains("\nExpires: 20"), "{security}");
}

#[test]
fn players_and_games_are_listed_and_searched() {
    let (_server, serving) = served(&["signup bella bella-notte bella@example.org"]);
    let mut visitor = Visitor::new(&serving.web());
    let all = visitor.get("/players").text().replace("&#x2f;", "/");
    for words in ["/players/alice", "/players/bella", "/players/bob", "/games/marque/standings"] {
        assert!(all.contains(words), "no {words} in {all}");
    }
    let found = visitor.get("/players?q=BE").text().to_owned();
    assert!(found.contains("/players/bella") && !found.contains("/players/bob"), "{found}");
    assert!(visitor.get("/players?q=zz").text().contains("No userid begins with “zz”."));
    assert!(visitor.get("/games/lazo").text().contains("href=\"/games/lazo/standings\""));
    let games = visitor.get("/games").text().to_owned();
    for words in ["/games/lazo", "/help/lazo", "/learn/lazo/1", "/games/lazo/standings"] {
        assert!(games.contains(words), "no {words} in {games}");
    }
    assert_eq!(visitor.get("/help").header("location"), Some("/help/overview"));
    assert!(visitor.get("/nowhere").text().contains("href=\"/games\""));
}

#[test]
fn a_new_player_receives_instructions() {
    let (_server, serving) = served(&[]);
    let mut nia = Visitor::new(&serving.web());
    let fields = [("userid", "nia"), ("password", "night-owl-17"), ("address", "nia@example.org"), ("next", "/me")];
    assert_eq!(nia.send("/signup", &fields).status, 303);
    let page = nia.get("/me").text().replace("&#x2f;", "/");
    for words in ["Hello nia", "a letter to nia@example.org", "\"/learn\"", "/games/brique/challenge?opponent=robot1"] {
        assert!(page.contains(words), "no {words} in {page}");
    }
}

#[test]
fn a_visitor_makes_a_move_from_the_home_page() {
    let (_server, serving) = served(&[]);
    let mut visitor = Visitor::new(&serving.web());
    let home = visitor.get("/").text().to_owned();
    assert!(home.contains("href=\"/games/marque/play\""), "a robot is available: {home}");
    let (_, rest) = home.split_once("/learn/marque/1?pick=").unwrap();
    let cell: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    let page = visitor.get(&format!("/learn/marque/1?pick={cell}"));
    assert!(page.status == 303 || page.text().contains("Marque, lesson 1"), "{}", page.text());
}
