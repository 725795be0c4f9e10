//! Catchup (Nick Bentley 2010): one to three stones a turn, and the largest group on a full board wins.

mod position;

pub use position::{Move, Position, Turn};

use super::catalogue::{GameInfo, Kind};
use super::kit::{self, Cell, CellSet, Colour};
use super::notation::{Notation, WinningCell};
use super::options::{OptionSpec, Options};
use super::outcome::{Outcome, Seat, Side};
use super::position::{Described, Playouts, Sets};
use super::refusal::{Refusal, RefusalKind};
use super::scene::Scene;
use crate::message;
use crate::text::Message;

/// The usual number of cells on a side of the board.
const SIZE: u16 = 5;

/// The game Catchup.
#[derive(Clone, Copy, Debug)]
pub struct Catchup;

impl GameInfo for Catchup {
    type Position = Position;
    const NAME: &'static str = "catchup";
    const TITLE: &'static str = "Catchup";
    const DESIGNER: &'static str = "Nick Bentley, 2010";
    const KIND: Kind = Kind::Groups;
    const OPTIONS: &'static [OptionSpec] = &[kit::size_option(&[4, 5, 6, 7], Message::new("catchup.sizes"))];
    const BUILT_IN: &'static str = "-size=5";
    const HAS_DRAWS: bool = false;
    const ABOUT: Message = Message::new("catchup.about");
    const SAMPLE: (&'static str, &'static str) = ("", "e5 d4,d5 f5,f6 c4,e4 d6,e6,g5 c3,f4 c5,d7 g3,g4 e7,f7,g6 b3,f3");
}

impl Position {
    fn name(&self, cell: Cell) -> &str {
        self.stones.grid().name(cell)
    }

    fn cell(&self, word: &str) -> Result<Cell, Refusal> {
        let (grid, word) = (self.stones.grid(), word.trim().to_ascii_lowercase());
        grid.named(&word).ok_or_else(|| {
            let message = grid.missing(&word).unwrap_or_else(|| message!("catchup.not-a-turn"));
            let nearest = grid.nearest(&word).map(str::to_owned);
            Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, word, message) }
        })
    }

    /// Returns the group of the winner that decided the game. `None` if the game has not ended.
    fn winning_group(&self) -> Option<CellSet> {
        let lead = self.lead().filter(|_| self.outcome.is_some())?;
        let (group, _) = self.stones.chains(lead.winner).find(|(_, size)| *size == lead.sizes[0])?;
        let own = self.stones.of(lead.winner).cells();
        Some(own.filter(|cell| self.stones.are_joined(group, *cell)).collect())
    }
}

impl super::position::Position for Position {
    type Move = Move;
    type RepetitionKey = ();

    /// The upper levels need more playouts than the default, because twice as many hardly win more games.
    const PLAYOUTS: Playouts = [20, 36, 65, 120, 210, 380, 680, 1_200, 2_200, 5_000, 14_000, 40_000];

    #[inline]
    fn to_move(&self) -> Seat {
        self.stones.seat(self.stones.turn())
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let (empty, most) = (*self.stones.empty().set(), self.left);
        let turns = std::iter::successors(Turn::default().next(&empty, most), move |turn| turn.next(&empty, most));
        turns.map(Move::Turn)
    }

    fn legal_count(&self) -> usize {
        let count = self.stones.empty().count();
        let turns = (0..self.most()).scan(1, |turns, placed| {
            *turns = *turns * (count - placed) / (placed + 1);
            Some(*turns)
        });
        turns.sum()
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let mut empty = *self.stones.empty().set();
        let (mut number, mut stones, mut turns) = (below(self.legal_count().max(1)), 1, empty.count());
        while number >= turns && stones < self.most() {
            number -= turns;
            turns = turns * (empty.count() - stones) / (stones + 1);
            stones += 1;
        }
        let mut turn = Turn::default();
        for _ in 0..stones {
            let cell = empty.nth(below(empty.count().max(1)))?;
            empty.take(cell);
            turn.put(cell);
        }
        Some(Move::Turn(turn))
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        self.play(mv);
    }

    /// The stones of a turn are chosen one after another, because there are tens of thousands of sets of three.
    fn steps(&self) -> impl Iterator<Item = Move> {
        self.stones.empty().set().cells().map(Move::Stone).chain(self.has_begun.then_some(Move::Stop))
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn so_far(&self, _: Move) -> Move {
        Move::Turn(self.turn)
    }

    fn may_end(&self, _: Move) -> bool {
        self.stones.empty().count() <= position::MOST
    }

    fn choose(&self, _: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let number = below(self.stones.empty().count() + usize::from(self.has_begun));
        self.stones.empty().get(number).map(Move::Stone).or_else(|| self.has_begun.then_some(Move::Stop))
    }
}

impl Described for Position {
    fn start(options: &Options) -> Result<Position, Refusal> {
        kit::size(options, Catchup::OPTIONS, SIZE).map(Position::new)
    }

    fn sets(&self) -> Option<Sets> {
        let cells = self.stones.empty().set().cells().map(|cell| self.name(cell).to_owned()).collect();
        Some(Sets { cells, most: self.most() })
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        let words: Vec<&str> = text.split(Notation::UNORDERED).collect();
        let cells = words.iter().map(|word| self.cell(word)).collect::<Result<Vec<Cell>, Refusal>>()?;
        if let Some(twice) = cells.iter().enumerate().find(|(at, cell)| cells[..*at].contains(cell)) {
            let message = message!("catchup.twice", cell = self.name(*twice.1));
            return Err(Refusal::new(RefusalKind::Illegal, text, message));
        }
        if cells.len() > position::MOST {
            return Err(Refusal::new(RefusalKind::NotAMove, text, message!("catchup.not-a-turn")));
        }
        Ok(Move::Turn(cells.into_iter().collect()))
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        let Move::Turn(turn) = mv else { return Ok(()) };
        let taken = turn.cells().find_map(|cell| Some((cell, self.stones.at(cell)?)));
        let message = match taken {
            Some((cell, colour)) => message!("rules.taken", cell = self.name(cell), side = colour.side()),
            None if turn.len() > self.left => message!("catchup.too-many", most = self.left),
            None => return Ok(()),
        };
        Err(Refusal::new(RefusalKind::Illegal, self.text(mv), message))
    }

    fn text(&self, mv: Move) -> String {
        let names = |turn: Turn| turn.cells().map(|cell| self.name(cell)).collect::<Vec<_>>().join(",");
        match mv {
            Move::Turn(turn) => names(turn),
            Move::Stone(cell) => self.name(cell).to_owned(),
            Move::Stop => String::new(),
        }
    }

    fn winning_cells(&self, _: Move) -> Vec<WinningCell> {
        let group = self.winning_group().unwrap_or_default();
        group.cells().map(|cell| WinningCell::flat(self.name(cell))).collect()
    }

    fn achievement(&self, _: Move) -> Option<Message> {
        let lead = self.lead().filter(|_| self.outcome.is_some())?;
        let [size, other] = lead.sizes;
        Some(message!("catchup.larger-group", rank = lead.rank, size, other))
    }

    fn side(&self, seat: Seat) -> Side {
        self.stones.colour(seat).side()
    }

    fn aim(&self) -> Message {
        let [black, white] = Colour::BOTH.map(|colour| self.largest(colour));
        message!("catchup.aim", side = self.stones.turn().side(), may_place = self.most(), white, black)
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        let last = if let Some(Move::Turn(turn)) = last { turn.cells().collect() } else { CellSet::default() };
        let stones = &self.stones;
        kit::scene(stones.grid(), |cell| stones.at(cell).map(Colour::mark), &last)
    }
}
