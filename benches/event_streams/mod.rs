//! Listens to event streams.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Requests the events of a board on this connection, and waits until the stream has started.
pub fn wait_at_board(mut stream: TcpStream, board: u32) -> BufReader<TcpStream> {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "GET /boards/{board}/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::with_capacity(256, stream);
    hear(&mut lines, "event: now");
    lines
}

/// Reads the stream up to a line equal to this text.
pub fn hear(lines: &mut BufReader<TcpStream>, what: &str) {
    let mut line = String::new();
    while line.trim_end() != what {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the stream continues until {what}");
    }
}
