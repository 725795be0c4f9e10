//! The lobby, the home page, pictures of boards in lists, and the size of pages.

use crate::common::serving::{Serving, http};
use crate::common::visitor::Visitor;
use crate::common::{Server, done};
use turnpost::rules::{Options, Seat, catalogue};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// The maximum size of a board's page in octets, except for games with very many cells.
const MAX_PAGE: usize = 60 * 1024;

#[test]
fn the_lobby_filters_and_accepts_challenges() {
    let server = Server::with_players();
    for line in [
        "marque challenge alice anyone",
        "brique challenge anyone alice --unrated",
        "lazo challenge bob anyone --totaltime=90",
    ] {
        done(&server, line);
    }
    let serving = Serving::start(&server, CONFIG);
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let shown = |visitor: &mut Visitor, query: &str| -> Vec<u32> {
        let page = visitor.get(&format!("/challenges{query}"));
        assert_eq!(page.status, 200, "{query}");
        (1..=3).filter(|number| page.text().contains(&format!("<a href=\"/boards/{number}\">"))).collect()
    };
    assert_eq!(shown(&mut bob, ""), [1, 2, 3]);
    assert_eq!(shown(&mut bob, "?game=brique"), [2]);
    assert_eq!(shown(&mut bob, "?rated=rated&game="), [1, 3]);
    assert_eq!(shown(&mut bob, "?moves=first"), [2]);
    assert!(shown(&mut bob, "?game=tessella").is_empty());
    assert!(bob.get("/challenges?game=tessella").text().contains("<p>No open challenge matches."));
    let page = bob.get("/challenges");
    assert!(page.text().matches(">Accept</button>").count() == 2 && page.text().contains(">Withdraw</button>"));
    assert!(page.text().contains("90 days in all"));
    assert_eq!(bob.fill("/boards/1", &[("do", "accept")]).header("location"), Some("/boards/1"));
    assert_eq!(shown(&mut bob, ""), [2, 3]);
    // A page that still shows the button explains that another player was faster.
    done(&server, "signup carol walrus22 carol@example.org");
    let mut carol = Visitor::logged_in(&serving.web(), "carol", "walrus22");
    let late = carol.fill("/boards/1", &[("do", "accept")]);
    assert!(late.text().contains("Challenge 1 has already been accepted: alice and bob play"), "{}", late.text());
    // A visitor sees a link to the board instead of a button.
    let page = Visitor::new(&serving.web()).get("/challenges");
    assert!(page.text().contains("href=\"/boards/2\">Accept</a>") && !page.text().contains("<button class=\"main\""));
}

#[test]
fn the_home_page_shows_games_challenges_and_a_board_being_played() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob --private");
    done(&server, "marque move 1 alice wonderland f3");
    let serving = Serving::start(&server, CONFIG);
    let mut visitor = Visitor::new(&serving.web());
    assert!(!visitor.get("/").text().contains("Now playing"), "a private board is not visible to visitors");
    for line in ["brique challenge alice bob", "brique move 2 alice wonderland h8", "lazo challenge bob anyone"] {
        done(&server, line);
    }
    let page = visitor.get("/");
    for words in ["Now playing", "Brique: alice against bob", "Move 1, bob’s turn", "/boards/2/thumbnail.svg?v=1-"] {
        assert!(page.text().contains(words), "no {words} in {}", page.text());
    }
    for game in catalogue::GAMES {
        assert!(page.text().contains(&format!("src=\"/games/{}/picture.svg?theme=wood\"", game.name())));
        let picture = visitor.get(&format!("/games/{}/picture.svg", game.name()));
        assert!(picture.status == 200 && picture.text().matches("<use ").count() >= 5, "{}", game.name());
    }
    assert!(page.text().contains("Open challenges") && page.text().contains("Accept"));
}

#[test]
fn a_thumbnail_is_small_and_current_and_hidden_for_private_boards() {
    let server = Server::with_players();
    done(&server, "brique challenge -size=19 alice bob --private");
    done(&server, "brique move 1 alice wonderland h8");
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let address = |alice: &mut Visitor| {
        let page = alice.get("/me");
        let rest = page.text().split_once("src=\"/boards/1/thumbnail.svg").unwrap().1.to_owned();
        format!("/boards/1/thumbnail.svg{}", rest.split('"').next().unwrap())
    };
    let before = address(&mut alice);
    let picture = alice.get(&before);
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(picture.header("cache-control").unwrap().starts_with("private, max-age"));
    assert!(picture.body.len() < 12_000, "{} octets", picture.body.len());
    assert_eq!(picture.text().matches("<use ").count(), 1);
    assert_eq!(Visitor::new(&serving.web()).get(&before).status, 404);
    done(&server, "brique move 1 bob builder k8");
    let after = address(&mut alice);
    assert_ne!(before, after);
    assert_eq!(alice.get(&after).text().matches("<use ").count(), 2);
}

#[test]
fn games_are_grouped_by_kind_and_found_by_words() {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    let mut visitor = Visitor::new(&serving.web());
    let headings = ["<h2>Connection</h2>", "<h2>Lines and groups</h2>", "<h2>Movement and territory</h2>"];
    for path in ["/", "/games", "/help/hex"] {
        let page = visitor.get(path);
        let at: Vec<_> = headings.iter().map(|heading| page.text().find(heading)).collect();
        assert!(at.is_sorted() && at[0].is_some(), "{path}: {at:?}");
        for game in catalogue::GAMES {
            assert!(
                page.text().contains(&format!("src=\"/games/{}/picture.svg", game.name())),
                "{path}: {}",
                game.name()
            );
        }
        assert!(page.text().contains("<input type=\"search\" name=\"find\""), "{path}");
    }
    let mut found = |find: &str| -> Vec<&str> {
        let page = visitor.get(&format!("/games?find={find}"));
        assert_eq!(
            page.text().contains("<p class=\"nothing\">No game matches."),
            !page.text().contains("class=\"card\"")
        );
        let names = catalogue::GAMES.iter().map(|game| game.name());
        names.filter(|name| page.text().contains(&format!("href=\"/games/{name}\""))).collect()
    };
    assert_eq!(found("ARROWS"), ["amazons"]);
    assert_eq!(found("cameron+browne"), ["marque", "yavalath"]);
    assert_eq!(found("rowne"), [""; 0], "words are found by their beginnings");
    assert_eq!(found("lines+and+groups"), ["yavalath", "loa", "catchup", "pente"]);
    assert_eq!(found("%3Cb%3E"), [""; 0]);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let form = alice.get("/games/hex/challenge?opponent=robot3").text().replace("&#x2f;", "/");
    assert!(form.contains("href=\"/games/catchup/challenge?opponent=robot3\""), "{form}");
}

/// Returns the commands that play at most this many plies of a game without ending it. The moves are far apart, and
/// capture few pieces.
fn long_game(name: &str, options: &str, number: u32, plies: usize) -> Vec<String> {
    let mut play = catalogue::find(name).unwrap().start(&Options::from_canonical(options)).unwrap();
    let mut lines = Vec::new();
    for ply in 0..plies {
        let legal = play.legal_moves();
        let spread = (0..legal.len()).map(|i| &legal[(i * 7 + ply * 31) % legal.len()]);
        let mut plain = spread.filter(|text| {
            let mut after = play.boxed_clone();
            after.play(text).unwrap();
            after.outcome().is_none() && !text.contains('x')
        });
        let Some(text) = plain.next() else { break };
        let player = if play.to_move() == Some(Seat::First) { "alice wonderland" } else { "bob builder" };
        lines.push(format!("{name} move {number} {player} {text}"));
        play.play(text).unwrap();
    }
    lines
}

#[test]
fn the_pages_of_large_boards_have_at_most_60_kb() {
    let server = Server::with_players();
    // Pages of TwixT are larger, because each of 572 holes can be a link with a name.
    let games = [
        ("marque", "", 60, MAX_PAGE),
        ("brique", "-size=19", 150, MAX_PAGE),
        ("tessella", "", 60, MAX_PAGE),
        ("lazo", "", 180, MAX_PAGE),
        ("amazons", "", 6, MAX_PAGE),
        ("pente", "", 60, MAX_PAGE),
        ("twixt", "", 60, 66 * 1024),
    ];
    for (number, (name, options, plies, _)) in (1..).zip(games) {
        done(&server, &format!("{name} challenge {options} alice bob"));
        let lines = long_game(name, options, number, plies);
        assert!(lines.len() > plies / 2, "{name}: {}", lines.len());
        lines.iter().for_each(|line| drop(done(&server, line)));
    }
    let serving = Serving::start(&server, CONFIG);
    for (userid, password) in [("alice", "wonderland"), ("bob", "builder")] {
        let mut visitor = Visitor::logged_in(&serving.web(), userid, password);
        for (board, (name, .., most)) in (1..).zip(games) {
            let page = visitor.get(&format!("/boards/{board}"));
            assert!(page.status == 200 && page.body.len() <= most, "{name}: {} octets", page.body.len());
        }
    }
}

#[test]
fn seekers_are_shown_in_the_list_the_lobby_and_on_their_page() {
    let mut server = Server::with_players();
    done(&server, "marque seek alice wonderland 3");
    done(&server, "lazo seek alice wonderland 1");
    done(&server, "marque seek bob builder 1");
    let list = done(&server, "list");
    assert!(list.contains("Looking for opponents at Marque: alice (3), bob (1)."), "{list}");
    assert!(list.contains("Looking for opponents at Lazo: alice (1).") && !list.contains("at Brique:"), "{list}");
    let shown = "alice is looking for 3 opponents at Marque, 1 opponent at Lazo.";
    let listed = done(&server, "show alice").replace('\n', " ");
    assert!(listed.contains(shown), "{listed}");
    let letters = server.mail("bob@example.org", "list", "");
    assert!(letters[0].text().contains("Looking for opponents at Marque: alice (3), bob (1)."), "{letters:#?}");
    let serving = Serving::start(&server, CONFIG);
    let mut bob = Visitor::logged_in(&serving.web(), "bob", "builder");
    let lobby = bob.get("/challenges").text().to_owned();
    assert!(lobby.contains("<h2>Looking for opponents</h2>"), "{lobby}");
    assert!(lobby.contains("<p>Marque: <a href=\"/players/alice\">alice</a> (3), "), "{lobby}");
    assert!(lobby.contains("<p>Lazo: <a href=\"/players/alice\">alice</a> (1).</p>"), "{lobby}");
    let lazo = bob.get("/challenges?game=lazo").text().to_owned();
    assert!(lazo.contains("<p>Lazo: ") && !lazo.contains("<p>Marque: "), "{lazo}");
    let page = bob.get("/players/alice").text().to_owned();
    assert!(page.contains("<p>Looking for opponents: Marque (3), Lazo (1).</p>"), "{page}");
    // The list omits a player who has found all the opponents they wanted.
    done(&server, "marque challenge alice bob");
    done(&server, "marque seek alice wonderland 0");
    assert!(!done(&server, "list").contains("at Marque: alice"));
}

#[test]
fn a_list_of_boards_of_several_games_names_the_game_of_each() {
    let mut server = Server::with_players();
    for line in ["marque challenge alice bob", "tessella challenge bob alice", "lazo challenge alice bob"] {
        done(&server, line);
    }
    let row = |list: &str, number: u32| {
        let begins = format!("{number:6} ");
        list.lines()
            .find(|line| line.starts_with(&begins))
            .unwrap_or_else(|| panic!("no {number} in {list}"))
            .to_owned()
    };
    server.letters();
    let letters = server.mail("alice@example.org", "all show alice all", "");
    for list in [&done(&server, "all show alice"), &done(&server, "all show alice next"), letters[0].text()] {
        assert!(list.contains(" board  moves  game      players and whose turn"), "{list}");
        assert!(row(list, 1).contains("  Marque    alice - bob: alice's turn since"), "{list}");
    }
    assert!(row(letters[0].text(), 2).contains("  Tessella  bob - alice: bob's turn since"), "{letters:#?}");
    let marque = done(&server, "marque games");
    assert!(row(&marque, 1).contains("      0  alice - bob: alice's turn since"), "{marque}");
}

#[test]
fn the_challenge_form_has_the_servers_limits_for_days() {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    let mut alice = Visitor::logged_in(&serving.web(), "alice", "wonderland");
    let page = alice.get("/games/brique/challenge").text().to_owned();
    let limit = |name: &str, of: &str| -> u32 {
        let field = page.split("<input ").find(|field| field.contains(&format!("name=\"{name}\""))).unwrap();
        let rest = field.split_once(&format!(" {of}=\"")).unwrap_or_else(|| panic!("no {of} in {field}")).1;
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let mut post = |name: &str, days: u32| {
        let days = days.to_string();
        let mut fields = vec![("to", "robot"), ("robot", "1"), (name, &*days)];
        if name == "nagtime" {
            // The first reminder must precede the limit.
            fields.push(("forfeittime", "0"));
        }
        alice.fill("/games/brique/challenge", &fields).status
    };
    for name in ["nagtime", "forfeittime", "totaltime"] {
        let (least, most) = (limit(name, "min"), limit(name, "max"));
        assert_eq!((least, post(name, least), post(name, most), post(name, most + 1)), (0, 303, 303, 409), "{name}");
    }
}

#[test]
fn the_page_of_a_board_with_a_hundred_moves_and_its_files_have_at_most_60_kb() {
    let server = Server::with_players();
    done(&server, "brique challenge -size=19 alice bob");
    let lines = long_game("brique", "-size=19", 1, 100);
    assert_eq!(lines.len(), 100);
    lines.iter().for_each(|line| drop(done(&server, line)));
    let serving = Serving::start(&server, CONFIG);
    let compressed = |path: &str| -> usize {
        let ask = "Host: games.example\r\nAccept-Encoding: gzip\r\nConnection: close\r\n";
        let (status, head, body) = http(&serving.web(), &format!("GET {path} HTTP/1.1\r\n{ask}\r\n"));
        assert!(status == 200 && head.to_lowercase().contains("content-encoding: gzip"), "{path}: {head}");
        body.len()
    };
    let weights = ["/boards/1", "/style.css", "/script.js"].map(compressed);
    assert!(weights.iter().sum::<usize>() <= MAX_PAGE, "{weights:?}");
}
