//! Marque (Cameron Browne, 2008): capture as in Go on a tiling of triangles and squares, and occupy bases with one
//! chain.
//!
//! A move text is a set of cells.

mod formation;
mod position;
mod scene;
mod tiling;

use position::SIDES;
use tiling::{CellKind, PAIRS, Site, TILING, Tiling, bit};

use super::catalogue::{GameInfo, Kind};
use super::game_state::GameState;
use super::notation::{self, Effects, WinningCell};
use super::options::{OptionSpec, Options};
use super::outcome::{EndReason, Outcome, Seat, Side};
use super::play::Play;
use super::position::{Described, Playouts};
use super::refusal::{Refusal, RefusalKind};
use super::scene::Scene;
use crate::message;
use crate::text::Message;

pub use formation::{Bases, Formation};
pub use position::{Chain, Move, Position, Stones};

/// The game Marque.
#[derive(Clone, Copy, Debug)]
pub struct Marque;

impl Marque {
    /// Starts a board with these stones and this seat to move. The restriction of the first move applies only to an
    /// empty board.
    ///
    /// For tests of the rules, with [`Stones::from_names`]. A formation in the initial position does not end the game,
    /// because only the player who moves can win.
    ///
    /// # Errors
    /// The errors of [`Game::start`](crate::rules::Game::start).
    pub fn start_at(&self, stones: Stones, to_move: Seat, options: &Options) -> Result<Box<dyn Play>, Refusal> {
        Ok(Box::new(GameState::new(Position::new(Formation::of(options)?, stones, to_move))))
    }
}

impl GameInfo for Marque {
    type Position = Position;
    const NAME: &'static str = "marque";
    const TITLE: &'static str = "Marque";
    const DESIGNER: &'static str = "Cameron Browne, 2008";
    const KIND: Kind = Kind::Connection;
    const OPTIONS: &'static [OptionSpec] = formation::OPTIONS;
    const BUILT_IN: &'static str = "-y";
    const HAS_DRAWS: bool = true;
    const ABOUT: Message = Message::new("marque.about");
    const SAMPLE: (&'static str, &'static str) =
        ("", "s3 e2 q5,r3 k5,l3 f2 k2 p2,q3 d1 p1 p4,q6 e6,f4 e7 d3 k9 k4 h1 o2 l6 h2 s1 j2,k3 r4 t2 q4");
}

/// A chain occupies the formation.
const FORMATION: EndReason = EndReason::new("formation");

impl super::position::Position for Position {
    type Move = Move;
    type RepetitionKey = (u128, u128);

    const PLAYOUTS: Playouts = [20, 32, 44, 68, 110, 175, 290, 520, 1_050, 2_400, 6_000, 16_000];

    /// Playouts last about 150 plies. Near their end, players fill captured cells again, so these moves say little
    /// about the position.
    const LATER: u32 = 100;

    #[inline]
    fn to_move(&self) -> Seat {
        self.to_move
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Move> {
        let moves = self.moves();
        let numbered = (0..).map(Move).zip(&TILING.placements);
        numbered.filter(move |(_, placement)| moves.has(placement.place.into())).map(|(mv, _)| mv)
    }

    #[inline]
    fn legal_count(&self) -> usize {
        self.moves().count()
    }

    fn pick(&self, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        let tiling = &*TILING;
        let mut moves = self.candidates(tiling);
        let lenders = self.stones.lenders(tiling, self.to_move);
        // An illegal choice is removed before the next attempt, so all legal moves remain equally likely.
        loop {
            let place = match moves.count() {
                0 => return None,
                count => moves.nth(below(count)),
            };
            let number = tiling.numbers[place];
            let placement = &tiling.placements[usize::from(number)];
            let free = if place < PAIRS {
                placement.around & lenders != 0
            } else {
                self.stones.has_freedom(tiling, self.to_move, placement)
            };
            if free || self.opening {
                return Some(Move(number));
            }
            moves.remove(place);
        }
    }

    #[inline]
    fn play_unchecked(&mut self, mv: Move) {
        let tiling = &*TILING;
        let placement = &tiling.placements[usize::from(mv.0)];
        let seat = self.to_move;
        self.stones.place(tiling, seat, placement);
        self.opening = false;
        self.last[seat.index()] = Some(mv);
        // Only the chain of the placed stones has grown, so no other chain can win. A win takes precedence over a draw.
        if self.stones.makes(tiling, self.formation, seat, placement.cells) {
            self.to_move = seat.other();
            self.outcome = Some(Outcome { winner: Some(seat), reason: FORMATION });
        } else {
            self.give_turn(seat.other());
        }
    }

    #[inline]
    fn repetition_key(&self) -> Option<(u128, u128)> {
        // The last bit belongs to no cell, so it stores the seat to move.
        let to_move = (self.to_move.index() as u128) << 127;
        Some((self.stones.of(Seat::First) | to_move, self.stones.of(Seat::Second)))
    }

    /// Avoids filling a cell that is surrounded by the player's stones, because this gives a freedom away and gains
    /// nothing.
    fn choose(&self, _: Move, mut below: impl FnMut(usize) -> usize) -> Option<Move> {
        for _ in 0..3 {
            let mv = self.pick(&mut below)?;
            if !self.is_surrounded(mv) {
                return Some(mv);
            }
        }
        self.pick(below)
    }
}

impl Described for Position {
    fn start(options: &Options) -> Result<Position, Refusal> {
        Ok(Position::new(Formation::of(options)?, Stones::default(), Seat::First))
    }

    fn parse(&self, text: &str) -> Result<Move, Refusal> {
        parse(text)
    }

    fn check(&self, mv: Move) -> Result<(), Refusal> {
        check(self, mv)
    }

    fn text(&self, mv: Move) -> String {
        TILING.text(mv.placement().cells)
    }

    fn effects(&self, before: &Self, _: Move) -> Effects {
        let enemy = before.to_move.other();
        let gone = before.stones.of(enemy) & !self.stones.of(enemy);
        Effects { captured: TILING.sites(gone).map(|site| site.name.clone()).collect(), ..Effects::default() }
    }

    fn winning_cells(&self, last: Move) -> Vec<WinningCell> {
        let winner = self.outcome.and_then(|outcome| outcome.winner);
        let chain = winner.map_or(0, |seat| TILING.chain(last.placement().cells, self.stones.of(seat)));
        TILING.sites(chain).map(|site| WinningCell::flat(&site.name)).collect()
    }

    fn achievement(&self, last: Move) -> Option<Message> {
        let seat = self.outcome?.winner?;
        let bases = self.stones.bases_of_chain(seat, last.placement().cells).to_string();
        Some(message!("marque.achievement", bases = bases.chars().map(String::from).collect::<Vec<_>>()))
    }

    fn side(&self, seat: Seat) -> Side {
        SIDES[seat.index()]
    }

    fn aim(&self) -> Message {
        self.formation.aim()
    }

    fn scene(&self, last: Option<Move>) -> Scene {
        scene::scene(&self.stones, last.map_or(0, |mv| mv.placement().cells))
    }
}

fn not_a_move(word: &str, message: Message) -> Refusal {
    Refusal::new(RefusalKind::NotAMove, word, message)
}

fn illegal(word: &str, message: Message) -> Refusal {
    Refusal::new(RefusalKind::Illegal, word, message)
}

/// Reads a move text, ignoring case and order: one cell, or two adjacent triangles.
pub(crate) fn parse(text: &str) -> Result<Move, Refusal> {
    let tiling = &*TILING;
    let text = text.trim();
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let set = match words[..] {
        [one] => bit(site(tiling, one)?.cell),
        [one, two] => {
            let (first, second) = (site(tiling, one)?, site(tiling, two)?);
            pair(tiling, text, first, second)?
        }
        _ => return Err(not_a_move(text, message!("marque.not-a-move"))),
    };
    let number = tiling.placements.iter().position(|placement| placement.cells == set);
    Ok(Move(number.expect("a cell or a pair has a placement") as u8))
}

fn pair(tiling: &Tiling, text: &str, one: &Site, two: &Site) -> Result<u128, Refusal> {
    let set = bit(one.cell) | bit(two.cell);
    if one.cell == two.cell {
        return Err(illegal(text, message!("marque.pair-of-one", cell = &one.name)));
    }
    if let Some(square) = [one, two].into_iter().find(|site| matches!(site.kind, CellKind::Square(_))) {
        return Err(illegal(text, message!("marque.pair-on-square", cell = &square.name)));
    }
    if tiling.adjacent[one.cell] & bit(two.cell) == 0 {
        return Err(illegal(text, message!("marque.pair-apart", first = &one.name, second = &two.name)));
    }
    Ok(set)
}

fn site<'a>(tiling: &'a Tiling, word: &str) -> Result<&'a Site, Refusal> {
    let name = word.to_ascii_lowercase();
    if let Some(site) = tiling.sites.iter().find(|site| site.name == name) {
        return Ok(site);
    }
    let row = |letter: char| tiling.sites.iter().filter(move |site| site.name.starts_with(letter));
    // Mention the row only for a word that looks like a cell. Other words are not misspelt cells.
    let number: Option<usize> = name.get(1..).and_then(|digits| digits.parse().ok());
    let message = match (name.chars().next(), number) {
        (Some(letter @ 'a'..='u'), Some(_)) => {
            message!("marque.no-such-cell-in-row", row = letter, last = row(letter).count())
        }
        _ => message!("marque.no-such-cell"),
    };
    let nearest = notation::nearest(&name, tiling.sites.iter().map(|site| site.name.as_str())).map(str::to_owned);
    Err(Refusal { nearest, ..not_a_move(word, message) })
}

/// Checks whether a placement is legal in this position.
pub(crate) fn check(position: &Position, mv: Move) -> Result<(), Refusal> {
    let tiling = &*TILING;
    let placement = mv.placement();
    let set = placement.cells;
    let text = tiling.text(set);
    let stones = &position.stones;
    if position.opening && set.count_ones() > 1 {
        return Err(illegal(&text, message!("marque.first-move-of-two")));
    }
    if position.opening && set & !tiling.triangles != 0 {
        return Err(illegal(&text, message!("marque.first-move-on-square")));
    }
    for site in tiling.sites(set) {
        if let Some(seat) = stones.at(site.cell) {
            return Err(illegal(&text, message!("marque.taken", cell = &site.name, side = SIDES[seat.index()])));
        }
    }
    if position.last[position.to_move.index()] == Some(mv) {
        return Err(illegal(&text, message!("marque.repeated", move = &text)));
    }
    if !stones.has_freedom(tiling, position.to_move, placement) {
        return Err(illegal(&text, message!("marque.no-freedom", move = &text)));
    }
    Ok(())
}
