//! Picking moves in a real browser: on a slow connection, by two quick clicks, by dragging a piece, and by keyboard.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use fantoccini::key::Key;

use crate::common::browser::{Browser, Look};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// A proxy in front of the server that can hold back the server's answers.
struct Line {
    address: String,
    gate: Arc<(Mutex<bool>, Condvar)>,
}

impl Line {
    fn to(backend: &str) -> Line {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let line = Line { address, gate: Arc::default() };
        let (backend, gate) = (backend.to_owned(), Arc::clone(&line.gate));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&backend).unwrap());
                let gate = Arc::clone(&gate);
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                pass(from, to, || ());
                pass(server, client, move || {
                    let held = gate.0.lock().unwrap();
                    drop(gate.1.wait_while(held, |held| *held).unwrap());
                });
            }
        });
        line
    }

    fn hold(&self) {
        *self.gate.0.lock().unwrap() = true;
    }

    fn release(&self) {
        *self.gate.0.lock().unwrap() = false;
        self.gate.1.notify_all();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.release();
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, before: impl Fn() + Send + 'static) {
    thread::spawn(move || {
        let mut octets = [0; 8192];
        while let Ok(length @ 1..) = from.read(&mut octets) {
            before();
            if to.write_all(&octets[..length]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}

/// A server with boards of alice and bob, and a proxy in front of it.
struct Instance {
    server: Server,
    _serving: Serving,
    line: Line,
}

impl Instance {
    fn open(commands: &[&str]) -> Instance {
        let server = Server::with_players();
        commands.iter().for_each(|command| drop(done(&server, command)));
        let serving = Serving::start(&server, CONFIG);
        let line = Line::to(&serving.web());
        Instance { server, _serving: serving, line }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.line.address)
    }

    fn alice(&self, look: Look) -> Browser {
        let browser = Browser::open(look);
        browser.goto(&self.url("/login?next=/me"));
        browser.fill("[name=userid]", "alice");
        browser.fill("[name=password]", "wonderland");
        browser.click(".fields button.main");
        browser.wait_for(".me button");
        browser
    }

    /// Returns the moves in the record of a board.
    fn moves(&self, board: u32) -> Vec<String> {
        let shown = self.server.json(&format!("show {board}"));
        let moves = shown["boards"][0]["moves"].as_array().unwrap();
        moves.iter().map(|entry| entry["text"].as_str().unwrap().to_owned()).collect()
    }
}

/// Returns the names of the cells with a class, in board order.
fn cells(browser: &Browser, class: &str) -> Vec<String> {
    let ids = format!("return [...document.querySelectorAll('.cells .{class}')].map(({{ id }}) => id.split('.')[0])");
    let ids = browser.script(&ids);
    ids.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()).collect()
}

/// Returns the visible text of the form for the pick, and whether its button is enabled.
fn bar(browser: &Browser) -> (String, bool) {
    let enabled = browser.script("return !document.querySelector('.bar button.main').disabled") == true;
    (browser.text(".bar .picked-move"), enabled)
}

/// Drags a piece from one cell to another, with the mouse or, on a phone, with a finger.
fn drag(browser: &Browser, from: &str, to: &str) {
    browser.drag(&format!("#{from} title + *"), &format!("#{to} title + *"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn two_quick_clicks_before_the_answer_are_one_move() {
    let games =
        ["marque challenge -any_2 alice bob", "brique challenge -size=11 alice bob", "tessella challenge alice bob"];
    let opening =
        ["lazo challenge -size=57 alice bob", "marque move 1 alice wonderland f3", "marque move 1 bob builder a1"];
    let instance = Instance::open(&[games, opening].concat());
    let browser = instance.alice(Look::default());
    for (number, first, second, text) in
        [(1, "d1", "d2", "d1,d2"), (2, "d4", "e6", "e6"), (3, "e1", "e2", "e1-e2"), (4, "c3\\.1", "c5\\.1", "c5")]
    {
        browser.goto(&instance.url(&format!("/boards/{number}")));
        browser.wait_for("a[download][href$=json]");
        instance.line.hold();
        browser.click(&format!("#{first}"));
        assert_eq!(cells(&browser, "picked"), [first.split('\\').next().unwrap()], "board {number}");
        assert_eq!(bar(&browser).1, number != 3, "a piece without a destination is not a move");
        browser.click(&format!("#{second}"));
        let picked: Vec<&str> = text.split([',', '-']).collect();
        let mut marked = cells(&browser, "picked");
        marked.sort_unstable();
        assert_eq!(marked, picked, "board {number}");
        assert_eq!(browser.text(".bar button.main"), format!("Send {text}"));
        browser.window(&format!("picks-{number}-before-the-answer"));
        instance.line.release();
        // The page that the server returns shows the same pick.
        browser.wait_for(&format!("template[data-pick='{text}']"));
        assert_eq!(browser.text(".bar button.main"), format!("Send {text}"));
        browser.click(".bar button.main");
        browser.wait_for(".board:not(:has(.bar)) .moves li");
        assert_eq!(instance.moves(number).last().unwrap(), text);
    }
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_pick_is_sent_before_its_page_has_loaded() {
    let instance = Instance::open(&[
        "marque challenge -any_2 alice bob",
        "marque move 1 alice wonderland f3",
        "marque move 1 bob builder a1",
    ]);
    let browser = instance.alice(Look::default());
    browser.goto(&instance.url("/boards/1"));
    browser.wait_for("a[download][href$=json]");
    instance.line.hold();
    browser.click("#d1");
    browser.click(".bar .comment summary");
    browser.fill(".bar [name=say]", "Two of them");
    browser.click("#d2");
    browser.click(".bar button.main");
    instance.line.release();
    browser.wait_for(".moves li:nth-child(3)");
    browser.wait_for(".said p");
    assert_eq!(instance.moves(1), ["f3", "a1", "d1,d2"]);
    assert!(browser.text(".said").contains("Two of them"));
    assert!(!browser.exists(".bar") && browser.address().ends_with("/boards/1"));
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_chat_line_does_not_undo_a_pick() {
    let instance = Instance::open(&["tessella challenge alice bob"]);
    let browser = instance.alice(Look::default());
    browser.goto(&instance.url("/boards/1"));
    browser.wait_for("a[download][href$=json]");
    instance.line.hold();
    browser.click("#e1");
    done(&instance.server, "tessella chat 1 bob builder --say=Hello");
    instance.line.release();
    browser.wait_for(".said p, .changed");
    browser.wait_for("template[data-pick=e1]");
    assert_eq!(cells(&browser, "picked"), ["e1"]);
    browser.click("#e2");
    browser.wait_for("template[data-pick=e1-e2]");
    assert!(bar(&browser).1);
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_piece_is_dragged_to_its_target() {
    let instance = Instance::open(&["tessella challenge alice bob", "tessella challenge alice bob"]);
    for (number, look) in [(1, Look::default()), (2, Look { width: 390, height: 844, ..Look::default() })] {
        let browser = instance.alice(look);
        browser.goto(&instance.url(&format!("/boards/{number}")));
        browser.wait_for("a[download][href$=json]");
        // A piece dropped on a cell to which it cannot move returns to its own cell, and remains picked.
        drag(&browser, "e1", "e9");
        browser.wait_for("template[data-pick=e1]");
        assert_eq!(cells(&browser, "picked"), ["e1"]);
        assert!(!browser.exists(".dragged"));
        instance.line.hold();
        drag(&browser, "e1", "e2");
        assert_eq!(browser.text(".bar button.main"), "Send e1-e2");
        assert!(browser.exists(".dragged"), "the dragged piece stays on its destination");
        browser.window(&format!("picks-dragged-{}", look.width));
        instance.line.release();
        browser.wait_for("template[data-pick=e1-e2]");
        assert!(!browser.exists(".dragged"));
        browser.click(".bar button.main");
        browser.wait_for(".board:not(:has(.bar)) .moves li");
        assert_eq!(instance.moves(number), ["e1-e2"]);
        browser.silent();
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn enter_sends_a_complete_pick_and_escape_clears_one() {
    let instance = Instance::open(&["tessella challenge alice bob"]);
    let browser = instance.alice(Look::default());
    browser.goto(&instance.url("/boards/1"));
    browser.wait_for("a[download][href$=json]");
    assert!(browser.text(".first").contains("Click one of your pieces"));
    browser.click("#e1");
    browser.wait_for("template[data-pick=e1]");
    browser.press(Key::Enter);
    assert_eq!(
        bar(&browser),
        ("e1 … Click its destination.".to_owned(), false),
        "a piece without a destination is not a move"
    );
    browser.press(Key::Escape);
    assert!(cells(&browser, "picked").is_empty() && cells(&browser, "target").is_empty());
    browser.wait_for("main:not(:has(.bar)) template[data-pick='']");
    assert!(browser.address().ends_with("/boards/1"));
    browser.click("#e1");
    browser.wait_for("template[data-pick=e1]");
    browser.click("#e2");
    browser.wait_for("template[data-pick=e1-e2]");
    browser.press(Key::Enter);
    browser.wait_for(".board:not(:has(.bar)) .moves li");
    assert_eq!(instance.moves(1), ["e1-e2"]);
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn enter_shows_a_typed_move_and_then_sends_it() {
    let instance = Instance::open(&["tessella challenge alice bob"]);
    let browser = instance.alice(Look::default());
    browser.goto(&instance.url("/boards/1"));
    for text in ["e1", "e1-e2"] {
        browser.fill("input[name=pick]", text);
        browser.press(Key::Enter);
        browser.wait_for(&format!("template[data-pick='{text}']"));
    }
    assert!(instance.moves(1).is_empty(), "the move is only shown");
    browser.press(Key::Enter);
    browser.wait_for(".board:not(:has(.bar)) .moves li");
    assert_eq!(instance.moves(1), ["e1-e2"]);
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn cells_and_pieces_that_can_move_are_marked_on_the_players_turn() {
    let games =
        ["marque challenge -any_2 alice bob", "tessella challenge alice bob", "lazo challenge -size=57 alice bob"];
    let stones = ["lazo move 3 alice wonderland c3", "lazo move 3 bob builder c4", "lazo move 3 alice wonderland d4"];
    let instance = Instance::open(&[&games[..], &stones, &["lazo move 3 bob builder d5"]].concat());
    // Returns the colour of a cell's mark (`ring` or `dot`), or an empty string if the cell does not have this mark.
    let mark = |browser: &Browser, id: &str, what: &str| {
        let style = format!(
            "const cell = document.getElementById('{id}'); const style = getComputedStyle(cell);
             return style.getPropertyValue('--{what}').trim()"
        );
        browser.script(&style).as_str().unwrap().to_owned()
    };
    for (look, kind) in [
        (Look::default(), "light"),
        (Look { dark: true, ..Look::default() }, "dark"),
        (Look { width: 375, height: 740, ..Look::default() }, "phone"),
    ] {
        let browser = instance.alice(look);
        for (number, words) in [(1, "Click a cell"), (2, "Click one of your pieces"), (3, "")] {
            browser.goto(&instance.url(&format!("/boards/{number}")));
            if words.is_empty() {
                assert!(!browser.exists(".first"), "the page shows no hint after alice's first move");
            } else {
                assert!(browser.text(".first").starts_with(words));
            }
            browser.check_page(&format!("picks-{number}-{kind}"));
        }
        let colour = if look.dark { "#74bdf5" } else { "#1f6fb0" };
        browser.goto(&instance.url("/boards/2"));
        assert_eq!(mark(&browser, "e1", "ring"), colour);
        assert_eq!(mark(&browser, "e9", "ring"), "", "the opponent's piece has no ring");
        browser.goto(&instance.url("/boards/3"));
        assert!(
            browser.exists("[id='c4.2'] .ring") && mark(&browser, "c4.2", "ring") == colour,
            "a hollow of Lazo has a ring"
        );
        browser.goto(&instance.url("/boards/2"));
        if kind == "phone" {
            // On a phone, the first tap only enlarges the board.
            browser.click("#e1");
        }
        browser.click("#e1");
        assert_eq!(mark(&browser, "e2", "dot"), colour, "e2 is marked as a destination");
        browser.wait_for("template[data-pick=e1]");
        assert_eq!(mark(&browser, "e2", "dot"), colour, "the server's page marks the same destination");
        browser.check_page(&format!("picks-target-{kind}"));
    }
    done(&instance.server, "tessella move 2 alice wonderland e1-e2");
    let browser = instance.alice(Look::default());
    browser.goto(&instance.url("/boards/2"));
    assert_eq!(mark(&browser, "d2", "ring"), "", "it is bob's turn");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_lesson_marks_a_pick_without_asking_the_server() {
    let instance = Instance::open(&[]);
    let browser = Browser::open(Look::default());
    browser.goto(&instance.url("/learn/marque/5"));
    instance.line.hold();
    browser.click("#d3");
    assert_eq!(cells(&browser, "picked"), ["d3"]);
    assert!(cells(&browser, "target").contains(&"d4".to_owned()));
    assert!(browser.text(".try").contains("Click another cell, or play only this one."));
    browser.press(Key::Escape);
    assert!(cells(&browser, "picked").is_empty() && !browser.exists(".try"));
    assert!(browser.text("[role=status]").contains("Click a cell of the board"));
    browser.click("#d3");
    instance.line.release();
    browser.click("#d4");
    browser.wait_for(".verdict.right");
    assert!(browser.text(".verdict.right").starts_with("d3,d4 is right."));
    // A piece can be dragged in a lesson, too.
    browser.goto(&instance.url("/learn/tessella/1"));
    let (from, to) = solution(&browser);
    drag(&browser, &from, &to);
    wait_until("the verdict on the move", || browser.exists(".verdict:not(.try)").then_some(()));
    browser.silent();
}

/// Returns the start and end cells of the first move in the page's list of accepted moves.
fn solution(browser: &Browser) -> (String, String) {
    let written = browser.script("return document.querySelector('template.picking').dataset.moves.split(' ')[0]");
    let (from, to) = written.as_str().unwrap().split_once(['-', 'x']).unwrap();
    (from.to_owned(), to.to_owned())
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_piece_its_target_and_its_arrow_are_clicked_in_turn() {
    let instance = Instance::open(&["breakthrough challenge alice bob", "amazons challenge alice bob"]);
    let browser = instance.alice(Look::default());
    for (number, clicks, text) in [(1, &["d2", "d3"][..], "d2-d3"), (2, &["d1", "d7", "d1"], "d1-d7/d1")] {
        browser.goto(&instance.url(&format!("/boards/{number}")));
        browser.wait_for("a[download][href$=json]");
        instance.line.hold();
        for (index, cell) in clicks.iter().enumerate() {
            assert_eq!(index > 0, cells(&browser, "target").contains(&(*cell).to_owned()), "board {number}: {cell}");
            browser.click(&format!("#{cell}"));
        }
        assert_eq!(browser.text(".bar button.main"), format!("Send {text}"));
        instance.line.release();
        browser.wait_for(&format!("template[data-pick='{text}']"));
        browser.window(&format!("picks-of-{}-cells", clicks.len()));
        browser.click(".bar button.main");
        browser.wait_for(".board:not(:has(.bar)) .moves li");
        assert_eq!(instance.moves(number), [text]);
    }
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn stones_of_a_turn_are_clicked_in_any_order_and_taken_back() {
    let instance = Instance::open(&[
        "catchup challenge -size=4 alice bob",
        "catchup move 1 alice wonderland d4",
        "catchup move 1 bob builder a1,a2",
    ]);
    let browser = instance.alice(Look::default());
    browser.goto(&instance.url("/boards/1"));
    browser.wait_for("a[download][href$=json]");
    instance.line.hold();
    for (cell, sends) in
        [("d5", "Send d5"), ("c3", "Send c3,d5"), ("d5", "Send c3"), ("b2", "Send b2,c3"), ("g4", "Send b2,c3,g4")]
    {
        browser.click(&format!("#{cell}"));
        assert_eq!(browser.text(".bar button.main"), sends);
    }
    assert!(cells(&browser, "target").is_empty(), "a turn has at most three stones");
    instance.line.release();
    browser.wait_for("template[data-pick='b2,c3,g4']");
    browser.window("picks-of-a-turn");
    browser.click(".bar button.main");
    browser.wait_for(".board:not(:has(.bar)) .moves li:nth-child(3)");
    assert_eq!(instance.moves(1), ["d4", "a1,a2", "b2,c3,g4"]);
    browser.silent();
}
