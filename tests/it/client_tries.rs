//! What clients try over the web, many at the same time.

use std::thread;

use crate::common::serving::{Serving, sql};
use crate::common::visitor::{Page, Visitor};
use crate::common::Server;

const CONFIG: &str = "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"http://games.example\"\nproxies = [\"127.0.0.1\"]\n";
const STRANGER: &str = "192.0.2.1";

fn serving() -> (Server, Serving) {
    let server = Server::with_players();
    let serving = Serving::start(&server, CONFIG);
    (server, serving)
}

/// Sends a form from the address of a client.
fn send(visitor: &mut Visitor, client: &str, path: &str, fields: &[(&str, &str)]) -> Page {
    visitor.send_with(path, fields, &format!("Origin: http://games.example\r\nX-Forwarded-For: {client}\r\n"))
}

fn log_in(serving: &Serving, client: &str, userid: &str, password: &str) -> Page {
    send(&mut Visitor::new(&serving.web()), client, "/login", &[("userid", userid), ("password", password)])
}

/// How many tries in vain are counted.
fn counted(server: &Server) -> String {
    sql(server, "SELECT count(*) FROM wrong_passwords")
}

#[test]
fn many_clients_that_guess_at_the_same_time_hold_up_the_pages_for_a_moment_only() {
    const CLIENTS: usize = 200;
    let (server, serving) = serving();
    let guess = |n: usize| log_in(&serving, &format!("198.51.100.{n}"), "nobody", "guess").status;
    let told: Vec<u16> = thread::scope(|scope| {
        let asked: Vec<_> = (0..CLIENTS).map(|n| scope.spawn(move || guess(n))).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    assert_eq!(told, [403; CLIENTS]);
    assert_eq!(counted(&server), CLIENTS.to_string());
    assert_eq!(log_in(&serving, STRANGER, "alice", "wonderland").status, 303);
}
