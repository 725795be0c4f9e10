//! The HTML part of letters in a real browser, with and without its style sheet.

use resvg::tiny_skia::Pixmap;
use serde_json::json;

use crate::common::browser::{Browser, Look};
use crate::common::{Letter, Server};

/// Returns letters of many kinds to two players, with pictures.
fn letters() -> Vec<Letter> {
    let mut server = Server::with_players_who_want_pictures();
    server.configure("[web]\nurl = \"https://games.example\"\n");
    let mut letters = Vec::new();
    let mut mail = |from: &str, subject: &str, text: &str| {
        letters.extend(server.mail(&format!("{from}@example.org"), subject, text));
    };
    for line in [
        "marque challenge alice bob",
        "brique challenge -size=5 alice bob",
        "tessella challenge alice bob",
        "lazo challenge alice bob",
        "marque move 1 alice wonderland f3",
        "brique move 2 alice wonderland c3",
        "tessella move 3 alice wonderland e1-e2",
        "marque propose 1 alice wonderland",
    ] {
        mail("alice", line, "");
    }
    mail("bob", "marque chat 1 bob builder", &format!("https://example.org/{}\n", "long".repeat(40)));
    mail("bob", "", "marque move 1 bob builder k1\nbrique move 2 bob builder b3\ntessella move 3 bob builder e9-e8\n");
    mail("bob", "show 1", "");
    mail("bob", "password bob", "");
    mail("bob", "marque resign 1 bob builder", "");
    assert!(letters.len() >= 20, "{}", letters.len());
    letters
}

/// Replaces each picture of a letter with an empty one that a browser can show.
fn page(html: &str) -> String {
    let svg = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='600' height='540'/>";
    let mut parts = html.split("src=\"cid:");
    let mut page = parts.next().unwrap().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('"').unwrap();
        page += &format!("src=\"{svg}\"{rest}");
    }
    page
}

/// Returns the contrast between the darkest and the lightest point of an element in the window (WCAG 2).
fn contrast(browser: &Browser, css: &str) -> f64 {
    let place = format!(
        "const element = document.querySelector({css:?}); element.scrollIntoView({{ block: 'center' }});
         const box = element.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]"
    );
    let place = browser.script(&place);
    let [left, top, right, bottom] = [0, 1, 2, 3].map(|side| place[side].as_f64().unwrap() as u32);
    let picture = Pixmap::decode_png(&browser.picture()).unwrap();
    let luminance = |octet: u8| {
        let part = f64::from(octet) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let light =
        |[red, green, blue]: [u8; 3]| 0.2126 * luminance(red) + 0.7152 * luminance(green) + 0.0722 * luminance(blue);
    let inside = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    let points = inside.filter_map(|(x, y)| picture.pixel(x, y));
    let points = points.map(|point| light([point.red(), point.green(), point.blue()]));
    let (darkest, lightest) = points.fold((1.0, 0.0), |(low, high), point| (point.min(low), point.max(high)));
    (lightest + 0.05) / (darkest + 0.05)
}

/// Removes the style sheet of a letter, as some mail programs do.
fn without_style(html: &str) -> String {
    let (before, rest) = html.split_once("<style>").unwrap();
    format!("{before}{}", rest.split_once("</style>").unwrap().1)
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn letters_fit_every_window_with_and_without_their_style_sheet() {
    let letters = letters();
    for (width, dark) in [(320, false), (375, true), (768, false)] {
        let browser = Browser::open(Look { width, height: 800, dark, ..Look::default() });
        for letter in letters.iter().filter(|letter| letter.html.is_some()) {
            for html in [letter.html().to_owned(), without_style(letter.html())] {
                browser.show(&page(&html));
                assert!(!browser.scrolls_sideways(), "{width}: {html}");
                let maps = "return [...document.images].filter(image => image.useMap && image.offsetWidth > 0).length";
                let pictures = "return [...document.images].filter(image => image.offsetWidth > 0).length";
                assert_eq!(browser.script(pictures), letter.pictures.len(), "each picture is shown once\n{html}");
                let is_clickable = width > 512 && html.contains("<style>") && html.contains("usemap=");
                assert_eq!(browser.script(maps), i32::from(is_clickable), "{width}: {html}");
            }
        }
    }
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs Chromium: ./test runs it")]
fn letters_are_legible_in_a_program_that_forces_dark_colours() {
    let letters = letters();
    let moved = letters.iter().find(|letter| letter.html.is_some() && letter.text().contains("bob played e9-e8"));
    let html = moved.unwrap().html();
    for dark in [false, true] {
        for html in [html.to_owned(), without_style(html)] {
            let browser = Browser::open(Look { width: 375, height: 800, dark, ..Look::default() });
            browser.devtools("Emulation.setAutoDarkModeOverride", &json!({ "enabled": true }));
            browser.show(&page(&html));
            for part in
                ["p:first-of-type", ".answers td a", ".answers a.button", ".list td", "body > div p:last-of-type"]
            {
                let seen = contrast(&browser, part);
                assert!(seen >= 4.5, "{part}, dark {dark}: contrast {seen}\n{html}");
            }
        }
    }
}
