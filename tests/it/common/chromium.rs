//! Running browsers, which tests use one after another, and their driver.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// The time for which the driver waits for a missing element.
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
    /// The driver's name for the session.
    pub id: String,
}

/// The maximum number of running browsers that no test uses.
const MAX_IDLE: usize = 6;

/// The running browsers that no test uses, in order of last use.
static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

impl Session {
    /// Returns an empty browser of a kind.
    pub fn take(kind: Kind) -> Session {
        let idle = {
            let mut idle = IDLE.lock().unwrap();
            let at = idle.iter().rposition(|session| session.kind == kind);
            at.map(|at| idle.remove(at))
        };
        idle.unwrap_or_else(|| Session::start(kind))
    }

    /// Lets another test use the browser, which must be empty.
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
    /// The shell that started the driver, with its standard input.
    _guard: Child,
    /// The driver writes to this pipe as long as it runs.
    _output: Mutex<BufReader<ChildStdout>>,
}

/// Starts the driver. When this process ends in any way, the pipe from which the shell reads is closed. The driver and
/// its browsers then stop, and their directory is removed.
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
    // The driver lets the system choose a port for IPv6, and exits if that port is in use for IPv4. This happens while
    // many tests run.
    const TRIES: usize = 20;
    let mut said = String::new();
    for _ in 0..TRIES {
        let mut shell = Command::new("sh");
        // Ctrl-C should affect only the tests.
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
