//! Real nginx and Caddy in front of the server, with the files of `deploy`: pages over TLS, and the clients'
//! addresses.
//!
//! Each proxy listens on private loopback ports, uses a private directory, and does not touch the system's proxy.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use crate::common::Server;
use crate::common::certificates::certificates;
use crate::common::serving::{Serving, free_port, terminate, wait_until};
use serde_json::Value;

const NGINX: &str = include_str!("../../deploy/nginx/turnpost.conf");
const CADDY: &str = include_str!("../../deploy/caddy/Caddyfile");

/// A loopback address for clients, which differs from the proxies' address.
const ELSEWHERE: &str = "127.0.0.7";

/// A running proxy, killed when dropped.
struct Proxy {
    child: Child,
    dir: tempfile::TempDir,
    /// The TLS address: `https://localhost:PORT`.
    url: String,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // nginx's workers end with their master only after a clean stop.
        if let Ok(None) = self.child.try_wait() {
            terminate(&self.child);
            let _ = self.child.wait();
        }
    }
}

/// Replaces `old`, which must occur exactly once, in the text.
fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old:?} occurs once in {text}");
    text.replace(old, new)
}

impl Proxy {
    /// Starts both proxies for this backend, and returns them with their names.
    fn each(backend: &str) -> [(&'static str, Proxy); 2] {
        [("nginx", Proxy::nginx(backend)), ("Caddy", Proxy::caddy(backend))]
    }

    fn nginx(backend: &str) -> Proxy {
        let dir = tempfile::tempdir().unwrap();
        certificates(dir.path());
        let (port, here) = (free_port(), dir.path().display());
        let letsencrypt = "/etc/letsencrypt/live/games.example.org";
        let mut site = replaced(NGINX, "listen 443 ssl http2;", &format!("listen 127.0.0.1:{port} ssl http2;"));
        site = replaced(&site, "    listen [::]:443 ssl http2;\n", "");
        site = replaced(&site, "listen 80;", &format!("listen 127.0.0.1:{};", free_port()));
        site = replaced(&site, "    listen [::]:80;\n", "");
        site = replaced(&site, &format!("{letsencrypt}/fullchain.pem"), &format!("{here}/cert.pem"));
        site = replaced(&site, &format!("{letsencrypt}/privkey.pem"), &format!("{here}/key.pem"));
        site = replaced(&site, "    server 127.0.0.1:8080;", &format!("    server {backend};"));
        let around = format!(
            "pid {here}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\nclient_body_temp_path {here}/1;\n\
             proxy_temp_path {here}/2;\nfastcgi_temp_path {here}/3;\nuwsgi_temp_path {here}/4;\nscgi_temp_path {here}/5;\n\
             {site}\n}}\n"
        );
        fs::write(dir.path().join("nginx.conf"), around).unwrap();
        let mut command = Command::new("/usr/sbin/nginx");
        command.arg("-p").arg(dir.path()).arg("-c").arg(dir.path().join("nginx.conf")).args(["-g", "daemon off;"]);
        Proxy::start(&mut command, dir, port)
    }

    fn caddy(backend: &str) -> Proxy {
        let dir = tempfile::tempdir().unwrap();
        certificates(dir.path());
        let (port, here) = (free_port(), dir.path().display());
        // Caddy listens on one port only, and uses the certificate of the test.
        let mut site = replaced(CADDY, "{\n\tservers {", "{\n\tadmin off\n\tauto_https disable_redirects\n\tservers {");
        let own = format!("https://localhost:{port} {{\n\tbind 127.0.0.1\n\ttls {here}/cert.pem {here}/key.pem\n");
        site = replaced(&site, "games.example.org {\n", &own);
        site = replaced(&site, "reverse_proxy 127.0.0.1:8080", &format!("reverse_proxy {backend}"));
        fs::write(dir.path().join("Caddyfile"), site).unwrap();
        let mut command = Command::new("caddy");
        command.args(["run", "--config"]).arg(dir.path().join("Caddyfile"));
        for home in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env(home, dir.path());
        }
        Proxy::start(&mut command, dir, port)
    }

    fn start(command: &mut Command, dir: tempfile::TempDir, port: u16) -> Proxy {
        let log = fs::File::create(dir.path().join("log")).unwrap();
        let child = command.stderr(log).stdin(Stdio::null()).spawn();
        let child = child.expect("nginx and Caddy run: deploy/install-test-tools installs them");
        let mut proxy = Proxy { child, dir, url: format!("https://localhost:{port}") };
        wait_until("the proxy to listen", || {
            let ended = proxy.child.try_wait().unwrap();
            assert!(ended.is_none(), "{}", fs::read_to_string(proxy.dir.path().join("log")).unwrap());
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        proxy
    }

    /// Returns a curl command that requests this path and trusts the proxy's certificate.
    fn curl(&self, path: &str) -> Command {
        let mut command = Command::new("curl");
        command.args(["--silent", "--show-error", "--max-time", "60", "--cacert"]).arg(self.dir.path().join("ca.pem"));
        command.args(["--interface", ELSEWHERE]).arg(format!("{}{path}", self.url));
        command
    }
}

fn output(command: &mut Command) -> Vec<u8> {
    let output = command.output().expect("curl runs: deploy/install-test-tools installs it");
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

fn text(command: &mut Command) -> String {
    String::from_utf8(output(command)).unwrap()
}

/// Returns the server's log entries for requests of this route.
fn seen(serving: &Serving, route: &str) -> Vec<Value> {
    let log = serving.log();
    let entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries.filter(|entry| entry["route"] == route).collect()
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs nginx, Caddy and curl: ./test runs it")]
fn the_server_sees_clients_behind_a_trusted_proxy() {
    let server = Server::with_players();
    let config = "[web]\nlisten = \"127.0.0.1:0\"\nproxies = [\"127.0.0.1\", \"::1\"]\n";
    let serving = Serving::logging(&server, config, "turnpost=debug");
    for (name, proxy) in Proxy::each(&serving.web()) {
        let before = seen(&serving, "/help/{topic}").len();
        let lies = ["X-Forwarded-For: 192.0.2.66", "X-Forwarded-Proto: gopher", "X-Forwarded-Host: evil.example"];
        let page = text(proxy.curl("/help/marque").args(lies.iter().flat_map(|lie| ["--header", lie])));
        assert!(page.contains("Cameron Browne"), "{name}: {page}");
        let requests = wait_until("the request in the log", || {
            Some(seen(&serving, "/help/{topic}")).filter(|seen| seen.len() > before)
        });
        let request = requests.last().unwrap();
        assert_eq!(request["client"], ELSEWHERE, "{name}: {request}");
        assert_eq!(request["https"], true, "{name}: {request}");
        assert_eq!(request["host"], proxy.url.strip_prefix("https://").unwrap(), "{name}: {request}");
        assert_eq!(request["status"], 200, "{name}: {request}");

        // The proxy compresses the page. The decompressed page is unchanged.
        let packed = output(proxy.curl("/help/marque").args(["--header", "Accept-Encoding: gzip"]));
        assert!(packed.starts_with(b"\x1f\x8b") && packed.len() < page.len(), "{name}: {} octets", packed.len());
        assert_eq!(text(proxy.curl("/help/marque").arg("--compressed")), page, "{name}");

        // The proxy refuses requests that are too large for a form. The test uses HTTP/1.1: over HTTP/2, Caddy answers
        // and then resets the stream without an error, according to RFC 9113, 8.1. Browsers show the answer, but curl
        // 7.88 may lose it.
        let post = |octets: usize| {
            let mut command = proxy.curl("/unsubscribe/t-o-k-e-n");
            command.args([
                "--http1.1",
                "--data",
                &"x".repeat(octets),
                "--output",
                "/dev/null",
                "--write-out",
                "%{http_code}",
            ]);
            text(&mut command)
        };
        assert_eq!(post(60_000), "404", "{name}: the server itself rejects the unknown token");
        // Caddy before 2.7 returns 502 instead of 413.
        assert!(["413", "502"].contains(&post(100_000).as_str()), "{name}");
    }
    let log = serving.log();
    assert!(!log.contains("an unconfigured proxy forwards requests") && !log.contains("t-o-k-e-n"), "{log}");
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs nginx, Caddy and curl: ./test runs it")]
fn an_unknown_proxy_is_not_trusted() {
    let server = Server::with_players();
    let serving = Serving::logging(&server, "[web]\nlisten = \"127.0.0.1:0\"\n", "turnpost=debug");
    for (name, proxy) in Proxy::each(&serving.web()) {
        output(&mut proxy.curl("/"));
        let requests =
            wait_until("the request in the log", || Some(seen(&serving, "/")).filter(|seen| !seen.is_empty()));
        let request = requests.last().unwrap();
        assert_eq!((&request["client"], &request["https"]), (&"127.0.0.1".into(), &false.into()), "{name}: {request}");
        assert!(
            serving.log().contains("an unconfigured proxy forwards requests"),
            "{name}: the log warns the administrator"
        );
    }
}

/// Starts a server that sends one event immediately, and another when the test asks for it.
fn stream_of_events() -> (String, mpsc::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (go, told) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            // A proxy may open a connection without a request, to check whether the server is available.
            if !lines.any(|line| line.is_ok_and(|line| line.is_empty())) {
                continue;
            }
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: one\n\n"
            )
            .unwrap();
            if told.recv().is_err() {
                return;
            }
            write!(stream, "data: two\n\n").unwrap();
        }
    });
    (address, go)
}

#[test]
#[cfg_attr(not(feature = "test-tools"), ignore = "needs nginx, Caddy and curl: ./test runs it")]
fn events_pass_a_proxy_immediately() {
    for path in ["/boards/12/events", "/api/v1/events"] {
        let (backend, go) = stream_of_events();
        for (name, proxy) in Proxy::each(&backend) {
            let mut command = proxy.curl(path);
            let mut curl = command.args(["--no-buffer", "--compressed"]).stdout(Stdio::piped()).spawn().unwrap();
            let mut events = BufReader::new(curl.stdout.take().unwrap());
            let mut first = String::new();
            events.read_line(&mut first).unwrap();
            assert_eq!(first, "data: one\n", "{name}: the proxy does not buffer events");
            go.send(()).unwrap();
            let mut rest = String::new();
            events.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "\ndata: two\n\n", "{name}");
            assert!(curl.wait().unwrap().success(), "{name}");
        }
    }
}
