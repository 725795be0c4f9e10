//! Games in which a turn places one stone on an empty cell, with the pie rule.

use std::fmt::Debug;
use std::marker::PhantomData;

use super::grid::{Cell, Grid, Shape, size};
use super::scene;
use super::set::CellSet;
use super::stones::{Colour, End, Stone, Stones};
use crate::message;
use crate::rules::catalogue::{GameInfo, Kind};
use crate::rules::notation::{Effects, Notation, WinningCell};
use crate::rules::options::Options;
use crate::rules::outcome::{EndReason, Outcome, Seat, Side};
use crate::rules::position::{Described, Position};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::rules::scene::{Border, Scene};
use crate::text::{self, Message};

/// The move that exchanges colours.
const SWAP: &str = Notation::SWAP;

/// The number of random empty cells to try before listing the allowed ones.
const TRIES: usize = 8;

/// The rules of a game in which a turn places one stone.
pub trait Placement: GameInfo + Clone + Copy + Debug + Send {
    /// The usual number of cells on a side of the board.
    const SIZE: u16;
    /// The form of the board.
    const SHAPE: Shape;
    /// The colour that moves first.
    const FIRST: Colour;
    /// Whether the rules forbid stones on some empty cells. If so, a player who cannot move loses.
    const FORBIDS: bool = false;
    /// Whether positions can be repeated.
    const REPEATS: bool = false;
    /// Whether stones can be captured.
    const REMOVES: bool = false;

    /// Returns the aim of the game.
    fn aim(stones: &Stones) -> Message;

    /// Returns whether a stone is allowed on an empty cell.
    fn allows(stones: &Stones, cell: Cell) -> bool {
        let _ = (stones, cell);
        true
    }

    /// Explains why a stone is not allowed.
    fn refusal(stones: &Stones, cell: Cell) -> Message {
        let _ = (stones, cell);
        Message::default()
    }

    /// Returns the enemy stones that a stone on this empty cell would capture: whole chains, if the game uses chains.
    fn captures(stones: &Stones, cell: Cell) -> CellSet {
        let _ = (stones, cell);
        CellSet::default()
    }

    /// Returns how a stone would end the game; `None` if the game would continue. The stone is not placed yet, and its
    /// colour need not be the colour to move.
    fn end(stones: &Stones, stone: &Stone) -> Option<End>;

    /// Returns the cells with which the last stone has ended the game, in board order. In `stones`, the turn has
    /// already passed to the opponent.
    fn winning_cells(stones: &Stones, last: Cell) -> Vec<Cell>;

    /// Describes how the last stone won, in words that follow the winner's name. Must return `None` if the stone lost
    /// the game.
    fn achievement(stones: &Stones, last: Cell) -> Option<Message> {
        let _ = (stones, last);
        None
    }

    /// Describes how the last stone lost, in words that follow the loser's name. Must return `None` if the stone won
    /// the game.
    fn mistake(stones: &Stones, last: Cell) -> Option<Message> {
        let _ = (stones, last);
        None
    }

    /// Returns the parts of the rim that belong to the colours.
    fn borders(grid: &Grid) -> Vec<Border> {
        let _ = grid;
        Vec::new()
    }
}

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A stone on an empty cell.
    Place(Cell),
    /// The players exchange colours; the stone stays.
    Swap,
}

/// A position of a game with [`Placement`] rules.
#[derive(Clone, Copy, Debug)]
pub struct Placed<G> {
    stones: Stones,
    outcome: Option<Outcome>,
    game: PhantomData<G>,
}

impl<G: Placement> Placed<G> {
    /// Creates the empty board with this number of cells on a side.
    pub fn new(size: u16) -> Placed<G> {
        Placed { stones: Stones::new(Grid::of(G::SHAPE, size), G::FIRST), outcome: None, game: PhantomData }
    }

    /// Returns whether bridges matter, as in connection games on hexagons. A bridge is a pair of stones with two empty
    /// cells between them. A stone on either cell connects the pair.
    #[inline]
    fn has_bridges(&self) -> bool {
        G::KIND == Kind::Connection && self.stones.grid().directions() == 6
    }

    /// Returns the directions, as bits, from an opponent's stone inside a bridge to the cell that still connects the
    /// bridge. Cells outside the board are treated as stones of the player.
    #[inline]
    fn attacked_by(&self, intruder: Cell) -> u8 {
        if !self.has_bridges() {
            return 0;
        }
        let (grid, turn) = (self.stones.grid(), self.stones.turn());
        let held = self.stones.beside(intruder, turn) | grid.outwards(intruder);
        Grid::flanked(held) & !held & !self.stones.beside(intruder, turn.other())
    }

    /// Returns a move that saves a bridge that the last move attacked.
    #[inline]
    fn rescue(&self, last: Move, below: impl FnOnce(usize) -> usize) -> Option<Move> {
        let Move::Place(intruder) = last else { return None };
        let mut directions = self.attacked_by(intruder);
        let number = match directions.count_ones() {
            0 => return None,
            1 => 0,
            count => below(count as usize),
        };
        (0..number).for_each(|_| directions &= directions - 1);
        self.stones.grid().step(intruder, directions.trailing_zeros() as usize).map(Move::Place)
    }

    /// Returns whether a stone of the player to move on this empty cell would form a bridge.
    fn forms_bridge(&self, cell: Cell) -> bool {
        let (stones, grid, turn) = (&self.stones, self.stones.grid(), self.stones.turn());
        let taken = stones.beside(cell, turn) | stones.beside(cell, turn.other()) | grid.outwards(cell);
        (0..6).filter(|at| (taken >> at | taken >> ((at + 1) % 6)) & 1 == 0).any(|at| {
            let between = grid.around(cell)[at];
            stones.of(turn).has(grid.around(between)[(at + 1) % 6])
        })
    }

    /// Returns how a stone of a colour on an empty cell would end the game.
    fn end(&self, cell: Cell, colour: Colour) -> Option<End> {
        G::end(&self.stones, &self.stones.stone(cell, colour))
    }

    fn is_allowed(&self, cell: Cell) -> bool {
        !G::FORBIDS || G::allows(&self.stones, cell)
    }

    /// Returns the last stone, if it has ended the game.
    fn ended_by(&self, last: Move) -> Option<Cell> {
        match last {
            Move::Place(cell) if self.outcome.is_some() => Some(cell),
            _ => None,
        }
    }

    fn not_a_move(&self, text: &str) -> Refusal {
        let (grid, word) = (self.stones.grid(), text.to_ascii_lowercase());
        let message = grid
            .missing(&word)
            .unwrap_or_else(|| message!("rules.not-a-cell", last = grid.last_name(), second = G::FIRST.other().side()));
        let nearest = grid.nearest(&word).or_else(|| text::is_one_slip(&word, SWAP).then_some(SWAP));
        Refusal { nearest: nearest.map(str::to_owned), ..Refusal::new(RefusalKind::NotAMove, text, message) }
    }
}

/// The empty board of the usual size.
impl<G: Placement> Default for Placed<G> {
    fn default() -> Self {
        Placed::new(G::SIZE)
    }
}

impl<G: Placement> Position for Placed<G> {
    type Move = Move;
    /// The stones and the player to move.
    type RepetitionKey = ([CellSet; 2], Seat);

    /// Only a few of more than a hundred moves are worth a visit, and the results of playouts in which a move was
    /// played later show which ones.
    const EXPLORATION: f32 = 0.0;
    const LATER_VISITS: f32 = 800.0;

    #[inline]
    fn to_move(&self) -> Seat {
        self.stones.seat(self.stones.turn())
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let cells = self.stones.empty().set().cells().filter(|cell| self.is_allowed(*cell));
        cells.map(Move::Place).chain(self.stones.may_swap().then_some(Move::Swap))
    }

    fn legal_count(&self) -> usize {
        if G::FORBIDS {
            return self.legal().count();
        }
        self.stones.empty().count() + usize::from(self.stones.may_swap())
    }

    #[inline]
    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        // Most empty cells are allowed, so trying a few is faster than listing the allowed ones.
        for _ in 0..TRIES {
            let number = below(self.stones.empty().count() + usize::from(self.stones.may_swap()));
            match self.stones.empty().get(number) {
                Some(cell) if self.is_allowed(cell) => return Some(Move::Place(cell)),
                Some(_) => {}
                None => return self.stones.may_swap().then_some(Move::Swap),
            }
        }
        match self.legal_count() {
            0 => None,
            count => self.legal().nth(below(count)),
        }
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let Move::Place(cell) = mv else { return self.stones.exchange() };
        let (by, stone) = (self.to_move(), self.stones.stone(cell, self.stones.turn()));
        let end = G::end(&self.stones, &stone);
        self.stones.place(&stone, G::captures(&self.stones, cell));
        self.outcome = match end {
            Some(end) => Some(end.outcome(by)),
            None if self.stones.empty().count() == 0 => Some(Outcome { winner: None, reason: EndReason::BOARD_FULL }),
            None => None,
        };
        self.stones.end_turn();
        if G::FORBIDS && self.outcome.is_none() && self.legal().next().is_none() {
            self.outcome = Some(Outcome { winner: Some(by), reason: EndReason::NO_MOVES });
        }
    }

    fn repetition_key(&self) -> Option<Self::RepetitionKey> {
        G::REPEATS.then(|| (Colour::BOTH.map(|colour| *self.stones.of(colour)), self.to_move()))
    }

    /// Returns a winning stone or, if there is none, the stone that blocks a win of the opponent. `None` in games with
    /// captures, because a capture may also block the win.
    fn forced(&self) -> Option<Move> {
        if G::REMOVES {
            return None;
        }
        let turn = self.stones.turn();
        let wins = |cell: &Cell, colour| matches!(self.end(*cell, colour), Some(End::Won(_)));
        let won = |colour| self.stones.empty().set().cells().find(|cell| wins(cell, colour));
        won(turn).or_else(|| won(turn.other())).map(Move::Place)
    }

    /// The most promising moves save a bridge. Others form one, or are close to other stones.
    fn prior(&self, last: Move, mv: Move) -> f32 {
        let (Move::Place(last), Move::Place(cell)) = (last, mv) else { return 0.0 };
        if !self.has_bridges() {
            return 0.0;
        }
        let direction = (0..6).find(|direction| self.stones.grid().around(last)[*direction] == cell);
        let saves = direction.is_some_and(|direction| self.attacked_by(last) >> direction & 1 == 1);
        let touches = self.stones.beside(cell, self.stones.turn()) != 0;
        let reasons = [(saves, 30.0), (self.forms_bridge(cell), 3.0), (touches, 2.0), (direction.is_some(), 1.0)];
        reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, wins)| wins).sum()
    }

    fn may_end(&self, mv: Move) -> bool {
        let Move::Place(cell) = mv else { return false };
        G::FORBIDS || self.stones.empty().count() == 1 || self.end(cell, self.stones.turn()).is_some()
    }

    /// Saves a bridge that the opponent has just attacked, if there is one.
    fn choose(&self, last: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        self.rescue(last, &mut below).or_else(|| self.pick(below))
    }
}

impl<G: Placement> Described for Placed<G> {
    const NOTATION: Notation = Notation { ordered: &[], words: &[SWAP] };

    fn start(options: &Options) -> Result<Self, Refusal> {
        size(options, G::OPTIONS, G::SIZE).map(Placed::new)
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        let word = text.trim().to_ascii_lowercase();
        if word == SWAP {
            return Ok(Move::Swap);
        }
        let cell = self.stones.grid().named(&word).map(Move::Place);
        cell.ok_or_else(|| self.not_a_move(text.trim()))
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        let name = self.text(mv);
        let message = match mv {
            Move::Swap if self.stones.may_swap() => return Ok(()),
            Move::Swap => message!("rules.no-swap", second = G::FIRST.other().side()),
            Move::Place(cell) => match self.stones.at(cell) {
                None if self.is_allowed(cell) => return Ok(()),
                None => G::refusal(&self.stones, cell),
                Some(colour) => message!("rules.taken", cell = &name, side = colour.side()),
            },
        };
        Err(Refusal::new(RefusalKind::Illegal, name, message))
    }

    fn text(&self, mv: Move) -> String {
        match mv {
            Move::Place(cell) => self.stones.grid().name(cell).to_owned(),
            Move::Swap => SWAP.to_owned(),
        }
    }

    fn effects(&self, _: &Self, mv: Move) -> Effects {
        if mv == Move::Swap {
            return Effects { swapped: Some(Seat::BOTH.map(|seat| self.side(seat).mark)), ..Effects::default() };
        }
        let name = |cell| self.stones.grid().name(cell).to_owned();
        Effects { captured: self.stones.captured().cells().map(name).collect(), ..Effects::default() }
    }

    fn winning_cells(&self, last: Move) -> Vec<WinningCell> {
        let cells = self.ended_by(last).map(|cell| G::winning_cells(&self.stones, cell)).unwrap_or_default();
        cells.into_iter().map(|cell| WinningCell::flat(self.stones.grid().name(cell))).collect()
    }

    fn achievement(&self, last: Move) -> Option<Message> {
        G::achievement(&self.stones, self.ended_by(last)?)
    }

    fn mistake(&self, last: Move) -> Option<Message> {
        G::mistake(&self.stones, self.ended_by(last)?)
    }

    fn side(&self, seat: Seat) -> Side {
        self.stones.colour(seat).side()
    }

    fn aim(&self) -> Message {
        G::aim(&self.stones)
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        let cell = last.and_then(|mv| if let Move::Place(cell) = mv { Some(cell) } else { None });
        let last: CellSet = cell.into_iter().collect();
        let grid = self.stones.grid();
        let scene = scene::scene(grid, |cell| self.stones.at(cell).map(Colour::mark), &last);
        Scene { borders: G::borders(grid), ..scene }
    }
}
