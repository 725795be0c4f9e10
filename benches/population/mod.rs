//! Creates a server's database of any size.

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use chrono::{DateTime, TimeDelta, Utc};
use data_encoding::HEXLOWER;
use rusqlite::{CachedStatement, Connection, params};
use turnpost::numbers::Ply;
use turnpost::rating::{Rating, rate};
use turnpost::rules::catalogue;
use turnpost::service::{genesis_hash, next_hash};
use turnpost::store::{self, Seat, Standing, Store};
use turnpost::world::World;

use crate::generator::Generator;
use crate::random::Sample;

/// The number of plies on each board.
pub const PLIES: u32 = 50;
/// The number of boards whose moves are written in turn, in one transaction. For so few boards, the database pages
/// remain in the processor's cache.
const TOGETHER: u32 = 200;
/// The number of groups of boards that may be computed before they are written.
const AHEAD: usize = 4;
/// One in this many boards is in progress.
const ACTIVE: u32 = 5;
/// The number of computer players. Every second board in progress is against one of them, and the opponent is to
/// move.
const ROBOTS: u32 = 12;
/// The number of boards per player. A board has two seats, so each player plays on twice as many.
const BOARDS_A_PLAYER: u32 = 8;

/// Returns the time that the benches use as the current time.
pub fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_798_794_000, 0).unwrap()
}

pub fn userid(nth: usize) -> String {
    format!("player{nth}")
}

/// A board in progress between people.
pub struct Active {
    pub number: u32,
    /// The players of both seats.
    pub players: [usize; 2],
    /// The index of the prepared game that the board repeats.
    pub sample: usize,
    pub plies: usize,
}

/// The content of a filled database.
pub struct Population {
    pub boards: u32,
    pub players: usize,
    pub active: Vec<Active>,
}

impl Population {
    /// Returns the userid of a random player.
    pub fn player(&self, generator: &mut Generator) -> String {
        userid(generator.below(self.players))
    }
}

/// A board with all its data.
struct Board {
    number: u32,
    players: [usize; 2],
    sample: usize,
    genesis: String,
    /// The hash of each entry.
    hashes: Vec<Vec<u8>>,
    began: DateTime<Utc>,
    /// The rating changes, if the board has ended.
    rated: Option<Rated>,
}

/// The position of a board in the order in which boards were rated, and each player's rating before and after it.
struct Rated {
    place: u32,
    changes: [[Rating; 2]; 2],
}

/// Returns the time between a board's creation and an entry.
fn made(entry: u32) -> TimeDelta {
    TimeDelta::hours(6 * i64::from(entry))
}

/// Fills a new database with boards of [`PLIES`] plies each. The triggers of the database check each entry as usual,
/// and the hashes are valid. Waiting for the disk and checking foreign keys are disabled. One thread computes the
/// boards, and another writes them.
pub fn fill(path: &Path, boards: u32, samples: &[Sample], generator: &mut Generator) -> Population {
    let players = (boards / BOARDS_A_PLAYER) as usize;
    store::create(path, World::REAL).unwrap();
    let mut store = store::open(path, World::REAL).unwrap();
    add_players(&mut *store, players);
    drop(store);
    let mut active = Vec::new();
    let ratings = thread::scope(|scope| {
        let (send, groups) = sync_channel(AHEAD);
        let computing = scope.spawn(move || compute(boards, players, samples, generator, &send));
        let db = Connection::open(path).unwrap();
        // Without a journal, each page is written once. The store enables it again.
        let pragmas = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; \
             PRAGMA cache_size = -400000; PRAGMA foreign_keys = OFF";
        db.execute_batch(pragmas).unwrap();
        db.set_prepared_statement_cache_capacity(64);
        while let Ok(group) = groups.recv() {
            write(&db, &group, samples);
            let of_group = group.iter().filter(|board| board.rated.is_none() && !is_against_robot(board.number));
            active.extend(of_group.map(|&Board { number, players, sample, .. }| Active {
                number,
                players,
                sample,
                plies: PLIES as usize,
            }));
        }
        seat_robots(&db, players);
        computing.join().unwrap()
    });
    let mut store = store::open(path, World::REAL).unwrap();
    ratings.store(&mut *store);
    store.checkpoint().unwrap();
    Population { boards, players, active }
}

fn add_players(store: &mut dyn Store, players: usize) {
    let mut tx = store.write().unwrap();
    for nth in 0..players {
        let player = tx.add_player(&userid(nth), "", now() - TimeDelta::days(4_000)).unwrap();
        assert_eq!(player.0, nth as i64 + 1);
        tx.add_address(player, &format!("{}@example.org", userid(nth)), None, now()).unwrap();
    }
    for level in 1..=ROBOTS {
        tx.add_player(&format!("robot{level}"), "", now() - TimeDelta::days(4_000)).unwrap();
    }
    tx.commit().unwrap();
}

fn is_against_robot(board: u32) -> bool {
    board.is_multiple_of(2 * ACTIVE)
}

/// Puts a computer player on every second board in progress, instead of the player who is not to move.
fn seat_robots(db: &Connection, players: usize) {
    let sql =
        "UPDATE seats SET began_as = userid, player = ?1 + board / ?2 % ?3, userid = 'robot' || (1 + board / ?2 % ?3)
        WHERE board % ?2 = 0 AND active = 1 AND seat <> (SELECT to_move FROM boards WHERE number = board)";
    db.execute(sql, params![players as u32 + 1, 2 * ACTIVE, ROBOTS]).unwrap();
    let sql = "UPDATE players SET acted_at = (SELECT max(unixepoch(b.moved_at)) FROM seats s JOIN boards b ON b.number = s.board
        WHERE s.player = players.id AND s.active = 1) WHERE id > ?1";
    db.execute(sql, [players as u32]).unwrap();
}

/// Computes the boards, and sends them in groups to the writer.
fn compute(
    boards: u32,
    players: usize,
    samples: &[Sample],
    generator: &mut Generator,
    send: &SyncSender<Vec<Board>>,
) -> Ratings {
    let mut ratings = Ratings { standings: vec![vec![None; catalogue::GAMES.len()]; players], rated: 0 };
    let mut next = 1;
    while next <= boards {
        let group = next..(next + TOGETHER).min(boards + 1);
        next = group.end;
        let mut group: Vec<Board> = group.map(|number| board(number, boards, players, samples, generator)).collect();
        for board in &mut group {
            if !board.number.is_multiple_of(ACTIVE) {
                let sample = &samples[board.sample];
                board.rated = Some(ratings.rate(board.players, sample.game, loser(sample).other()));
            }
        }
        send.send(group).expect("the writer is running");
    }
    ratings
}

/// Returns the seat that resigns. Finished boards end by resignation after [`PLIES`] moves.
fn loser(sample: &Sample) -> Seat {
    sample.moves[PLIES as usize].0
}

fn resignation(loser: Seat) -> String {
    format!("resign {}", side(loser))
}

fn board(number: u32, boards: u32, players: usize, samples: &[Sample], generator: &mut Generator) -> Board {
    let first = generator.below(players);
    let second = (first + 1 + generator.below(players - 1)) % players;
    let nth = generator.below(samples.len());
    let sample = &samples[nth];
    let over = !number.is_multiple_of(ACTIVE);
    let genesis = genesis_hash(sample.game, "", [&userid(first), &userid(second)]);
    let moves = sample.moves[..PLIES as usize].iter().zip(1..).map(|((_, words), ply)| (words.clone(), ply));
    let end = over.then(|| (resignation(loser(sample)), PLIES));
    let mut head = genesis.clone();
    let hash = |(words, ply): (String, u32)| {
        head = next_hash(&head, Ply(ply), &words);
        HEXLOWER.decode(head.as_bytes()).expect("the hash consists of hex digits")
    };
    let hashes = moves.chain(end).map(hash).collect();
    // The last move on an active board is less than six days old, so that no clock is due.
    let back = if over { 7_200 + boards - number } else { number % 7_200 };
    let began = now() - TimeDelta::minutes(back.into()) - made(PLIES + 1);
    Board { number, players: [first, second], sample: nth, genesis, hashes, began, rated: None }
}

fn text(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn side(seat: Seat) -> u32 {
    seat.index() as u32 + 1
}

/// Writes a group of boards in one transaction.
fn write(db: &Connection, group: &[Board], samples: &[Sample]) {
    db.execute_batch("BEGIN IMMEDIATE").unwrap();
    begin(db, group, samples);
    play(db, group, samples);
    end(db, group, samples);
    db.execute_batch("COMMIT").unwrap();
}

fn begin(db: &Connection, group: &[Board], samples: &[Sample]) {
    let mut add = db
        .prepare_cached(
            "INSERT INTO boards (number, game, options, terms, challenger, to_move, genesis, head, created_at, moved_at)
             VALUES (?1, ?2, '', '--nagtime=7 --forfeittime=21 --totaltime=0', ?3, ?4, ?5, ?5, ?6, ?6)",
        )
        .unwrap();
    let mut seat = db.prepare_cached("INSERT INTO seats (board, seat, player) VALUES (?1, ?2, ?3)").unwrap();
    for board in group {
        let sample = &samples[board.sample];
        let [first, second] = board.players.map(|player| player as u32 + 1);
        let began = text(board.began);
        add.execute(params![board.number, sample.game, first, side(sample.moves[0].0), board.genesis, began]).unwrap();
        for (place, player) in [(1, first), (2, second)] {
            seat.execute([board.number, place, player]).unwrap();
        }
    }
}

/// Writes the first move of each board, then the second move of each board, and so on, as on a real server.
fn play(db: &Connection, group: &[Board], samples: &[Sample]) {
    let mut append = appending(db);
    let mut turn = db.prepare_cached("UPDATE boards SET to_move = ?2 WHERE number = ?1").unwrap();
    for ply in 1..=PLIES {
        for board in group {
            let sample = &samples[board.sample];
            let (seat, words) = &sample.moves[ply as usize - 1];
            let (made_at, hash) = ((board.began + made(ply)).timestamp(), &board.hashes[ply as usize - 1]);
            append.execute(params![board.number, ply, 0, ply, side(*seat), words, made_at, 0, hash]).unwrap();
            turn.execute([board.number, side(sample.moves[ply as usize].0)]).unwrap();
        }
    }
}

/// Prepares the statement that appends an entry. Its parameters are the columns of the table.
fn appending(db: &Connection) -> CachedStatement<'_> {
    db.prepare_cached(
        "INSERT INTO entries (board, entry, kind, ply, seat, text, made_at, via, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .unwrap()
}

/// Records a resignation as the end of each finished board, and the new ratings. Starts the clocks of the others.
fn end(db: &Connection, group: &[Board], samples: &[Sample]) {
    let mut append = appending(db);
    let mut close = db
        .prepare_cached(
            "UPDATE boards SET to_move = NULL, winner = ?2, reason = 'resignation', ended_at = ?3, rated_as = ?4
             WHERE number = ?1",
        )
        .unwrap();
    let mut change = db.prepare_cached("INSERT INTO rating_changes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)").unwrap();
    let clock = "UPDATE boards SET clock_since = ?2, clock_due_at = ?3 WHERE number = ?1";
    let mut clock = db.prepare_cached(clock).unwrap();
    for board in group {
        let Some(Rated { place, changes }) = &board.rated else {
            let since = board.began + made(PLIES);
            clock.execute(params![board.number, text(since), text(since + TimeDelta::days(7))]).unwrap();
            continue;
        };
        let loser = loser(&samples[board.sample]);
        let (at, hash) = (board.began + made(PLIES + 1), &board.hashes[PLIES as usize]);
        let words = resignation(loser);
        append
            .execute(params![board.number, PLIES + 1, 2, PLIES, side(loser), words, at.timestamp(), 0, hash])
            .unwrap();
        close.execute(params![board.number, side(loser.other()), text(at), place]).unwrap();
        for (seat, [b, a]) in (1..).zip(changes) {
            let of_seat =
                params![board.number, seat, b.rating, b.deviation, b.volatility, a.rating, a.deviation, a.volatility];
            change.execute(of_seat).unwrap();
        }
    }
}

/// The standings of all players, by game, and the number of rated boards.
struct Ratings {
    standings: Vec<Vec<Option<Standing>>>,
    rated: u32,
}

impl Ratings {
    /// Rates a board between these players.
    fn rate(&mut self, players: [usize; 2], game: &str, winner: Seat) -> Rated {
        let of_game = catalogue::GAMES.iter().position(|each| each.name() == game).unwrap();
        let before = players.map(|player| {
            self.standings[player][of_game].as_ref().map_or_else(Rating::default, |standing| standing.rating)
        });
        let after = rate(before, Some(winner));
        for seat in Seat::BOTH {
            let player = players[seat.index()];
            let standing = self.standings[player][of_game].get_or_insert_with(|| Standing {
                game: game.to_owned(),
                player: store::PlayerRef { id: store::PlayerId(player as i64 + 1), userid: userid(player) },
                rating: Rating::default(),
                wins: 0,
                losses: 0,
                draws: 0,
            });
            standing.rating = after[seat.index()];
            *(if seat == winner { &mut standing.wins } else { &mut standing.losses }) += 1;
        }
        self.rated += 1;
        let changes = Seat::BOTH.map(|seat| [before[seat.index()], after[seat.index()]]);
        Rated { place: self.rated, changes }
    }

    fn store(&self, store: &mut dyn Store) {
        let mut tx = store.write().unwrap();
        for standing in self.standings.iter().flatten().flatten() {
            tx.set_standing(standing).unwrap();
        }
        tx.commit().unwrap();
    }
}
