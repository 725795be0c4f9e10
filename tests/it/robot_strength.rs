//! Moves that the computer player must never miss: wins within three plies, threats of immediate wins, and the best
//! move in solvable endgames. The tests compute the right moves by trying every move.

use std::collections::HashMap;

use turnpost::player::{Level, SearchResult, think};
use turnpost::rules::{Options, Play, catalogue};

/// Games, with options, whose random games end with few legal moves.
const GAMES: [(&str, &str); 5] =
    [("marque", "-any_3"), ("brique", "-size=7"), ("tessella", ""), ("lazo", "-size=26"), ("amazons", "")];
/// Positions with more legal moves are too slow to search for wins in three plies.
const MOST_LEGAL: usize = 60;
/// Positions with more legal moves are not solved.
const SOLVED: usize = 9;
/// The maximum number of positions in a solved endgame. An endgame of Lazo can be long although its first position has
/// few legal moves, because tiles on upper levels allow additional moves.
const MOST_POSITIONS: usize = 1_500;

/// An iterator of random games. Each game is a list of the positions before its moves.
struct RandomGames {
    start: Box<dyn Play>,
    random: u64,
}

impl RandomGames {
    fn of(game: &str, options: &str) -> RandomGames {
        let start = catalogue::find(game).unwrap().start(&Options::from_canonical(options)).unwrap();
        RandomGames { start, random: 7 }
    }
}

impl Iterator for RandomGames {
    type Item = Vec<Box<dyn Play>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut board, mut before) = (self.start.boxed_clone(), Vec::new());
        while board.outcome().is_none() {
            before.push(board.boxed_clone());
            self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let moves = board.legal_moves();
            board.play(&moves[(self.random >> 33) as usize % moves.len()]).unwrap();
        }
        Some(before)
    }
}

fn after(board: &dyn Play, text: &str) -> Box<dyn Play> {
    let mut next = board.boxed_clone();
    next.play(text).unwrap();
    next
}

/// Returns the moves that win immediately.
fn wins(board: &dyn Play) -> Vec<String> {
    let is_win = |text: &String| after(board, text).outcome().is_some_and(|outcome| outcome.winner == board.to_move());
    board.legal_moves().into_iter().filter(is_win).collect()
}

/// Returns whether the move to `next` lets the opponent win immediately.
fn loses_at_once(board: &dyn Play, next: &dyn Play) -> bool {
    next.to_move().is_some_and(|seat| Some(seat) != board.to_move()) && !wins(next).is_empty()
}

/// Returns the moves after which every answer allows an immediate win.
fn threats_that_win(board: &dyn Play) -> Vec<String> {
    let to_move = board.to_move();
    let wins_after = |next: &dyn Play, answer: &String| {
        let then = after(next, answer);
        then.to_move() == to_move && !wins(&*then).is_empty()
    };
    let is_win = |text: &String| {
        let next = after(board, text);
        let answers = next.legal_moves();
        next.to_move().is_some_and(|answering| Some(answering) != to_move)
            && answers.iter().all(|answer| wins_after(&*next, answer))
    };
    board.legal_moves().into_iter().filter(is_win).collect()
}

/// A solver that tries every move.
#[derive(Default)]
struct Solver {
    /// The value of each examined position, by its pieces and the player to move.
    known: HashMap<String, i8>,
}

impl Solver {
    /// Returns whether there are too many positions. The results are then invalid.
    fn gives_up(&self) -> bool {
        self.known.len() >= MOST_POSITIONS
    }

    /// Returns the value of a position for the player to move: 1 won, 0 drawn, -1 lost.
    fn value(&mut self, board: &dyn Play) -> i8 {
        let key = format!("{:?} {:?}", board.pieces(), board.to_move());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut best = -1;
        for text in board.legal_moves() {
            if self.gives_up() {
                break;
            }
            best = best.max(self.value_of(board, &text));
            if best == 1 {
                break;
            }
        }
        self.known.insert(key, best);
        best
    }

    /// Returns the value of a move for its player.
    fn value_of(&mut self, board: &dyn Play, text: &str) -> i8 {
        let next = after(board, text);
        match next.outcome() {
            Some(outcome) if outcome.winner.is_none() => 0,
            Some(outcome) if outcome.winner == board.to_move() => 1,
            Some(_) => -1,
            None if next.to_move() == board.to_move() => self.value(&*next),
            None => -self.value(&*next),
        }
    }
}

fn found(board: &dyn Play, level: u8) -> SearchResult {
    think(board, Level::new(level).unwrap().limits(board, 2), 1, &|| false).unwrap()
}

#[test]
fn wins_within_three_plies_are_played_and_threats_answered() {
    for (game, options) in GAMES {
        let (mut at_once, mut in_three, mut answered) = (0, 0, 0);
        for board in RandomGames::of(game, options).flat_map(|before| before.into_iter().rev().take(4)) {
            if at_once + in_three + answered >= 100 {
                break;
            }
            if board.legal_count() > MOST_LEGAL {
                continue;
            }
            let found = |moves: &[String]| {
                let found = found(&*board, 3);
                assert!(moves.contains(&found.text), "{game}: {found:?}, not one of {moves:?}");
            };
            let (now, later) = (wins(&*board), threats_that_win(&*board));
            if !now.is_empty() {
                found(&now);
                at_once += 1;
            } else if !later.is_empty() {
                found(&later);
                in_three += 1;
            } else {
                let legal = board.legal_moves();
                let (lost, safe): (Vec<String>, Vec<String>) =
                    legal.into_iter().partition(|text| loses_at_once(&*board, &*after(&*board, text)));
                if !lost.is_empty() && !safe.is_empty() {
                    found(&safe);
                    answered += 1;
                }
            }
        }
        println!("{game}: {at_once} immediate wins, {in_three} in three plies, {answered} threats");
        assert!(at_once > 10 && in_three + answered > 10, "{game}: {at_once}, {in_three}, {answered}");
    }
}

#[test]
fn endgames_are_played_without_a_mistake() {
    for (game, options) in [("brique", "-size=5"), ("lazo", "-size=26")] {
        let (mut solved, mut decisions) = (0, 0);
        for before in RandomGames::of(game, options).take(2_000) {
            let Some(mut board) = before.into_iter().find(|board| (2..=SOLVED).contains(&board.legal_count())) else {
                continue;
            };
            let mut solver = Solver::default();
            solver.value(&*board);
            if solver.gives_up() {
                continue;
            }
            // The computer player moves for both sides until the end.
            while board.outcome().is_none() {
                let (found, best) = (found(&*board, Level::MOST), solver.value(&*board));
                assert_eq!(solver.value_of(&*board, &found.text), best, "{game}: {found:?}");
                let worse = board.legal_moves().iter().any(|text| solver.value_of(&*board, text) < best);
                decisions += usize::from(worse);
                board.play(&found.text).unwrap();
            }
            solved += 1;
            if solved == 10 {
                break;
            }
        }
        println!("{game}: {solved} endgames, {decisions} decisions between better and worse moves");
        assert!(solved >= 10 && decisions >= 5, "{game}: {solved}, {decisions}");
    }
}
