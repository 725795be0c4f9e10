//! Runs the program, and sends requests to it over one HTTP connection.

#![allow(dead_code, reason = "each bench uses a part of it")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running `turnpost serve`, and a persistent connection to it.
pub struct Serving {
    child: Child,
    stream: BufReader<TcpStream>,
}

impl Serving {
    pub fn start(directory: &Path) -> Serving {
        fs::write(directory.join("turnpost.toml"), "[web]\nlisten = \"127.0.0.1:0\"\n").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnpost"));
        command.arg("--data").arg(directory).args(["serve", "--log-json"]).env_remove("TURNPOST_LOG");
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = log.find(|line| line.as_ref().is_ok_and(|line| line.contains("listening for HTTP")));
        let line: serde_json::Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
        let stream = TcpStream::connect(line["address"].as_str().unwrap()).unwrap();
        stream.set_nodelay(true).unwrap();
        std::thread::spawn(move || log.for_each(drop));
        Serving { child, stream: BufReader::new(stream) }
    }

    /// Requests a page. Returns its size in octets and the time.
    pub fn get(&mut self, path: &str) -> (usize, Duration) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: games.example\r\n\r\n"))
    }

    /// Runs a line of the command language for an anonymous client. Returns the size of the answer and the time.
    pub fn run(&mut self, line: &str) -> (usize, Duration) {
        let body = serde_json::json!({ "line": line }).to_string();
        let length = body.len();
        self.ask(&format!(
            "POST /api/v1/commands HTTP/1.1\r\nHost: games.example\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        ))
    }

    fn ask(&mut self, request: &str) -> (usize, Duration) {
        let begun = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let line = head.len();
            assert!(self.stream.read_line(&mut head).unwrap() > 0, "{request}: {head}");
            if let Some(given) = head[line..].to_lowercase().strip_prefix("content-length:") {
                length = given.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        let took = begun.elapsed();
        assert!(head.starts_with("HTTP/1.1 200") && length > 0, "{request}: {head}");
        (length, took)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
