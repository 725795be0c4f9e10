//! Pages describe options, sides and actions in ordinary words, not in those of the command language.

use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Returns the text of a page without tags and with single spaces.
fn text(page: &str) -> String {
    let body = page.split_once("<main").unwrap().1;
    let text: String = body.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Creates a server with boards and open challenges that have options.
fn server() -> Server {
    let server = Server::with_players();
    for line in [
        "marque challenge -opposite alice bob",
        "lazo challenge -size=57 alice bob",
        "brique challenge -size=13 alice anyone",
        "brique challenge -size=11 alice anyone --private",
    ] {
        done(&server, line);
    }
    server
}

#[test]
fn no_page_shows_options_or_passwords_of_commands() {
    let server = server();
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let mut nobody = Visitor::new(&serving.web());
    let invitation =
        alice.get("/boards/4").text().split_once("/invite/").unwrap().1.split_once('"').unwrap().0.to_owned();
    let invitation = format!("/invite/{invitation}");
    let pages = [
        ("/boards/1", "opposite bases"),
        ("/boards/2", "57 holes"),
        ("/boards/3", "13 squares a side"),
        (&*invitation, "11 squares a side"),
        ("/me", "57 holes"),
        ("/challenges", "13 squares a side"),
        ("/games/marque", "opposite bases"),
        ("/games/brique", "13 squares a side"),
        ("/players/alice", "57 holes"),
        ("/games/marque/challenge", "Two opposite bases"),
        ("/games/lazo/challenge", "57 holes"),
        ("/settings", "Leave this server"),
        ("/puzzles", "Find the win"),
        ("/unsubscribe/nothing", "settings"),
    ];
    for (path, words) in pages {
        for visitor in [&mut bob, &mut nobody] {
            let page = visitor.get(path);
            if page.status == 303 {
                continue;
            }
            let text = text(page.text());
            assert!(text.contains(words), "{path}: {text}");
            for command in ["-opposite", "-size=", "USERID", "PASSWORD", "(o)", "(b)", "(w)"] {
                assert!(!text.contains(command), "{path} shows {command}: {text}");
            }
        }
    }
    let page = alice.get("/boards/1");
    assert!(page.text().contains("<span class=\"side-name quiet\">White</span>"), "{}", page.text());
}

#[test]
fn the_challenge_form_names_each_aim_once_and_the_default_first() {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = alice.get("/games/marque/challenge").text().to_owned();
    let cards = page.split_once("<details><summary>More options</summary>").unwrap().0;
    for words in ["A friend, by a link", "The computer", "It answers immediately. Level", "Anyone"] {
        assert!(cards.contains(words), "no {words} in {cards}");
    }
    assert!(!cards.contains("nagtime") && !cards.contains("unrated"), "{cards}");
    let page = text(&page);
    let (default, official) =
        ("Three bases, no two adjacent (the default here)", "Two opposite bases, as in the official rules");
    assert!(page.contains(&format!("Aim {default} Any two bases")), "{page}");
    for aim in [default, official, "Any four bases"] {
        assert_eq!(page.matches(aim).count(), 1, "{aim}: {page}");
    }
    let page = text(alice.get("/games/lazo/challenge").text());
    assert!(page.contains("145 holes (the default here) 57 holes 26 holes"), "{page}");
    // If the player chooses no size, the board has the default size.
    let made = alice.fill("/games/lazo/challenge", &[("to", "robot"), ("robot", "1"), ("size", "")]);
    assert_eq!(made.header("location"), Some("/boards/1"), "{}", made.text());
    assert_eq!(server.json("lazo show 1")["boards"][0]["options"], "");
}

#[test]
fn a_player_can_leave_on_the_settings_page_after_a_confirmation() {
    let server = server();
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let asked = alice.fill("/settings", &[("do", "signoff"), ("password", "wonderland")]);
    let words = text(asked.text());
    assert!(words.contains("Your boards 1 and 2 will end") && words.contains("This cannot be undone."), "{words}");
    assert!(!words.contains("PASSWORD"), "{words}");
    let code = asked.hidden("code").unwrap().to_owned();
    let wrong = alice.fill("/settings", &[("do", "signoff"), ("password", "guess"), ("code", &code)]);
    assert!(wrong.status != 303 && alice.get("/me").status == 200, "{}", wrong.text());
    let left = alice.fill("/settings", &[("do", "signoff"), ("password", "wonderland"), ("code", &code)]);
    assert_eq!((left.status, left.header("location")), (303, Some("/")), "{}", left.text());
    assert_eq!(alice.get("/me").status, 303);
    assert!(text(alice.get("/players/alice").text()).contains("Has left this server."));
}
