//! Texts that players write on a page are not lost: if a form is refused, the page shows the text again, and if it
//! succeeds, the board's page does.

use crate::common::database::sql;
use crate::common::serving::Serving;
use crate::common::visitor::{Page, Visitor};
use crate::common::{Server, done};

struct Instance {
    server: Server,
    serving: Serving,
}

impl Instance {
    /// Creates a board between alice, who moves first, and bob.
    fn open() -> Instance {
        let server = Server::with_players();
        done(&server, "marque challenge --say=Welcome! alice bob");
        let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
        Instance { server, serving }
    }

    fn alice(&self) -> Visitor {
        Visitor::logged_in(&self.serving.web(), "alice", "wonderland")
    }

    fn shell(&self, line: &str) {
        done(&self.server, line);
    }
}

/// Returns the text that a field contains, in the form for this action.
fn holds(page: &Page, act: &str, field: &str) -> String {
    // Skips `<template>` elements, because browsers do not show them.
    let shown =
        page.text().split("<template").map(|part| part.split_once("</template>").map_or(part, |(_, rest)| rest));
    let shown: String = shown.collect();
    let form = shown.split(&format!("name=\"do\" value=\"{act}\">")).nth(1).unwrap_or_default();
    let form = form.split("</form>").next().unwrap();
    let field = form.split(&format!("name=\"{field}\"")).nth(1).unwrap_or_default();
    let text = field.split_once('>').map_or("", |(_, rest)| rest.split('<').next().unwrap());
    text.to_owned()
}

#[test]
fn the_greeting_of_a_challenge_stays_on_the_page() {
    let instance = Instance::open();
    let mut visitor = Visitor::new(&instance.serving.web());
    let says = |page: Page| page.text().contains("Welcome!");
    assert!(says(visitor.get("/boards/1")));
    instance.shell("marque chat 1 bob builder --say=Thanks");
    instance.shell("marque move 1 alice wonderland f3 --say=Go");
    for path in ["/boards/1", "/boards/1/1", "/boards/1/0", "/boards/1/1/k1"] {
        let page = visitor.get(path);
        assert!(page.text().contains("Thanks"), "{path}");
        assert!(says(page), "{path}");
    }
    assert!(!visitor.get("/boards/1/0").text().contains("Go</p>"), "an earlier position omits later comments");
}

#[test]
fn a_comment_stays_when_its_move_is_refused() {
    let instance = Instance::open();
    let mut alice = instance.alice();
    let mv = [("do", "move"), ("move", "k1"), ("ply", "1"), ("say", "A < B")];
    // Meanwhile, the same player has moved by mail, and it is bob's turn.
    instance.shell("marque move 1 alice wonderland f3");
    let refused = alice.fill("/boards/1", &mv);
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("It is bob&#x27;s turn."), "{}", refused.text());
    assert_eq!(holds(&refused, "chat", "say"), "A &lt; B");
    // It is alice's turn again, but the form was for an earlier position.
    instance.shell("marque move 1 bob builder a1");
    let refused = alice.fill("/boards/1", &mv);
    assert_eq!(refused.status, 409);
    assert!(refused.text().contains("sent for move 1 of the game, but the next one is move 3."), "{}", refused.text());
    assert_eq!((holds(&refused, "move", "say").as_str(), holds(&refused, "chat", "say").as_str()), ("A &lt; B", ""));
    // The game has ended.
    instance.shell("marque resign 1 alice wonderland");
    let refused = alice.fill("/boards/1", &mv);
    assert!(refused.status == 409 && refused.text().contains("has ended"), "{}", refused.text());
    assert_eq!(holds(&refused, "chat", "say"), "A &lt; B");
}

#[test]
fn a_refused_form_preserves_its_input() {
    let instance = Instance::open();
    instance.shell("marque move 1 alice wonderland f3");
    let mut alice = instance.alice();
    let refused = alice.fill("/boards/1", &[("do", "if"), ("plan", "k1 thn k4")]);
    assert_eq!((refused.status, holds(&refused, "if", "plan").as_str()), (409, "k1 thn k4"));
    let refused = alice.fill("/boards/1", &[("do", "queue"), ("move", "zz9")]);
    assert!(refused.status == 409 && refused.text().contains("value=\"zz9\" required"), "{}", refused.text());
    // The text of a private plan must not appear in the form for comments.
    instance.shell("marque move 1 bob builder a1");
    let refused = alice.fill("/boards/1", &[("do", "if"), ("plan", "k1 then k4")]);
    assert_eq!((refused.status, holds(&refused, "if", "plan").as_str()), (409, "k1 then k4"));
    assert_eq!(holds(&refused, "chat", "say"), "");
    instance.shell("marque resign 1 alice wonderland");
    let refused = alice.fill("/boards/1", &[("do", "if"), ("plan", "k1 then k4")]);
    assert!(refused.text().contains("was not saved: <span class=\"kept\">k1 then k4"), "{}", refused.text());
    assert_eq!(holds(&refused, "chat", "say"), "");
}

#[test]
fn a_form_of_an_ended_session_shows_its_text_again() {
    let instance = Instance::open();
    let mut alice = instance.alice();
    let csrf = alice.get("/boards/1").hidden("csrf").unwrap().to_owned();
    let mv = [("do", "move"), ("move", "k1"), ("ply", "1"), ("say", "A < B"), ("csrf", &*csrf)];
    let says = |page: &Page, words: &[&str]| {
        let text = page.text().replace("&#x2f;", "/");
        assert_eq!(page.status, 403, "{text}");
        words.iter().for_each(|words| assert!(text.contains(words), "no {words:?} in {text}"));
    };
    // Alice has logged in again in another tab.
    let mut again = instance.alice();
    let shown = ["this form belongs to an earlier session", ">k1<", ">A &lt; B<", "href=\"/boards/1\">Back<"];
    says(&again.send("/boards/1", &mv), &shown);
    // Her session has ended.
    alice.send("/logout", &[("csrf", &*csrf)]);
    let shown = ["Nothing was sent", "your session has ended", ">k1<", ">A &lt; B<", "\"/login?next=/boards/1\""];
    says(&alice.send("/boards/1", &mv), &shown);
    let report = [("do", "report"), ("say", "Rude"), ("csrf", &*csrf)];
    says(&alice.send("/players/bob", &report), &["your session has ended", ">Rude<", "/login?next=/players/bob"]);
    let challenge = [("opponent", "bob"), ("nagtime", "3"), ("say", "Play?"), ("csrf", &*csrf)];
    let shown = [">Play?<", "opponent: ", ">bob<", "nagtime: ", ">3<", "/login?next=/games/marque/challenge"];
    says(&alice.send("/games/marque/challenge", &challenge), &shown);
    let typed = "alice@example.org al@example.net";
    let addresses = [("do", "addresses"), ("addresses", typed), ("password", "wonderland"), ("csrf", &*csrf)];
    let page = alice.send("/settings", &addresses);
    says(&page, &["Copy what you wrote", &format!(">{typed}<"), "/login?next=/settings"]);
    assert!(!page.text().contains("wonderland"), "{}", page.text());
    let password = [("do", "password"), ("password", "wonderland"), ("new", "looking-glass"), ("csrf", &*csrf)];
    let page = alice.send("/settings", &password);
    says(&page, &["Nothing was sent", "/login?next=/settings"]);
    assert!(!page.text().contains("wonderland") && !page.text().contains("looking-glass"), "{}", page.text());
    assert!(!again.get("/boards/1").text().contains("A &lt; B"), "nothing was sent");
}

#[test]
fn a_refused_form_of_the_settings_shows_its_error_and_its_input() {
    let instance = Instance::open();
    let mut alice = instance.alice();
    let section = |page: &Page, id: &str| {
        let text = page.text().split(&format!("<h2 id=\"{id}\">")).nth(1).unwrap();
        text.split("<h2").next().unwrap().to_owned()
    };
    let (typed, valid) = ("alice@example.org new@@example.org", "alice@example.org new@example.org");
    for (id, fields, says, kept) in [
        ("vacation", vec![("do", "vacation"), ("until", "2001-01-01")], "must end later", "value=\"2001-01-01\""),
        (
            "addresses",
            vec![("do", "addresses"), ("addresses", typed), ("password", "wonderland")],
            "is not a mail",
            typed,
        ),
        (
            "addresses",
            vec![("do", "addresses"), ("addresses", valid), ("password", "guess")],
            "password is wrong",
            valid,
        ),
        ("password", vec![("do", "password"), ("password", "guess"), ("new", "stolen22")], "password is wrong", ""),
        ("leave", vec![("do", "signoff"), ("password", "guess")], "The current password is wrong.", ""),
    ] {
        let page = alice.fill("/settings", &fields);
        let shown = section(&page, id);
        assert!(page.status == 409 && shown.contains("role=\"alert\"") && shown.contains(says), "{id}: {shown}");
        assert!(shown.contains(kept) && shown.contains(&format!("action=\"/settings#{id}\"")), "{id}: {shown}");
        assert_eq!(page.text().matches("role=\"alert\"").count(), 1, "{id}: {}", page.text());
        assert!(!page.text().contains("guess") && !page.text().contains("stolen22"), "{id}: {}", page.text());
    }
    // The choices remain, too.
    let refused = alice.fill("/settings", &[("do", "set"), ("rhythm", "daily@8"), ("zone", "Europe/Berln")]);
    assert!(refused.text().contains("<option value=\"daily@8\" selected>"), "{}", refused.text());
    assert!(!alice.get("/settings").text().contains("<option value=\"daily@8\" selected>"), "nothing was changed");
    let changed = alice.fill("/settings", &[("do", "vacation"), ("until", "")]);
    assert!(section(&changed, "vacation").contains("role=\"status\""), "{}", changed.text());
}

#[test]
fn a_refused_challenge_preserves_the_chosen_terms() {
    let instance = Instance::open();
    let mut alice = instance.alice();
    let form = "/games/marque/challenge";
    let chosen = [
        ("first", "no"),
        ("option", "opposite"),
        ("nagtime", "3"),
        ("forfeittime", "9"),
        ("totaltime", "80"),
        ("unrated", "1"),
        ("private", "1"),
        ("say", "For us < alone"),
    ];
    let refused = alice.fill(form, &[&chosen[..], &[("opponent", "bbo")]].concat());
    assert_eq!(refused.status, 409);
    for shows in [
        "name=\"opponent\" value=\"bbo\"",
        "<option value=\"no\" selected>",
        "<option value=\"opposite\" selected>",
        "name=\"nagtime\" value=\"3\"",
        "name=\"forfeittime\" value=\"9\"",
        "name=\"totaltime\" value=\"80\"",
        "name=\"unrated\" value=\"1\" checked",
        "name=\"private\" value=\"1\" checked",
        ">For us &lt; alone</textarea>",
    ] {
        assert!(refused.text().contains(shows), "{shows}: {}", refused.text());
    }
    let fresh = alice.get(form);
    assert!(!fresh.text().contains(" checked") && !fresh.text().contains(" selected"), "{}", fresh.text());
    let refused = alice.fill(form, &[("to", "player"), ("opponent", "")]);
    assert!(refused.status == 409 && refused.text().contains("Type the userid of your opponent"), "{}", refused.text());
    let refused = alice.fill("/games/brique/challenge", &[("opponent", "bbo"), ("size", "7")]);
    assert!(refused.text().contains("<option value=\"7\" selected>"), "{}", refused.text());
}

#[test]
fn errors_name_the_fields_of_the_form() {
    let instance = Instance::open();
    let mut alice = instance.alice();
    let refused = alice.fill("/boards/1", &[("do", "chat"), ("say", " ")]);
    let says = "The text of the chat is missing. Write it in the form.";
    assert!(refused.status == 409 && refused.text().contains(says), "{}", refused.text());
    let refused = instance.server.shell("marque chat 1 alice wonderland");
    assert!(refused.status == 1 && refused.err.contains("Add it to the command"), "{refused:?}");
    for (fields, says) in [
        (vec![("nagtime", "400")], "Until a reminder&quot; must be a whole number of days from 0 to"),
        (vec![("nagtime", "30")], "The reminder (after 30 days) must come before the forfeit"),
        (vec![("totaltime", "x")], "For all moves&quot; must be a whole number of days from 0 to"),
        (vec![("fischer", "10")], "The bank must be three whole numbers of days"),
        (vec![("fischer", "10/1/20"), ("totaltime", "9")], "a limit for all moves cannot be combined"),
    ] {
        let all = [&fields[..], &[("to", "player"), ("opponent", "bob")]].concat();
        let refused = alice.fill("/games/marque/challenge", &all);
        assert!(refused.status == 409 && refused.text().contains(says), "{fields:?}: {}", refused.text());
        assert!(!refused.text().contains("--"), "{fields:?}: {}", refused.text());
    }
}

#[test]
fn a_form_that_is_sent_twice_acts_once() {
    let instance = Instance::open();
    let mut alice = instance.alice();
    let form = "/games/marque/challenge";
    for fields in [
        vec![("opponent", "bob"), ("first", "no"), ("say", "Well?")],
        vec![("to", "robot"), ("robot", "1")],
        vec![("opponent", ""), ("say", "Who plays?")],
    ] {
        let first = alice.fill(form, &fields);
        let second = alice.fill(form, &fields);
        let of = |page: &Page| page.header("location").map(str::to_owned);
        assert!(of(&first).is_some() && of(&first) == of(&second), "{fields:?}: {} {}", first.text(), second.text());
    }
    for text in ["Hello", "Hello", "Hello!", "Hello"] {
        assert_eq!(alice.fill("/boards/1", &[("do", "chat"), ("say", text)]).status, 303);
    }
    let said = sql(&instance.server, "SELECT text FROM comments WHERE board = 1 ORDER BY id");
    assert_eq!(said, "Welcome!\nHello\nHello!\nHello");
    // A challenge with other terms or another comment is not a duplicate.
    for (number, fields) in [(5, ("nagtime", "3")), (6, ("say", "Really?"))] {
        let other = alice.fill(form, &[("opponent", "bob"), ("first", "no"), fields]);
        assert_eq!(other.header("location"), Some(format!("/boards/{number}").as_str()), "{}", other.text());
    }
}
