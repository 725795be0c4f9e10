//! Measures the cost of open event streams: `cargo bench --bench streams`.
//!
//! A real server has 1,000 connections that listen to one board, and a move is played on it. The bench measures the
//! resident memory of the server's process with and without these connections, and the time until the last
//! connection receives the move.

use std::io::BufReader;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::time::Instant;

use socket2::{Domain, Socket, Type};

#[path = "../tests/it/common/mod.rs"]
mod common;
mod event_streams;

use common::Server;
use common::serving::Serving;
use event_streams::{hear, wait_at_board};

const STREAMS: usize = 1_000;
/// The number of streams from one address. The server accepts no more.
const OF_ONE: usize = 20;
const MOVES: &[(&str, &str)] = &[("alice wonderland", "f3"), ("bob builder", "f4"), ("alice wonderland", "g2")];

/// Returns the resident memory of a process in MB.
fn resident(process: u32) -> f64 {
    let status =
        std::fs::read_to_string(format!("/proc/{process}/status")).expect("the status of the process is readable");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("the status contains the memory use");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).expect("the memory use is a number") / 1024.0
}

/// Opens an event stream of the board. Each value of `from` selects a different loopback address.
fn stream(server: SocketAddr, from: usize) -> BufReader<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    let address = IpAddr::from([127, 0, 1, u8::try_from(from + 1).unwrap()]);
    socket.bind(&SocketAddr::new(address, 0).into()).unwrap();
    socket.connect(&server.into()).unwrap();
    wait_at_board(socket.into(), 1)
}

fn main() {
    let server = Server::with_players();
    assert_eq!(server.shell("marque challenge alice bob").status, 0);
    let serving = Serving::start(&server, "[web]\nlisten = \"127.0.0.1:0\"\n");
    let address: SocketAddr = serving.web().parse().unwrap();
    drop(stream(address, 0));
    let before = resident(serving.child.id());
    let start = Instant::now();
    let mut streams: Vec<_> = (0..STREAMS).map(|n| stream(address, n / OF_ONE)).collect();
    println!("{STREAMS} streams opened in {:.0} ms", start.elapsed().as_secs_f64() * 1_000.0);
    let with = resident(serving.child.id());
    println!("resident memory: {before:.1} MB before, {with:.1} MB with them: {:.1} KB each", {
        (with - before) * 1024.0 / STREAMS as f64
    });
    for (player, mv) in MOVES {
        let start = Instant::now();
        assert_eq!(server.shell(&format!("marque move 1 {player} {mv}")).status, 0);
        let moved = start.elapsed();
        for stream in &mut streams {
            hear(stream, "event: change");
        }
        let (moved, heard) = (moved.as_secs_f64() * 1_000.0, start.elapsed().as_secs_f64() * 1_000.0);
        println!(
            "a move by the shell: its process took {moved:.0} ms, and the last stream had heard after {heard:.0} ms"
        );
    }
    println!("resident memory after the moves: {:.1} MB", resident(serving.child.id()));
}
