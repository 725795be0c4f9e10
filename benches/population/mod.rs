//! A server's database of any size.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, Statement, params};
use turnpost::numbers::Ply;
use turnpost::rating::{Rating, rate};
use turnpost::rules::catalogue;
use turnpost::service::chain;
use turnpost::store::{self, Seat, Standing, Store};
use turnpost::world::World;

use crate::dice::Dice;
use crate::random::Sample;

/// The plies of every board.
pub const PLIES: u32 = 50;
/// Boards that are played side by side, and written in one transaction.
const TOGETHER: u32 = 2_000;
/// One board of so many is in progress.
const ACTIVE: u32 = 5;
/// Boards for each player, who sits at twice as many.
const BOARDS_A_PLAYER: u32 = 8;

/// The time at which the database was filled.
pub fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_798_794_000, 0).unwrap()
}

/// The userid of a player, from 0.
pub fn userid(nth: usize) -> String {
    format!("player{nth}")
}

/// A board in progress.
pub struct Active {
    pub number: u32,
    /// The players of both seats.
    pub players: [usize; 2],
    /// Which game it repeats.
    pub sample: usize,
    /// How many moves were made.
    pub plies: usize,
}

/// What a database was filled with.
pub struct Population {
    pub boards: u32,
    pub players: usize,
    pub active: Vec<Active>,
}

/// A board while it is filled.
struct Board {
    number: u32,
    players: [usize; 2],
    sample: usize,
    head: String,
    over: bool,
}

impl Board {
    /// When it began: an active board had its last move within the last five days, so that no clock is due.
    fn began(&self, boards: u32) -> DateTime<Utc> {
        let back = if self.over { 7_200 + boards - self.number } else { self.number % 7_200 };
        now() - TimeDelta::minutes(back.into()) - Self::made(PLIES + 1)
    }

    /// How long after its beginning an entry was made.
    fn made(entry: u32) -> TimeDelta {
        TimeDelta::hours(6 * i64::from(entry))
    }
}

/// Fills a new database with boards of [`PLIES`] plies each, one transaction for many. The triggers of the database
/// check each entry as they always do, and the hashes are those of the boards; only what SQLite waits for is left out.
pub fn fill(path: &Path, boards: u32, samples: &[Sample], dice: &mut Dice) -> Population {
    let players = (boards / BOARDS_A_PLAYER) as usize;
    store::create(path, World::REAL).unwrap();
    let mut store = store::open(path, World::REAL).unwrap();
    add_players(&mut *store, players);
    drop(store);
    let db = Connection::open(path).unwrap();
    // Without a log, each page is written once; the store turns it on again.
    let pragmas = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000";
    db.execute_batch(pragmas).unwrap();
    let mut filled = Population { boards, players, active: Vec::new() };
    let mut ratings = Ratings { standings: vec![vec![None; catalogue::GAMES.len()]; players], rated: 0 };
    let mut next = 1;
    while next <= boards {
        let group = next..(next + TOGETHER).min(boards + 1);
        next = group.end;
        let mut group: Vec<Board> = group.map(|number| board(number, players, samples, dice)).collect();
        db.execute_batch("BEGIN IMMEDIATE").unwrap();
        play(&db, &mut group, boards, samples);
        end(&db, &group, boards, samples, &mut ratings);
        db.execute_batch("COMMIT").unwrap();
        let active = group.iter().filter(|board| !board.over);
        filled.active.extend(active.map(|board| Active {
            number: board.number,
            players: board.players,
            sample: board.sample,
            plies: PLIES as usize,
        }));
    }
    drop(db);
    let mut store = store::open(path, World::REAL).unwrap();
    ratings.store(&mut *store);
    store.settle().unwrap();
    filled
}

fn add_players(store: &mut dyn Store, players: usize) {
    let mut tx = store.write().unwrap();
    for nth in 0..players {
        let player = tx.add_player(&userid(nth), "", now() - TimeDelta::days(4_000)).unwrap();
        assert_eq!(player.0, nth as i64 + 1);
        tx.add_address(player, &format!("{}@example.org", userid(nth)), None, now()).unwrap();
    }
    tx.commit().unwrap();
}

fn board(number: u32, players: usize, samples: &[Sample], dice: &mut Dice) -> Board {
    let first = dice.below(players);
    let second = (first + 1 + dice.below(players - 1)) % players;
    let sample = dice.below(samples.len());
    let head = chain::genesis(samples[sample].game, "", [&userid(first), &userid(second)]);
    Board { number, players: [first, second], sample, head, over: !number.is_multiple_of(ACTIVE) }
}

fn text(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn side(seat: Seat) -> u32 {
    seat.index() as u32 + 1
}

/// Adds these boards, and makes the moves on all of them in turn.
fn play(db: &Connection, group: &mut [Board], boards: u32, samples: &[Sample]) {
    let mut add = db
        .prepare(
            "INSERT INTO boards (number, game, options, challenger, to_move, genesis, head, created_at, moved_at, rated,
                 private, nag_days, forfeit_days, total_days)
             VALUES (?1, ?2, '', ?3, ?4, ?5, ?5, ?6, ?6, 1, 0, 7, 21, 0)",
        )
        .unwrap();
    let mut seat = db.prepare("INSERT INTO seats (board, seat, player) VALUES (?1, ?2, ?3)").unwrap();
    for board in &*group {
        let sample = &samples[board.sample];
        let [first, second] = board.players.map(|player| player as u32 + 1);
        let began = text(board.began(boards));
        add.execute(params![board.number, sample.game, first, side(sample.moves[0].0), board.head, began]).unwrap();
        for (place, player) in [(1, first), (2, second)] {
            seat.execute([board.number, place, player]).unwrap();
        }
    }
    let mut append = appending(db);
    let mut turn = db.prepare("UPDATE boards SET to_move = ?2 WHERE number = ?1").unwrap();
    for ply in 1..=PLIES {
        for board in &mut *group {
            let sample = &samples[board.sample];
            let (seat, words) = &sample.moves[ply as usize - 1];
            board.head = chain::next(&board.head, Ply(ply), words);
            let made_at = (board.began(boards) + Board::made(ply)).timestamp();
            append.execute(params![board.number, ply, 0, ply, side(*seat), words, made_at, 0, board.head]).unwrap();
            turn.execute([board.number, side(sample.moves[ply as usize].0)]).unwrap();
        }
    }
}

/// Appends an entry. The parameters are those of the table `moves`, the hash in digits.
fn appending(db: &Connection) -> Statement<'_> {
    db.prepare(
        "INSERT INTO moves (board, entry, kind, ply, seat, text, made_at, via, hash)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, unhex(?9))",
    )
    .unwrap()
}

/// Ends the boards that are to be over by a resignation, and rates them; lets the clocks of the others run.
fn end(db: &Connection, group: &[Board], boards: u32, samples: &[Sample], ratings: &mut Ratings) {
    let mut append = appending(db);
    let mut close = db
        .prepare(
            "UPDATE boards SET to_move = NULL, winner = ?2, reason = 'resignation', ended_at = ?3, rated_as = ?4
             WHERE number = ?1",
        )
        .unwrap();
    let mut change = db.prepare("INSERT INTO rating_changes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)").unwrap();
    let mut clock = db.prepare("UPDATE boards SET clock_since = ?2, clock_due_at = ?3 WHERE number = ?1").unwrap();
    for board in group {
        let sample = &samples[board.sample];
        if !board.over {
            let since = board.began(boards) + Board::made(PLIES);
            clock.execute(params![board.number, text(since), text(since + TimeDelta::days(7))]).unwrap();
            continue;
        }
        let loser = sample.moves[PLIES as usize].0;
        let words = format!("resign {}", side(loser));
        let hash = chain::next(&board.head, Ply(PLIES), &words);
        let at = board.began(boards) + Board::made(PLIES + 1);
        let entry = params![board.number, PLIES + 1, 2, PLIES, side(loser), words, at.timestamp(), 0, hash];
        append.execute(entry).unwrap();
        let changes = ratings.rate(board, sample.game, loser.other());
        close.execute(params![board.number, side(loser.other()), text(at), ratings.rated]).unwrap();
        for (seat, [before, after]) in (1..).zip(changes) {
            let (b, a) = (before, after);
            let of_seat =
                params![board.number, seat, b.rating, b.deviation, b.volatility, a.rating, a.deviation, a.volatility];
            change.execute(of_seat).unwrap();
        }
    }
}

/// The standings of all players, by game, and how many boards were rated.
struct Ratings {
    standings: Vec<Vec<Option<Standing>>>,
    rated: u32,
}

impl Ratings {
    /// Rates a board; returns each player's rating before and after it.
    fn rate(&mut self, board: &Board, game: &str, winner: Seat) -> [[Rating; 2]; 2] {
        let of_game = catalogue::GAMES.iter().position(|each| each.name() == game).unwrap();
        let before = board.players.map(|player| {
            self.standings[player][of_game].as_ref().map_or_else(Rating::default, |standing| standing.rating)
        });
        let after = rate(before, Some(winner));
        for seat in Seat::BOTH {
            let player = board.players[seat.index()];
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
        Seat::BOTH.map(|seat| [before[seat.index()], after[seat.index()]])
    }

    fn store(&self, store: &mut dyn Store) {
        let mut tx = store.write().unwrap();
        for standing in self.standings.iter().flatten().flatten() {
            tx.set_standing(standing).unwrap();
        }
        tx.commit().unwrap();
    }
}
