//! Measures how many plies a second the rules play, compared with chess by cozy-chess: `cargo bench --bench plies`.
//!
//! The bench plays random games on one core: each ply is chosen uniformly from all legal moves. The games take turns in
//! each round, so that other load on the machine affects all of them, and the median of the rounds is reported. A speed
//! means little if the games break the rules. So the bench also prints the mean length of the games, next to the mean
//! length by the independent rules in `tests/it/reference`, if these can play whole games.

use std::time::{Duration, Instant};

use cozy_chess::{Board, PieceMoves};
use turnpost::rules::brique::Brique;
use turnpost::rules::catalogue::{GAMES, Visitor, visit};
use turnpost::rules::lazo::Lazo;
use turnpost::rules::marque::Marque;
use turnpost::rules::replay::perft;
use turnpost::rules::tessella::Tessella;
use turnpost::rules::{Described, Game, GameState, Options, Play};

mod generator;
#[path = "../tests/it/reference/mod.rs"]
#[allow(dead_code)]
mod reference;

use generator::Generator;
use reference::{Reference, moving, placing};

/// How long each game is measured in a round.
const TURN: Duration = Duration::from_millis(250);
const ROUNDS: usize = 9;

/// Plays a game of chess to mate, stalemate or fifty moves without progress. Returns the number of plies.
fn chess(generator: &mut Generator, moves: &mut Vec<PieceMoves>) -> usize {
    let (mut board, mut plies) = (Board::default(), 0);
    while board.halfmove_clock() < 100 {
        let mut count = 0;
        moves.clear();
        board.generate_moves(|of_piece| {
            count += of_piece.len();
            moves.push(of_piece);
            false
        });
        if count == 0 {
            break;
        }
        let mut number = generator.below(count);
        for of_piece in moves.iter() {
            if number < of_piece.len() {
                board.play_unchecked(of_piece.into_iter().nth(number).unwrap());
                break;
            }
            number -= of_piece.len();
        }
        plies += 1;
    }
    plies
}

/// A visitor that plays a random game from the start, and returns its number of plies.
struct RandomGame<'a>(&'a mut Generator);

impl Visitor for RandomGame<'_> {
    type Output = usize;

    fn visit<P: Described>(self, start: &GameState<P>) -> usize {
        let (mut game, mut plies) = (GameState::new(start.position().clone()), 0);
        while game.outcome().is_none() {
            let mv = game.position().pick(|count| self.0.below(count)).unwrap();
            game.play_unchecked(mv);
            plies += 1;
        }
        plies
    }
}

/// Plays random games with the independent validators. Returns their mean length in plies, or `None` for Amazons and
/// Catchup, whose validators are too slow for whole games.
fn reference(game: &str) -> Option<f64> {
    Some(match game {
        "marque" => reference_marque(12),
        "brique" => reference_length::<reference::brique::Brique>("", 20),
        "tessella" => reference_length::<reference::tessella::Tessella>("", 400),
        "lazo" => reference_length::<reference::lazo::Lazo>("", 100),
        "hex" => reference_length::<placing::Board<reference::hex::Hex>>("", 100),
        "y" => reference_length::<placing::Board<reference::y::Y>>("", 100),
        "havannah" => reference_length::<placing::Board<reference::havannah::Havannah>>("", 100),
        "gonnect" => reference_length::<reference::gonnect::Gonnect>("-size=13", 10),
        "yavalath" => reference_length::<placing::Board<reference::yavalath::Yavalath>>("", 400),
        "breakthrough" => reference_length::<moving::Board<reference::breakthrough::Breakthrough>>("", 100),
        "loa" => reference_length::<moving::Board<reference::loa::LinesOfAction>>("", 40),
        "twixt" => reference_length::<reference::twixt::TwixT>("", 10),
        "pente" => reference_length::<reference::pente::Pente>("", 100),
        _ => return None,
    })
}

/// Plays this many random games with an independent validator. Returns their mean length in plies.
fn reference_length<D: Reference>(options: &str, games: usize) -> f64 {
    let mut generator = Generator::new(77);
    let mut plies = 0;
    for _ in 0..games {
        let mut board = D::start(&Options::from_canonical(options));
        while board.end().is_none() {
            let moves = board.moves();
            board.play(&moves[generator.below(moves.len())]);
            plies += 1;
        }
    }
    plies as f64 / games as f64
}

/// Plays this many random games of Marque with its independent validator, which does not know whose turn it is or
/// whether the game has ended. Returns their mean length in plies.
fn reference_marque(games: usize) -> f64 {
    let mut generator = Generator::new(77);
    let mut plies = 0;
    for _ in 0..games {
        let mut play = Marque.start(&Options::default()).unwrap();
        let mut board = reference::marque::Marque::new(&play.scene());
        while let Some(seat) = play.to_move() {
            board.to_move = seat.index();
            let (set, next) = board.moves().swap_remove(generator.below(play.legal_count()));
            play.play(&board.text(&set)).unwrap();
            board = next;
            plies += 1;
        }
    }
    plies as f64 / games as f64
}

/// A measured game.
struct Entrant<'a> {
    name: &'a str,
    /// Plays one game.
    play: Box<dyn FnMut(&mut Generator) -> usize + 'a>,
    reference: Option<f64>,
    /// Plies per second in each round.
    speeds: Vec<f64>,
    games: usize,
    plies: usize,
}

impl<'a> Entrant<'a> {
    fn new(name: &'a str, reference: Option<f64>, play: impl FnMut(&mut Generator) -> usize + 'a) -> Entrant<'a> {
        Entrant { name, play: Box::new(play), reference, speeds: Vec::new(), games: 0, plies: 0 }
    }

    fn round(&mut self, generator: &mut Generator) {
        let (begun, mut plies) = (Instant::now(), 0);
        while begun.elapsed() < TURN {
            plies += (self.play)(generator);
            self.games += 1;
        }
        self.speeds.push(plies as f64 / begun.elapsed().as_secs_f64());
        self.plies += plies;
    }

    fn speed(&self) -> f64 {
        let mut speeds = self.speeds.clone();
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() / 2]
    }
}

fn main() {
    let mut moves = Vec::new();
    let boards: Vec<Box<dyn Play>> = GAMES.iter().map(|game| game.start(&Options::default()).unwrap()).collect();
    let mut entrants = vec![Entrant::new("Chess (cozy-chess)", None, |generator| chess(generator, &mut moves))];
    entrants.extend(GAMES.iter().zip(&boards).map(|(game, board)| {
        let play = |generator: &mut Generator| visit(&**board, RandomGame(generator)).unwrap();
        Entrant::new(game.title(), reference(game.name()), play)
    }));
    let mut generator = Generator::new(20260101);
    for _ in 0..ROUNDS {
        entrants.iter_mut().for_each(|entrant| entrant.round(&mut generator));
    }
    let chess = entrants[0].speed();
    println!("{:20} {:>12} {:>9} {:>12} {:>12}", "uniform random", "plies/s", "to chess", "mean length", "reference");
    for entrant in &entrants {
        let reference = entrant.reference.map_or(String::new(), |mean| format!("{mean:.1}"));
        let (speed, length) = (entrant.speed(), entrant.plies as f64 / entrant.games as f64);
        println!("{:20} {speed:12.0} {:9.2} {length:12.1} {reference:>12}", entrant.name, speed / chess);
    }
    println!("\n{:20} {:>12} {:>12}", "perft", "leaves", "leaves/s");
    let chess = |depth| chess_perft(&Board::default(), depth);
    timed("chess 5", || chess(5));
    timed("brique 3", || perft(&Brique, &Options::default(), 3).unwrap());
    timed("tessella 5", || perft(&Tessella, &Options::default(), 5).unwrap());
    timed("marque 3", || perft(&Marque, &Options::default(), 3).unwrap());
    timed("lazo 4", || perft(&Lazo, &Options::default(), 4).unwrap());
}

/// Counts the positions at a depth. It counts the moves of the last level without playing them, as our perft does.
fn chess_perft(board: &Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|of_piece| {
        if depth == 1 {
            leaves += of_piece.len() as u64;
        } else {
            for mv in of_piece {
                let mut next = board.clone();
                next.play_unchecked(mv);
                leaves += chess_perft(&next, depth - 1);
            }
        }
        false
    });
    leaves
}

fn timed(name: &str, count: impl Fn() -> u64) {
    let begun = Instant::now();
    let leaves = count();
    println!("{name:20} {leaves:12} {:12.0}", leaves as f64 / begun.elapsed().as_secs_f64());
}
