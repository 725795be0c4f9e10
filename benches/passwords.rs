//! Measures the cost of passwords: `cargo bench --bench passwords`.
//!
//! First, the bench measures repeated checks of a right password in this process. Then it starts the real program.
//! Moves arrive by mail, over the web and by the API, first without other load, and then during a flood of a thousand
//! wrong passwords a minute over the same channel. Each wrong password is sent from a different address, so that no
//! rate limit applies and the server checks all of them. Passwords are hashed with the program's usual parameters.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use serde_json::{Value, json};
use turnpost::command;
use turnpost::config::Config;
use turnpost::service::{Credentials, Origin, Passwords, Request};
use turnpost::store::{self, Transaction};
use turnpost::world::World;

mod by_mail;
#[path = "../tests/it/common/mod.rs"]
mod common;

use by_mail::{ADDRESS, Sink, deliver, wait};
use common::serving::{Peer, Serving, http};
use common::visitor::Visitor;
use common::{Server, done};

const PASSWORD: &str = "wonderland";
/// The number of repeated checks of the right password.
const TIMES: usize = 10_000;
/// The number of turns over each channel, before the flood and again during it.
const TURNS: u32 = 300;
/// The interval between two wrong passwords: about a thousand a minute.
const FLOOD_EVERY: Duration = Duration::from_millis(60);
/// The number of wrong passwords before the measured turns. They make the server allocate its memory for hashes.
const BEFORE: u32 = 20;
/// The pause between two turns.
const PAUSE: Duration = Duration::from_millis(25);

/// The channel of a move or a guess.
#[derive(Clone, Copy)]
enum Way {
    Mail,
    Web,
    Api,
}

const WAYS: [(Way, &str); 3] = [(Way::Mail, "by mail"), (Way::Web, "from the web"), (Way::Api, "by the API")];

/// Signs up a player, and lets them challenge this many others.
fn fill(server: &Server, boards: u32) {
    done(server, &format!("signup mover {PASSWORD} mover@example.org"));
    let mut store = store::open(server.data().join("turnpost.db"), World::REAL).unwrap();
    let (config, now) = (Config::default(), (World::REAL.now)());
    let mut tx = store.write().unwrap();
    for n in 1..=boards {
        let other = tx.add_player(&format!("other{n}"), "", now).unwrap();
        tx.add_address(other, &format!("other{n}@example.org"), None, now).unwrap();
        let line = command::parse(&format!("brique challenge mover other{n}")).unwrap();
        let request = Request { line, from: Origin::Shell { password: None }, comment: None, client: None, now };
        config.service(World::REAL).answer(&mut tx, &request, &Passwords::default()).unwrap().unwrap();
    }
    tx.commit().unwrap();
}

/// Returns the mean time of a repeated check of the right password, including reading the player's row.
fn known_password(server: &Server) -> Duration {
    let mut store = store::open(server.data().join("turnpost.db"), World::REAL).unwrap();
    let (config, now, client) = (Config::default(), (World::REAL.now)(), IpAddr::V4(Ipv4Addr::LOCALHOST));
    let service = config.service(World::REAL);
    let mut tx = store.write().unwrap();
    let (userid, password) = ("mover".to_owned(), PASSWORD.to_owned());
    let credentials = Credentials { userid, password, client, now };
    let ask = |tx: &mut Transaction<'_>| {
        let passwords = service.credential_checks(tx, &credentials).unwrap().make(World::REAL);
        assert!(service.player_by_password(tx, &credentials, &passwords).unwrap().is_ok());
    };
    // Only the first check hashes the password.
    ask(&mut tx);
    let began = Instant::now();
    for _ in 0..TIMES {
        ask(&mut tx);
    }
    began.elapsed() / TIMES as u32
}

/// The running server.
struct AtWork {
    web: String,
    player: Visitor,
    csrf: String,
    token: String,
    database: Connection,
    _serving: Serving,
    server: Server,
}

impl AtWork {
    fn start(server: Server, sink: &Sink) -> AtWork {
        let config = by_mail::config(&server, sink)
            + "[web]\nlisten = \"127.0.0.1:0\"\nurl = \"http://games.example\"\nproxies = [\"127.0.0.1\"]\n";
        let serving = Serving::logging(&server, &config, "warn,turnpost=info");
        let web = serving.web();
        let mut player = Visitor::logged_in(&web, "mover", PASSWORD);
        let csrf = player.get("/settings").hidden("csrf").unwrap().to_owned();
        let made = json!({ "userid": "mover", "password": PASSWORD, "label": "a bench" });
        let made = post(&web, "/tokens", "", &made).1;
        let token = made["token"].as_str().unwrap().to_owned();
        let database = Connection::open(server.data().join("turnpost.db")).unwrap();
        AtWork { web, player, csrf, token, database, _serving: serving, server }
    }

    fn peer(&self) -> Peer {
        Peer::greeted(&self.server.data().join("lmtp.sock"))
    }

    /// Plays the first move on a board. Returns the time until it is recorded.
    fn turn(&mut self, way: Way, board: u32, peer: &mut Peer) -> Duration {
        let began = Instant::now();
        match way {
            Way::Mail => {
                let line = format!("brique move {board} mover {PASSWORD} c3");
                deliver(peer, &mail("mover@example.org", &line));
                let sql = "SELECT 1 FROM boards WHERE number = ?1 AND plies = 1";
                let mut made = self.database.prepare_cached(sql).unwrap();
                wait(|| made.exists(params![board]).unwrap());
            }
            Way::Web => {
                let fields = [("csrf", self.csrf.as_str()), ("do", "move"), ("move", "c3"), ("ply", "1")];
                let page = self.player.send(&format!("/boards/{board}"), &fields);
                assert_eq!(page.status, 303, "{}", page.text());
            }
            Way::Api => {
                let token = format!("Authorization: Bearer {}\r\n", self.token);
                let made = post(&self.web, &format!("/boards/{board}/moves"), &token, &json!({ "move": "c3" }));
                assert_eq!(made.0, 200, "{}", made.1);
            }
        }
        began.elapsed()
    }

    /// Plays moves on these boards one after the other. Returns the sorted times in milliseconds.
    fn turns(&mut self, way: Way, boards: std::ops::Range<u32>) -> Vec<f64> {
        let mut peer = self.peer();
        let turn = |board| {
            std::thread::sleep(PAUSE);
            self.turn(way, board, &mut peer).as_secs_f64() * 1e3
        };
        let mut times: Vec<f64> = boards.map(turn).collect();
        times.sort_by(f64::total_cmp);
        times
    }

    /// Plays moves during a flood of wrong passwords. Also returns the number of wrong passwords per minute.
    fn turns_in_flood(&mut self, way: Way, boards: std::ops::Range<u32>) -> (Vec<f64>, f64) {
        let (web, mut peer, flooding) = (&self.web.clone(), self.peer(), &AtomicBool::new(true));
        std::thread::scope(|scope| {
            let flood = scope.spawn(move || {
                let (began, mut guesses) = (Instant::now(), 0);
                // Hashing takes a while, so each guess is sent without waiting for the answers to earlier ones.
                std::thread::scope(|guessing| {
                    while flooding.load(Ordering::Relaxed) {
                        let n = guesses;
                        match way {
                            Way::Mail => guess_by_mail(n, &mut peer),
                            Way::Web => drop(guessing.spawn(move || guess_by_web(web, n))),
                            Way::Api => drop(guessing.spawn(move || guess_by_api(web, n))),
                        }
                        guesses += 1;
                        std::thread::sleep((FLOOD_EVERY * guesses).saturating_sub(began.elapsed()));
                    }
                });
                f64::from(guesses) / began.elapsed().as_secs_f64() * 60.0
            });
            std::thread::sleep(FLOOD_EVERY * BEFORE);
            let times = self.turns(way, boards);
            flooding.store(false, Ordering::Relaxed);
            (times, flood.join().unwrap())
        })
    }

    /// Waits until every message has a verdict, and every letter is sent.
    fn settle(&self) {
        let waiting = "SELECT 1 FROM inbox WHERE verdict IS NULL \
             UNION ALL SELECT 1 FROM outbox WHERE sent_at IS NULL AND due_at IS NOT NULL";
        let mut waiting = self.database.prepare_cached(waiting).unwrap();
        wait(|| !waiting.exists([]).unwrap());
    }
}

fn mail(from: &str, line: &str) -> by_mail::Mail {
    (ADDRESS.to_owned(), format!("From: {from}\r\nSubject: {line}\r\n\r\n"))
}

/// Returns the address of a client. Each number belongs to a different client.
fn client(n: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(Ipv4Addr::new(198, 18, 0, 0)) + n)
}

fn guess_by_mail(n: u32, peer: &mut Peer) {
    deliver(peer, &mail(&format!("stranger{n}@example.com"), &format!("brique move 1 mover guess{n} c3")));
}

fn guess_by_web(web: &str, n: u32) {
    let headers = format!("Origin: http://games.example\r\nX-Forwarded-For: {}\r\n", client(n));
    let fields = [("userid", "mover"), ("password", &*format!("guess{n}"))];
    assert_eq!(Visitor::new(web).send_with("/login", &fields, &headers).status, 403);
}

fn guess_by_api(web: &str, n: u32) {
    let guess = json!({ "userid": "mover", "password": format!("guess{n}"), "label": "a guess" });
    let headers = format!("X-Forwarded-For: {}\r\n", client(1 << 16 | n));
    assert_eq!(post(web, "/tokens", &headers, &guess).0, 401);
}

/// Calls the API with these headers. Returns the status and the answer.
fn post(web: &str, path: &str, headers: &str, body: &Value) -> (u16, Value) {
    let body = body.to_string();
    let request = format!(
        "POST /api/v1{path} HTTP/1.1\r\nHost: games.example\r\n{headers}Content-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let (status, _, answer) = http(web, &request);
    (status, serde_json::from_slice(&answer).unwrap())
}

fn percentile(times: &[f64], hundredths: usize) -> f64 {
    times[(times.len() * hundredths / 100).min(times.len() - 1)]
}

fn main() {
    let (server, sink) = (Server::new(), Sink::start());
    fill(&server, 2 * TURNS * WAYS.len() as u32);
    println!("a password that was right before: {:.4} ms", known_password(&server).as_secs_f64() * 1e3);
    let mut at_work = AtWork::start(server, &sink);
    let mut next = 1;
    let mut boards = || {
        let boards = next..next + TURNS;
        next = boards.end;
        boards
    };
    println!("{:16}{:>30}{:>44}", "turns", "alone: median, 99 %, slowest", "while guesses come: the same, in a minute");
    for (way, name) in WAYS {
        let alone = at_work.turns(way, boards());
        at_work.settle();
        let (flooded, rate) = at_work.turns_in_flood(way, boards());
        at_work.settle();
        let shown = |times: &[f64]| [50, 99, 100].map(|at| format!("{:8.1}", percentile(times, at))).concat();
        println!("{name:16}{:>30}{:>34}{rate:10.0}", shown(&alone), shown(&flooded));
    }
    let check = done(&at_work.server, "admin check");
    assert!(check.contains("no difference") || check.contains("OK"), "{check}");
}
