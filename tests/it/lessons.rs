//! The help of every game: its diagrams replay by the rules, its lessons can be solved and failed, and both work in a
//! browser without scripts.

use std::fs;
use std::path::Path;

use crate::common::browser::{Browser, Look};
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done, joined};
use turnpost::compose::{Block, Composer, Lesson};
use turnpost::rules::Game;
use turnpost::rules::catalogue::GAMES;
use turnpost::rules::lesson::attempt;
use turnpost::service::help_topics;

fn composer() -> Composer {
    Composer::new(None, None).unwrap()
}

/// Returns the legal moves that solve a lesson, and the others.
fn solutions(game: &dyn Game, lesson: &Lesson) -> (Vec<String>, Vec<String>) {
    let (position, _) = lesson.setup.play(game).unwrap_or_else(|refusal| panic!("{}: {refusal}", lesson.title));
    let solves = |text: &String| attempt(&*position, &lesson.goal, text).unwrap().failure.is_none();
    position.legal_moves().into_iter().partition(solves)
}

#[test]
fn every_game_has_lessons_that_can_be_solved_and_failed() {
    for game in GAMES {
        let lessons = composer().lessons(*game).unwrap();
        assert_eq!(lessons.len(), 5, "templates/help/{}.toml", game.name());
        for lesson in lessons {
            let (right, wrong) = solutions(*game, &lesson);
            assert!(!right.is_empty() && right.len() <= 5, "{}: {}: {right:?}", game.name(), lesson.title);
            assert!(wrong.len() >= 3, "{}: {}: {wrong:?}", game.name(), lesson.title);
        }
    }
}

#[test]
fn every_game_has_diagrams_that_its_page_of_help_shows() {
    for game in GAMES {
        let page = composer().help_page(game.name(), None).unwrap();
        assert_eq!(page.title, game.title());
        let shown = page.blocks.iter().filter(|block| matches!(block, Block::Diagram { .. })).count();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("templates/help/{}.toml", game.name()));
        let drawn = fs::read_to_string(file).unwrap().matches("[[diagram]]").count();
        assert!((3..=4).contains(&drawn), "{}: {drawn} diagrams", game.name());
        assert_eq!(shown, drawn, "{}: each diagram is shown once", game.name());
    }
}

#[test]
fn every_help_page_of_a_game_fits_a_letter_and_mentions_agreed_draws_if_they_are_possible() {
    let server = Server::with_players();
    for game in GAMES {
        let page = done(&server, &format!("help {}", game.name()));
        let lines = page.lines().count();
        // The page about Marque may be longer, because it contains the large figure of the published rules.
        assert!(lines <= 60 || game.name() == "marque", "{}: {lines} lines", game.name());
        let has_figure = page.lines().any(|line| ["-+-", ". .", ".  ."].iter().any(|part| line.contains(part)));
        // Tessella's board needs no figure, and those of Lazo are too large.
        assert!(has_figure || ["tessella", "lazo"].contains(&game.name()), "{page}");
        assert_eq!(joined(&page).contains("agree on a draw"), game.has_draws(), "{page}");
    }
}

#[test]
fn headings_of_the_help_are_short() {
    for topic in help_topics() {
        let page = composer().help_page(topic, None).unwrap();
        for two in page.blocks.windows(2) {
            let (Block::Heading { text }, Block::Paragraph { .. }) = (&two[0], &two[1]) else { continue };
            assert!(text.len() <= 32, "{topic}: {text}");
        }
    }
}

#[test]
fn a_rejected_move_shows_the_reason() {
    let failure = |game: &str, number: usize, text: &str| {
        let game = turnpost::rules::catalogue::find(game).unwrap();
        let lesson = &composer().lessons(game).unwrap()[number - 1];
        let (position, _) = lesson.setup.play(game).unwrap();
        let attempt = attempt(&*position, &lesson.goal, text).unwrap();
        (composer().message(&attempt.failure.unwrap()).unwrap(), attempt.reply.map(|reply| reply.text))
    };
    assert_eq!(failure("marque", 1, "e5").0, "e5 captures nothing.");
    assert_eq!(failure("marque", 2, "f2").0, "After f2, you do not occupy A yet.");
    assert_eq!(failure("marque", 3, "c2").0, "c2 does not win yet.");
    let (why, reply) = failure("marque", 4, "u1");
    assert_eq!(why, "u1 is not enough: your opponent answers e4 and captures c2.");
    assert_eq!(reply.as_deref(), Some("e4"));
    assert_eq!(failure("brique", 1, "b3").0, "After b3, c3 is still not yours.");
    assert!(failure("brique", 5, "a1").0.ends_with(" and wins."));
    assert_eq!(failure("lazo", 1, "a2").0, "a2 lies on level 1; level 2 is required.");
}

fn serving() -> (Server, Serving) {
    let server = Server::with_players();
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    (server, serving)
}

#[test]
fn links_are_enough_to_solve_a_lesson() {
    let (server, serving) = serving();
    let held = || done(&server, "admin export --without-key").lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    let before = held();
    let mut visitor = Visitor::new(&serving.web());
    assert_eq!(visitor.get("/learn/marque").header("location"), Some("/learn/marque/1"));
    let lesson = visitor.get("/learn/marque/1");
    assert!(lesson.text().contains("Capture the black piece on c2"));
    assert!(lesson.text().contains("href=\"/learn/marque/1?pick=e4\""));
    // One click on a square is a complete move.
    let clicked = visitor.get("/learn/marque/1?pick=e4");
    assert_eq!((clicked.status, clicked.header("location")), (303, Some("/learn/marque/1?move=e4")));
    let solved = visitor.get("/learn/marque/1?move=E4");
    assert!(solved.text().contains("e4 is right."));
    assert!(solved.text().contains("href=\"/learn/marque/2\">Next lesson"));
    // After a click on one part of a three-part move, the page asks for the next part.
    let mut picking = |path: &str| visitor.get(path).text().to_owned();
    let [target, arrow] = ["class=\"partial\">Click its destination.", "class=\"shot\">Click the square of its arrow."];
    let (first, second) = (picking("/learn/amazons/1?pick=d7"), picking("/learn/amazons/1?pick=d7,d8"));
    assert!(first.contains(target) && !first.contains(arrow), "{first}");
    assert!(second.contains(arrow), "{second}");
    // After a click on one triangle, the player can add a second one.
    let picking = visitor.get("/learn/marque/5?pick=d3");
    assert!(picking.text().contains("href=\"?move=d3\">Play d3"), "{}", picking.text());
    assert!(picking.text().contains("href=\"/learn/marque/5?pick=d3,d4\""));
    assert!(visitor.get("/learn/marque/5?move=d3,d4").text().contains("d3,d4 is right."));
    let wrong = visitor.get("/learn/marque/5?move=d3");
    assert!(wrong.text().contains("d3 does not win yet.") && wrong.text().contains("Try again"));
    assert!(visitor.get("/learn/marque/1?move=z9").text().contains("class=\"verdict wrong\""));
    for nowhere in ["/learn/marque/0", "/learn/marque/6", "/learn/chess/1", "/learn/chess", "/learn/marque/x"] {
        assert_eq!(visitor.get(nowhere).status, 404, "{nowhere}");
    }
    assert_eq!(visitor.get("/learn/marque/5?move=d3,d4").header("set-cookie"), None);
    assert_eq!(held(), before, "a lesson changes no stored data");
}

#[test]
fn a_lesson_describes_its_board_in_words() {
    let (_server, serving) = serving();
    let mut visitor = Visitor::new(&serving.web());
    let mut described = |path: &str| {
        let page = visitor.get(path).text().to_owned();
        let words = page.split_once("<summary>The board in words</summary><pre tabindex=\"0\">");
        words.unwrap_or_else(|| panic!("no words in {page}")).1.split_once("</pre>").unwrap().0.to_owned()
    };
    let (base, captured) = ("Base A: White on d2; empty d1,", "Triangles outside the bases: Black on c2;");
    for path in ["/learn/marque/1", "/learn/marque/1?move=z9", "/learn/marque/5?pick=d3"] {
        assert!(described(path).contains("Base "), "{path}");
    }
    assert!(described("/learn/marque/1").contains(base) && described("/learn/marque/1").contains(captured));
    let solved = described("/learn/marque/1?move=e4");
    assert!(
        solved.contains("White on b2, b3 and e4;") && !solved.contains(captured),
        "the move has captured c2: {solved}"
    );
    assert!(described("/learn/twixt/3").contains("f4-g6"), "the words name the links");
}

#[test]
fn the_rules_are_one_text_for_mail_and_the_web() {
    let (server, serving) = serving();
    let mut visitor = Visitor::new(&serving.web());
    let page = visitor.get("/help/brique");
    assert!(page.text().contains("<h2>Swap</h2>") && page.text().contains("<figcaption>"), "{}", page.text());
    let help = server.shell("help brique").out;
    assert!(help.contains("Swap: on their first turn only"));
    assert!(!help.contains("[diagram"), "{help}");
    assert!(visitor.get("/help/overview").text().contains("help&#x2f;clocks\">clocks</a>"));
}

#[test]
fn the_ids_on_a_help_page_with_several_diagrams_are_unique() {
    let (_server, serving) = serving();
    let mut visitor = Visitor::new(&serving.web());
    for game in GAMES {
        let page = visitor.get(&format!("/help/{}", game.name()));
        let mut ids: Vec<&str> =
            page.text().split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        ids.sort_unstable();
        let twice = ids.windows(2).find(|two| two[0] == two[1]);
        assert_eq!(twice, None, "{}", game.name());
        for shape in page.text().split(" href=\"#").skip(1) {
            let id = shape.split('"').next().unwrap();
            assert!(ids.binary_search(&id).is_ok(), "{}: no element has the id {id}", game.name());
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn lessons_and_rules_are_accessible() {
    let (_server, serving) = serving();
    for (nth, (look, kind)) in Look::all().into_iter().enumerate() {
        let browser = Browser::open(look);
        let pages = [
            ("help-lazo", "/help/lazo"),
            ("help-tessella", "/help/tessella"),
            ("help-brique", "/help/brique"),
            ("help-marque", "/help/marque"),
            ("help-settings", "/help/settings"),
            ("help-commands", "/help/commands"),
            ("learn", "/learn"),
            ("lesson", "/learn/marque/5"),
            ("lesson-picking", "/learn/marque/5?pick=d3"),
            ("lesson-right", "/learn/marque/1?move=e4"),
            ("lesson-wrong", "/learn/marque/4?move=u1"),
            ("lesson-brique", "/learn/brique/4"),
            ("lesson-tessella", "/learn/tessella/2"),
            ("lesson-lazo", "/learn/lazo/4"),
        ];
        // To save time, each page is checked in only three of the six looks, among them a phone and dark mode.
        for (name, path) in pages.into_iter().skip(nth % 2).step_by(2) {
            browser.goto(&format!("http://{}{path}", serving.web()));
            browser.check_page(&format!("{name}-{kind}"));
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_lesson_is_solved_by_clicks() {
    let (_server, serving) = serving();
    let browser = Browser::open(Look::default());
    browser.goto(&format!("http://{}/learn/marque/5", serving.web()));
    browser.click("#d3");
    browser.click("#d4");
    browser.wait_for(".verdict.right");
    assert!(browser.text(".verdict.right").starts_with("d3,d4 is right."));
    browser.click(".verdict a.main");
    assert!(browser.address().ends_with("/games/marque"));
    browser.silent();
}
