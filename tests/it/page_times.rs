//! Times on pages are in the browser's zone, or in the zone that the player has set.

use serde_json::json;

use crate::common::browser::{Browser, Look};
use crate::common::serving::Serving;
use crate::common::visitor::Visitor;
use crate::common::{Server, done};

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\n";

/// Opens a browser in this time zone.
fn browser_in(zone: &str, look: Look) -> Browser {
    let browser = Browser::open(look);
    browser.devtools("Emulation.setTimezoneOverride", &json!({ "timezoneId": zone }));
    browser
}

/// Creates a server with a board.
fn server() -> Server {
    let server = Server::with_players();
    done(&server, "marque challenge alice bob");
    server
}

/// Returns the first time on a page: its machine-readable form, its text and its title.
fn first_time(browser: &Browser) -> [String; 3] {
    let of = |what: &str| browser.script(&format!("return document.querySelector('main time').{what}"));
    ["dateTime", "textContent", "title"].map(|what| of(what).as_str().unwrap().to_owned())
}

#[test]
fn a_visitor_sees_times_in_the_zone_of_the_browser() {
    let server = server();
    let serving = Serving::start(&server, CONFIG);
    let browser = browser_in("Asia/Tokyo", Look::default());
    browser.goto(&format!("http://{}/players/alice", serving.web()));
    let [machine, words, title] = first_time(&browser);
    let here = browser.script(&format!(
        "return new Date('{machine}').toLocaleString('sv-SE', {{ timeZone: 'Asia/Tokyo' }}).slice(0, 16)"
    ));
    assert_eq!(json!(words), here, "{machine}");
    assert_eq!(title, format!("{words} Asia/Tokyo"));
    browser.silent();
    // Without scripts, times are in UTC, and the page says so.
    let page = Visitor::new(&serving.web()).get("/players/alice").text().to_owned();
    let time = page.split_once("<time ").unwrap().1.split_once("</time>").unwrap().0;
    assert!(time.contains(&format!("datetime=\"{machine}\"")) && time.ends_with(" UTC"), "{time}");
    assert!(time.contains(&machine[..16].replace('T', " ")), "{time}");
}

#[test]
fn a_zone_that_a_player_has_set_remains() {
    let server = server();
    done(&server, "set alice wonderland zone=America/St_Johns");
    let serving = Serving::start(&server, CONFIG);
    let browser = browser_in("Asia/Tokyo", Look::default());
    browser.goto(&format!("http://{}/login?next=/players/alice", serving.web()));
    browser.fill("[name=userid]", "alice");
    browser.fill("[name=password]", "wonderland");
    browser.click(".fields button.main");
    browser.wait_for("main time");
    let [machine, words, title] = first_time(&browser);
    let there = browser.script(&format!(
        "return new Date('{machine}').toLocaleString('sv-SE', {{ timeZone: 'America/St_Johns' }}).slice(0, 16)"
    ));
    assert!(words.starts_with(there.as_str().unwrap()) && words.contains(" N"), "{words} {there}");
    assert_eq!(words, title);
}

#[test]
fn a_pause_of_all_clocks_is_shown_in_the_zone_of_the_browser() {
    let server = server();
    let paused = server.program().args(["admin", "pause", "--reason", "a <b>move</b>"]).output().unwrap();
    assert!(paused.status.success(), "{paused:?}");
    let serving = Serving::start(&server, CONFIG);
    let browser = browser_in("Asia/Tokyo", Look::default());
    browser.goto(&format!("http://{}/boards/1", serving.web()));
    let sentence = browser.text(".players > p");
    let [machine, words] = ["dateTime", "textContent"].map(|what| {
        let of = format!("return document.querySelector('.players > p time').{what}");
        browser.script(&of).as_str().unwrap().to_owned()
    });
    let here = browser.script(&format!(
        "return new Date('{machine}').toLocaleString('sv-SE', {{ timeZone: 'Asia/Tokyo' }}).slice(0, 16)"
    ));
    assert_eq!(json!(words), here, "{machine}");
    let expected =
        format!("All clocks have been stopped since {words}: the administrator paused them (a <b>move</b>).");
    assert_eq!(sentence, expected);
    browser.silent();
}

#[test]
fn signing_up_proposes_the_zone_of_the_browser() {
    let server = server();
    let serving = Serving::start(&server, CONFIG);
    let browser = browser_in("Pacific/Auckland", Look::phone());
    browser.goto(&format!("http://{}/signup", serving.web()));
    let proposed = browser.script("return document.querySelector('[name=zone]').value");
    assert_eq!(proposed, json!("Pacific/Auckland"));
    browser.fill("[name=userid]", "nia");
    browser.fill("[name=password]", "correct horse");
    browser.fill("[name=address]", "nia@example.org");
    browser.click(".fields button.main");
    browser.wait_for(".me button");
    browser.goto(&format!("http://{}/settings", serving.web()));
    let set = browser.script("return document.querySelector('[name=zone]').value");
    assert_eq!(set, json!("Pacific/Auckland"));
    browser.check_page("settings-zone");
}

#[test]
fn without_a_script_the_zone_is_utc_until_another_is_chosen_from_the_list() {
    let server = server();
    let serving = Serving::start(&server, CONFIG);
    let mut nia = Visitor::new(&serving.web());
    let fields = [("userid", "nia"), ("password", "correct horse"), ("address", "nia@example.org"), ("zone", "UTC")];
    let page = nia.send("/signup", &fields);
    assert_eq!(page.status, 303, "{}", page.text());
    let page = nia.get("/settings");
    assert!(page.text().contains("<optgroup label=\"Europe\">") && page.text().contains("<option>Europe/Berlin"));
    let page = nia.fill("/settings", &[("do", "set"), ("zone", "Europe/Berlin")]);
    assert!(page.text().contains("<option selected>Europe/Berlin"), "{}", page.text());
    // The list omits zones without a region, such as CET, but contains the one that the player has set.
    let page = nia.fill("/settings", &[("do", "set"), ("zone", "CET")]);
    assert!(page.text().contains("<option selected>CET"), "{}", page.text());
    // If a form is refused, the page still shows the chosen zone. An unknown zone is ignored.
    let mut other = Visitor::new(&serving.web());
    let refused = other.send("/signup", &[("userid", "nia"), ("password", "x"), ("zone", "Europe/Oslo")]);
    assert!(refused.text().contains("<option selected>Europe/Oslo"), "{}", refused.text());
    let fields =
        [("userid", "olu"), ("password", "correct horse"), ("address", "o@example.org"), ("zone", "Mars/Olympus")];
    assert_eq!(other.send("/signup", &fields).status, 303);
}
