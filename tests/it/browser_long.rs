//! The pages of the largest boards and the longest games are small and accessible.

use turnpost::rules::{Options, Seat, catalogue};

use crate::common::browser::{Browser, Look};
use crate::common::serving::{Serving, http};
use crate::common::{Server, done};

/// Plays a long game, in which each move avoids ending the game if possible. Returns the moves.
fn long_game(game: &str, options: &str) -> Vec<(Seat, String)> {
    let mut play = catalogue::find(game).unwrap().start(&Options::from_canonical(options)).unwrap();
    let mut moves = Vec::new();
    let mut random = 1_u64;
    'game: while moves.len() < 400 {
        let legal = play.legal_moves();
        for _ in 0..20 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let text = &legal[usize::try_from(random >> 33).unwrap() % legal.len()];
            let mut next = play.boxed_clone();
            next.play(text).unwrap();
            if next.to_move().is_some() {
                moves.push((play.to_move().unwrap(), text.clone()));
                play = next;
                continue 'game;
            }
        }
        break;
    }
    moves
}

/// Creates a server with a long game on each of these boards. Also returns the number of moves in each game.
fn server(boards: &[(&str, &str)]) -> (Server, Vec<usize>) {
    let mut server = Server::with_players();
    let mut lengths = Vec::new();
    for (number, (game, options)) in (1..).zip(boards) {
        done(&server, &format!("{game} challenge {options} alice bob"));
        let moves = long_game(game, options);
        let player = |seat: &Seat| ["alice wonderland", "bob builder"][seat.index()];
        for lines in moves.chunks(20) {
            let lines = lines.iter().map(|(seat, text)| format!("{game} move {number} {} {text}\n", player(seat)));
            let mail = server.compose("alice@example.org", "", &lines.collect::<String>());
            assert_eq!(server.raw_mail(mail.as_bytes()).status, 0);
        }
        let plies = server.json(&format!("show {number}"))["boards"][0]["plies"].as_u64().unwrap();
        assert_eq!(plies as usize, moves.len(), "{game}");
        lengths.push(moves.len());
    }
    (server, lengths)
}

#[test]
fn the_page_of_the_largest_board_is_small_when_compressed() {
    let (server, lengths) = server(&[("brique", "-size=19"), ("lazo", "-size=145"), ("marque", ""), ("tessella", "")]);
    assert!(lengths.iter().all(|length| *length > 40), "{lengths:?}");
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    for (number, length) in (1..).zip(lengths) {
        for ply in [0, length / 2, length] {
            let request = format!(
                "GET /boards/{number}/{ply} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
            );
            let (status, _, page) = http(&serving.web(), &request);
            assert_eq!(status, 200, "{}", serving.log());
            assert!(page.len() < 20_000, "board {number} after {ply} of {length}: {} octets", page.len());
            let (_, _, page) = http(&serving.web(), &request.replace("Accept-Encoding: gzip\r\n", ""));
            assert!(page.len() < 60_000, "board {number} after {ply} of {length}: {} octets", page.len());
            let page = String::from_utf8(page).unwrap();
            let list = page.split_once("<ol class=\"moves\"").unwrap().1.split_once("</ol>").unwrap().0;
            assert_eq!(list.matches("<li").count(), length.min(200));
            let beyond = [ply > 100 && length > 200, length > 200 && ply + 100 < length];
            let links = ["Earlier moves", "Later moves"].map(|words| page.contains(words));
            assert_eq!(links, beyond, "board {number} after {ply} of {length}");
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_page_of_the_longest_game_is_accessible() {
    let (server, _) = server(&[("brique", "-size=11"), ("lazo", "-size=57")]);
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    for (look, kind) in [(Look::default(), "light"), (Look { dark: true, ..Look::phone() }, "dark-phone")] {
        let browser = Browser::open(look);
        for number in [1, 2] {
            browser.goto(&format!("http://{}/boards/{number}", serving.web()));
            browser.screenshot(&format!("long-{number}-{kind}"));
            browser.accessible();
            assert!(!browser.scrolls_sideways());
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_pick_is_sent_without_scrolling() {
    let server = Server::with_players();
    for line in ["marque challenge alice bob", "tessella challenge alice bob", "brique challenge -size=19 alice bob"] {
        done(&server, line);
    }
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    for (width, height, dark) in [(320, 568, false), (320, 568, true), (768, 1024, false), (1280, 800, false)] {
        let browser = Browser::open(Look { width, height, dark, ..Look::default() });
        let url = format!("http://{}", serving.web());
        browser.goto(&format!("{url}/login?next=/boards/1"));
        browser.fill("[name=userid]", "alice");
        browser.fill("[name=password]", "wonderland");
        browser.click(".fields button.main");
        browser.wait_for("a[download][href$=json]");
        browser.script("scrollTo(0, 0)");
        // Accessibility is checked in dark colours on a phone, and in light colours on a desktop.
        let is_examined = dark || width == 1280;
        for (path, pick, whole) in [("1", "f1", true), ("2", "e1", false), ("3", "k10", true)] {
            browser.goto(&format!("{url}/boards/{path}?pick={pick}"));
            let bottom =
                "const box = document.querySelector('.bar .cancel').getBoundingClientRect(); return box.bottom";
            let bottom = browser.script(bottom).as_f64().unwrap();
            assert!(width > 900 || bottom <= f64::from(height), "{width}: {path}: {bottom} of {height}");
            let dark = if dark { "dark" } else { "light" };
            browser.window(&format!("bar-{path}-{width}-{dark}"));
            if is_examined {
                browser.accessible();
            }
            assert!(!browser.scrolls_sideways());
            if whole {
                assert_eq!(browser.text(".bar button"), format!("Send {pick}"));
            }
        }
        browser.click(".bar [aria-label=Cancel]");
        browser.wait_for("main:not(:has(.bar))");
        browser.silent();
    }
}
