//! Compares a large server with a small one: `cargo bench --bench growth`. After `--`, you can set the number of boards
//! of the large server.
//!
//! One server has 1,000 boards of 50 plies, the other 100,000, with the same number of boards for each player. The most
//! frequent requests of players and the administrator are sent to both in turn, so that other load on the machine
//! affects both. Before most reads, another connection commits, as on a busy server, so that SQLite's page cache is
//! empty on both. The first part calls the functions of the program directly, and the second part requests pages and
//! runs a command over HTTP. The goals: the large server takes at most 1.3 times as long, `serve` starts within 200 ms,
//! and a ply occupies at most 100 bytes. docs/performance.md has the results.

use std::fs;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};
use turnpost::command::parse;
use turnpost::config::Config;
use turnpost::numbers::BoardNumber;
use turnpost::rules::catalogue;
use turnpost::service::{
    AsOf, BoardsOf, Cursor, Origin, Passwords, Request, Response, Service, administration, board_view, check_board,
};
use turnpost::store::{self, Channel, InboxId, Report, ReportPage, Store};
use turnpost::world::World;

mod generator;
mod population;
#[path = "population/random.rs"]
mod random;
mod web;

use generator::Generator;
use population::{PLIES, Population, fill, now, userid};
use random::{Sample, samples};
use web::Serving;

/// The number of random games prepared for each kind of game. The boards are copies of these games.
const GAMES: usize = 40;
/// The number of further moves in each prepared game, after those on the filled boards. The measurements play them.
const MORE: usize = 14;
/// The number of boards on the small server.
const SMALL: u32 = 1_000;
/// The number of boards whose records are checked at the end.
const CHECKED: usize = 200;
/// The number of rounds, and of measurements of each kind in a round.
const ROUNDS: usize = 7;
const TIMES: usize = 31;
/// The number of starts of `serve`.
const STARTS: usize = 7;
/// The first page of a list of `turnpost admin`, with an extra row that shows whether there is another page.
const FIRST_PAGE: ReportPage = ReportPage { skip: 0, most: 101 };

/// The open database of a server.
struct Server {
    store: Box<dyn Store>,
    /// Another connection to the database. Its commits empty the page cache of `store`.
    other: Connection,
    config: Config,
    filled: Population,
    dir: tempfile::TempDir,
}

impl Server {
    fn new(boards: u32, samples: &[Sample], generator: &mut Generator) -> Server {
        let dir = tempfile::tempdir().unwrap();
        let (begun, path) = (Instant::now(), dir.path().join("turnpost.db"));
        let filled = fill(&path, boards, samples, generator);
        let size = fs::metadata(&path).unwrap().len();
        println!(
            "{boards} boards, {} players: {} MiB, {} bytes a ply, made in {:.0} s",
            filled.players,
            size >> 20,
            size / u64::from(boards * PLIES),
            begun.elapsed().as_secs_f64()
        );
        // Reads the file once, so that it is in the system's cache and the bench does not measure the disk.
        std::io::copy(&mut fs::File::open(&path).unwrap(), &mut std::io::sink()).unwrap();
        let store = store::open(&path, World::REAL).unwrap();
        let other = Connection::open(&path).unwrap();
        other.execute_batch("PRAGMA synchronous = OFF").unwrap();
        Server { store, other, config: Config::default(), filled, dir }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join("turnpost.db")
    }

    /// Runs a command line in a separate transaction.
    fn answer(&mut self, from: Origin, line: &str) -> Response {
        let request = Request { line: parse(line).unwrap(), from, comment: None, client: None, now: now() };
        let mut tx = self.store.write().unwrap();
        let answer =
            self.config.service(World::REAL).answer(&mut tx, &request, &Passwords::default()).unwrap().unwrap();
        tx.commit().unwrap();
        answer
    }
}

/// A function that takes one measurement.
type Measure = fn(&mut Server, &[Sample], &mut Generator) -> Duration;

/// Whether SQLite's page cache is kept for a measurement, or emptied by a commit of another connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pages {
    Kept,
    Forgotten,
}

/// Commits, which makes SQLite discard the pages cached by other connections.
fn forget_pages(by: &Connection) {
    assert_eq!(by.execute("UPDATE server SET one = one", []).unwrap(), 1);
}

fn timed<T>(act: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(act());
    begun.elapsed()
}

/// Plays a move. Returns the time until the end of the commit.
fn turn(server: &mut Server, samples: &[Sample], generator: &mut Generator) -> Duration {
    let board = loop {
        let nth = generator.below(server.filled.active.len());
        let board = &mut server.filled.active[nth];
        if board.plies < samples[board.sample].moves.len() {
            break board;
        }
    };
    let sample = &samples[board.sample];
    let (seat, text) = &sample.moves[board.plies];
    let userid = userid(board.players[seat.index()]);
    board.plies += 1;
    let line = format!("{} move {} {userid} - {text}", sample.game, board.number);
    let took = timed(|| server.answer(Origin::Known { userid, via: Channel::Web }, &line));
    server.store.checkpoint().unwrap();
    took
}

fn board(server: &mut Server, _: &[Sample], generator: &mut Generator) -> Duration {
    let number = BoardNumber(1 + generator.below(server.filled.boards as usize) as u32);
    timed(|| board_view(&server.store.read().unwrap(), number, AsOf::Now, None, false).unwrap().unwrap())
}

fn waiting(server: &mut Server, _: &[Sample], generator: &mut Generator) -> Duration {
    let line = format!("all show {} next", server.filled.player(generator));
    timed(|| server.answer(Origin::Visitor, &line))
}

fn any_game(generator: &mut Generator) -> &'static str {
    catalogue::GAMES[generator.below(catalogue::GAMES.len())].name()
}

fn standings(server: &mut Server, _: &[Sample], generator: &mut Generator) -> Duration {
    let game = any_game(generator);
    timed(|| {
        let tx = server.store.read().unwrap();
        let service = server.config.service(World::REAL);
        let distribution = service.rating_distribution(&tx, game, None).unwrap();
        (service.standings_page(&tx, game, 1).unwrap(), distribution, service.seekers(&tx, game).unwrap())
    })
}

fn clocks(server: &mut Server, _: &[Sample], _: &mut Generator) -> Duration {
    timed(|| {
        assert!(server.store.read().unwrap().next_clock().unwrap().unwrap() > now());
        let mut tx = server.store.write().unwrap();
        assert!(server.config.service(World::REAL).tick(&mut tx, now(), 100).unwrap().is_empty());
        tx.commit().unwrap();
    })
}

fn player(server: &mut Server, _: &[Sample], generator: &mut Generator) -> Duration {
    let userid = server.filled.player(generator);
    timed(|| {
        let answer = server.answer(Origin::Visitor, &format!("show {userid}"));
        let tx = server.store.read().unwrap();
        let service = server.config.service(World::REAL);
        let player = service.player_id(&tx, &userid).unwrap().unwrap();
        let of = BoardsOf::Player(player, None);
        (answer, service.board_page(&tx, &Origin::Visitor, of, false, Cursor::Newest).unwrap())
    })
}

fn report(server: &mut Server, report: &Report<'_>) -> Duration {
    timed(|| {
        let rows = administration::report(&server.store.read().unwrap(), report, FIRST_PAGE).unwrap();
        assert_eq!(rows.len(), FIRST_PAGE.most as usize);
    })
}

fn admin_boards(server: &mut Server, _: &[Sample], _: &mut Generator) -> Duration {
    report(server, &Report::Boards { player: None, against: None, game: None, active: false })
}

fn admin_players(server: &mut Server, _: &[Sample], _: &mut Generator) -> Duration {
    report(server, &Report::Players { named: None, idle_days: None, paused: false, by_boards: false })
}

/// Times the query for computer players that have to move, which the server runs after each turn. Here, it finds none.
fn robots(server: &mut Server, _: &[Sample], _: &mut Generator) -> Duration {
    timed(|| {
        let tx = server.store.read().unwrap();
        assert!(server.config.service(World::REAL).robot_tasks(&tx).unwrap().is_empty());
    })
}

/// Opens the store, and runs the queries of `serve` at its start.
fn open(server: &mut Server, _: &[Sample], _: &mut Generator) -> Duration {
    let path = server.path();
    timed(|| {
        let mut store = store::open(&path, World::REAL).unwrap();
        let tx = store.read().unwrap();
        assert!(!Service::has_lapsed_accounts(&tx, now()).unwrap());
        assert!(tx.waiting_after(InboxId(0), 1).unwrap().is_empty());
        (tx.next_clock().unwrap(), tx.next_due().unwrap())
    })
}

/// Measurements of writes keep the page cache, because `serve` writes with a single connection.
const MEASURES: &[(&str, Measure, Pages)] = &[
    ("a turn", turn, Pages::Kept),
    ("a board", board, Pages::Forgotten),
    ("all show USERID next", waiting, Pages::Forgotten),
    ("standings", standings, Pages::Forgotten),
    ("clocks, none due", clocks, Pages::Kept),
    ("robots, none to move", robots, Pages::Forgotten),
    ("a player and their boards", player, Pages::Forgotten),
    ("admin boards", admin_boards, Pages::Forgotten),
    ("admin players", admin_players, Pages::Forgotten),
    ("opening the store", open, Pages::Kept),
];

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Measures both servers in turn. Prints the medians of the rounds in milliseconds, and of their ratios.
fn compare<T>(servers: &mut [T; 2], name: &str, mut measure: impl FnMut(&mut T) -> Duration) {
    let (mut rounds, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
    for _ in 0..ROUNDS {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..TIMES {
            for (server, times) in servers.iter_mut().zip(&mut times) {
                times.push(measure(server).as_secs_f64() * 1_000.0);
            }
        }
        let [small, large] = times.map(median);
        ratios.push(large / small);
        for (rounds, time) in rounds.iter_mut().zip([small, large]) {
            rounds.push(time);
        }
    }
    let [small, large] = rounds.map(median);
    println!("{name:26} {small:10.3} {large:10.3}  {:6.2}", median(ratios));
}

/// Checks the records and hashes of some boards on each server, and the whole database of the small server.
fn check(servers: &mut [Server; 2]) {
    for server in &mut *servers {
        let boards = server.filled.boards;
        let tx = server.store.read().unwrap();
        for number in (1..=boards).step_by(boards as usize / CHECKED) {
            let board = tx.board(BoardNumber(number)).unwrap().unwrap();
            assert_eq!(check_board(&tx, &board).unwrap(), []);
        }
    }
    let data = servers[0].dir.path();
    let ran = Command::new(env!("CARGO_BIN_EXE_turnpost")).arg("--data").arg(data).args(["admin", "check"]).output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    println!("checked: {}", String::from_utf8_lossy(&ran.stdout).trim());
}

/// A running server with web pages and the API.
struct AtWork {
    serving: Serving,
    server: Server,
}

impl AtWork {
    fn start(server: Server) -> AtWork {
        AtWork { serving: Serving::start(server.dir.path()), server }
    }

    fn any_board(&self, generator: &mut Generator) -> usize {
        1 + generator.below(self.server.filled.boards as usize)
    }

    fn any_player(&self, generator: &mut Generator) -> String {
        self.server.filled.player(generator)
    }

    fn get(&mut self, path: &str) -> Duration {
        self.serving.get(path).1
    }
}

/// A function that sends one request, and returns the time until the end of the response.
type Ask = fn(&mut AtWork, &mut Generator) -> Duration;

const ASKS: &[(&str, Ask)] = &[
    ("a board's page", |at_work, generator| {
        let board = at_work.any_board(generator);
        at_work.get(&format!("/boards/{board}"))
    }),
    ("a player's page", |at_work, generator| {
        let player = at_work.any_player(generator);
        at_work.get(&format!("/players/{player}"))
    }),
    ("the page of standings", |at_work, generator| at_work.get(&format!("/games/{}/standings", any_game(generator)))),
    ("all show USERID next", |at_work, generator| {
        let player = at_work.any_player(generator);
        at_work.serving.run(&format!("all show {player} next")).1
    }),
];

/// Returns the time in milliseconds from the start of `serve` to its greeting.
fn start(server: Server) -> f64 {
    let Server { store, other, dir, .. } = server;
    drop((store, other));
    let socket = dir.path().join("lmtp.sock");
    let config = format!("address = \"turnpost@games.example\"\n[receive]\nlmtp = \"unix:{}\"\n", socket.display());
    fs::write(dir.path().join("turnpost.toml"), config).unwrap();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnpost"));
        let begun = Instant::now();
        let mut serve = command.arg("--data").arg(dir.path()).arg("serve").stderr(Stdio::null()).spawn().unwrap();
        let mut greeting = [0; 4];
        while UnixStream::connect(&socket).and_then(|mut peer| peer.read_exact(&mut greeting)).is_err() {
            assert!(serve.try_wait().unwrap().is_none(), "the server runs until it is stopped");
            thread::sleep(Duration::from_micros(200));
        }
        let took = begun.elapsed().as_secs_f64() * 1_000.0;
        assert_eq!(&greeting, b"220 ");
        kill_process(Pid::from_child(&serve), Signal::TERM).unwrap();
        assert!(serve.wait().unwrap().success());
        took
    };
    median((0..STARTS).map(|_| start()).collect())
}

fn main() {
    // Skips the argument `--bench`, which cargo adds.
    let large = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    let mut generator = Generator::new(20260101);
    let samples = samples(&mut generator, GAMES, PLIES as usize + MORE);
    let mut servers = [SMALL, large].map(|boards| Server::new(boards, &samples, &mut generator));
    println!("\n{:26} {SMALL:>10} {large:>10}  {:>6}", "milliseconds", "ratio");
    for (name, measure, pages) in MEASURES {
        compare(&mut servers, name, |server| {
            if *pages == Pages::Forgotten {
                forget_pages(&server.other);
            }
            measure(server, &samples, &mut generator)
        });
    }
    check(&mut servers);
    println!("\nby HTTP, from the request to the end of the response:");
    let mut at_work = servers.map(AtWork::start);
    for (name, ask) in ASKS {
        compare(&mut at_work, name, |at_work| {
            forget_pages(&at_work.server.other);
            ask(at_work, &mut generator)
        });
    }
    println!();
    let [small, large] = at_work.map(|AtWork { serving, server }| {
        drop(serving);
        start(server)
    });
    println!("{:26} {small:10.3} {large:10.3}  {:6.2}", "serve", large / small);
}
