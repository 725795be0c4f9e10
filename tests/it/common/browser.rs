//! Drives headless Chromium through its driver, to see and do what a user can.
//!
//! ```ignore
//! let browser = Browser::open(Look { width: 390, height: 844, dark: true, ..Look::default() });
//! browser.goto(&format!("http://{}/boards/1", serving.web()));
//! browser.fill("input[name=move]", "f3");
//! browser.click("button");             // waits until a page that it leads to is loaded
//! browser.wait_for(".moves li");       // for what a script puts there later
//! assert_eq!(browser.text("h1"), "Marque board 1");
//! browser.accessible();                // axe-core reports no problem
//! browser.silent();                    // the console is empty
//! browser.screenshot("board-phone");   // target/screenshots/board-phone.png
//! ```
//!
//! Every call waits for its answer and panics with a description. Each browser is a separate session without shared
//! cookies. It takes a second or two to open, so tests reuse it for several pages.

use std::fs;
use std::future::Future;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::key::Key;
use fantoccini::wd::TimeoutConfiguration;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::serving::Serving;

/// The settings of a browser.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The width in CSS pixels of the page itself. Below 600, it is a phone with touch.
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
    /// Returns a small phone, held upright: 320 pixels is the minimum width (WCAG 2, 1.4.10).
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

    /// Whether [`Browser::check_page`] runs axe in this look: light on phones, dark on larger screens. So axe sees every
    /// layout and every colour, and not each of their combinations.
    fn examined(&self) -> bool {
        self.dark != self.mobile()
    }

    fn mobile(&self) -> bool {
        self.width < 600
    }
}

/// The time for which the driver waits for a missing element.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one window. It and its driver are stopped when dropped.
pub struct Browser {
    runtime: Runtime,
    /// `None` only during the drop.
    client: Option<Client>,
    driver: Child,
    /// The driver writes to it as long as it runs.
    _output: BufReader<ChildStdout>,
    driver_address: String,
    session: String,
    look: Look,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn open(look: Look) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let (driver, output, port) = start_driver();
        let driver_address = format!("127.0.0.1:{port}");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities(&look, profile.path()));
        let client = runtime.block_on(builder.connect(&format!("http://{driver_address}"))).expect("Chromium starts");
        let session = runtime.block_on(client.session_id()).unwrap().expect("a session has an id");
        let (client, _output, _profile) = (Some(client), output, profile);
        let browser = Browser { runtime, client, driver, _output, driver_address, session, look, _profile };
        let scheme = if look.dark { "dark" } else { "light" };
        let motion = if look.still { "reduce" } else { "no-preference" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": motion },
        ]);
        browser.devtools("Emulation.setEmulatedMedia", &json!({ "features": features }));
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

    fn client(&self) -> &Client {
        self.client.as_ref().expect("it is not dropped")
    }

    fn done<T>(&self, what: &str, act: impl Future<Output = Result<T, CmdError>>) -> T {
        self.runtime.block_on(act).unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    fn element(&self, css: &str) -> Element {
        self.runtime.block_on(self.client().find(Locator::Css(css))).unwrap_or_else(|error| {
            panic!("there is no {css} at {}: {error}\n{}", self.address(), self.source());
        })
    }

    /// Loads a page and waits until it is complete.
    pub fn goto(&self, url: &str) {
        self.done(url, self.client().goto(url));
    }

    /// Returns the address of the current page.
    pub fn address(&self) -> String {
        self.done("the address", self.client().current_url()).to_string()
    }

    /// Clicks the first element of a CSS selector, which must be reachable for a user. A page that this opens is
    /// loaded at the next call. If a script replaces the element meanwhile, the new one is clicked.
    pub fn click(&self, css: &str) {
        while let Err(error) = self.runtime.block_on(self.element(css).click()) {
            assert!(error.is_stale_element_reference(), "{css}: {error}");
        }
    }

    /// Presses the mouse, or on a phone a finger, at the middle of an element, moves it to another one, and lets go.
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
                self.devtools("Input.dispatchTouchEvent", &json!({ "type": kind, "touchPoints": points }));
            } else {
                let kind = if step == 0 { "mousePressed" } else { "mouseMoved" };
                self.mouse(kind, x, y);
            }
        }
        if self.look.mobile() {
            self.devtools("Input.dispatchTouchEvent", &json!({ "type": "touchEnd", "touchPoints": [] }));
        } else {
            self.mouse("mouseReleased", to_x, to_y);
        }
    }

    fn mouse(&self, kind: &str, x: f64, y: f64) {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.devtools("Input.dispatchMouseEvent", &event);
    }

    /// Types into a field, and replaces its content.
    pub fn fill(&self, css: &str, text: &str) {
        let field = self.element(css);
        self.done(css, field.clear());
        self.done(css, field.send_keys(text));
    }

    /// Types where the focus is.
    pub fn keys(&self, keys: &str) {
        let focus = self.done("the focus", self.client().active_element());
        self.done("keys", focus.send_keys(keys));
    }

    /// Presses a key without a character: `fantoccini::key::Key::Tab`.
    pub fn press(&self, key: Key) {
        self.keys(&key.to_string());
    }

    /// Returns the visible text of a selector's first element.
    pub fn text(&self, css: &str) -> String {
        let element = self.element(css);
        self.done(css, element.text())
    }

    /// Returns the number of elements.
    pub fn count(&self, css: &str) -> usize {
        self.done(css, self.client().find_all(Locator::Css(css))).len()
    }

    pub fn exists(&self, css: &str) -> bool {
        self.count(css) > 0
    }

    /// Waits for an element that appears later. The driver does the waiting.
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

    /// Returns the result of a function body in the page: `return document.title`. Works even if pages may not run
    /// scripts.
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

    /// Saves a screenshot of the window, if `TURNPOST_SCREENSHOTS` is set.
    pub fn window(&self, name: &str) {
        if !saves_screenshots() {
            return;
        }
        let png = self.picture();
        let dir = target().join("screenshots");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(format!("{name}.png")), png).unwrap();
    }

    /// A PNG of what the window shows.
    pub fn picture(&self) -> Vec<u8> {
        self.done("a picture", self.client().screenshot())
    }

    fn resize(&self, width: u32, height: u64) {
        let mobile = self.look.mobile();
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.devtools("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Panics if axe-core reports any violation.
    pub fn accessible(&self) {
        let complaints = self.complaints();
        assert!(complaints.is_empty(), "{} ({:?}):\n{}", self.address(), self.look, complaints.join("\n"));
    }

    /// Returns axe-core's violations of WCAG 2 (A, AA) and of good practice.
    pub fn complaints(&self) -> Vec<String> {
        let axe = target().join("test-tools/axe.min.js");
        let axe = fs::read_to_string(axe).expect("axe-core is there: deploy/install-test-tools fetches it");
        let run = "const done = arguments[0];
            const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
            axe.run(document, { runOnly: { type: 'tag', values: tags } }).then(
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

    /// Saves a screenshot, and panics unless the page fits the window, is accessible in the looks in which axe runs, and has
    /// no script errors.
    pub fn check_page(&self, picture: &str) {
        self.screenshot(picture);
        assert!(!self.scrolls_sideways(), "{} is wider than {} pixels", self.address(), self.look.width);
        if self.look.examined() {
            self.accessible();
        }
        self.silent();
    }

    /// Returns whether the page is wider than the window, so that a user must scroll sideways.
    pub fn scrolls_sideways(&self) -> bool {
        let width = self.script("return document.documentElement.scrollWidth").as_u64().unwrap();
        width > u64::from(self.look.width)
    }

    /// Returns the role and the name of each visible node for screen readers, in order. For text in a live region,
    /// also returns the region's node.
    pub fn accessibility_tree(&self) -> Vec<Accessible> {
        self.devtools("Accessibility.enable", &json!({}));
        let tree = self.devtools("Accessibility.getFullAXTree", &json!({}));
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

    pub fn devtools(&self, command: &str, params: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({ "cmd": command, "params": params }))
    }

    /// Sends a command that is specific to this driver.
    fn command(&self, command: &str, body: &Value) -> Value {
        let (session, body) = (&self.session, body.to_string());
        let mut stream = TcpStream::connect(&self.driver_address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "POST /session/{session}/{command} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        // The driver leaves the connection open regardless of the request.
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
    /// The document node that it represents.
    pub id: i64,
    pub parent: String,
    pub own: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = self.runtime.block_on(client.close());
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Starts chromedriver. Returns its output and its port.
fn start_driver() -> (Child, BufReader<ChildStdout>, u16) {
    // It lets the system choose a port for IPv6, and exits if the same port is in use for IPv4, which happens while
    // many tests run.
    const TRIES: usize = 20;
    let mut said = String::new();
    for _ in 0..TRIES {
        let mut driver = Command::new("chromedriver")
            .args(["--port=0", "--log-level=SEVERE"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("chromedriver runs: deploy/install-test-tools installs it");
        let mut output = BufReader::new(driver.stdout.take().unwrap());
        said.clear();
        while output.read_line(&mut said).unwrap() > 0 {
            if let Some((_, port)) = said.trim_end().rsplit_once("started successfully on port ") {
                let port = port.trim_end_matches('.').parse().unwrap();
                return (driver, output, port);
            }
        }
        driver.wait().unwrap();
    }
    panic!("chromedriver did not start {TRIES} times, and said last: {said}");
}

fn capabilities(look: &Look, profile: &Path) -> serde_json::Map<String, Value> {
    // Disables features that our pages do not need and that would contact other hosts.
    let mut args: Vec<String> = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
    ]
    .map(str::to_owned)
    .to_vec();
    args.push(format!("--user-data-dir={}", profile.display()));
    let scripts = if look.javascript { 1 } else { 2 };
    let metrics = json!({
        "width": look.width,
        "height": look.height,
        "pixelRatio": 1,
        "mobile": look.mobile(),
        "touch": look.mobile(),
    });
    let options = json!({
        "args": args,
        "prefs": { "profile.managed_default_content_settings.javascript": scripts },
        // A normal window of Chromium is never narrower than 500 pixels.
        "mobileEmulation": { "deviceMetrics": metrics },
    });
    let timeouts = json!({ "pageLoad": PATIENCE.as_millis() as u64, "script": PATIENCE.as_millis() as u64 });
    let capabilities =
        json!({ "timeouts": timeouts, "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } });
    capabilities.as_object().unwrap().clone()
}

fn saves_screenshots() -> bool {
    std::env::var_os("TURNPOST_SCREENSHOTS").is_some()
}

/// Returns the build directory of the tests, by default `target`.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}
