//! Measures how long pages take on a server with 100,000 boards, and on one with 100: `cargo bench --bench pages`.
//! After `--`, you can set another number of boards.
//!
//! One of the pages is that of a league, which has 200 players on the large server and ten on the small one.
//!
//! The bench starts the real program, and requests all pages over one persistent loopback connection, as a proxy would.
//! The goals: a page takes less than 5 ms, the league's page less than 50 ms, and pages take about as long on both
//! servers. The servers take turns, so that other load on the machine affects both.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use turnpost::command::EventKind;
use turnpost::numbers::{BoardNumber, EntryNumber, Ply};
use turnpost::rating::Rating;
use turnpost::rules::catalogue;
use turnpost::service::next_hash;
use turnpost::store::{
    self, BoardPlace, BoardResult, Channel, Edition, Entry, EntryKind, NewBoard, NewEvent, Participant, PlayerId,
    PlayerRef, Standing, Transaction,
};
use turnpost::world::World;

mod generator;
#[path = "population/random.rs"]
mod random;
mod web;

use generator::Generator;
use random::{Sample, samples};
use web::Serving;

/// The number of random games prepared for each kind of game. The boards are copies of these games.
const GAMES: usize = 500;
/// The number of moves on each board.
const PLIES: usize = 20;
/// The number of boards created in one transaction.
const BATCH: u32 = 5_000;
/// The number of requests for each kind of page.
const REQUESTS: usize = 300;

fn at(minutes: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap() + TimeDelta::minutes(minutes)
}

fn userid(nth: usize) -> String {
    format!("player{nth}")
}

/// Fills a server's database with this many boards, of which every second one has ended. There is a player for each
/// hundred boards (at least ten), with a standing in every game.
fn fill(path: &Path, boards: u32, samples: &[Sample], generator: &mut Generator) {
    store::create(path, World::REAL).unwrap();
    let mut store = store::open(path, World::REAL).unwrap();
    let mut tx = store.write().unwrap();
    let mut players = Vec::new();
    for nth in 0..(boards as usize / 100).max(10) {
        let player = tx.add_player(&userid(nth), "", at(0)).unwrap();
        for game in catalogue::GAMES {
            let rating = Rating { rating: 1_000.0 + generator.below(1_000) as f64, deviation: 80.0, volatility: 0.06 };
            let (game, player) = (game.name().to_owned(), PlayerRef { id: player, userid: String::new() });
            tx.set_standing(&Standing { game, player, rating, wins: 50, losses: 50, draws: 1 }).unwrap();
        }
        players.push(player);
    }
    tx.commit().unwrap();
    let mut number = 0;
    while number < boards {
        let mut tx = store.write().unwrap();
        for _ in 0..BATCH.min(boards - number) {
            number += 1;
            let first = generator.below(players.len());
            let second = (first + 1 + generator.below(players.len() - 1)) % players.len();
            let sample = &samples[generator.below(samples.len())];
            add_board(&mut tx, number, [players[first], players[second]], sample);
        }
        tx.commit().unwrap();
    }
    let mut tx = store.write().unwrap();
    add_league(&mut tx, &players, number, samples);
    tx.commit().unwrap();
    store.checkpoint().unwrap();
}

fn add_board(tx: &mut Transaction<'_>, number: u32, players: [PlayerId; 2], sample: &Sample) {
    let minute = i64::from(number);
    let mut hash = next_hash("", Ply(0), sample.game);
    let new = NewBoard {
        number: Some(BoardNumber(number)),
        game: sample.game.to_owned(),
        options: String::new(),
        terms: "--unrated".parse().unwrap(),
        players,
        to_move: sample.moves[0].0,
        challenger: Some(players[0]),
        rematch_of: None,
        hash: hash.clone(),
        created_at: at(minute),
    };
    tx.add_board(&new).unwrap();
    for (nth, (seat, text)) in sample.moves[..PLIES].iter().enumerate() {
        let ply = nth as u32 + 1;
        hash = next_hash(&hash, Ply(ply), text);
        let (text, via, made_at) = (text.clone(), Channel::Mail, at(minute + i64::from(ply)));
        let entry = Entry {
            entry: EntryNumber(ply),
            kind: EntryKind::Move,
            ply: Ply(ply),
            seat: Some(*seat),
            text,
            made_at,
            via,
            hash: hash.clone(),
        };
        let (next, _) = sample.moves[nth + 1];
        tx.add_entry(BoardNumber(number), &entry, Some(next)).unwrap();
    }
    if number.is_multiple_of(2) {
        let reason = "resignation".to_owned();
        let result = BoardResult {
            winner: Some(sample.moves[PLIES].0.other()),
            reason: reason.into(),
            ended_at: at(minute + 30),
        };
        tx.end_board(BoardNumber(number), &result).unwrap();
    }
}

/// Adds a league of at most 200 players, in divisions of ten. Half of its games have ended.
fn add_league(tx: &mut Transaction<'_>, players: &[PlayerId], mut number: u32, samples: &[Sample]) {
    let players = &players[..players.len().min(200)];
    let new = NewEvent {
        name: "spring".to_owned(),
        kind: EventKind::League,
        game: samples[0].game.to_owned(),
        options: String::new(),
        terms: "--forfeittime=21 --totaltime=60".parse().unwrap(),
        size: 10,
        twice: false,
        once: false,
        created_at: at(0),
    };
    let later = at(10_000_000);
    let event = tx.add_event(&new, later).unwrap();
    let edition = Edition { number: 1, started_at: at(0), reported_at: at(0), latest_at: Some(later), ended_at: None };
    tx.set_edition(event, &edition).unwrap();
    for (division, players) in (1..).zip(players.chunks(10)) {
        for (place, player) in (1..).zip(players) {
            tx.join_event(event, *player, at(0)).unwrap();
            let player = PlayerRef { id: *player, userid: String::new() };
            let of = Participant { player, division, place, withdrawn: None, rank: None };
            tx.set_participant(event, 1, &of).unwrap();
        }
        for (nth, first) in players.iter().enumerate() {
            for second in &players[nth + 1..] {
                number += 1;
                add_board(tx, number, [*first, *second], &samples[0]);
                let place = BoardPlace { division, round: 1, slot: 1 };
                tx.add_event_board(event, 1, place, BoardNumber(number)).unwrap();
            }
        }
    }
}

/// A filled database, whose server is not yet running.
struct Filled {
    dir: tempfile::TempDir,
    boards: u32,
}

impl Filled {
    fn new(boards: u32, samples: &[Sample], generator: &mut Generator) -> Filled {
        let dir = tempfile::tempdir().unwrap();
        let (begun, database) = (Instant::now(), dir.path().join("turnpost.db"));
        fill(&database, boards, samples, generator);
        let size = fs::metadata(&database).unwrap().len() / 1_048_576;
        println!("{boards} boards: {size} MiB, made in {:.0} s", begun.elapsed().as_secs_f64());
        Filled { dir, boards }
    }

    fn serve(self) -> Server {
        Server { serving: Serving::start(self.dir.path()), boards: self.boards, _dir: self.dir }
    }
}

/// A running server with this many boards.
struct Server {
    serving: Serving,
    boards: u32,
    _dir: tempfile::TempDir,
}

/// The measurements of one kind of page on one server.
#[derive(Default)]
struct Measured {
    octets: Vec<usize>,
    times: Vec<Duration>,
}

impl Measured {
    /// Returns the mean size, because pages of different games differ in size.
    fn octets(&self) -> usize {
        self.octets.iter().sum::<usize>() / self.octets.len()
    }

    /// Returns the time in milliseconds within which this fraction of the requests was answered.
    fn within(&mut self, part: f64) -> f64 {
        self.times.sort_unstable();
        self.times[(self.times.len() as f64 * part) as usize].as_secs_f64() * 1_000.0
    }
}

/// A function that returns the address of a random page of one kind.
type Address = fn(u32, &mut Generator) -> String;
const PAGES: &[(&str, Address)] = &[
    ("board", |boards, generator| format!("/boards/{}", 1 + generator.below(boards as usize))),
    ("board at a ply", |boards, generator| {
        format!("/boards/{}/{}", 1 + generator.below(boards as usize), generator.below(PLIES))
    }),
    ("boards of a game", |_, generator| format!("/games/{}", game(generator))),
    ("… further back", |boards, generator| format!("/games/{}?before={}", game(generator), boards / 2)),
    ("… finished", |_, generator| format!("/games/{}/finished", game(generator))),
    ("player", |boards, generator| format!("/players/{}", player(boards, generator))),
    ("… finished boards", |boards, generator| format!("/players/{}/finished", player(boards, generator))),
    ("standings", |_, generator| format!("/games/{}/standings", game(generator))),
    ("event", |_, _| "/events/spring".to_owned()),
    ("events", |_, _| "/events".to_owned()),
    ("record", |boards, generator| format!("/boards/{}/record.json", 1 + generator.below(boards as usize))),
];

fn game(generator: &mut Generator) -> &'static str {
    catalogue::GAMES[generator.below(catalogue::GAMES.len())].name()
}

fn player(boards: u32, generator: &mut Generator) -> String {
    userid(generator.below((boards as usize / 100).max(10)))
}

fn main() {
    // Skips the argument `--bench`, which cargo adds.
    let large = std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    let mut generator = Generator::new(20260101);
    let samples = samples(&mut generator, GAMES, PLIES + 1);
    // A server would close an idle connection while a large database is filled, so both servers start afterwards.
    let filled = [100, large].map(|boards| Filled::new(boards, &samples, &mut generator));
    let mut servers = filled.map(Filled::serve);
    println!("\n{:20} {:>9} {:>9}  {:>17}  {:>17}  {:>6}", "", "octets", "", "median ms", "95 % within ms", "ratio");
    println!("{:20} {:>9} {large:>9}  {:>8} {large:>8}  {:>8} {large:>8}", "boards", 100, 100, 100);
    for (name, address) in PAGES {
        let mut measured = [Measured::default(), Measured::default()];
        for nth in 0..REQUESTS + 20 {
            for (server, measured) in servers.iter_mut().zip(&mut measured) {
                let (octets, took) = server.serving.get(&address(server.boards, &mut generator));
                // The first requests warm up the server.
                if nth >= 20 {
                    measured.octets.push(octets);
                    measured.times.push(took);
                }
            }
        }
        let [small, large] = &mut measured;
        let (medians, tails) = ([small.within(0.5), large.within(0.5)], [small.within(0.95), large.within(0.95)]);
        let (octets, ratio) = ([small.octets(), large.octets()], medians[1] / medians[0]);
        println!(
            "{name:20} {:9} {:9}  {:8.2} {:8.2}  {:8.2} {:8.2}  {ratio:6.2}",
            octets[0], octets[1], medians[0], medians[1], tails[0], tails[1]
        );
    }
}
