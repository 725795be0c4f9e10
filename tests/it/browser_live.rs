//! A board's page in a real browser while the board changes, and while the server is unreachable.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use fantoccini::key::Key;

use crate::common::browser::{Browser, Look};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// A proxy in front of the server. While `broken` is set, it answers every request with status 502.
struct Proxy {
    address: String,
    broken: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    fn before(backend: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy =
            Proxy { address: listener.local_addr().unwrap().to_string(), broken: Arc::default(), open: Arc::default() };
        let (backend, broken, open) = (backend.to_owned(), Arc::clone(&proxy.broken), Arc::clone(&proxy.open));
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                if broken.load(Ordering::SeqCst) {
                    refuse(client);
                    continue;
                }
                let server = TcpStream::connect(&backend).unwrap();
                open.lock().unwrap().extend([client.try_clone().unwrap(), server.try_clone().unwrap()]);
                pass(client.try_clone().unwrap(), server.try_clone().unwrap());
                pass(server, client);
            }
        });
        proxy
    }

    fn breaks(&self) {
        self.broken.store(true, Ordering::SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn works(&self) {
        self.broken.store(false, Ordering::SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}

fn refuse(mut client: TcpStream) {
    let mut request = Vec::new();
    let mut octet = [0];
    while !request.ends_with(b"\r\n\r\n") && client.read(&mut octet).is_ok_and(|length| length == 1) {
        request.push(octet[0]);
    }
    let _ = write!(client, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

fn logged_in(address: &str, userid: &str, password: &str) -> Browser {
    let browser = Browser::open(Look::default());
    browser.goto(&format!("http://{address}/login?next=/boards/1"));
    browser.fill("[name=userid]", userid);
    browser.fill("[name=password]", password);
    browser.click(".fields button.main");
    browser.wait_for("a[download][href$=json]");
    browser
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn updates_continue_after_a_proxy_has_failed() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    let serving = Serving::start(&server, CONFIG);
    let proxy = Proxy::before(&serving.web());
    let browser = Browser::open(Look::default());
    browser.goto(&format!("http://{}/boards/1", proxy.address));
    browser.wait_for("a[download][href$=json]");
    proxy.breaks();
    browser.wait_for(".interrupted");
    assert!(browser.text(".interrupted").contains("Updates are interrupted"));
    browser.screenshot("live-interrupted");
    done(&server, "marque move 1 alice wonderland f3");
    proxy.works();
    browser.wait_for(".moves li");
    browser.wait_for("main:not(:has(.interrupted))");
    done(&server, "marque move 1 bob builder k1");
    browser.wait_for(".moves li:nth-child(2)");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn no_text_is_lost_when_the_board_changes_or_ends() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    for line in ["alice wonderland f3", "bob builder k1"] {
        done(&server, &format!("marque move 1 {line}"));
    }
    let serving = Serving::start(&server, CONFIG);
    let browser = logged_in(&serving.web(), "bob", "builder");
    let value = |css: &str| {
        let value = browser.script(&format!("return document.querySelector({css:?}).value"));
        value.as_str().unwrap().to_owned()
    };
    let (chat, queue) = ("form:has(input[value=chat]) textarea", "form:has(input[value=queue]) [name=move]");
    let note = "form:has(input[value=note]) textarea";
    browser.click("label[for=tab-note]");
    browser.fill(note, "Beware of k1");
    browser.click("label[for=tab-plans]");
    browser.fill(queue, "k");
    browser.click("label[for=tab-chat]");
    browser.fill(chat, "Good ");
    // A chat message arrives while bob types. The field keeps the focus and the typed text, and bob continues to type.
    done(&server, "marque chat 1 alice wonderland --say=Hello");
    browser.wait_for(".said p");
    browser.keys("game");
    assert_eq!([value(chat), value(queue), value(note)], ["Good game", "k", "Beware of k1"]);
    // After the end of the game, the unsent chat message and note remain. The page has no form for prepared moves.
    done(&server, "marque resign 1 alice wonderland");
    browser.wait_for("form:has(input[value=rematch])");
    assert_eq!([value(chat), value(note)], ["Good game", "Beware of k1"]);
    assert!(browser.text(".side").contains("no longer a field for your unsent text: k"));
    browser.screenshot("live-ended");
    browser.accessible();
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_comment_of_an_unsent_move_is_not_sent_as_chat() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    for line in ["alice wonderland f3", "bob builder k1"] {
        done(&server, &format!("marque move 1 {line}"));
    }
    let serving = Serving::start(&server, CONFIG);
    let browser = logged_in(&serving.web(), "alice", "wonderland");
    browser.click("#k4");
    browser.wait_for("template[data-pick=k4]");
    browser.click(".bar .comment summary");
    browser.fill(".bar [name=say]", "Have fun");
    // The player picks another cell, cancels, and picks again.
    browser.click("#a1");
    browser.wait_for("template[data-pick=a1]");
    browser.click(".send a[href='/boards/1']");
    browser.wait_for(".side:not(:has(input[name=move][type=hidden]))");
    browser.click("#b1");
    browser.wait_for("template[data-pick=b1]");
    let said = "return document.querySelector('.bar [name=say]').value";
    assert_eq!(browser.script(said), "Have fun");
    // After the end of the game, the page still shows the unsent comment on the move.
    done(&server, "marque resign 1 alice wonderland");
    browser.wait_for(".changed a");
    browser.click(".changed a");
    browser.wait_for("form:has(input[value=rematch])");
    assert!(browser.text(".side").contains("Have fun"));
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_rematch_appears_on_the_opponents_open_page() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    done(&server, "marque resign 1 alice wonderland");
    let serving = Serving::start(&server, CONFIG);
    let browser = logged_in(&serving.web(), "bob", "builder");
    browser.wait_for("form:has(input[value=rematch])");
    done(&server, "marque rematch 1 alice wonderland");
    browser.wait_for("a[href='/boards/2']");
    assert!(!browser.exists("form:has(input[value=rematch])"), "a second rematch is not offered");
    browser.screenshot("live-rematch");
    browser.accessible();
    browser.click("a.main[href='/boards/2']");
    browser.wait_for("a[href='/boards/1']");
    assert!(browser.text(".side").contains("Rematch of board 1"));
    browser.screenshot("live-rematch-of");
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn the_focus_stays_when_the_page_changes() {
    let server = Server::with_players();
    for line in ["challenge alice bob", "move 1 alice wonderland f3", "move 1 bob builder k1"] {
        done(&server, &format!("marque {line}"));
    }
    let serving = Serving::start(&server, CONFIG);
    let browser = logged_in(&serving.web(), "alice", "wonderland");
    let focus = |css: &str| browser.script(&format!("document.querySelector({css:?}).focus()"));
    let has_focus = |css: &str| {
        browser.script(&format!("return document.activeElement === document.querySelector({css:?})")) == true
    };
    let activate = |css: &str| {
        focus(css);
        browser.press(Key::Enter);
    };
    // The opponent writes messages.
    browser.click(".words summary");
    browser.click("label[for=tab-note]");
    let elements = ["form:has([value=propose]) button", ".words summary", ".words pre", ".skip", ".note textarea"];
    for (count, css) in (1..).zip(elements) {
        focus(css);
        done(&server, &format!("marque chat 1 bob builder --say=Hello{count}"));
        browser.wait_for(&format!(".said p:nth-child({count})"));
        assert!(has_focus(css), "{css}");
    }
    // The player presses Enter on links.
    activate(".skip");
    assert!(has_focus("#side"));
    activate("[rel=prev]");
    browser.wait_for(".moves li:nth-child(1) [aria-current]");
    assert!(has_focus("[rel=prev]"));
    browser.press(Key::Enter);
    browser.wait_for("nav.steps span:nth-child(2)");
    assert!(has_focus("nav.steps span:nth-child(2)"), "at the start of the game, Back is not a link");
    activate(".moves li:nth-child(2) a");
    browser.wait_for(".moves li:nth-child(2) [aria-current]");
    assert!(has_focus(".moves li:nth-child(2) a"));
    browser.goto(&format!("http://{}/boards/1?pick=k4", serving.web()));
    activate(".bar .cancel");
    browser.wait_for("main:not(:has(.bar)) template[data-pick='']");
    assert!(has_focus(".state"), "the form of the pick no longer exists");
    browser.accessible();
    browser.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_change_is_announced_without_the_old_move() {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    done(&server, "marque move 1 alice wonderland f3");
    let serving = Serving::start(&server, CONFIG);
    let browser = logged_in(&serving.web(), "alice", "wonderland");
    let hears = |words: &str| {
        let said = || browser.script("return document.getElementById('said').textContent");
        wait_until(words, || (said() == words).then_some(()));
    };
    done(&server, "marque move 1 bob builder k1 --say=Hello");
    hears("bob played k1. It is your turn. bob: Hello");
    done(&server, "marque chat 1 bob builder --say=Well?");
    hears("bob: Well?");
    done(&server, "marque propose 1 bob builder");
    hears("bob proposes a draw.");
    browser.click("form:has([value=reject]) button");
    hears("The proposal is no longer open.");
    browser.click("form:has([value=propose]) button");
    hears("You have proposed a draw.");
    done(&server, "marque reject 1 bob builder");
    hears("The proposal is no longer open.");
    browser.fill("form:has([value=chat]) textarea", "Very well");
    browser.click("form:has([value=chat]) button");
    hears("Message sent.");
    browser.silent();
}
