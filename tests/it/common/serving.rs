//! A running `turnpost serve`, an LMTP client, and Python's smtplib.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::Server;

/// Calls `look` until it returns a value, for at most two minutes, which is ample even on a busy machine. `what`
/// completes the panic message "timed out … waiting for".
pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(120) {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("timed out after two minutes waiting for {what}");
}

/// A running `turnpost serve`, which is killed when dropped.
pub struct Serving {
    pub child: Child,
    log: PathBuf,
}

impl Serving {
    /// Starts the server with this configuration.
    pub fn start(server: &Server, config: &str) -> Serving {
        Serving::logging(server, config, "info")
    }

    /// Starts the server with this configuration and this value of `TURNPOST_LOG`.
    pub fn logging(server: &Server, config: &str, level: &str) -> Serving {
        Serving::with(server, config, level, &[])
    }

    /// Starts the server read-only.
    pub fn read_only(server: &Server, config: &str) -> Serving {
        Serving::with(server, config, "info", &["--read-only"])
    }

    fn with(server: &Server, config: &str, level: &str, options: &[&str]) -> Serving {
        server.configure(config);
        let log = server.data().join("serve.log");
        let mut command = server.program();
        command
            .args(["serve", "--log-json"])
            .args(options)
            .env("TURNPOST_LOG", level)
            .stderr(File::create(&log).unwrap());
        let child = command.spawn().unwrap();
        let mut serving = Serving { child, log };
        wait_until("the server to start", || {
            assert!(serving.child.try_wait().unwrap().is_none(), "the server ended: {}", serving.log());
            serving.log().contains("\"serving\"").then_some(())
        });
        serving
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Returns the server's HTTP address.
    pub fn web(&self) -> String {
        let log = self.log();
        let line = log.lines().find(|line| line.contains("listening for HTTP")).unwrap();
        serde_json::from_str::<Value>(line).unwrap()["address"].as_str().unwrap().to_owned()
    }

    /// Returns the server's address for metrics.
    pub fn metrics(&self) -> String {
        let log = self.log();
        let line = log.lines().find(|line| line.contains("listening for metrics")).unwrap();
        serde_json::from_str::<Value>(line).unwrap()["address"].as_str().unwrap().to_owned()
    }

    /// Returns how many messages each transaction stored, according to the log.
    pub fn kept(&self) -> Vec<u64> {
        let entries = self.log();
        let entries = entries.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        entries
            .filter(|entry| entry["message"] == "mail stored")
            .map(|entry| entry["messages"].as_u64().unwrap())
            .collect()
    }

    /// Sends SIGTERM, and checks that the server ends cleanly. Returns the log.
    pub fn stop(mut self) -> String {
        terminate(&self.child);
        assert!(self.child.wait().unwrap().success(), "{}", self.log());
        self.log()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a loopback port for a program that cannot choose one itself. The port is below the system's ephemeral ports,
/// and unique in this process.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    std::iter::repeat_with(|| first + NEXT.fetch_add(1, Ordering::Relaxed))
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .unwrap()
}

/// Sends SIGTERM.
pub fn terminate(child: &Child) {
    kill_process(Pid::from_child(child), Signal::TERM).unwrap();
}

/// Sends an HTTP request. Returns the status, the head and the body.
pub fn http(address: &str, request: &str) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{request}").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head, answer[end + 4..].to_vec())
}

/// An LMTP client.
pub struct Peer {
    stream: Box<dyn Write + Send>,
    lines: BufReader<Box<dyn Read + Send>>,
}

impl Peer {
    /// Connects without reading the greeting.
    pub fn connect(socket: &Path) -> Peer {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Peer { lines: BufReader::new(Box::new(stream.try_clone().unwrap())), stream: Box::new(stream) }
    }

    /// Connects to a loopback port.
    pub fn connect_port(port: u16) -> Peer {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Peer { lines: BufReader::new(Box::new(stream.try_clone().unwrap())), stream: Box::new(stream) }
    }

    /// Connects, and sends LHLO.
    pub fn greeted(socket: &Path) -> Peer {
        let mut peer = Peer::connect(socket);
        assert!(peer.reply().starts_with("220 "));
        assert!(peer.say("LHLO test.example").starts_with("250-"));
        peer
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// Reads a reply and joins its lines. Returns an empty string if the connection has ended.
    pub fn reply(&mut self) -> String {
        let mut reply = String::new();
        loop {
            let mut line = String::new();
            // An error means that the connection was reset.
            if self.lines.read_line(&mut line).unwrap_or(0) == 0 {
                return reply;
            }
            let more = line.as_bytes().get(3) == Some(&b'-');
            reply.push_str(line.strip_suffix("\r\n").expect("each line of a reply ends with CRLF"));
            if !more {
                return reply;
            }
            reply.push('|');
        }
    }

    pub fn say(&mut self, line: &str) -> String {
        self.send(format!("{line}\r\n").as_bytes());
        self.reply()
    }

    /// Sends the commands before a message's text, for one recipient.
    pub fn begin(&mut self, to: &str) {
        assert!(self.say("MAIL FROM:<alice@example.org>").starts_with("250 "));
        assert!(self.say(&format!("RCPT TO:<{to}>")).starts_with("250 "));
        assert!(self.say("DATA").starts_with("354 "));
    }

    /// Returns whether the connection has ended without further replies.
    pub fn is_over(&mut self) -> bool {
        let mut rest = Vec::new();
        let _ = self.lines.read_to_end(&mut rest);
        rest.is_empty()
    }
}

/// A running `tests/data/post.py`.
pub struct Post {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Post {
    pub fn start() -> Post {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/post.py");
        let mut command = Command::new("python3");
        let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 runs");
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Post { child, input, output }
    }

    pub fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("Python answered {line:?}: {error}"))
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
