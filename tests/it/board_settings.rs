//! The display settings of boards on pages, in a real browser: themes, levels, and animated pieces.

use serde_json::json;

use crate::common::browser::{Browser, Look};
use crate::common::serving::{Serving, wait_until};
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";
const ALICE: (&str, &str) = ("alice", "wonderland");

/// Creates a server with web pages, on which these commands were run.
fn serving(commands: &[&str]) -> (Server, Serving) {
    let server = Server::with_players();
    commands.iter().for_each(|command| drop(done(&server, command)));
    let serving = Serving::start(&server, CONFIG);
    (server, serving)
}

/// Returns the colour in which a browser draws an element.
fn fill(browser: &Browser, css: &str) -> String {
    let colour = browser.script(&format!("return getComputedStyle(document.querySelector({css:?})).fill"));
    colour.as_str().unwrap().to_owned()
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn a_theme_colours_every_board_of_its_player() {
    let moves = ["f3", "a1", "e3", "a2", "c3"].iter().zip(["alice wonderland", "bob builder"].iter().cycle());
    let moves: Vec<String> = moves.map(|(text, who)| format!("marque move 1 {who} {text}")).collect();
    let commands: Vec<&str> =
        std::iter::once("marque challenge -any_2 alice bob").chain(moves.iter().map(String::as_str)).collect();
    let (server, serving) = serving(&commands);
    let grounds = [("wood", "#cbb086", "#2b2119"), ("slate", "#8794a1", "#2c3239"), ("moss", "#8a9c78", "#20291c")];
    for dark in [false, true] {
        let look = Look { dark, ..Look::default() };
        let alice = Browser::logged_in(look, &serving, ALICE, "/settings");
        for (theme, in_the_light, in_the_dark) in grounds.into_iter().chain([("paper", "#6f6f6f", "#000000")]) {
            alice.goto(&format!("http://{}/settings", serving.web()));
            alice.click(&format!("[name=theme][value={theme}]"));
            alice.click("fieldset.themes + p button");
            wait_until(&format!("the theme {theme}"), || {
                alice.exists(&format!("html[data-theme={theme}]")).then_some(())
            });
            alice.accessible();
            alice.goto(&format!("http://{}/boards/1", serving.web()));
            let ground = if dark { in_the_dark } else { in_the_light };
            let channels = [1, 3, 5].map(|at| u8::from_str_radix(&ground[at..at + 2], 16).unwrap().to_string());
            assert_eq!(fill(&alice, "svg .ground"), format!("rgb({})", channels.join(", ")), "{theme}");
            alice.accessible();
            alice.screenshot(&format!("theme-{theme}{}", if dark { "-dark" } else { "" }));
            alice.goto(&format!("http://{}/me", serving.web()));
            assert!(alice.exists(&format!("img.thumb[src$='&theme={theme}']")), "{}", alice.source());
            // The browser does not load the thumbnail until it is scrolled into view.
            alice.script("document.querySelector('img.thumb').scrollIntoView()");
            let width = || alice.script("return document.querySelector('img.thumb').naturalWidth").as_u64();
            wait_until("the thumbnail to load", || (width() > Some(0)).then_some(()));
        }
        alice.goto(&format!("http://{}/settings", serving.web()));
        alice.screenshot(&format!("theme-settings{}", if dark { "-dark" } else { "" }));
        alice.silent();
    }
    let bob = Browser::logged_in(Look::default(), &serving, ("bob", "builder"), "/boards/1");
    assert_eq!(fill(&bob, "svg .ground"), "rgb(203, 176, 134)", "each player has a separate theme");
    // The command `set` changes the same setting.
    let told = done(&server, "set bob builder theme=Slate");
    assert!(told.contains("theme=slate"), "{told}");
    bob.goto(&format!("http://{}/boards/1", serving.web()));
    assert_eq!(fill(&bob, "svg .ground"), "rgb(135, 148, 161)");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn each_level_of_a_stack_is_shown_or_hidden() {
    let (server, serving) = serving(&[
        "lazo challenge alice bob",
        "lazo move 1 alice wonderland c3",
        "lazo move 1 bob builder d3",
        "lazo move 1 alice wonderland d4",
        "lazo move 1 bob builder c3",
    ]);
    let alice = Browser::logged_in(Look::default(), &serving, ALICE, "/boards/1");
    let opacity = |level: u32| {
        alice.script(&format!("return getComputedStyle(document.querySelector('.cells.level-{level}')).opacity"))
    };
    assert_eq!((alice.count(".levels input"), opacity(1), opacity(2)), (2, json!("1"), json!("1")));
    alice.click("#view-level-2");
    assert_eq!((opacity(1), opacity(2)), (json!("1"), json!("0.12")));
    alice.accessible();
    alice.screenshot("levels-hidden");
    // After a move, hidden levels stay hidden, and visible levels stay visible.
    done(&server, "lazo move 1 alice wonderland a1");
    alice.wait_for(".moves li:nth-child(5)");
    assert_eq!((opacity(1), opacity(2)), (json!("1"), json!("0.12")));
    alice.click("#view-level-1");
    alice.click("#view-level-2");
    assert_eq!((opacity(1), opacity(2)), (json!("0.12"), json!("1")));
    alice.goto(&format!("http://{}/boards/1/1", serving.web()));
    assert_eq!(alice.count(".levels input"), 0, "a position with one level has no level switch");
    alice.silent();
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn pieces_are_animated_unless_the_player_wants_no_motion() {
    let (server, serving) = serving(&["tessella challenge alice bob", "tessella challenge alice bob"]);
    for (number, still) in [(1, false), (2, true)] {
        let path = format!("/boards/{number}");
        let alice = Browser::logged_in(Look { still, ..Look::default() }, &serving, ALICE, &path);
        // Records the duration of each animation that starts from now on.
        alice.script(
            "const animate = Element.prototype.animate; document.animated = []; \
             Element.prototype.animate = function (frames, how) { \
                 document.animated.push(how.duration); return animate.call(this, frames, how); };",
        );
        let shown = server.json(&format!("tessella show {number}"));
        let example = shown["boards"][0]["example"].as_str().unwrap().to_owned();
        alice.fill("input[name=pick]", &example);
        alice.click("form[method=get] button");
        alice.wait_for(".send button.main");
        alice.click(".send button.main");
        alice.wait_for(".moves li");
        let animated = alice.script("return document.animated");
        assert_eq!(animated.as_array().unwrap().is_empty(), still, "{animated}");
        assert!(animated.as_array().unwrap().iter().all(|ms| ms.as_u64() < Some(300)), "{animated}");
        alice.silent();
    }
}
