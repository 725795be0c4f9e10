//! Starts Chromium and its driver, and keeps browsers that later tests can reuse.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// The maximum time for which a test waits for a page, a script or a missing element.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The settings of a browser that cannot change while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The width and height of a phone; `None` for other screens, whose size is set by each test.
    pub phone: Option<(u32, u32)>,
    pub javascript: bool,
}

/// A running browser.
pub struct Session {
    kind: Kind,
    pub runtime: Runtime,
    pub client: Client,
    /// The WebDriver session ID.
    pub id: String,
}

/// The maximum number of idle browsers.
const MAX_IDLE: usize = 6;

/// The browsers that no test is using, the least recently used first.
static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

impl Session {
    /// Returns an idle browser of this kind, or starts one.
    pub fn take(kind: Kind) -> Session {
        let idle = {
            let mut idle = IDLE.lock().unwrap();
            let at = idle.iter().rposition(|session| session.kind == kind);
            at.map(|at| idle.remove(at))
        };
        idle.unwrap_or_else(|| Session::start(kind))
    }

    /// Makes the browser, whose data must have been cleared, available to other tests.
    pub fn put_back(self) {
        let mut idle = IDLE.lock().unwrap();
        idle.push(self);
        let surplus = (idle.len() > MAX_IDLE).then(|| idle.remove(0));
        drop(idle);
        surplus.into_iter().for_each(Session::end);
    }

    fn start(kind: Kind) -> Session {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities(kind));
        let client = runtime.block_on(builder.connect(&format!("http://{}", DRIVER.address))).expect("Chromium starts");
        let id = runtime.block_on(client.session_id()).unwrap().expect("a session has an id");
        Session { kind, runtime, client, id }
    }

    /// Closes the browser.
    pub fn end(self) {
        let _ = self.runtime.block_on(self.client.close());
    }
}

/// The driver of all browsers of this process.
struct Driver {
    address: String,
    /// The shell that started the driver. It stops the driver when its standard input is closed.
    _guard: Child,
    /// Must stay open, because the driver writes to this pipe as long as it runs.
    _output: Mutex<BufReader<ChildStdout>>,
}

/// Starts the driver. When the test process ends or is killed, the pipe from which this script reads is closed. The
/// script then stops the driver and its browsers, and removes their directory.
const SCRIPT: &str = r#"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TMPDIR=$dir chromedriver --port=0 --log-level=SEVERE </dev/null &
exec >/dev/null
cat
trap '' TERM
kill -TERM 0
wait
"#;

/// Returns the address of the driver.
pub fn driver_address() -> &'static str {
    &DRIVER.address
}

static DRIVER: LazyLock<Driver> = LazyLock::new(|| {
    // The driver lets the system choose an IPv6 port, and exits if that port is in use for IPv4. This can happen while
    // many tests run.
    const TRIES: usize = 20;
    let mut said = String::new();
    for _ in 0..TRIES {
        let mut shell = Command::new("sh");
        // In a separate process group, the driver does not receive Ctrl-C. It stops when the test process ends.
        shell.args(["-c", SCRIPT]).process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut guard = shell.spawn().expect("sh runs");
        let mut output = BufReader::new(guard.stdout.take().unwrap());
        said.clear();
        while output.read_line(&mut said).unwrap() > 0 {
            if let Some((_, port)) = said.trim_end().rsplit_once("started successfully on port ") {
                let address = format!("127.0.0.1:{}", port.trim_end_matches('.'));
                return Driver { address, _guard: guard, _output: Mutex::new(output) };
            }
        }
        drop(guard.stdin.take());
        guard.wait().unwrap();
    }
    panic!("chromedriver (installed by deploy/install-test-tools) failed to start {TRIES} times: {said}");
});

fn capabilities(kind: Kind) -> serde_json::Map<String, Value> {
    // Disables features that our pages do not need and that would contact other hosts.
    let args = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
    ];
    let scripts = if kind.javascript { 1 } else { 2 };
    let mut options = json!({
        "args": args,
        "prefs": { "profile.managed_default_content_settings.javascript": scripts },
    });
    if let Some((width, height)) = kind.phone {
        let metrics = json!({ "width": width, "height": height, "pixelRatio": 1, "mobile": true, "touch": true });
        options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
    }
    let timeouts = json!({ "pageLoad": PATIENCE.as_millis() as u64, "script": PATIENCE.as_millis() as u64 });
    let capabilities =
        json!({ "timeouts": timeouts, "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } });
    capabilities.as_object().unwrap().clone()
}
