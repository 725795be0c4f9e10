//! Games in which each turn moves a piece to another square, where it may replace an enemy piece. In some games, the
//! piece then shoots at a square, which is blocked for the rest of the game.

use std::fmt::Debug;

use super::grid::Cell;
use super::pieces::Pieces;
use super::scene;
use super::set::CellSet;
use super::stones::Colour;
use super::stones::End;
use crate::message;
use crate::rules::catalogue::GameInfo;
use crate::rules::notation::{self, Notation};
use crate::rules::notation::{Effects, WinningCell};
use crate::rules::options::Options;
use crate::rules::outcome::{EndReason, Outcome};
use crate::rules::outcome::{Seat, Side};
use crate::rules::position::{Described, Position};
use crate::rules::refusal::{Refusal, RefusalKind};
use crate::rules::scene::{BLOCK, Scene};
use crate::text::Message;

const STEP: char = '-';
const CAPTURE: char = 'x';
const SHOT: char = '/';
/// The number of random pieces to try before examining all pieces.
const TRIES: usize = 8;

/// The rules of one game.
pub trait Stepping: GameInfo + Clone + Copy + Debug + Send {
    /// The number of cells on a side of the board.
    const SIZE: u16;
    /// The colour that moves first.
    const FIRST: Colour;
    /// The squares of Black's and of White's pieces at the start.
    const START: [&'static str; 2];
    /// Whether a piece shoots after its move, along the lines on which it moves.
    const SHOOTS: bool = false;
    /// Whether a player without a legal move is passed over; otherwise, they lose.
    const PASSES: bool = false;
    /// Whether positions can be repeated.
    const REPEATS: bool = false;
    /// The number of random moves that a random game compares for each turn. It plays the one with the highest
    /// [`Stepping::gain`].
    const CANDIDATES: usize = 1;

    /// Returns the aim of the game.
    fn aim(pieces: &Pieces) -> Message;

    /// Returns the squares to which the piece on a square can move, including those of enemy pieces that it can
    /// capture.
    fn targets(pieces: &Pieces, from: Cell) -> CellSet;

    /// Estimates how much a move improves the position of the player to move.
    fn gain(pieces: &Pieces, from: Cell, to: Cell) -> i32 {
        let _ = (pieces, from, to);
        0
    }

    /// Explains why the piece on a square cannot move to another, or shoot at it.
    fn refusal(pieces: &Pieces, from: Cell, to: Cell) -> Message;

    /// Returns how a move to this square has ended the game, if it has.
    fn end(pieces: &Pieces, last: Cell) -> Option<End> {
        let _ = (pieces, last);
        None
    }

    /// Returns the cells that decided the game after a move to this square, in board order.
    fn winning_cells(pieces: &Pieces, last: Cell) -> Vec<Cell> {
        let _ = (pieces, last);
        Vec::new()
    }

    /// Describes how the winner won after a move to this square, in words that follow the winner's name.
    fn achievement(pieces: &Pieces, last: Cell) -> Option<Message> {
        let _ = (pieces, last);
        None
    }
}

/// A move of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    from: Cell,
    to: Cell,
    captures: bool,
    shot: Option<Cell>,
}

/// A position of a game with [`Stepping`] rules.
#[derive(Clone, Copy, Debug)]
pub struct Stepped<G> {
    pieces: Pieces,
    /// A move whose shot is still missing. Only a search uses positions within a turn.
    begun: Option<Step>,
    outcome: Option<Outcome>,
    game: std::marker::PhantomData<G>,
}

impl<G: Stepping> Stepped<G> {
    /// Sets up pieces by the names of Black's and White's squares. For tests of the rules.
    pub fn set_up(names: [&str; 2], turn: Colour) -> Stepped<G> {
        let pieces = Pieces::new(G::SIZE, names, turn);
        Stepped { pieces, begun: None, outcome: None, game: std::marker::PhantomData }
    }

    fn own(&self) -> &CellSet {
        self.pieces.of(self.pieces.turn)
    }

    fn seat(colour: Colour) -> Seat {
        if colour == G::FIRST { Seat::First } else { Seat::Second }
    }

    fn colour(seat: Seat) -> Colour {
        if seat == Seat::First { G::FIRST } else { G::FIRST.other() }
    }

    /// Returns the pieces after a move, before its shot.
    fn moved(&self, from: Cell, to: Cell) -> Pieces {
        let mut pieces = self.pieces;
        pieces.go(from, to);
        pieces
    }

    /// Returns the squares at which a piece can shoot after its move.
    fn shots(&self, from: Cell, to: Cell) -> CellSet {
        if G::SHOOTS { G::targets(&self.moved(from, to), to) } else { CellSet::default() }
    }

    /// Returns the moves of one piece without their shots, starting with those to empty squares.
    fn of_piece(&self, from: Cell) -> impl Iterator<Item = Step> + use<G> {
        let (targets, enemy) = (G::targets(&self.pieces, from), *self.pieces.of(self.pieces.turn.other()));
        let steps = targets.without(&enemy).cells().map(|to| (to, false));
        let steps = steps.chain(targets.and(&enemy).cells().map(|to| (to, true)));
        steps.map(move |(to, captures)| Step { from, to, captures, shot: None })
    }

    /// Completes a move with each possible shot, if the game has shots.
    fn with_shots(&self, step: Step) -> impl Iterator<Item = Step> + use<G> {
        let shots = self.shots(step.from, step.to).cells().map(Some).chain((!G::SHOOTS).then_some(None));
        shots.map(move |shot| Step { shot, ..step })
    }

    /// Chooses a piece and its target at random, one after the other.
    fn random_step(&self, below: &mut impl FnMut(usize) -> usize) -> Option<Step> {
        let (own, pieces) = (self.own(), self.own().count());
        let targets = |from: Cell| Some((from, G::targets(&self.pieces, from))).filter(|(_, to)| !to.is_empty());
        // Most pieces can move, so trying a few is faster than finding all that can.
        let tries = if pieces > 0 { TRIES } else { 0 };
        let tried = (0..tries).find_map(|_| targets(own.nth(below(pieces))?));
        let (from, targets) = tried.or_else(|| {
            let all = || own.cells().filter_map(targets);
            let count = all().count();
            if count > 0 { all().nth(below(count)) } else { None }
        })?;
        let to = targets.nth(below(targets.count()))?;
        Some(Step { from, to, captures: self.pieces.of(self.pieces.turn.other()).has(to), shot: None })
    }

    fn can_move(&self) -> bool {
        self.own().cells().any(|from| !G::targets(&self.pieces, from).is_empty())
    }

    /// Finds a square by its name in lower case.
    fn square(&self, word: &str) -> Result<Cell, Refusal> {
        let grid = self.pieces.grid();
        grid.named(word).ok_or_else(|| {
            let nearest = grid.nearest(word).map(str::to_owned);
            Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, word, grid.no_such_square()) }
        })
    }

    /// Explains why a move is illegal; `None` if it is legal.
    fn why_not(&self, mv: Step) -> Option<Message> {
        let Step { from, to, captures, shot } = mv;
        let name = |cell| self.pieces.grid().name(cell);
        let (start, end, turn) = (name(from), name(to), self.pieces.turn);
        match (self.pieces.at(from), self.pieces.at(to)) {
            (None, _) => Some(message!("rules.no-piece", start)),
            (Some(colour), _) if colour != turn => Some(message!("rules.not-your-piece", start, side = colour.side())),
            (_, Some(colour)) if colour == turn => Some(message!("rules.own-piece", end)),
            _ if !G::targets(&self.pieces, from).has(to) => Some(G::refusal(&self.pieces, from, to)),
            (_, Some(colour)) if !captures => Some(message!("rules.is-a-capture", start, end, side = colour.side())),
            (_, None) if captures => Some(message!("rules.captures-nothing", start, end)),
            _ => shot.filter(|shot| !self.shots(from, to).has(*shot)).map(|shot| {
                let pieces = self.moved(from, to);
                match pieces.at(shot) {
                    Some(colour) => message!("rules.shot-at-piece", shot = name(shot), side = colour.side()),
                    None => message!("rules.no-shot", reason = G::refusal(&pieces, to, shot)),
                }
            }),
        }
    }
}

/// Returns the refusal of a text that does not name all squares of a move.
fn not_a_step<G: Stepping>(text: &str) -> Refusal {
    let example = G::SAMPLE.1.split(' ').next().unwrap_or_default();
    let message = message!("rules.not-a-step", example, shoots = G::SHOOTS);
    Refusal::new(RefusalKind::NotAMove, text.trim(), message)
}

/// The starting position.
impl<G: Stepping> Default for Stepped<G> {
    fn default() -> Self {
        Stepped::set_up(G::START, G::FIRST)
    }
}

impl<G: Stepping> Position for Stepped<G> {
    type Move = Step;
    /// The pieces and the player to move.
    type RepetitionKey = ([CellSet; 2], Seat);

    #[inline]
    fn to_move(&self) -> Seat {
        Self::seat(self.pieces.turn)
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal(&self) -> impl Iterator<Item = Step> {
        self.own().cells().flat_map(|from| self.of_piece(from)).flat_map(|step| self.with_shots(step))
    }

    fn legal_count(&self) -> usize {
        let of_piece = |from: Cell| {
            let targets = G::targets(&self.pieces, from);
            if G::SHOOTS { targets.cells().map(|to| self.shots(from, to).count()).sum() } else { targets.count() }
        };
        self.own().cells().map(of_piece).sum()
    }

    /// A shot is chosen after its move, because there are up to two thousand pairs of both.
    fn steps(&self) -> impl Iterator<Item = Step> {
        let moves = self.begun.is_none().then(|| self.own().cells().flat_map(|from| self.of_piece(from)));
        let shots = self.begun.map(|step| self.with_shots(step));
        moves.into_iter().flatten().chain(shots.into_iter().flatten())
    }

    fn has_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// A move and its shot fill two squares, so they can enclose the enemy pieces only if these have at most two empty
    /// neighbours.
    fn may_end(&self, step: Step) -> bool {
        !G::SHOOTS || step.shot.is_some() && self.pieces.exits(self.pieces.turn.other()).nth(2).is_none()
    }

    fn play_unchecked(&mut self, step: Step) {
        let (turn, Step { from, to, shot, .. }) = (self.pieces.turn, step);
        self.pieces.go(from, to);
        self.begun = (G::SHOOTS && shot.is_none()).then_some(step);
        if self.has_begun() {
            return;
        }
        shot.into_iter().for_each(|shot| self.pieces.block(shot));
        self.outcome = G::end(&self.pieces, to).map(|end| end.outcome(Self::seat(turn)));
        self.pieces.turn = turn.other();
        if self.outcome.is_some() || self.can_move() {
            return;
        }
        let stuck = |winner| Some(Outcome { winner, reason: EndReason::NO_MOVES });
        if !G::PASSES {
            self.outcome = stuck(Some(Self::seat(turn)));
            return;
        }
        self.pieces.turn = turn;
        if !self.can_move() {
            self.outcome = stuck(None);
        }
    }

    fn repetition_key(&self) -> Option<Self::RepetitionKey> {
        G::REPEATS.then(|| (Colour::BOTH.map(|colour| *self.pieces.of(colour)), self.to_move()))
    }

    /// Chooses the best of a few random moves. Faster than `pick`, but moves are not equally likely.
    fn choose(&self, _: Step, mut below: impl FnMut(usize) -> usize) -> Option<Step> {
        if let Some(step) = self.begun {
            let shots = self.shots(step.from, step.to);
            return Some(Step { shot: shots.nth(below(shots.count())), ..step });
        }
        let steps = (0..G::CANDIDATES).filter_map(|_| self.random_step(&mut below));
        steps.max_by_key(|step| G::gain(&self.pieces, step.from, step.to))
    }
}

impl<G: Stepping> Described for Stepped<G> {
    const NOTATION: Notation =
        Notation { ordered: if G::SHOOTS { &[STEP, SHOT] } else { &[STEP, CAPTURE] }, words: &[] };

    fn start(_: &Options) -> Result<Self, Refusal> {
        Ok(Stepped::default())
    }

    fn parse(&self, text: &str) -> Result<Step, Refusal> {
        let word = notation::separated(&text.trim().to_ascii_lowercase(), CAPTURE);
        let cells: Vec<&str> = word.split([STEP, CAPTURE, SHOT, Notation::UNORDERED]).map(str::trim).collect();
        let (from, to, shot) = match cells[..] {
            _ if cells.contains(&"") => return Err(not_a_step::<G>(text)),
            [from, to] if !G::SHOOTS => (from, to, None),
            [from, to, shot] if G::SHOOTS => (from, to, Some(shot)),
            _ => return Err(not_a_step::<G>(text)),
        };
        let (from, to) = (self.square(from)?, self.square(to)?);
        // If the text has neither a dash nor an x, the move is a capture if an enemy piece is on the target.
        let is_open = !G::SHOOTS && !word.contains([STEP, CAPTURE]);
        let captures = word.contains(CAPTURE) || is_open && self.pieces.of(self.pieces.turn.other()).has(to);
        let step = Step { from, to, captures, shot: shot.map(|word| self.square(word)).transpose()? };
        if G::SHOOTS && captures {
            let nearest = Some(self.text(Step { captures: false, ..step }));
            let message = message!("rules.no-captures", game = G::TITLE);
            return Err(Refusal { nearest, ..Refusal::new(RefusalKind::NotAMove, text.trim(), message) });
        }
        Ok(step)
    }

    fn check(&self, mv: Step) -> Result<(), Refusal> {
        let refusal = self.why_not(mv).map(|message| Refusal::new(RefusalKind::Illegal, self.text(mv), message));
        refusal.map_or(Ok(()), Err)
    }

    fn text(&self, Step { from, to, captures, shot }: Step) -> String {
        let name = |cell| self.pieces.grid().name(cell);
        let separator = if captures { CAPTURE } else { STEP };
        let shot = shot.map(|shot| format!("{SHOT}{}", name(shot))).unwrap_or_default();
        format!("{}{separator}{}{shot}", name(from), name(to))
    }

    fn effects(&self, _: &Self, mv: Step) -> Effects {
        let captured = mv.captures.then(|| self.pieces.grid().name(mv.to).to_owned());
        Effects { captured: captured.into_iter().collect(), ..Effects::default() }
    }

    fn winning_cells(&self, last: Step) -> Vec<WinningCell> {
        let cells = G::winning_cells(&self.pieces, last.to).into_iter();
        cells.map(|cell| WinningCell::flat(self.pieces.grid().name(cell))).collect()
    }

    fn achievement(&self, last: Step) -> Option<Message> {
        G::achievement(&self.pieces, last.to)
    }

    fn side(&self, seat: Seat) -> Side {
        Self::colour(seat).side()
    }

    fn aim(&self) -> Message {
        G::aim(&self.pieces)
    }

    fn scene(&self, last: Option<Step>) -> Scene {
        let way = last.map(|Step { from, to, .. }| [from.index(), to.index()]);
        let last: CellSet = last.into_iter().flat_map(|mv| [Some(mv.from), Some(mv.to), mv.shot]).flatten().collect();
        let piece = |cell| self.pieces.at(cell).map(Colour::mark);
        let block = |cell| self.pieces.blocked().has(cell).then_some(BLOCK);
        let scene = scene::scene(self.pieces.grid(), |cell| piece(cell).or_else(|| block(cell)), &last);
        Scene { way, ..scene }
    }
}
