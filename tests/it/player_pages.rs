//! The player page and the standings show ratings as curves, and results by game and by opponent. Both omit private
//! boards.

use crate::common::browser::{Browser, Look};
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const WEB: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Starts a server on which alice has won three boards, lost one and drawn one against bob, and won one against carol.
/// One of the wins was private, and one unrated.
fn played() -> (Server, Serving) {
    let server = played_on(Server::with_players());
    let serving = Serving::start(&server, WEB);
    (server, serving)
}

fn played_on(server: Server) -> Server {
    done(&server, "signup carol carpenter carol@example.org");
    for (nth, (challenge, winner)) in [
        ("marque challenge alice bob", "alice"),
        ("marque challenge bob alice", "bob"),
        ("marque challenge --private alice bob", "alice"),
        ("lazo challenge alice bob", "draw"),
        ("marque challenge --unrated alice bob", "alice"),
        ("marque challenge alice carol", "alice"),
        ("marque challenge carol bob", "bob"),
    ]
    .into_iter()
    .enumerate()
    {
        done(&server, challenge);
        done(&server, &format!("admin adjudicate {} {winner} --reason agreed", nth + 1));
    }
    server
}

/// Returns the numbers in the table row that begins with a link to this address.
fn numbers(page: &str, of: &str) -> Vec<u32> {
    let row = page.split("<tr>").find(|row| row.starts_with(&format!("<td><a href=\"{of}\">")));
    let row = row.unwrap_or_else(|| panic!("no row of {of}: {page}"));
    let cells = row.split("<td class=\"number\">").skip(1);
    cells.map(|cell| cell.split('<').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn results_are_counted_by_game_and_opponent_without_private_boards() {
    let (_server, serving) = played();
    let page = Visitor::new(&serving.web()).get("/players/alice");
    // The numbers of won, lost and drawn boards.
    assert_eq!(numbers(page.text(), "/games/marque"), [3, 1, 0]);
    assert_eq!(numbers(page.text(), "/games/lazo"), [0, 0, 1]);
    assert_eq!(numbers(page.text(), "/players/bob"), [2, 1, 1]);
    assert_eq!(numbers(page.text(), "/players/carol"), [1, 0, 0]);
    let (bob, carol) = (page.text().find("href=\"/players/bob\""), page.text().find("href=\"/players/carol\""));
    assert!(bob < carol, "the most frequent opponent is first");
    assert!(
        page.text().contains("after each of 3 boards"),
        "private and unrated boards are not counted: {}",
        page.text()
    );
    let own = Visitor::logged_in(&serving.web(), "alice", "wonderland").get("/players/alice");
    assert_eq!(numbers(own.text(), "/games/marque"), [4, 1, 0]);
    assert!(own.text().contains("after each of 4 boards"));
    let other = Visitor::logged_in(&serving.web(), "carol", "carpenter").get("/players/alice");
    assert_eq!(numbers(other.text(), "/games/marque"), [3, 1, 0]);
    assert!(other.text().contains("Against you, alice has won 1, lost 0 and drawn 0."));
    let opponent = Visitor::logged_in(&serving.web(), "bob", "builder").get("/players/alice");
    assert!(opponent.text().contains("Against you, alice has won 3, lost 1 and drawn 1."));
    assert!(!page.text().contains("Against you"));
}

#[test]
fn standings_show_the_distribution_of_ratings() {
    let (_server, serving) = played();
    let page = Visitor::new(&serving.web()).get("/games/marque/standings");
    assert!(page.text().contains("Ratings of 3 players of Marque"), "{}", page.text());
    assert!(!page.text().contains("class=\"own\""));
    let own = Visitor::logged_in(&serving.web(), "alice", "wonderland").get("/games/marque/standings");
    assert_eq!(own.text().matches("class=\"own\"").count(), 1);
    assert!(!Visitor::new(&serving.web()).get("/games/brique/standings").text().contains("<figure"));
    assert!(!Visitor::new(&serving.web()).get("/games/marque/standings?from=2").text().contains("<figure"));
}

#[test]
fn standings_and_results_are_the_same_after_an_upgrade() {
    let server = played_on(Server::in_a_file().and_players());
    let pages = || {
        let serving = Serving::start(&server, WEB);
        let mut visitor = Visitor::logged_in(&serving.web(), "alice", "wonderland");
        // The button to log out, which differs for each session, is not compared.
        ["/games/marque/standings", "/players/alice", "/players/bob"]
            .map(|path| visitor.get(path).text().split_once("<main").unwrap().1.to_owned())
    };
    let before = pages();
    assert!(before[0].contains("Ratings of 3 players of Marque"));
    assert_eq!(numbers(&before[1], "/players/carol"), [1, 0, 0]);
    done(&server, "marque challenge carol alice");
    done(&server, "admin adjudicate 8 carol --reason agreed");
    assert_eq!(numbers(&pages()[1], "/players/carol"), [1, 1, 0]);
    let removed = done(&server, "admin player remove carol --yes");
    let [standings, alice, _] = pages();
    assert!(standings.contains("Ratings of 2 players of Marque"));
    assert!(!alice.contains("carol"), "{removed}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_curve_has_the_width_of_its_card_on_a_phone_too() {
    let (_server, serving) = played();
    for look in [Look::phone(), Look::default()] {
        let browser = Browser::open(look);
        browser.goto(&format!("http://{}/players/alice", serving.web()));
        let part = browser.script(
            "const curve = document.querySelector('.curve'); \
             return curve.clientWidth / curve.closest('section').clientWidth",
        );
        assert!(part.as_f64().unwrap() > 0.85, "{part}");
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn pages_of_players_and_standings_are_accessible() {
    let (_server, serving) = played();
    for (look, kind) in Look::all() {
        let browser = Browser::open(look);
        for (name, path) in [
            ("player-results", "/players/alice"),
            ("player-finished", "/players/alice/finished"),
            ("standings-marque", "/games/marque/standings"),
            ("game-lessons", "/games/marque"),
        ] {
            browser.goto(&format!("http://{}{path}", serving.web()));
            browser.check_page(&format!("{name}-{kind}"));
        }
    }
}
