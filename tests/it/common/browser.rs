//! Drives headless Chromium through its driver, to see and do what a user can.
//!
//! ```ignore
//! let browser = Browser::open(Look { width: 390, height: 844, dark: true, ..Look::default() });
//! browser.goto(&format!("http://{}/boards/1", serving.web()));
//! browser.fill("input[name=move]", "f3");
//! browser.click("button");             // the next call waits until the new page is loaded
//! browser.wait_for(".moves li");       // waits for an element that a script adds
//! assert_eq!(browser.text("h1"), "Marque board 1");
//! browser.accessible();                // panics if axe-core reports a problem
//! browser.silent();                    // panics if the console contains an error
//! browser.screenshot("board-phone");   // target/screenshots/board-phone.png
//! ```
//!
//! Every call waits until the browser has answered. A call that fails panics with a description. Each browser is a
//! separate process with its own cookies. Starting a browser takes more processor time than most tests do, so the
//! browser of a passed test is cleared, and a later test with the same kind of browser reuses it.

use std::cell::Cell;
use std::fs;
use std::future::Future;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::wd::TimeoutConfiguration;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

use super::chromium::{Kind, PATIENCE, Session, driver_address};
use super::serving::Serving;

/// The settings of a browser.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width of the page in CSS pixels, without the window's borders. Below 600, the browser emulates a phone with
    /// a touch screen.
    pub width: u32,
    /// The height in CSS pixels.
    pub height: u32,
    /// Whether the user prefers dark colours.
    pub dark: bool,
    /// Whether pages may run scripts.
    pub javascript: bool,
    /// Whether the user prefers reduced motion.
    pub still: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look { width: 1280, height: 900, dark: false, javascript: true, still: false }
    }
}

impl Look {
    /// Returns the settings of a small phone in portrait orientation. Pages must fit a width of 320 pixels (WCAG 2,
    /// 1.4.10).
    pub fn phone() -> Look {
        Look { width: 320, height: 640, ..Look::default() }
    }

    /// Returns the sizes and colours in which pages are checked, with the suffixes of their screenshots.
    pub fn all() -> [(Look, &'static str); 6] {
        [
            (Look::phone(), "phone"),
            (Look { width: 375, height: 740, dark: true, ..Look::default() }, "phone-dark"),
            (Look { width: 768, ..Look::default() }, "tablet"),
            (Look::default(), "desk"),
            (Look { dark: true, ..Look::default() }, "desk-dark"),
            (Look { width: 2560, height: 1300, ..Look::default() }, "wide"),
        ]
    }

    /// Returns whether [`Browser::check_page`] runs axe with these settings: on phones with light colours, and on
    /// larger screens with dark colours. Axe thus checks both layouts and both colour schemes, but not every
    /// combination.
    fn examined(&self) -> bool {
        self.dark != self.mobile()
    }

    fn mobile(&self) -> bool {
        self.width < 600
    }
}

/// A browser with one window.
pub struct Browser {
    /// `None` only during the drop.
    session: Option<Session>,
    look: Look,
    /// Whether the test has changed settings that would affect a later test in this browser.
    is_altered: Cell<bool>,
}

impl Browser {
    pub fn open(look: Look) -> Browser {
        let kind = Kind { phone: look.mobile().then_some((look.width, look.height)), javascript: look.javascript };
        let session = Some(Session::take(kind));
        let browser = Browser { session, look, is_altered: Cell::new(false) };
        if kind.phone.is_none() {
            browser.resize(look.width, u64::from(look.height));
        }
        let scheme = if look.dark { "dark" } else { "light" };
        let motion = if look.still { "reduce" } else { "no-preference" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": motion },
        ]);
        browser.send_devtools("Emulation.setEmulatedMedia", &json!({ "features": features }));
        browser
    }

    /// Opens a browser in which this player is logged in, on a page of the server.
    pub fn logged_in(look: Look, serving: &Serving, (userid, password): (&str, &str), path: &str) -> Browser {
        let browser = Browser::open(look);
        browser.goto(&format!("http://{}/login?next={path}", serving.web()));
        browser.fill("[name=userid]", userid);
        browser.fill("[name=password]", password);
        browser.click(".fields button.main");
        browser.wait_for(".me button");
        browser
    }

    fn session(&self) -> &Session {
        self.session.as_ref().expect("the session exists until the browser is dropped")
    }

    fn client(&self) -> &Client {
        &self.session().client
    }

    fn block_on<T>(&self, act: impl Future<Output = T>) -> T {
        self.session().runtime.block_on(act)
    }

    fn done<T>(&self, what: &str, act: impl Future<Output = Result<T, CmdError>>) -> T {
        self.block_on(act).unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    fn element(&self, css: &str) -> Element {
        self.block_on(self.client().find(Locator::Css(css))).unwrap_or_else(|error| {
            panic!("there is no {css} at {}: {error}\n{}", self.address(), self.source());
        })
    }

    /// Replaces the page with this HTML, and waits until its pictures are loaded.
    pub fn show(&self, html: &str) {
        let write = "const [html, done] = arguments;
            document.open();
            addEventListener('load', () => done());
            document.write(html);
            document.close();";
        self.done("HTML", self.client().execute_async(write, vec![json!(html)]));
    }

    /// Loads a page and waits until it is complete.
    pub fn goto(&self, url: &str) {
        self.done(url, self.client().goto(url));
    }

    /// Returns the address of the current page.
    pub fn address(&self) -> String {
        self.done("the address", self.client().current_url()).to_string()
    }

    /// Clicks the first element that matches a CSS selector. It must be visible and not covered. If the click opens a
    /// page, the next call waits until that page is loaded. If a script replaces the element in the meantime, the new
    /// element is clicked.
    pub fn click(&self, css: &str) {
        while let Err(error) = self.block_on(self.element(css).click()) {
            assert!(error.is_stale_element_reference(), "{css}: {error}");
        }
    }

    /// Drags one element to another, with the mouse or, on a phone, with a finger.
    pub fn drag(&self, from: &str, to: &str) {
        let at = |css: &str| {
            let middle = format!(
                "const {{ x, y, width, height }} = document.querySelector({css:?}).getBoundingClientRect();
                 return [x + width / 2, y + height / 2]"
            );
            let middle = self.script(&middle);
            [0_usize, 1].map(|axis| middle[axis].as_f64().unwrap())
        };
        let ([x, y], [to_x, to_y]) = (at(from), at(to));
        let way = [0.0, 0.3, 0.7, 1.0].map(|part| (x + part * (to_x - x), y + part * (to_y - y)));
        for (step, (x, y)) in way.into_iter().enumerate() {
            if self.look.mobile() {
                let kind = if step == 0 { "touchStart" } else { "touchMove" };
                let points = json!([{ "x": x, "y": y }]);
                self.send_devtools("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": points }));
            } else {
                let kind = if step == 0 { "mousePressed" } else { "mouseMoved" };
                self.mouse(kind, x, y);
            }
        }
        if self.look.mobile() {
            self.send_devtools("Input.dispatchTouchEvent", &json!({ "type": "touchEnd", "touchPoints": [] }));
        } else {
            self.mouse("mouseReleased", to_x, to_y);
        }
    }

    fn mouse(&self, kind: &str, x: f64, y: f64) {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.send_devtools("Input.dispatchMouseEvent", &event);
    }

    /// Replaces the content of a field with typed text.
    pub fn fill(&self, css: &str, text: &str) {
        let field = self.element(css);
        self.done(css, field.clear());
        self.done(css, field.send_keys(text));
    }

    /// Types into the focused element.
    pub fn keys(&self, keys: &str) {
        let focus = self.done("the focus", self.client().active_element());
        self.done("keys", focus.send_keys(keys));
    }

    /// Presses a key without a character: `fantoccini::key::Key::Tab`.
    pub fn press(&self, key: Key) {
        self.keys(&key.to_string());
    }

    /// Returns the visible text of the first element that matches a CSS selector.
    pub fn text(&self, css: &str) -> String {
        let element = self.element(css);
        self.done(css, element.text())
    }

    /// Returns the number of elements that match a CSS selector.
    pub fn count(&self, css: &str) -> usize {
        self.done(css, self.client().find_all(Locator::Css(css))).len()
    }

    pub fn exists(&self, css: &str) -> bool {
        self.count(css) > 0
    }

    /// Waits until an element matches this CSS selector.
    pub fn wait_for(&self, css: &str) {
        self.patience(PATIENCE);
        self.element(css);
        self.patience(Duration::ZERO);
    }

    fn patience(&self, implicit: Duration) {
        let timeouts = TimeoutConfiguration::new(None, None, Some(implicit));
        self.done("timeouts", self.client().update_timeouts(timeouts));
    }

    /// Returns the current source of the page.
    pub fn source(&self) -> String {
        self.done("the source", self.client().source())
    }

    /// Runs a function body in the page, for example `return document.title`, and returns its result. This works even
    /// in a browser whose pages cannot run scripts.
    pub fn script(&self, javascript: &str) -> Value {
        self.done(javascript, self.client().execute(javascript, Vec::new()))
    }

    /// Saves a screenshot of the whole page as `screenshots/NAME.png` in the build directory of the tests, if
    /// `TURNPOST_SCREENSHOTS` is set.
    pub fn screenshot(&self, name: &str) {
        if !saves_screenshots() {
            return;
        }
        let height = self.script("return document.documentElement.scrollHeight").as_u64().unwrap();
        let Look { width, height: usual, .. } = self.look;
        self.resize(width, height.max(u64::from(usual)));
        self.window(name);
        self.resize(width, u64::from(usual));
    }

    /// Saves a screenshot of the visible part of the page, if `TURNPOST_SCREENSHOTS` is set.
    pub fn window(&self, name: &str) {
        if !saves_screenshots() {
            return;
        }
        let png = self.picture();
        let dir = target().join("screenshots");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(format!("{name}.png")), png).unwrap();
    }

    /// Returns a PNG of the window's contents.
    pub fn picture(&self) -> Vec<u8> {
        self.done("a picture", self.client().screenshot())
    }

    fn resize(&self, width: u32, height: u64) {
        let mobile = self.look.mobile();
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.send_devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Panics if axe-core reports any violation.
    pub fn accessible(&self) {
        let complaints = self.complaints();
        assert!(complaints.is_empty(), "{} ({:?}):\n{}", self.address(), self.look, complaints.join("\n"));
    }

    /// Returns the violations of WCAG 2 (A, AA) and of best practices that axe-core finds.
    pub fn complaints(&self) -> Vec<String> {
        let axe = target().join("test-tools/axe.min.js");
        let axe = fs::read_to_string(axe).expect("axe-core is installed: deploy/install-test-tools fetches it");
        let run = "const done = arguments[0];
            const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
            axe.run(document, { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] }).then(
                results => done({ passes: results.passes.length, violations: results.violations }),
                error => done({ failed: String(error) }));";
        let found =
            self.done("axe", self.client().execute_async(&format!("{axe}\n;window.axe = axe;\n{run}"), Vec::new()));
        assert!(found["passes"].as_u64().is_some_and(|passes| passes > 5), "axe did not run: {found}");
        let violations = found["violations"].as_array().unwrap().iter();
        let complaints = violations.map(|violation| {
            let nodes = violation["nodes"].as_array().unwrap().iter();
            let nodes: String =
                nodes.map(|node| format!("\n    {}: {}", node["target"], node["failureSummary"])).collect();
            format!("{} ({}): {}{nodes}", violation["id"], violation["impact"], violation["help"])
        });
        complaints.collect()
    }

    /// Panics if the browser has logged a problem in its console since the last call: a script error, a violation of
    /// the page's security policy, or a failed load.
    pub fn silent(&self) {
        let log = self.command("se/log", &json!({ "type": "browser" }));
        let complaints = log.as_array().unwrap();
        assert!(complaints.is_empty(), "{}: {complaints:#?}", self.address());
    }

    /// Saves a screenshot, and panics unless the page fits the window, has no script errors, and passes axe if axe runs
    /// with the settings of this browser.
    pub fn check_page(&self, picture: &str) {
        if self.look.examined() {
            self.accessible();
        }
        self.check_layout(picture);
    }

    /// Saves a screenshot, and panics unless the page fits the window and has no script errors. Use this for pages that
    /// another test checks with axe.
    pub fn check_layout(&self, picture: &str) {
        self.screenshot(picture);
        assert!(!self.scrolls_sideways(), "{} is wider than {} pixels", self.address(), self.look.width);
        self.silent();
    }

    /// Returns whether the page is wider than the window, so that a user must scroll sideways.
    pub fn scrolls_sideways(&self) -> bool {
        let width = self.script("return document.documentElement.scrollWidth").as_u64().unwrap();
        width > u64::from(self.look.width)
    }

    /// Returns the nodes of the page that a screen reader announces, in order, with their roles and names. For text in
    /// a live region, the node of the region is included.
    pub fn accessibility_tree(&self) -> Vec<Accessible> {
        self.send_devtools("Accessibility.enable", &json!({}));
        let tree = self.send_devtools("Accessibility.getFullAXTree", &json!({}));
        self.send_devtools("Accessibility.disable", &json!({}));
        let seen = tree["nodes"].as_array().unwrap().iter().filter(|node| node["ignored"] == false);
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        let node = |node: &Value| Accessible {
            role: text(&node["role"]),
            name: text(&node["name"]),
            id: node["backendDOMNodeId"].as_i64().unwrap_or_default(),
            parent: node["parentId"].as_str().unwrap_or_default().to_owned(),
            own: node["nodeId"].as_str().unwrap_or_default().to_owned(),
        };
        seen.map(node).collect()
    }

    /// Runs a DevTools command that changes the browser. Other tests do not reuse this browser afterwards.
    pub fn devtools(&self, command: &str, params: &Value) -> Value {
        self.is_altered.set(true);
        self.send_devtools(command, params)
    }

    fn send_devtools(&self, command: &str, params: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    /// Sends a chromedriver command that is not part of the WebDriver standard.
    fn command(&self, command: &str, body: &Value) -> Value {
        let (session, body) = (&self.session().id, body.to_string());
        let mut stream = TcpStream::connect(driver_address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "POST /session/{session}/{command} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        // The driver keeps the connection open even if the request asks it to close, so read by Content-Length.
        let mut answer = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let begun = head.len();
            assert!(answer.read_line(&mut head).unwrap() > 0, "{command}: {head}");
            if let Some(given) = head[begun..].to_lowercase().strip_prefix("content-length:") {
                length = given.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body).unwrap();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{command}: {answer:#}");
        answer["value"].clone()
    }
}

/// A node of the accessibility tree.
#[derive(Clone, Debug)]
pub struct Accessible {
    pub role: String,
    pub name: String,
    /// The ID of the corresponding DOM node.
    pub id: i64,
    pub parent: String,
    pub own: String,
}

impl Browser {
    /// Clears the data that the test has left in the browser.
    fn empty(&self) {
        self.goto("about:blank");
        self.send_devtools("Page.resetNavigationHistory", &json!({}));
        self.send_devtools("Network.clearBrowserCookies", &json!({}));
        self.send_devtools("Network.clearBrowserCache", &json!({}));
        let local = json!({ "origin": "*", "storageTypes": "local_storage" });
        self.send_devtools("Storage.clearDataForOrigin", &local);
        self.command("se/log", &json!({ "type": "browser" }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser of a failed test may be in any state.
        let is_reusable = !std::thread::panicking() && !self.is_altered.get();
        if is_reusable {
            self.empty();
        }
        let session = self.session.take().expect("the session is dropped once");
        if is_reusable { session.put_back() } else { session.end() }
    }
}

fn saves_screenshots() -> bool {
    std::env::var_os("TURNPOST_SCREENSHOTS").is_some()
}

/// Returns the build directory of the tests, by default `target`.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}
